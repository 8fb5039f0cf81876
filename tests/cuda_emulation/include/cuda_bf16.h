/*
 * The part of CUDA's bfloat16 that the backend uses, for the host emulation: a float's upper half,
 * rounded to nearest even; NaN becomes the canonical 0x7fff, as __float2bfloat16 makes it.
 */
#ifndef CUDA_EMULATION_CUDA_BF16_H
#define CUDA_EMULATION_CUDA_BF16_H

#include "cuda_runtime.h"

#ifdef __cplusplus

#include <stdint.h>

static inline unsigned short cuda_emulation_narrow(float x)
{
    const uint32_t bits = cuda_emulation_bits<uint32_t>(x);
    if (x != x)
        return 0x7fff;
    return (unsigned short)((bits + 0x7fffu + (bits >> 16 & 1u)) >> 16);
}

struct __nv_bfloat16_raw {
    unsigned short x;
};

struct __nv_bfloat16 {
    unsigned short bits;

    __nv_bfloat16() = default;
    __nv_bfloat16(const __nv_bfloat16_raw &raw) : bits(raw.x)
    {
    }
    explicit __nv_bfloat16(float x) : bits(cuda_emulation_narrow(x))
    {
    }
    explicit operator float() const
    {
        return cuda_emulation_bits<float>((uint32_t)bits << 16);
    }
};

struct alignas(4) __nv_bfloat162 {
    __nv_bfloat16 x, y;
};

static inline __nv_bfloat16 __float2bfloat16_rn(float x)
{
    return __nv_bfloat16(x);
}
static inline __nv_bfloat16 __float2bfloat16(float x)
{
    return __nv_bfloat16(x);
}
static inline float __bfloat162float(__nv_bfloat16 x)
{
    return static_cast<float>(x);
}
static inline unsigned short __bfloat16_as_ushort(__nv_bfloat16 x)
{
    return x.bits;
}
static inline __nv_bfloat16 __ushort_as_bfloat16(unsigned short bits)
{
    const __nv_bfloat16_raw raw = {bits};
    return __nv_bfloat16(raw);
}
static inline __nv_bfloat162 __floats2bfloat162_rn(float x, float y)
{
    return {__nv_bfloat16(x), __nv_bfloat16(y)};
}
static inline float2 __bfloat1622float2(__nv_bfloat162 pair)
{
    return float2(static_cast<float>(pair.x), static_cast<float>(pair.y));
}
static inline float __low2float(__nv_bfloat162 pair)
{
    return static_cast<float>(pair.x);
}
static inline float __high2float(__nv_bfloat162 pair)
{
    return static_cast<float>(pair.y);
}

#else

/* Host code only passes pointers to it. */
typedef struct __nv_bfloat16 {
    unsigned short bits;
} __nv_bfloat16;

#endif
#endif
