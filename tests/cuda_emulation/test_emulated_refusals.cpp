/* What a device would not do right is refused, with the place in words. */
#include <csignal>
#include <cstring>

#include "emulation_check.h"
#include "sample_kernels.h"

using namespace emulation_check;

namespace
{

/* Each mistake, and what is said of it. */
const struct {
    sample_mistake mistake;
    const char *words;
} mistakes[] = {
    {SAMPLE_READ_BEHIND, "reads 4 bytes at"},
    {SAMPLE_WRITE_BEFORE, "writes 4 bytes at"},
    {SAMPLE_EXIT_AT_BARRIER,
     "it ends, but thread (0, 0, 0) waits at __syncthreads (sample_kernels.cu:"},
    {SAMPLE_TWO_BARRIERS, "thread (0, 0, 0) waits at __syncthreads"},
    {SAMPLE_EXIT_AT_SHUFFLE,
     "it ends, but thread (0, 0, 0) waits at __shfl_xor_sync (sample_kernels.cu:"},
    {SAMPLE_MASK_WITHOUT_SELF, "with mask 0xfffffff7, which does not name it"},
    {SAMPLE_MASK_NOT_RUNNING, "names lane 8 (mask 0xffffffff), but the block has only 40 threads"},
    {SAMPLE_LANE_NOT_NAMED, "lane 0 reads lane 16, which mask 0x0000ffff does not name"},
    {SAMPLE_TWO_MASKS, "waits for the lanes of mask 0xffff0000, but thread (0, 0, 0) waits at"},
    {SAMPLE_SHUFFLE_AND_BARRIER,
     "it comes to __syncthreads, but thread (0, 0, 0) waits at __shfl_xor_sync"},
    {SAMPLE_SHARED_BEHIND, "writes 4 bytes at"},
    {SAMPLE_SHARED_NO_BARRIER, "with no barrier between them"},
    {SAMPLE_SHARED_ASKEW, "reads 16 bytes at an address that is no multiple of that"},
    {SAMPLE_BLOCKS_WRITE,
     "block (1, 0, 0), thread (0, 0, 0): writes 4 bytes which another block wrote"},
    {SAMPLE_BLOCK_READS,
     "block (1, 0, 0), thread (0, 0, 0): reads 4 bytes which another block wrote"},
    {SAMPLE_BLOCK_WRITES, "writes 4 bytes which another block read"},
    {SAMPLE_WARP_READS, "which another warp wrote with no barrier between the two"},
    {SAMPLE_WARP_WRITES, "which another warp read with no barrier between the two"},
};

void kernels()
{
    float *from = device_copy(std::vector<float>(64)), *to = device_copy(std::vector<float>(64));
    static_assert(sizeof mistakes / sizeof *mistakes == SAMPLE_SHARED_UNWRITTEN - SAMPLE_NONE - 1,
                  "every mistake is made");
    for (const auto &row : mistakes)
        refuses("mistake " + std::to_string(row.mistake),
                {"CUDA emulation: kernel ", "thread (", row.words},
                [&] { (void)sample_mistake_run(row.mistake, to, from, 64, nullptr); });
    refuses("too much shared memory",
            {"its shared memory takes 49200 bytes", "more than the 49152"},
            [&] { (void)sample_shared_too_much(to, nullptr); });
    expect(sample_mistake_run(SAMPLE_NONE, to, from, 64, nullptr), cudaSuccess, "no mistake");
    cudaFree(from);
    cudaFree(to);
}

void places()
{
    std::vector<float> host(64);
    float *from = device_copy(host), *to = device_copy(host), *gone = device_copy(host);
    void *pinned = nullptr;
    cudaFree(gone);
    cudaMallocHost(&pinned, 256);
    refuses("behind the end", {"0 bytes behind the end of allocation 3 (256 bytes of device 0)"},
            [&] { (void)sample_double(to, from, 17, 0, nullptr); });
    refuses("freed memory", {"into allocation 5 (256 bytes of device 0, freed)"},
            [&] { (void)sample_double(gone, from, 16, 0, nullptr); });
    refuses("the host's stack", {"doubled(float*, float const*", "which is host memory"}, [&] {
        float local[4];
        (void)sample_double(local, from, 1, 0, nullptr);
    });
    refuses("the host's heap", {"which is host memory"},
            [&] { (void)sample_double(to, host.data(), 1, 0, nullptr); });
    refuses("page-locked memory", {"page-locked host memory"},
            [&] { (void)sample_double(to, static_cast<float *>(pinned), 1, 0, nullptr); });
    refuses("no memory", {"0x0, which is host memory, or nothing"},
            [&] { (void)sample_double(nullptr, from, 1, 0, nullptr); });
    refuses("askew", {"reads 16 bytes at an address that is no multiple of that"},
            [&] { (void)sample_double(to, from, 1, 1, nullptr); });
    refuses("a store askew", {"writes 16 bytes at an address that is no multiple of that"},
            [&] { (void)sample_double(to + 1, from, 1, 0, nullptr); });
    cudaFreeHost(pinned);
    cudaFree(from);
    cudaFree(to);
}

void copies()
{
    std::vector<float> host(64);
    float *device = device_copy(host);
    refuses("a copy behind the end", {"reads 512 bytes at"},
            [&] { cudaMemcpy(host.data(), device, 512, cudaMemcpyDeviceToHost); });
    refuses("a fill before the start", {"writes 8 bytes at"},
            [&] { cudaMemset(device - 1, 0, 8); });
    refuses("a direction", {"a copy's source is said to be device memory, but is"},
            [&] { cudaMemcpy(device, host.data(), 4, cudaMemcpyDeviceToDevice); });
    refuses("an overlap", {"source and target overlap"},
            [&] { cudaMemcpy(device, device + 1, 8, cudaMemcpyDeviceToDevice); });
    refuses("a second free", {"freed twice"}, [&] {
        cudaFree(device);
        cudaFree(device);
    });
    refuses("an emulated library", {"reads 512 bytes at"}, [&] {
        cuda_emulation_begin(nullptr, "product");
        cuda_emulation_touch(device, 512, false);
    });
    expect_end(SIGSEGV, {"host code touches device memory"}, "host code reads device memory", [&] {
        volatile float value = *device;
        (void)value;
    });
    cudaFree(device);
}

void handles()
{
    cudaStream_t stream = nullptr;
    cudaEvent_t event = nullptr;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
    cudaStreamDestroy(stream);
    cudaEventDestroy(event);
    refuses("a destroyed stream", {"stream", "does not exist"},
            [&] { (void)sample_empty(1, 1, stream); });
    refuses("a destroyed event", {"event", "does not exist"},
            [&] { cudaEventRecord(event, nullptr); });
}

} // namespace

int main()
{
    kernels();
    places();
    copies();
    handles();
    return finish("every mistake was refused");
}
