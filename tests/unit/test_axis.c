#include <criterion/criterion.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "axis.h"

static const struct axis_unit one = {1, ""};

Test(axis, steps_are_round_and_hold_the_largest_value)
{
    static const struct {
        double largest;
        size_t steps;
        double step;
        size_t count;
    } rows[] = {
        {100, 5, 20, 6},       {101, 5, 25, 6}, {24, 8, 5, 6},   {0.3, 3, 0.1, 4},
        {1, 8, 0.2, 6},        {7, 8, 1, 8},    {12, 5, 2.5, 6}, {1e15, 4, 2.5e14, 5},
        {1e-9, 4, 2.5e-10, 5}, {10, 2, 5, 3},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct axis axis = axis_of(rows[i].largest, one, rows[i].steps);
        /* 1e-12: a power of ten and its multiples carry rounding errors of their own */
        cr_assert(fabs(axis.step / rows[i].step - 1) < 1e-12, "row %zu: step %g", i, axis.step);
        cr_assert_eq(axis.count, rows[i].count, "row %zu: %zu ticks", i, axis.count);
        cr_assert(axis.upper >= rows[i].largest * (1 - 1e-9));
    }
}

Test(axis, never_has_more_steps_than_asked_for_nor_an_end_below_the_value)
{
    for (size_t steps = 2; steps < AXIS_TICKS_MAX; steps++) {
        for (double largest = 1e-12; largest < 1e18; largest *= 1.37) {
            struct axis axis = axis_of(largest, one, steps);
            cr_assert(axis.count >= 2 && axis.count <= steps + 1, "%g in %zu steps: %zu", largest,
                      steps, axis.count);
            cr_assert(axis.upper >= largest * (1 - 1e-9), "%g in %zu steps: %g", largest, steps,
                      axis.upper);
        }
    }
}

Test(axis, takes_what_is_no_amount_as_nothing)
{
    static const double values[] = {0, -1, NAN, -INFINITY};
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        struct axis axis = axis_of(values[i], one, 5);
        cr_assert_eq(axis.upper, 1);
        cr_assert_eq(axis_share(&axis, values[i]), 0);
    }
}

Test(axis, stays_finite_at_the_ends_of_the_numbers)
{
    static const double values[] = {DBL_MAX, INFINITY, DBL_MIN, 5e-324, 1e300};
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        struct axis axis = axis_of(values[i], axis_memory_unit(values[i]), 5);
        char label[64];
        cr_assert(isfinite(axis.upper) && axis.upper > 0, "%g", values[i]);
        cr_assert(axis.step > 0);
        cr_assert(axis_share(&axis, values[i]) <= 1);
        axis_tick_label(&axis, axis.count - 1, label, sizeof label);
        cr_assert(strlen(label) < 40);
    }
}

Test(axis, share_is_the_part_of_the_axis)
{
    struct axis axis = axis_of(24 * 1024.0, axis_memory_unit(24 * 1024.0), 5);
    cr_assert_str_eq(axis.unit.name, "GiB");
    cr_assert_eq(axis.upper, 25);
    cr_assert_eq(axis_share(&axis, 12.5 * 1024), 0.5);
    cr_assert_eq(axis_share(&axis, 1e9), 1, "beyond the end");
}

Test(axis, memory_is_shown_in_the_unit_that_suits_the_largest)
{
    static const struct {
        double mb;
        const char *name;
    } rows[] = {{1e-9, "B"},   {0.5, "KiB"},     {1, "MiB"},     {1023, "MiB"},
                {1024, "GiB"}, {1048576, "TiB"}, {1.5e9, "PiB"}, {1e15, "EiB"},
                {1e18, "ZiB"}, {1e22, "YiB"},    {1e300, "YiB"}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        cr_assert_str_eq(axis_memory_unit(rows[i].mb).name, rows[i].name, "%g MiB", rows[i].mb);
}

Test(axis, plain_numbers_take_a_prefix_from_ten_million_on)
{
    cr_assert_str_eq(axis_plain_unit(9999999).name, "");
    cr_assert_str_eq(axis_plain_unit(1e7).name, "M");
    cr_assert_str_eq(axis_plain_unit(1e10).name, "G");
    cr_assert_str_eq(axis_plain_unit(3e15).name, "T");
    cr_assert_str_eq(axis_plain_unit(1e20).name, "E");
}

static const char *memory(double largest_mb, double mb, bool exact)
{
    static char label[96];
    return axis_memory_label(axis_memory_unit(largest_mb), mb, exact, label, sizeof label);
}

Test(axis, amounts_have_two_decimals_and_limits_none_that_are_zero)
{
    cr_assert_str_eq(memory(24576, 7786.5, false), "7.60 GiB");
    cr_assert_str_eq(memory(24576, 24576, false), "24.00 GiB");
    cr_assert_str_eq(memory(24576, 24576, true), "24 GiB");
    cr_assert_str_eq(memory(24576, 15258.789, true), "14.9012 GiB");
    cr_assert_str_eq(memory(500, 999.996, false), "1,000 MiB");
    cr_assert_str_eq(memory(500, 0, false), "0.00 MiB");
}

Test(axis, amounts_that_the_axis_unit_would_lose_have_their_own)
{
    cr_assert_str_eq(memory(1e15, 1, false), "1.00 MiB");
    cr_assert_str_eq(memory(24576, 3, false), "3.00 MiB");
    cr_assert_str_eq(memory(1, 1e15, false), "909.49 EiB");
}

Test(axis, tick_labels_are_short)
{
    struct axis axis = axis_of(0.25, one, 5);
    char label[64];
    cr_assert_str_eq(axis_tick_label(&axis, 0, label, sizeof label), "0");
    cr_assert_str_eq(axis_tick_label(&axis, 1, label, sizeof label), "0.05");
    cr_assert_str_eq(axis_tick_label(&axis, 3, label, sizeof label), "0.15");
    axis = axis_of(456000, one, 5);
    cr_assert_str_eq(axis_tick_label(&axis, 5, label, sizeof label), "500,000");
}

Test(axis, times_are_in_the_unit_that_reads_best)
{
    static const struct {
        double largest, ms;
        const char *text;
    } rows[] = {{300, 220.951, "220.95 ms"}, {0, 0, "0.00 ms"},
                {25000, 9500, "9.50 s"},     {0.05, 0.0125, "12.50 \xC2\xB5s"},
                {1e-6, 2e-6, "2.00 ns"},     {25000, 0.5, "0.50 ms"},
                {1, 1e7, "10,000 s"}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[64];
        axis_time_label(axis_time_unit(rows[i].largest), rows[i].ms, text, sizeof text);
        cr_assert_str_eq(text, rows[i].text);
    }
}
