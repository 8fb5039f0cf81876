#ifndef RANKLEDGER_BACKEND_CPU_MATH_H
#define RANKLEDGER_BACKEND_CPU_MATH_H

#include <stdint.h>
#include <string.h>

/* Functions of one element that the compiler can put into vector loops. */

static inline uint32_t backend_cpu_bits(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static inline float backend_cpu_from_bits(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* bfloat16 is the upper half of a binary32. */
static inline float backend_cpu_widen(uint16_t value)
{
    return backend_cpu_from_bits((uint32_t)value << 16);
}

/* To the nearest bfloat16, ties to even; a NaN stays one (rounding could carry it to infinity). */
static inline uint16_t backend_cpu_narrow(float value)
{
    const uint32_t bits = backend_cpu_bits(value);
    const uint32_t rounded = (bits + 0x7FFFu + ((bits >> 16) & 1u)) >> 16;
    const uint32_t quiet = (bits >> 16) | 0x40u;
    return (uint16_t)((bits & 0x7FFFFFFFu) > 0x7F800000u ? quiet : rounded);
}

/*
 * e^x with a relative error of about 1e-7, x limited to where the result is a normal number; a NaN
 * stays one. Range reduction and polynomial: expf of the Cephes library (S. L. Moshier, netlib).
 * The power of two comes from adding 1.5 * 2^23, which leaves the rounded number in the lowest
 * bits.
 */
static inline float backend_cpu_exp(float x)
{
    x = x < -87.0f ? -87.0f : x;
    x = x > 88.0f ? 88.0f : x;
    const float shifted = x * 1.44269504088896341f + 12582912.0f;
    const float n = shifted - 12582912.0f;
    const float r = (x - n * 0.693359375f) + n * 2.12194440e-4f;
    float p = 1.9875691500e-4f;
    p = p * r + 1.3981999507e-3f;
    p = p * r + 8.3334519073e-3f;
    p = p * r + 4.1665795894e-2f;
    p = p * r + 1.6666665459e-1f;
    p = p * r + 5.0000001201e-1f;
    p = p * r * r + r + 1.0f;
    return p * backend_cpu_from_bits((backend_cpu_bits(shifted) + 127u) << 23);
}

/* sqrt(2 / pi) and the cubic coefficient of GELU's tanh form (Hendrycks and Gimpel,
 * arXiv:1606.08415). */
#define BACKEND_CPU_GELU_SCALE 0.7978845608028654f
#define BACKEND_CPU_GELU_CUBIC 0.044715f

/* e^(-2u) of the u in GELU = x/2 (1 + tanh u). With it 1/2 (1 + tanh u) = 1 / (1 + e^(-2u)), one
 * exponential and no cancellation. */
static inline float backend_cpu_gelu_exponential(float x)
{
    return backend_cpu_exp(-2.0f * BACKEND_CPU_GELU_SCALE *
                           (x + BACKEND_CPU_GELU_CUBIC * x * x * x));
}

static inline float backend_cpu_gelu(float x)
{
    return x / (1.0f + backend_cpu_gelu_exponential(x));
}

static inline float backend_cpu_gelu_slope(float x)
{
    /* Beyond 16 the slope is 0 or 1 to the last bit; without the limit 0 times infinity could
     * arise. */
    float y = x < -16.0f ? -16.0f : x;
    y = y > 16.0f ? 16.0f : y;
    const float exponential = backend_cpu_gelu_exponential(y);
    const float gate = 1.0f / (1.0f + exponential);
    const float twice =
        2.0f * BACKEND_CPU_GELU_SCALE * (1.0f + 3.0f * BACKEND_CPU_GELU_CUBIC * y * y);
    return gate + y * gate * (exponential * gate) * twice;
}

#endif
