#include <criterion/criterion.h>
#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text.h"

static void expect_width(const char *text, size_t columns)
{
    cr_assert_eq(text_width(text, strlen(text)), columns, "width of \"%s\" is %zu, not %zu", text,
                 text_width(text, strlen(text)), columns);
}

Test(text_width, counts_columns_of_a_terminal)
{
    expect_width("", 0);
    expect_width("plain", 5);
    expect_width("d\xc3\xa9j\xc3\xa0", 4);
    expect_width("e\xcc\x81", 1);                            /* combining acute */
    expect_width("\xe4\xb8\xad\xe6\x96\x87", 4);             /* two ideographs */
    expect_width("\xef\xbc\xa1", 2);                         /* full-width A */
    expect_width("\xef\xbd\xb1", 1);                         /* half-width katakana */
    expect_width("\xed\x95\x9c", 2);                         /* Hangul syllable */
    expect_width("\xe1\x84\x92\xe1\x85\xa1\xe1\x86\xab", 2); /* the same from its parts */
    expect_width("\xf0\x9f\x9a\x80", 2);                     /* rocket */
    expect_width("\xe2\x80\x8d\xef\xb8\x8f", 0);             /* joiner, variation selector */
    expect_width("\xf0\xa0\x80\x80", 2);                     /* plane 2 */
    expect_width("\xc2\xad", 1);                             /* soft hyphen */
    expect_width("\xe2\x94\x82", 1);                         /* box drawing */
    expect_width("\xff", 1);
    expect_width("\x1b\n", 0);
}

Test(text_width, knows_the_borders_of_its_first_and_last_ranges)
{
    expect_width("\xe1\x84\x80", 2);     /* U+1100 */
    expect_width("\xe1\x83\xbf", 1);     /* U+10FF */
    expect_width("\xcc\x80", 0);         /* U+0300 */
    expect_width("\xcb\xbf", 1);         /* U+02FF */
    expect_width("\xf3\xa0\x87\xaf", 0); /* U+E01EF */
    expect_width("\xf3\xa0\x87\xb0", 1); /* U+E01F0 */
}

Test(text_prefix, takes_what_fits_and_the_marks_that_follow)
{
    const char *text = "a\xe4\xb8\xad"
                       "e\xcc\x81"
                       "z"; /* 1 + 2 + 1 + 1 columns */
    static const size_t prefix[] = {0, 1, 1, 4, 7, 8, 8};
    for (size_t columns = 0; columns < sizeof prefix / sizeof prefix[0]; columns++)
        cr_assert_eq(text_prefix(text, strlen(text), columns), prefix[columns], "%zu", columns);
}

static void expect_number(double value, int digits, const char *expected)
{
    char out[40];
    cr_assert_str_eq(text_number(out, sizeof out, value, digits), expected);
}

Test(text_number, groups_thousands_and_drops_trailing_zeros)
{
    expect_number(456000, 6, "456,000");
    expect_number(15258.789, 7, "15,258.79");
    expect_number(0.22, 3, "0.22");
    expect_number(0, 3, "0");
    expect_number(-0.0, 3, "0");
    expect_number(100, 3, "100");
    expect_number(999, 3, "999");
    expect_number(1000, 4, "1,000");
    expect_number(-1234567, 7, "-1,234,567");
    expect_number(-999.5, 4, "-999.5");
    expect_number(0.5, 17, "0.5");
}

Test(text_number, rounds_to_significant_digits)
{
    expect_number(456123, 3, "456,000");
    expect_number(999.96, 4, "1,000");
    expect_number(0.000123456, 3, "0.000123");
    expect_number(2.0 / 3, 2, "0.67");
    expect_number(1.5, 0, "2"); /* digits below one count as one; ties to even */
}

Test(text_number, has_no_exponent_from_1e_4_to_below_1e15)
{
    expect_number(0.0001, 3, "0.0001");
    expect_number(0.00009999, 4, "9.999e-05");
    expect_number(0.000099996, 4, "0.0001");
    expect_number(999999999999999.0, 15, "999,999,999,999,999");
    expect_number(1e15, 3, "1e+15");
    expect_number(-1.25e300, 3, "-1.25e+300");
}

Test(text_number, names_what_is_no_number)
{
    expect_number((double)NAN, 3, "n/a");
    expect_number((double)INFINITY, 3, "inf");
    expect_number(-(double)INFINITY, 3, "-inf");
}

Test(text_number, its_longest_results_fit_40_bytes)
{
    static const double values[] = {-DBL_MAX, -DBL_MIN, -0.00012345678901234567,
                                    -123456789012345.67, -999999999999999.88};
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        char out[80];
        text_number(out, sizeof out, values[i], 17);
        cr_assert_lt(strlen(out), 40);
        text_number_exact(out, sizeof out, values[i]);
        cr_assert_lt(strlen(out), 32);
    }
}

Test(text_number, cuts_at_the_capacity)
{
    char out[4];
    cr_assert_str_eq(text_number(out, sizeof out, 123456, 6), "123");
    out[0] = 'Z';
    text_number(out, 0, 5, 1);
    cr_assert_eq(out[0], 'Z');
}

static void expect_exact(double value, const char *expected)
{
    char out[32];
    cr_assert_str_eq(text_number_exact(out, sizeof out, value), expected);
}

