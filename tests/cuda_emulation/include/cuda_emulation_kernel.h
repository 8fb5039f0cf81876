/*
 * What a kernel sees, in C++: qualifiers, built-in variables, barriers, warp exchanges,
 * mathematics, and the launch. Included by cuda_runtime.h.
 */
#ifndef CUDA_EMULATION_KERNEL_H
#define CUDA_EMULATION_KERNEL_H

#include <cstdint>
#include <math.h>
#include <tuple>
#include <type_traits>
#include <utility>

#define __host__
#define __device__
#define __global__
#define __forceinline__ inline __attribute__((always_inline))
#define __launch_bounds__(...)
#define __align__(bytes) __attribute__((aligned(bytes)))
/* One block runs at a time, so that a static array is what the block's threads share; the emulation
 * knows it by its symbol. Each begins a page, so that what lies behind it is mostly nothing's. */
#define __shared__ static __attribute__((aligned(4096)))

/* Constant within a kernel's function: a thread calls it once, from its start to its end. */
extern "C" {
uint3 cuda_emulation_thread_index(void) __attribute__((const));
uint3 cuda_emulation_block_index(void) __attribute__((const));
uint3 cuda_emulation_block_size(void) __attribute__((const));
uint3 cuda_emulation_grid_size(void) __attribute__((const));

/* Where threads wait for each other: the function, and where it is called. */
enum cuda_emulation_meeting {
    CUDA_EMULATION_SYNCTHREADS,
    CUDA_EMULATION_SYNCWARP,
    CUDA_EMULATION_SHFL,
    CUDA_EMULATION_SHFL_UP,
    CUDA_EMULATION_SHFL_DOWN,
    CUDA_EMULATION_SHFL_XOR
};
void cuda_emulation_barrier(const char *file, int line);
/* Orders the memory accesses of the lanes of `mask`. */
void cuda_emulation_warp_barrier(unsigned mask, const char *file, int line);
/* Gives `value` to the lanes of `mask` and returns that of lane `source`. */
uint64_t cuda_emulation_exchange(enum cuda_emulation_meeting meeting, unsigned mask,
                                 unsigned source, uint64_t value, const char *file, int line);
unsigned cuda_emulation_lane(void) __attribute__((const));

/* Runs run(call) for each thread; the call's bytes are the kernel's parameters. */
struct cuda_emulation_call {
    const void *kernel;
    void (*run)(const void *parameters);
    const void *parameters;
    size_t bytes;
};
cudaError_t cuda_emulation_launch(const cudaLaunchConfig_t *config,
                                  const struct cuda_emulation_call *call);
}

#define threadIdx cuda_emulation_thread_index()
#define blockIdx cuda_emulation_block_index()
#define blockDim cuda_emulation_block_size()
#define gridDim cuda_emulation_grid_size()
static const int warpSize = 32;

static inline void __syncthreads(const char *file = __builtin_FILE(), int line = __builtin_LINE())
{
    cuda_emulation_barrier(file, line);
}

static inline void __syncwarp(unsigned mask = 0xffffffffu, const char *file = __builtin_FILE(),
                              int line = __builtin_LINE())
{
    cuda_emulation_warp_barrier(mask, file, line);
}

template <typename Value>
static inline Value cuda_emulation_shuffle(enum cuda_emulation_meeting meeting, unsigned mask,
                                           unsigned source, Value value, const char *file, int line)
{
    static_assert(sizeof(Value) <= sizeof(uint64_t), "a shuffle moves at most 8 bytes");
    static_assert(std::is_trivially_destructible<Value>::value, "a shuffle moves plain values");
    uint64_t bits = 0;
    __builtin_memcpy(&bits, &value, sizeof value);
    bits = cuda_emulation_exchange(meeting, mask, source, bits, file, line);
    __builtin_memcpy(&value, &bits, sizeof value);
    return value;
}

/* Source lanes as in the CUDA C++ Programming Guide, "Warp Shuffle Functions". */
template <typename Value>
static inline Value __shfl_sync(unsigned mask, Value value, int source, int width = warpSize,
                                const char *file = __builtin_FILE(), int line = __builtin_LINE())
{
    const unsigned inside = (unsigned)(width - 1);
    const unsigned from = (cuda_emulation_lane() & ~inside) | ((unsigned)source & inside);
    return cuda_emulation_shuffle(CUDA_EMULATION_SHFL, mask, from, value, file, line);
}

template <typename Value>
static inline Value __shfl_down_sync(unsigned mask, Value value, unsigned delta,
                                     int width = warpSize, const char *file = __builtin_FILE(),
                                     int line = __builtin_LINE())
{
    const unsigned lane = cuda_emulation_lane(), last = lane | (unsigned)(width - 1);
    const unsigned from = lane + delta > last ? lane : lane + delta;
    return cuda_emulation_shuffle(CUDA_EMULATION_SHFL_DOWN, mask, from, value, file, line);
}

