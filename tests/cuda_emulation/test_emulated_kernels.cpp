/* Right kernels give right values. */
#include <cmath>
#include <cstdlib>

#include "emulation_check.h"
#include "sample_kernels.h"

using namespace emulation_check;

namespace
{

/* Small integers: every sum is exact. */
void sums()
{
    std::vector<float> numbers(1024);
    for (size_t i = 0; i < numbers.size(); i++)
        numbers[i] = (float)(i % 7);
    float *from = device_copy(numbers), *to = device_copy(std::vector<float>(4));
    expect(sample_block_sums(to, from, 1024, nullptr), cudaSuccess, "launch of sums");
    const std::vector<float> found = host_copy(to, 4);
    for (size_t block = 0; block < 4; block++) {
        float sum = 0;
        for (size_t i = 0; i < 256; i++)
            sum += numbers[block * 256 + i];
        check(found[block] == sum, "the sum of block " + std::to_string(block));
    }
    cudaFree(from);
    cudaFree(to);
}

void transposes()
{
    const unsigned side = 96;
    std::vector<float> numbers(side * side);
    for (size_t i = 0; i < numbers.size(); i++)
        numbers[i] = (float)i;
    float *from = device_copy(numbers), *to = device_copy(std::vector<float>(numbers.size()));
    expect(sample_transpose(to, from, side, nullptr), cudaSuccess, "launch of transpose");
    const std::vector<float> found = host_copy(to, numbers.size());
    size_t wrong = 0;
    for (size_t row = 0; row < side; row++)
        for (size_t column = 0; column < side; column++)
            wrong += found[row * side + column] != numbers[column * side + row];
    check(wrong == 0, std::to_string(wrong) + " elements are not transposed");
    cudaFree(from);
    cudaFree(to);
}

void vectors()
{
    const std::vector<float> numbers(400, 3.0f);
    float *from = device_copy(numbers), *to = device_copy(std::vector<float>(400));
    expect(sample_double(to, from, 99, 4, nullptr), cudaSuccess, "launch of double");
    const std::vector<float> found = host_copy(to, 400);
    for (size_t i = 0; i < found.size(); i++)
        check(found[i] == (i < 4 ? 0.0f : 6.0f), "element " + std::to_string(i));
    cudaFree(from);
    cudaFree(to);
}

/* What lane l gets in a segment of 8 lanes from each kind of shuffle. */
void shuffles()
{
    float *to = device_copy(std::vector<float>(4 * 32));
    expect(sample_shuffles(to, nullptr), cudaSuccess, "launch of shuffles");
    const std::vector<float> found = host_copy(to, 4 * 32);
    for (unsigned lane = 0; lane < 32; lane++) {
        const unsigned first = lane / 8 * 8, last = first + 7;
        const unsigned expected[4] = {first + 3, lane + 2 > last ? lane : lane + 2,
                                      lane < first + 2 ? lane : lane - 2, lane ^ 4};
        for (unsigned kind = 0; kind < 4; kind++)
            check(found[kind * 32 + lane] == (float)expected[kind],
                  "shuffle " + std::to_string(kind) + " of lane " + std::to_string(lane));
    }
    cudaFree(to);
}

/* Rounding to nearest even, overflow to infinity, signed zero, subnormal numbers, NaN. */
void bfloat16()
{
    const std::vector<float> from = {1.0f,        1.00390625f, /* half way: to even, down */
                                     1.01171875f,              /* half way: to even, up */
                                     1.00390637f,              /* just above half way */
                                     3.4e38f,     -3.4e38f,    /* beyond the largest */
                                     -0.0f,       1e-40f,      NAN};
    const std::vector<float> expected = {
        1.0f, 1.0f, 1.015625f, 1.0078125f, INFINITY, -INFINITY, -0.0f, std::ldexp(1.0f, -133), NAN};
    float *device = device_copy(from);
    expect(sample_round(device, (unsigned)from.size(), nullptr), cudaSuccess, "launch of round");
    const std::vector<float> found = host_copy(device, from.size());
    for (size_t i = 0; i < from.size(); i++) {
        const bool same =
            std::isnan(expected[i])
                ? std::isnan(found[i])
                : found[i] == expected[i] && std::signbit(found[i]) == std::signbit(expected[i]);
        check(same, "bfloat16 of " + std::to_string(from[i]) + ": " + std::to_string(found[i]));
    }
    cudaFree(device);
}

void poison()
{
    void *made = nullptr;
    cudaMalloc(&made, 64);
    for (const float value : host_copy(static_cast<float *>(made), 16))
        check(std::isnan(value), "new device memory is not NaN");
    float *to = device_copy(std::vector<float>(64)), *from = static_cast<float *>(made);
    expect(sample_mistake_run(SAMPLE_SHARED_UNWRITTEN, to, from, 0, nullptr), cudaSuccess,
           "launch of unwritten");
    check(std::isnan(host_copy(to, 64)[0]), "shared memory that nobody wrote is not NaN");
    cudaFree(made);
    cudaFree(to);
}

/* A kernel that is right in one order only. */
void orders()
{
    float *to = device_copy(std::vector<float>(32));
    expect(sample_order(to, nullptr), cudaSuccess, "launch of order");
    check(host_copy(to, 32)[31] == 31.0f, "from the first lane to the last");
    setenv("CUDA_EMULATION_REVERSED", "1", 1);
    cudaMemset(to, 0, 32 * sizeof(float));
    expect(sample_order(to, nullptr), cudaSuccess, "launch of order");
    check(host_copy(to, 32)[31] == 1.0f, "from the last lane to the first");
    sums();
    transposes();
    unsetenv("CUDA_EMULATION_REVERSED");
    cudaFree(to);
}

void impossible_launches()
{
    const dim3 wrong_blocks[] = {{0}, {1, 65536}, {1, 1, 65536}, {2147483648u}};
    const dim3 wrong_threads[] = {{0}, {1025}, {32, 33}, {1, 1, 65}, {1, 0}};
    for (const dim3 &blocks : wrong_blocks)
        expect(sample_empty(blocks, 1, nullptr), cudaErrorInvalidConfiguration, "blocks");
    for (const dim3 &threads : wrong_threads)
        expect(sample_empty(1, threads, nullptr), cudaErrorInvalidConfiguration, "threads");
    expect(cudaGetLastError(), cudaErrorInvalidConfiguration, "the last error");
    expect(cudaGetLastError(), cudaSuccess, "the last error is given once");
    expect(sample_empty(dim3(2, 65535), dim3(1), nullptr), cudaSuccess, "many blocks");
    expect(sample_empty(1, dim3(4, 4, 64), nullptr), cudaSuccess, "most threads");
}

} // namespace

int main()
{
    sums();
    transposes();
    vectors();
    shuffles();
    bfloat16();
    poison();
    orders();
    impossible_launches();
    return finish("right kernels gave right values");
}