Test(text_number_exact, writes_the_shortest_decimal)
{
    expect_exact(0.1, "0.1");
    expect_exact(0.1 + 0.2, "0.30000000000000004");
    expect_exact(1.0 / 3, "0.3333333333333333");
    expect_exact(456000, "456000");
    expect_exact(-2.5, "-2.5");
    expect_exact(0, "0");
    expect_exact(-0.0, "0");
    expect_exact(9007199254740991.0, "9007199254740991");
    expect_exact(1e15, "1000000000000000");
    expect_exact(1e20, "1e+20");
    expect_exact(1e-5, "1e-05");
    expect_exact(0.0001, "0.0001");
    expect_exact(5e-324, "5e-324");
    expect_exact(DBL_MAX, "1.7976931348623157e+308");
    expect_exact(DBL_MIN, "2.2250738585072014e-308");
}

/* A multiplicative congruential generator (Knuth's MMIX constants): the same values on every run.
 */
static uint64_t next_random(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state;
}

Test(text_number_exact, reads_back_as_the_same_double)
{
    uint64_t state = 1;
    for (int i = 0; i < 20000; i++) {
        uint64_t bits = next_random(&state) ^ next_random(&state) >> 32;
        double value;
        memcpy(&value, &bits, sizeof value);
        if (!isfinite(value))
            continue;
        char out[32];
        double back = 0;
        text_number_exact(out, sizeof out, value);
        cr_assert(text_parse_number(out, &back), "%s", out);
        cr_assert_eq(back, value, "%s", out);
    }
}

/* The way around printf gives what printf would: "%.15g" is the shortest where 15 digits suffice.
 */
Test(text_number_exact, agrees_with_printf_on_short_decimals)
{
    uint64_t state = 7;
    for (int i = 0; i < 20000; i++) {
        uint64_t digits = next_random(&state) >> (14 + i % 50);
        double value = (double)(digits % 1000000000000000u) / pow(10, i % 16);
        if (value < 1e-3 || value >= 1e15)
            continue;
        char out[32];
        char expected[64];
        snprintf(expected, sizeof expected, "%.15g", value);
        cr_assert_str_eq(text_number_exact(out, sizeof out, value), expected);
        cr_assert_str_eq(text_number_exact(out, sizeof out, -value) + 1, expected);
    }
}

Test(text_number, does_not_depend_on_the_locale)
{
    /* Any locale with a decimal comma; where none is installed the C locale is what can be tested.
     */
    static const char *const names[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "de_DE", "fr_FR", "C"};
    size_t chosen = 0;
    while (setlocale(LC_ALL, names[chosen]) == NULL)
        chosen++;
    expect_number(15258.789, 7, "15,258.79");
    expect_exact(0.1, "0.1");
    double value = 0;
    cr_assert(text_parse_number("1.5", &value));
    cr_assert_eq(value, 1.5);
    cr_assert_not(text_parse_number("1,5", &value));
}

Test(text_parse_number, reads_decimals_and_nothing_else)
{
    static const struct {
        const char *text;
        double value;
    } good[] = {{"0", 0},    {"12", 12},    {"-5", -5},    {"+5", 5},      {"1.5", 1.5},
                {".5", 0.5}, {"5.", 5},     {"1e3", 1000}, {"1E-2", 0.01}, {"1.5e+2", 150},
                {"007", 7},  {"1e-400", 0}, {"80.0", 80}};
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        double value = -1;
        cr_assert(text_parse_number(good[i].text, &value), "%s", good[i].text);
        cr_assert_eq(value, good[i].value, "%s", good[i].text);
    }
    static const char *const bad[] = {
        "",  " 1", "1 ", "nan", "NaN",   "inf", "-inf", "infinity", "0x1",   "1e",     "1e+",
        ".", "-",  "+",  "e5",  "1.2.3", "1,5", "5GB",  "--1",      "1e400", "-1e400", "1_000"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        double value = -1;
        cr_assert_not(text_parse_number(bad[i], &value), "%s", bad[i]);
        cr_assert_eq(value, -1);
    }
}

static size_t distance(const char *a, const char *b)
{
    return text_distance(a, strlen(a), b, strlen(b));
}

Test(text_distance, counts_edits)
{
    cr_assert_eq(distance("", ""), 0);
    cr_assert_eq(distance("", "abc"), 3);
    cr_assert_eq(distance("abc", ""), 3);
    cr_assert_eq(distance("kitten", "sitting"), 3);
    cr_assert_eq(distance("zero3", "zero2"), 1);
    cr_assert_eq(distance("formta", "format"), 2);
    cr_assert_eq(distance("flaw", "lawn"), 2);
}

Test(text_distance, gives_up_on_long_texts)
{
    char text[65];
    memset(text, 'a', sizeof text);
    cr_assert_eq(text_distance(text, 64, text, 64), 0);
    cr_assert_gt(text_distance(text, 65, text, 64), 1000);
    cr_assert_gt(text_distance(text, 1, text, 65), 1000);
}

static void expect_quoted(const char *text, const char *quoted)
{
    struct text_buffer out = {0};
    text_quote(&out, text);
    cr_assert_str_eq(out.text, quoted);
    text_buffer_fini(&out);
}

Test(text, quotes_words_for_a_shell)
{
    expect_quoted("bf16", "bf16");
    expect_quoted("", "''");
    expect_quoted("a b", "'a b'");
    expect_quoted("$(rm -rf ~)", "'$(rm -rf ~)'");
    expect_quoted("it's", "'it'\\''s'");
}
