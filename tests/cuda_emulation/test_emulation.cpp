/* The emulation runs right kernels right. */
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "cuda_emulation.h"
#include "sample_kernels.h"

namespace
{

int failed = 0;

void check(bool holds, const char *what)
{
    if (!holds) {
        std::printf("FAILED: %s\n", what);
        failed++;
    }
}

float *device_copy(const std::vector<float> &values)
{
    void *made = nullptr;
    check(cudaMalloc(&made, values.size() * sizeof(float)) == cudaSuccess, "cudaMalloc");
    check(cudaMemcpy(made, values.data(), values.size() * sizeof(float), cudaMemcpyHostToDevice) ==
              cudaSuccess,
          "copy to the device");
    return static_cast<float *>(made);
}

std::vector<float> host_copy(const float *device, size_t count)
{
    std::vector<float> values(count);
    check(cudaMemcpy(values.data(), device, count * sizeof(float), cudaMemcpyDeviceToHost) ==
              cudaSuccess,
          "copy to the host");
    return values;
}

void sums()
{
    std::vector<float> numbers(1024);
    for (size_t i = 0; i < numbers.size(); i++)
        numbers[i] = (float)(i % 7);
    float *from = device_copy(numbers), *to = device_copy(std::vector<float>(4));
    check(sample_block_sums(to, from, 1024, nullptr) == cudaSuccess, "launch of sums");
    const std::vector<float> found = host_copy(to, 4);
    for (size_t block = 0; block < 4; block++) {
        float sum = 0;
        for (size_t i = 0; i < 256; i++)
            sum += numbers[block * 256 + i];
        check(found[block] == sum, "a block's sum");
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
    check(sample_transpose(to, from, side, nullptr) == cudaSuccess, "launch of transpose");
    const std::vector<float> found = host_copy(to, numbers.size());
    for (size_t row = 0; row < side; row++)
        for (size_t column = 0; column < side; column++)
            check(found[row * side + column] == numbers[column * side + row], "an element");
    cudaFree(from);
    cudaFree(to);
}

void vectors()
{
    std::vector<float> numbers(400, 3.0f);
    float *from = device_copy(numbers), *to = device_copy(std::vector<float>(400));
    check(sample_double(to, from, 99, 4, nullptr) == cudaSuccess, "launch of double");
    const std::vector<float> found = host_copy(to, 400);
    for (size_t i = 0; i < found.size(); i++)
        check(found[i] == (i < 4 ? 0.0f : 6.0f), "a doubled element");
    cudaFree(from);
    cudaFree(to);
}

} // namespace

int main()
{
    sums();
    transposes();
    vectors();
    if (failed == 0)
        std::printf("all kernels gave the right values\n");
    return failed == 0 ? 0 : 1;
}
