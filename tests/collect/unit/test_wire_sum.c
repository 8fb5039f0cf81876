#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "wire_sum.h"

static float number_of(uint16_t bits)
{
    uint32_t wide = (uint32_t)bits << 16;
    float number;
    memcpy(&number, &wide, sizeof number);
    return number;
}

/* The nearest of all 65536 by search among the two neighbours: no rounding trick. */
static uint16_t nearest(float number)
{
    uint32_t bits;
    memcpy(&bits, &number, sizeof bits);
    uint16_t below = (uint16_t)(bits >> 16);
    uint16_t above = (uint16_t)(below + 1);
    double low = fabs((double)number - (double)number_of(below));
    double high = fabs((double)number_of(above) - (double)number);
    if (isinf(number_of(above))) { /* rounds as if the next power of two were there */
        high = fabs(ldexp(1.0, 128) - fabs((double)number));
    }
    if (low == high) {
        return below % 2 == 0 ? below : above;
    }
    return low < high ? below : above;
}

Test(wire_sum, rounds_bf16_to_nearest_and_ties_to_even)
{
    static uint16_t a[65536], b[65536], sum[65536];
    const uint16_t seconds[] = {0x0000, 0x3f80, 0x3b80, 0xbf81, 0x7f7f, 0x0001, 0x4049};
    for (size_t k = 0; k < sizeof seconds / sizeof *seconds; k++) {
        const void *from[2] = {a, b};
        for (size_t i = 0; i < 65536; i++) {
            a[i] = (uint16_t)i;
            b[i] = seconds[k];
        }
        wire_sum(MODEL_BF16, sum, from, 2, 65536);
        for (size_t i = 0; i < 65536; i++) {
            float exact = number_of(a[i]) + number_of(b[i]);
            if (isnan(exact) || isinf(exact)) {
                continue;
            }
            cr_assert_eq(sum[i], nearest(exact), "%04zx + %04x = %04x", i, seconds[k], sum[i]);
        }
    }
}

Test(wire_sum, keeps_what_is_not_a_number_and_infinities)
{
    static uint16_t a[65536], b[65536], sum[65536];
    const void *from[3] = {a, b, b};
    for (size_t i = 0; i < 65536; i++) {
        a[i] = (uint16_t)i;
    }
    for (size_t count = 2; count <= 3; count++) {
        wire_sum(MODEL_BF16, sum, from, count, 65536);
        for (size_t i = 0; i < 65536; i++) {
            float number = number_of(a[i]);
            cr_assert_eq(isnan(number_of(sum[i])) != 0, isnan(number) != 0, "%04zx", i);
            cr_assert_eq(isinf(number_of(sum[i])) != 0, isinf(number) != 0, "%04zx", i);
        }
    }
}

Test(wire_sum, rounds_the_sum_of_many_once)
{
    /* 256 + 1 + 1: 257 is a tie that would round to 256 each time; 258 is exact. */
    uint16_t big = 0x4380;
    uint16_t one = 0x3f80;
    uint16_t sum = 0;
    const void *from[3] = {&big, &one, &one};
    wire_sum(MODEL_BF16, &sum, from, 3, 1);
    cr_assert_eq(number_of(sum), 258.0f);
}

Test(wire_sum, adds_in_order_and_in_place_whatever_the_length)
{
    enum { LENGTH = 5001 };
    static float parts[4][LENGTH], expected[LENGTH];
    const void *from[4] = {parts[0], parts[1], parts[2], parts[3]};
    for (size_t count = 2; count <= 4; count++) {
        for (size_t i = 0; i < LENGTH; i++) {
            expected[i] = 0;
            for (size_t k = 0; k < count; k++) {
                parts[k][i] = (float)(i + 1) / (float)(3 * k + 7) * (k % 2 ? -1.0f : 1.5f);
                expected[i] = k == 0 ? parts[k][i] : expected[i] + parts[k][i];
            }
        }
        wire_sum(MODEL_FP32, parts[count - 1], from, count, LENGTH);
        cr_assert_eq(memcmp(parts[count - 1], expected, sizeof expected), 0, "%zu parts", count);
    }
}

Test(wire_sum, leaves_what_lies_behind_alone)
{
    uint16_t a[70], b[70], c[70];
    const void *from[3] = {a, b, c};
    for (size_t length = 0; length < 69; length++) {
        for (size_t count = 2; count <= 3; count++) {
            for (size_t i = 0; i < 70; i++) {
                a[i] = b[i] = c[i] = 0x3f80; /* 1 */
            }
            wire_sum(MODEL_BF16, a, from, count, length);
            for (size_t i = 0; i < 70; i++) {
                cr_assert_eq(number_of(a[i]), i < length ? (float)count : 1.0f);
            }
        }
    }
}
