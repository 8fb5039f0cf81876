/* The log of operations, and what its check finds when an order is missing. */
#include "emulation_check.h"
#include "sample_kernels.h"

using namespace emulation_check;

namespace
{

struct trial {
    cudaStream_t compute = nullptr, communication = nullptr;
    cudaEvent_t ready = nullptr, done = nullptr;
    float *a = nullptr, *b = nullptr;
    void *host = nullptr;
};

trial start()
{
    trial made;
    cudaStreamCreateWithFlags(&made.compute, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&made.communication, cudaStreamNonBlocking);
    cuda_emulation_name_stream(made.compute, "compute");
    cuda_emulation_name_stream(made.communication, "communication");
    cudaEventCreateWithFlags(&made.ready, cudaEventDisableTiming);
    cudaEventCreateWithFlags(&made.done, cudaEventDisableTiming);
    made.a = device_copy(std::vector<float>(256, 1.0f));
    made.b = device_copy(std::vector<float>(256, 1.0f));
    cudaMallocHost(&made.host, 1024);
    cuda_emulation_log_start();
    return made;
}

void stop(const trial &of)
{
    cuda_emulation_log_stop();
    cudaStreamDestroy(of.compute);
    cudaStreamDestroy(of.communication);
    cudaEventDestroy(of.ready);
    cudaEventDestroy(of.done);
    cudaFree(of.a);
    cudaFree(of.b);
    cudaFreeHost(of.host);
}

/* A gradient is made, sent on the other stream, and used: two waits, of which each is needed. */
void exchange(const trial &of)
{
    (void)sample_double(of.b, of.a, 64, 0, of.compute);
    cudaEventRecord(of.ready, of.compute);
    cudaStreamWaitEvent(of.communication, of.ready, 0);
    cuda_emulation_begin(of.communication, "all-reduce");
    cuda_emulation_touch(of.b, 512, false);
    cuda_emulation_touch(of.b, 512, true);
    cuda_emulation_end();
    cudaEventRecord(of.done, of.communication);
    cudaStreamWaitEvent(of.compute, of.done, 0);
    (void)sample_double(of.a, of.b, 64, 0, of.compute);
}

bool ordered(uint64_t dropped, std::string *text)
{
    char found[512] = "";
    const bool right = cuda_emulation_log_ordered(dropped, found, sizeof found);
    *text = found;
    return right;
}

void says(const std::string &text, const std::vector<std::string> &words)
{
    for (const std::string &word : words)
        check(text.find(word) != std::string::npos, "\"" + word + "\" is not in \"" + text + "\"");
}

void every_wait_is_needed()
{
    const trial of = start();
    std::string text;
    exchange(of);
    check(cuda_emulation_log_waits() == 2 && cuda_emulation_log_operations() == 3,
          "two waits and three operations are logged");
    check(ordered(CUDA_EMULATION_ALL_WAITS, &text), "a right program: " + text);
    check(!ordered(0, &text), "the first wait is not missed");
    says(text, {"all-reduce (operation 1, stream communication) reads 512 bytes which doubled(",
                "(operation 0, stream compute) writes, and nothing orders the two",
                "0 bytes into allocation"});
    check(!ordered(1, &text), "the second wait is not missed");
    says(text, {"(operation 2, stream compute) reads 512 bytes which all-reduce (operation 1"});
    char wait[256];
    cuda_emulation_log_wait_text(1, wait, sizeof wait);
    says(wait, {"wait 1: stream compute waits for all-reduce (operation 1, stream communication)"});
    stop(of);
}

/* Reading what another stream reads needs no order; writing it does; its neighbours do not. */
void reads_and_writes()
{
    const trial of = start();
    std::string text;
    cudaMemcpyAsync(of.host, of.a, 512, cudaMemcpyDeviceToHost, of.compute);
    (void)sample_double(of.b, of.a, 64, 0, of.communication);
    check(ordered(CUDA_EMULATION_ALL_WAITS, &text), "two readers: " + text);
    cudaMemsetAsync(of.a + 128, 0, 512, of.compute);
    check(!ordered(CUDA_EMULATION_ALL_WAITS, &text), "a write to what another stream reads");
    says(text, {"fill (operation 2, stream compute) writes 512 bytes which doubled(",
                "(operation 1, stream communication) reads"});
    stop(of);
}

void neighbours()
{
    const trial of = start();
    std::string text;
    cudaMemsetAsync(of.a, 0, 512, of.compute);
    cudaMemsetAsync(of.a + 128, 0, 512, of.communication);
    check(ordered(CUDA_EMULATION_ALL_WAITS, &text), "two halves: " + text);
    cudaMemsetAsync(of.a + 127, 0, 4, of.communication);
    check(!ordered(CUDA_EMULATION_ALL_WAITS, &text), "the last element of the first half");
    says(text, {"writes 4 bytes", "508 bytes into allocation"});
    stop(of);
}

/* The host that waits orders what it asks for afterwards; page-locked memory counts as well. */
void the_host_orders()
{
    const trial of = start();
    std::string text;
    cudaMemcpyAsync(of.host, of.a, 512, cudaMemcpyDeviceToHost, of.compute);
    cudaStreamSynchronize(of.compute);
    cudaMemcpyAsync(of.host, of.b, 512, cudaMemcpyDeviceToHost, of.communication);
    check(ordered(CUDA_EMULATION_ALL_WAITS, &text), "a synchronised stream: " + text);
    cudaEventRecord(of.done, of.communication);
    cudaEventSynchronize(of.done);
    cudaMemcpyAsync(of.b, of.host, 512, cudaMemcpyHostToDevice, of.compute);
    check(ordered(CUDA_EMULATION_ALL_WAITS, &text), "a synchronised event: " + text);
    cudaDeviceSynchronize();
    cudaMemcpyAsync(of.host, of.a, 512, cudaMemcpyDeviceToHost, of.communication);
    check(ordered(CUDA_EMULATION_ALL_WAITS, &text), "a synchronised device: " + text);
    cudaMemcpyAsync(of.host, of.a, 4, cudaMemcpyDeviceToHost, of.compute);
    check(!ordered(CUDA_EMULATION_ALL_WAITS, &text), "two copies to the same host memory");
    says(text, {"page-locked host memory"});
    stop(of);
}

/* What the host does itself with memory that operations use. */
void the_host_uses()
{
    const trial of = start();
    std::string text;
    cudaMemcpyAsync(of.host, of.a, 512, cudaMemcpyDeviceToHost, of.compute);
    cudaStreamSynchronize(of.compute);
    cuda_emulation_host_touch(of.host, 512, false);
    cudaMemcpyAsync(of.a, of.host, 512, cudaMemcpyHostToDevice, of.compute);
    check(ordered(CUDA_EMULATION_ALL_WAITS, &text), "read behind the synchronisation: " + text);
    cuda_emulation_host_touch(of.host, 4, true);
    check(!ordered(CUDA_EMULATION_ALL_WAITS, &text), "changed while it is copied");
    says(text, {"the host (operation 3, stream host) writes 4 bytes which copy (operation 2"});
    stop(of);
}

/* A wait means the event as it was recorded last; streams that block follow stream 0. */
void events_and_stream_0()
{
    const trial of = start();
    std::string text;
    cudaStream_t blocking = nullptr;
    cudaStreamCreateWithFlags(&blocking, cudaStreamDefault);
    cudaMemsetAsync(of.b, 0, 512, nullptr);
    cudaMemsetAsync(of.b, 0, 512, blocking);
    cudaMemsetAsync(of.b, 0, 512, nullptr);
    check(ordered(CUDA_EMULATION_ALL_WAITS, &text), "a blocking stream: " + text);
    cudaEventRecord(of.ready, of.compute);
    cudaStreamWaitEvent(of.communication, of.ready, 0);
    cudaMemsetAsync(of.a, 0, 512, of.compute);
    cudaEventRecord(of.ready, of.compute);
    cudaMemsetAsync(of.a, 0, 512, of.communication);
    check(!ordered(CUDA_EMULATION_ALL_WAITS, &text), "a wait before the recording");
    cudaStreamDestroy(blocking);
    stop(of);
}

void elapsed()
{
    cudaEvent_t first = nullptr, second = nullptr, untimed = nullptr;
    float ms = -1.0f;
    cudaEventCreate(&first);
    cudaEventCreate(&second);
    cudaEventCreateWithFlags(&untimed, cudaEventDisableTiming);
    expect(cudaEventElapsedTime(&ms, first, second), cudaErrorInvalidResourceHandle,
           "not recorded");
    cudaEventRecord(first, nullptr);
    cudaEventRecord(untimed, nullptr);
    (void)sample_empty(1000, 32, nullptr);
    cudaEventRecord(second, nullptr);
    expect(cudaEventElapsedTime(&ms, first, second), cudaSuccess, "elapsed time");
    check(ms > 0.0f && ms < 60000.0f, "a thousand blocks take " + std::to_string(ms) + " ms");
    expect(cudaEventElapsedTime(&ms, first, untimed), cudaErrorInvalidResourceHandle, "untimed");
    cudaEventDestroy(first);
    cudaEventDestroy(second);
    cudaEventDestroy(untimed);
}

} // namespace

int main()
{
    every_wait_is_needed();
    reads_and_writes();
    neighbours();
    the_host_orders();
    the_host_uses();
    events_and_stream_0();
    char text[128];
    check(cuda_emulation_alive(text, sizeof text) == 0, std::string("still there: ") + text);
    const trial of = start();
    check(cuda_emulation_alive(text, sizeof text) == 7 &&
              std::string(text) == "3 allocations, 2 streams, 2 events",
          text);
    stop(of);
    elapsed();
    return finish("every missing order was found, and no other");
}
