/* What the files of the emulation share; C++. Everything here is used under `guard`. */
#ifndef CUDA_EMULATION_PARTS_H
#define CUDA_EMULATION_PARTS_H

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include "cuda_emulation.h"

namespace emulation
{

/* --- devices (emulation_device.cpp) --- */

constexpr int most_devices = 32;

struct device {
    std::string name, bus;
    uint64_t memory = 0, used = 0, others = 0; /* bytes: in all, of this process, of other ones */
    int major = 0, minor = 0;
    cudaError_t lost = cudaSuccess;    /* what every call answers from now on */
    cudaStream_t own_stream = nullptr; /* the one called 0 */
};

/* One lock for everything: operations run one after another. */
std::recursive_mutex &guard();
/* How many there are, from the environment at the first call. */
int device_count();
device &device_at(int index);
int current_device();

/* Counts the call and says whether it has to fail: by a switch, or for the device is lost. */
cudaError_t enter(const char *call);
/* Keeps an error for cudaGetLastError. */
cudaError_t leave(cudaError_t error);

/* A call of the runtime's interface: under the lock, failing as switches say. */
template <typename Body> cudaError_t api(const char *call, Body body)
{
    const std::lock_guard<std::recursive_mutex> lock(guard());
    cudaError_t error = enter(call);
    if (error == cudaSuccess)
        error = body();
    return leave(error);
}

/* A number from the environment, with a suffix K, M or G; `otherwise` if it is not set. */
uint64_t setting(const char *name, uint64_t otherwise);

/* --- refusals (emulation_refuse.cpp) --- */

/* Says what no device would do right, where in the kernel, and aborts. */
[[noreturn]] void refuse(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* --- memory (emulation_memory.cpp) --- */

struct allocation {
    uintptr_t base = 0;
    size_t bytes = 0;
    uintptr_t mapped = 0; /* the pages around it */
    size_t mapped_bytes = 0;
    int device = 0;      /* -1: page-locked memory of the host */
    uint64_t number = 0; /* counted from 1 over the process */
    bool live = true;
};

/* The allocation, live or freed, that holds `address`; NULL if none does. */
const allocation *allocation_of(uintptr_t address);
/* The device whose address space holds `address`, allocated or not; -1 if none does. */
int device_of(uintptr_t address);
/* "0x... , 16 bytes behind the end of allocation 3 (512 bytes) of device 0". */
std::string describe_address(uintptr_t address);
/* Makes device memory accessible, or not, for this process' code; calls nest. */
void open_memory();
void close_memory();
/* Names accesses of host code to device memory (emulation_fault.cpp); called once. */
void watch_faults();
/* On devices, and of page-locked memory. */
size_t live_allocations();

/* --- accesses (emulation_access.cpp) --- */

/* Of a library or a copy: refuses what the running operation may not touch, else logs it. */
void touch(uintptr_t address, size_t bytes, bool write);
/* Kernel code is watched between the two; parameters may be read. */
void watch_kernel(const void *parameters, size_t bytes);
void unwatch_kernel();
/* The allocation is freed. */
void unwatch_allocation(uint64_t number);
/* Fibers' stacks, which are the threads' local memory. */
void watch_stacks(uintptr_t low, size_t bytes);

/* --- shared memory (emulation_shared.cpp) --- */

/* An access at `address`, if that is an array of a kernel: poisons it when it is the block's first,
 * refuses one beyond its end. False if it is no such array. */
bool shared_access(uintptr_t address, size_t bytes, bool write);
void shared_start_kernel();
void shared_start_block();
/* "adamw(float*, unsigned long)" of a kernel's address. */
std::string function_name(const void *function);
/* Whether `address` lies in the program's own constants. */
bool is_constant(uintptr_t address);

/* --- blocks (emulation_block.cpp) --- */

/* The thread that runs. */
struct present {
    uint3 block = {0, 0, 0}, thread = {0, 0, 0};
    unsigned index = 0;       /* within the block */
    unsigned block_epoch = 0; /* barriers that the block has passed */
    unsigned warp_epoch = 0;  /* barriers of its warp that the thread has passed */
    /* Counted from 1 over the process: one more with each block and each barrier of a block. */
    uint32_t period = 0, block_period = 0, kernel_period = 0;
};
extern present now;

/* Where it is, for messages; false outside kernels. */
struct position {
    uint3 block, thread;
    std::string kernel;
};
bool position_get(position *at);

/* --- streams (emulation_stream.cpp) --- */

/* The device of a stream, the current one's for 0; refuses one that is none of ours. */
int stream_device(cudaStream_t stream);

/* --- operations and the log (emulation_log.cpp) --- */

struct range {
    uintptr_t begin, end;
    bool write;
};

/* What one operation has touched of one allocation. */
class touched; /* emulation_touched.h */

/* Between the two one operation of a stream runs, with device memory open. */
void operation_begin(cudaStream_t stream, const char *name);
void operation_end();
int operation_device();
/* NULL when nothing is kept. */
touched *log_touched(const allocation *of);
void log_forget(uint64_t allocation_number);
void log_range(uintptr_t address, size_t bytes, bool write);

/* How a stream is called in the log. */
struct stream_mark {
    unsigned id = 0; /* from 0 */
    int device = 0;
    bool own = false;      /* the device's stream 0 */
    bool blocking = false; /* ordered with it */
    std::string name;
};
void log_stream(const stream_mark &mark);
/* moment: a number of its own for each recording of an event. */
void log_record(const stream_mark &mark, uint64_t moment);
void log_wait(const stream_mark &mark, uint64_t moment);
void log_host_waits_for_moment(uint64_t moment);
void log_host_waits_for_stream(const stream_mark &mark);
void log_host_waits_for_device(int device);
const stream_mark &stream_mark_of(cudaStream_t stream);

} // namespace emulation

#endif
