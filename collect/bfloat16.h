#ifndef RANKLEDGER_BFLOAT16_H
#define RANKLEDGER_BFLOAT16_H

#include <stdint.h>
#include <string.h>

/* bfloat16 is the upper half of a binary32. Functions of one element that the compiler can put
 * into vector loops. */

static inline uint32_t bfloat16_bits_of_float(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static inline float bfloat16_float_of_bits(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Loses nothing. */
static inline float bfloat16_widen(uint16_t value)
{
    return bfloat16_float_of_bits((uint32_t)value << 16);
}

/* To the nearest bfloat16, ties to even; a NaN stays one (rounding could carry it to infinity). */
static inline uint16_t bfloat16_narrow(float value)
{
    const uint32_t bits = bfloat16_bits_of_float(value);
    const uint32_t rounded = (bits + 0x7FFFu + ((bits >> 16) & 1u)) >> 16;
    const uint32_t quiet = (bits >> 16) | 0x40u;
    return (uint16_t)((bits & 0x7FFFFFFFu) > 0x7F800000u ? quiet : rounded);
}

#endif