template <typename Value>
static inline Value __shfl_up_sync(unsigned mask, Value value, unsigned delta, int width = warpSize,
                                   const char *file = __builtin_FILE(), int line = __builtin_LINE())
{
    const unsigned lane = cuda_emulation_lane(), first = lane & ~(unsigned)(width - 1);
    const unsigned from = lane < first + delta ? lane : lane - delta;
    return cuda_emulation_shuffle(CUDA_EMULATION_SHFL_UP, mask, from, value, file, line);
}

template <typename Value>
static inline Value __shfl_xor_sync(unsigned mask, Value value, int bits, int width = warpSize,
                                    const char *file = __builtin_FILE(),
                                    int line = __builtin_LINE())
{
    const unsigned lane = cuda_emulation_lane(), last = lane | (unsigned)(width - 1);
    const unsigned other = lane ^ (unsigned)bits, from = other > last ? lane : other;
    return cuda_emulation_shuffle(CUDA_EMULATION_SHFL_XOR, mask, from, value, file, line);
}

/* Loads and stores with a cache hint: the hint has no meaning here. */
template <typename Value> static inline Value __ldg(const Value *from)
{
    return *from;
}
template <typename Value> static inline Value __ldcs(const Value *from)
{
    return *from;
}
template <typename Value> static inline Value __ldcg(const Value *from)
{
    return *from;
}
template <typename Value> static inline void __stcs(Value *to, Value value)
{
    *to = value;
}
template <typename Value> static inline void __stcg(Value *to, Value value)
{
    *to = value;
}

static inline float rsqrtf(float x)
{
    return 1.0f / sqrtf(x);
}
static inline double rsqrt(double x)
{
    return 1.0 / sqrt(x);
}
/* A function: glibc has names of its own that begin with __expf and __logf. */
static inline float cuda_emulation_fast_exp(float x)
{
    return expf(x);
}
static inline float cuda_emulation_fast_log(float x)
{
    return logf(x);
}
#define __expf cuda_emulation_fast_exp
#define __logf cuda_emulation_fast_log
static inline float __fdividef(float x, float y)
{
    return x / y;
}
static inline float __frcp_rn(float x)
{
    return 1.0f / x;
}
static inline float __fmaf_rn(float x, float y, float z)
{
    return fmaf(x, y, z);
}
static inline float __fmul_rn(float x, float y)
{
    return x * y;
}
static inline float __fadd_rn(float x, float y)
{
    return x + y;
}
static inline float __fdiv_rn(float x, float y)
{
    return x / y;
}
static inline float __fsqrt_rn(float x)
{
    return sqrtf(x);
}

template <typename To, typename From> static inline To cuda_emulation_bits(From from)
{
    static_assert(sizeof(To) == sizeof(From), "the same bits");
    To to;
    __builtin_memcpy(&to, &from, sizeof to);
    return to;
}
static inline unsigned __float_as_uint(float x)
{
    return cuda_emulation_bits<unsigned>(x);
}
static inline float __uint_as_float(unsigned x)
{
    return cuda_emulation_bits<float>(x);
}
static inline int __float_as_int(float x)
{
    return cuda_emulation_bits<int>(x);
}
static inline float __int_as_float(int x)
{
    return cuda_emulation_bits<float>(x);
}
static inline int __popc(unsigned x)
{
    return __builtin_popcount(x);
}
static inline int __clz(int x)
{
    return x == 0 ? 32 : __builtin_clz((unsigned)x);
}
static inline int __ffs(int x)
{
    return __builtin_ffs(x);
}

/* CUDA has these for all pairs of arithmetic types, converted as the operators convert them. */
template <typename First, typename Second>
static inline typename std::common_type<First, Second>::type min(First x, Second y)
{
    typedef typename std::common_type<First, Second>::type Both;
    return (Both)x < (Both)y ? (Both)x : (Both)y;
}
template <typename First, typename Second>
static inline typename std::common_type<First, Second>::type max(First x, Second y)
{
    typedef typename std::common_type<First, Second>::type Both;
    return (Both)x > (Both)y ? (Both)x : (Both)y;
}

/* A kernel with its parameters. */
template <typename... Parameters> struct cuda_emulation_bound {
    void (*kernel)(Parameters...);
    std::tuple<Parameters...> parameters;

    __attribute__((no_sanitize("thread"))) static void run(const void *bound)
    {
        const auto *self = static_cast<const cuda_emulation_bound *>(bound);
        std::apply(self->kernel, self->parameters);
    }
};

template <typename... Parameters, typename... Arguments>
static inline cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t *config,
                                             void (*kernel)(Parameters...),
                                             Arguments &&...arguments)
{
    const cuda_emulation_bound<Parameters...> bound = {
        kernel, std::tuple<Parameters...>(std::forward<Arguments>(arguments)...)};
    const struct cuda_emulation_call call = {reinterpret_cast<const void *>(kernel),
                                             cuda_emulation_bound<Parameters...>::run, &bound,
                                             sizeof bound};
    return cuda_emulation_launch(config, &call);
}

#endif
