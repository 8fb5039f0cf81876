#include <criterion/criterion.h>
#include <math.h>

#include "backend_cpu_run.h"
#include "bfloat16.h"

/* The 16 bits that are nearest by arithmetic, ties to even. */
static uint16_t nearest(float value)
{
    int exponent;
    const double mantissa = frexp((double)value, &exponent);
    const double rounded = ldexp(nearbyint(ldexp(mantissa, 8)), exponent - 8);
    return (uint16_t)(bfloat16_bits_of_float((float)rounded) >> 16);
}

Test(backend_cpu_bf16, rounds_to_nearest_with_ties_to_even)
{
    cr_assert_eq(bfloat16_narrow(1.0F), 0x3F80);
    cr_assert_eq(bfloat16_narrow(1.00390625F), 0x3F80); /* 1 + 2^-8: a tie, down to even */
    cr_assert_eq(bfloat16_narrow(1.01171875F), 0x3F82); /* 1 + 3 2^-8: a tie, up to even */
    cr_assert_eq(bfloat16_narrow(1.00390637F), 0x3F81); /* just above the tie */
    cr_assert_eq(bfloat16_narrow(-1.01171875F), 0xBF82);
    cr_assert_eq(bfloat16_narrow(0.0F), 0);
    cr_assert_eq(bfloat16_narrow(-0.0F), 0x8000);
    cr_assert_eq(bfloat16_narrow(3.4028235e38F), 0x7F80); /* the largest rounds to infinity */
    cr_assert_eq(bfloat16_narrow(INFINITY), 0x7F80);
    cr_assert_eq(bfloat16_narrow(-INFINITY), 0xFF80);
}

Test(backend_cpu_bf16, keeps_every_nan_a_nan)
{
    /* also those whose set bits are only in the half that is cut off, or that a carry would end */
    static const uint32_t bits[] = {0x7F800001, 0x7FFFFFFF, 0xFF800001, 0xFFFFFFFF, 0x7FC00000};
    for (size_t i = 0; i < sizeof bits / sizeof bits[0]; i++)
        cr_assert(isnan(bfloat16_widen(bfloat16_narrow(bfloat16_float_of_bits(bits[i])))));
}

Test(backend_cpu_bf16, gives_back_every_value_of_its_own)
{
    for (uint32_t bits = 0; bits < 0x10000; bits++) {
        const float value = bfloat16_widen((uint16_t)bits);
        if (!isnan(value))
            cr_assert_eq(bfloat16_narrow(value), bits);
    }
}

Test(backend_cpu_bf16, runs_agree_with_arithmetic)
{
    enum { COUNT = 10007 };
    static float from[COUNT], back[COUNT];
    static uint16_t to[COUNT];
    uint32_t state = 1;
    for (size_t i = 0; i < COUNT; i++) {
        state = state * 1664525u + 1013904223u;
        /* a normal number of any size and sign */
        from[i] = bfloat16_float_of_bits((state & 0x80FFFFFFu) | ((state % 253 + 1) << 23));
    }
    backend_cpu_run_narrow(to, from, COUNT);
    backend_cpu_run_widen(back, to, COUNT);
    for (size_t i = 0; i < COUNT; i++) {
        cr_assert_eq(to[i], nearest(from[i]), "%a became %04x", (double)from[i], to[i]);
        cr_assert_eq(bfloat16_bits_of_float(back[i]), (uint32_t)to[i] << 16);
    }
}
