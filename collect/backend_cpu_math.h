#ifndef RANKLEDGER_BACKEND_CPU_MATH_H
#define RANKLEDGER_BACKEND_CPU_MATH_H

#include "bfloat16.h"

/* Functions of one element that the compiler can put into vector loops. */

/*
 * e^x for |x| up to 87, with a relative error of about 1e-7; a NaN stays one. Range reduction and
 * polynomial: expf of the Cephes library (S. L. Moshier, netlib). The power of two comes from
 * adding 1.5 * 2^23, which leaves the rounded number in the lowest bits.
 */
static inline float backend_cpu_exp_inside(float x)
{
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
    return p * bfloat16_float_of_bits((bfloat16_bits_of_float(shifted) + 127u) << 23);
}

/* x between -most and most; a NaN stays one. */
static inline float backend_cpu_limit(float x, float most)
{
    x = x < -most ? -most : x;
    return x > most ? most : x;
}

/* e^x, x limited to where the result is a normal number. */
static inline float backend_cpu_exp(float x)
{
    return backend_cpu_exp_inside(backend_cpu_limit(x, 87.0f));
}

/*
 * GELU in its tanh form, x/2 (1 + tanh u) with u = sqrt(2/pi) (x + 0.044715 x^3) (Hendrycks and
 * Gimpel, arXiv:1606.08415), by 1/2 (1 + tanh u) = 1 / (1 + e^(-2u)): one exponential and no
 * cancellation. Beyond 9.5, e^(-2u) is below 2^-110 or above 2^110, and the gate is 0 or 1 to the
 * last bit.
 */
#define BACKEND_CPU_GELU_TWICE 1.5957691216057308f /* 2 sqrt(2/pi) */
#define BACKEND_CPU_GELU_CUBIC 0.044715f
#define BACKEND_CPU_GELU_LIMIT 9.5f

/* e^(-2u) */
static inline float backend_cpu_gelu_exponential(float limited)
{
    return backend_cpu_exp_inside(-BACKEND_CPU_GELU_TWICE *
                                  (limited + BACKEND_CPU_GELU_CUBIC * limited * limited * limited));
}

static inline float backend_cpu_gelu(float x)
{
    const float below = x < -BACKEND_CPU_GELU_LIMIT ? -BACKEND_CPU_GELU_LIMIT : x;
    const float limited = below > BACKEND_CPU_GELU_LIMIT ? BACKEND_CPU_GELU_LIMIT : below;
    return below / (1.0f + backend_cpu_gelu_exponential(limited));
}

static inline float backend_cpu_gelu_slope(float x)
{
    const float y = backend_cpu_limit(x, BACKEND_CPU_GELU_LIMIT);
    const float exponential = backend_cpu_gelu_exponential(y);
    const float gate = 1.0f / (1.0f + exponential);
    const float twice = BACKEND_CPU_GELU_TWICE * (1.0f + 3.0f * BACKEND_CPU_GELU_CUBIC * y * y);
    return gate + y * gate * (exponential * gate) * twice;
}

#endif
