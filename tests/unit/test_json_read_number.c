#include "parsed_json.h"

#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>

static double number(const char *text)
{
    struct parsed_json p = parsed_json(text);
    double value = NAN;
    cr_assert(json_read_double(&p.document, 0, &value), "%s", text);
    parsed_json_fini(&p);
    return value;
}

static unsigned flags(const char *text)
{
    struct parsed_json p = parsed_json(text);
    unsigned value = p.document.nodes[0].flags;
    cr_assert_eq(p.document.flags, value);
    parsed_json_fini(&p);
    return value;
}

static double half_unit(const char *text)
{
    struct parsed_json p = parsed_json(text);
    double value = json_read_half_unit(&p.document, 0);
    parsed_json_fini(&p);
    return value;
}

/* The fallback of -1 is no result of a refused number, as a getter writes on success only. */
static int64_t integer(const char *text, int64_t fallback)
{
    struct parsed_json p = parsed_json(text);
    int64_t value = fallback;
    bool exact = json_read_int64(&p.document, 0, &value);
    cr_assert(exact || value == fallback);
    parsed_json_fini(&p);
    return value;
}

Test(json_read_number, reads_the_nearest_double)
{
    cr_assert_eq(number("0"), 0);
    cr_assert(signbit(number("-0")));
    cr_assert(signbit(number("-0.0e5")));
    cr_assert_eq(number("0e999999999999"), 0);
    cr_assert_eq(number("456000.0"), 456000.0);
    cr_assert_eq(number("-311.5"), -311.5);
    cr_assert_eq(number("0.1"), 0.1);
    cr_assert_eq(number("1e22"), 1e22);
    cr_assert_eq(number("1E-22"), 1e-22);
    cr_assert_eq(number("1e23"), 1e23);
    cr_assert_eq(number("0.00012345678901234567890"), 0.00012345678901234567890);
    cr_assert_eq(number("9007199254740993"), 9007199254740992.0, "a tie goes to even");
    cr_assert_eq(number("9007199254740993.00000000000000000000001"), 9007199254740994.0);
    cr_assert_eq(number("1.7976931348623157e308"), DBL_MAX);
    cr_assert_eq(number("4.9406564584124654e-324"), 4.9406564584124654e-324);
    cr_assert_eq(number("2.4703282292062328e-324"), 4.9406564584124654e-324);
    cr_assert_eq(number("1e-400"), 0, "too small for a double is 0");
    cr_assert_eq(number("2.2250738585072011e-308"), 2.2250738585072011e-308);
}

/* The halfway point between 1 and the next double has 53 decimals; what follows after a thousand
 * zeros decides. */
Test(json_read_number, every_digit_of_a_very_long_number_counts)
{
    static const char half[] = "1.00000000000000011102230246251565404236316680908203125";
    char text[2200];
    cr_assert_eq(number(half), 1.0);
    int used = snprintf(text, sizeof text, "%s%01500d", half, 0);
    cr_assert_eq(number(text), 1.0);
    snprintf(text + used, sizeof text - (size_t)used, "1");
    cr_assert_eq(number(text), 1.0 + DBL_EPSILON);
    snprintf(text, sizeof text, "1%01500d.0e-1500", 0);
    cr_assert_eq(number(text), 1.0);
    snprintf(text, sizeof text, "0.%01500d25e1501", 0);
    cr_assert_eq(number(text), 2.5);
    cr_assert_eq(flags(text), 0);
    snprintf(text, sizeof text, "-%0400d", 0);
    text[1] = '9';
    cr_assert_eq(flags(text),
                 JSON_READ_INTEGER | JSON_READ_BIG_INTEGER | JSON_READ_NUMBER_OUT_OF_RANGE);
    snprintf(text, sizeof text, "1%0400d", 0);
    text[308] = '\0';
    cr_assert_eq(flags(text), JSON_READ_INTEGER | JSON_READ_BIG_INTEGER);
    cr_assert_eq(number(text), 1e307);
}

Test(json_read_number, flags_what_a_double_cannot_hold)
{
    cr_assert_eq(flags("1e308"), 0);
    cr_assert_eq(flags("1e309"), JSON_READ_NUMBER_OUT_OF_RANGE);
    cr_assert_eq(flags("-1E+400"), JSON_READ_NUMBER_OUT_OF_RANGE);
    cr_assert_eq(flags("1.7976931348623158e308"), 0, "rounds to the largest double");
    cr_assert_eq(flags("1.7976931348623159e308"), JSON_READ_NUMBER_OUT_OF_RANGE);
    cr_assert_eq(flags("1e99999999999999999999999999"), JSON_READ_NUMBER_OUT_OF_RANGE);
    cr_assert_eq(flags("1e-99999999999999999999999999"), 0);
    cr_assert_eq(flags("0.0000000001e310"), 0);
    cr_assert_eq(flags("0e400"), 0);
    struct parsed_json p = parsed_json("1e999");
    double value = 5;
    cr_assert_not(json_read_double(&p.document, 0, &value));
    cr_assert_eq(value, 5);
    parsed_json_fini(&p);
}

Test(json_read_number, flags_integers_and_those_beyond_two_to_the_53)
{
    cr_assert_eq(flags("0"), JSON_READ_INTEGER);
    cr_assert_eq(flags("-17"), JSON_READ_INTEGER);
    cr_assert_eq(flags("17.0"), 0);
    cr_assert_eq(flags("1e2"), 0);
    cr_assert_eq(flags("9007199254740992"), JSON_READ_INTEGER);
    cr_assert_eq(flags("-9007199254740992"), JSON_READ_INTEGER);
    cr_assert_eq(flags("9007199254740993"), JSON_READ_INTEGER | JSON_READ_BIG_INTEGER);
    cr_assert_eq(flags("-9007199254740993"), JSON_READ_INTEGER | JSON_READ_BIG_INTEGER);
    cr_assert_eq(flags("10000000000000000"), JSON_READ_INTEGER | JSON_READ_BIG_INTEGER);
    cr_assert_eq(flags("1234567890123456"), JSON_READ_INTEGER);
}

Test(json_read_number, reads_exact_integers_however_written)
{
    cr_assert_eq(integer("4", -1), 4);
    cr_assert_eq(integer("4.0", -1), 4);
    cr_assert_eq(integer("4e0", -1), 4);
    cr_assert_eq(integer("40e-1", -1), 4);
    cr_assert_eq(integer("0.4e1", -1), 4);
    cr_assert_eq(integer("4.000000000000000000000000000000", -1), 4);
    cr_assert_eq(integer("-0", -1), 0);
    cr_assert_eq(integer("0.000", -1), 0);
    cr_assert_eq(integer("0e99999999999", -1), 0);
    cr_assert_eq(integer("1e18", -1), INT64_C(1000000000000000000));
    cr_assert_eq(integer("9223372036854775807", -1), INT64_MAX);
    cr_assert_eq(integer("-9223372036854775808", -1), INT64_MIN);
    cr_assert_eq(integer("-9223372036854775808.0", -1), INT64_MIN);
    cr_assert_eq(integer("922337203685477580.7e1", -1), INT64_MAX);
}

Test(json_read_number, refuses_what_is_no_integer_of_64_bits)
{
    static const char *const texts[] = {"4.5",
                                        "4e-1",
                                        "1e-400",
                                        "1e400",
                                        "9223372036854775808",
                                        "-9223372036854775809",
                                        "1e19",
                                        "12345678901234567890",
                                        "99999999999999999999999999",
                                        "0.1",
                                        "4.00000000000000000000000000001"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        cr_assert_eq(integer(texts[i], -77), -77, "%s", texts[i]);
    struct parsed_json p = parsed_json("[\"4\", true, null, {}]");
    int64_t value;
    double real;
    for (uint32_t i = 0; i < p.document.count; i++) {
        cr_assert_not(json_read_int64(&p.document, i, &value));
        cr_assert_not(json_read_double(&p.document, i, &real));
        cr_assert(isnan(json_read_half_unit(&p.document, i)));
    }
    parsed_json_fini(&p);
}

Test(json_read_number, half_a_unit_of_the_last_digit)
{
    cr_assert_eq(half_unit("20.4"), 0.05);
    cr_assert_eq(half_unit("20"), 0.5);
    cr_assert_eq(half_unit("2e4"), 5e3);
    cr_assert_eq(half_unit("1.50"), 0.005);
    cr_assert_eq(half_unit("-1.50e2"), 0.5);
    cr_assert_eq(half_unit("0"), 0.5);
    cr_assert_eq(half_unit("0.000"), 0.0005);
    cr_assert_eq(half_unit("1e-9"), 5e-10);
    cr_assert_eq(half_unit("1E+2"), 50);
}

/* glibc compiles locales on demand; where none with a decimal comma is there, this says so. */
Test(json_read_number, does_not_depend_on_the_locale)
{
    static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "de_DE"};
    const char *chosen = NULL;
    for (size_t i = 0; i < sizeof names / sizeof names[0] && chosen == NULL; i++)
        chosen = setlocale(LC_ALL, names[i]);
    if (chosen == NULL)
        cr_skip_test("no locale with a decimal comma is installed");
    cr_assert_str_eq(localeconv()->decimal_point, ",");
    cr_assert_eq(number("0.00012345678901234567890"), 12345678901234567890e-23);
    cr_assert_eq(number("20.4"), 204 / 10.0);
    cr_assert_eq(half_unit("123456789012345678901234567890.12"), 5 / 1000.0);
}

/* As short as most numbers are, with the point anywhere, in the middle of a text (where eight bytes
 * can be read) and at its end. */
Test(json_read_number, reads_short_decimals_as_strtod_does)
{
    uint64_t state = 20261130;
    for (int i = 0; i < 20000; i++) {
        char text[64];
        state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        unsigned digits = 1 + (unsigned)(state >> 33) % 9;
        unsigned decimals = (unsigned)(state >> 45) % digits;
        uint64_t scale = 1;
        for (unsigned d = 0; d < digits; d++)
            scale *= 10;
        double value = (double)((state >> 20) % scale);
        for (unsigned d = 0; d < decimals; d++)
            value /= 10;
        int length = snprintf(text, sizeof text, "[%.*f, 12345678]", (int)decimals, value);
        struct parsed_json p = parsed_json(text);
        double found = NAN;
        cr_assert(json_read_double(&p.document, 1, &found));
        cr_assert_eq(found, strtod(text + 1, NULL), "%s", text);
        parsed_json_fini(&p);
        text[length - 11] = '\0';
        cr_assert_eq(number(text + 1), strtod(text + 1, NULL), "%s", text + 1);
    }
}

/* Halfway points of 17 to 19 digits, and their neighbours. */
Test(json_read_number, rounds_ties_of_long_decimals_to_even)
{
    static const char *const texts[] = {
        "4503599627370496.5",    "4503599627370497.5",    "4503599627370496.51",
        "4503599627370496.499",  "4503599627370497.499",  "2251799813685248.25",
        "2251799813685248.75",   "1125899906842624.125",  "1125899906842624.375",
        "18014398509481986",     "18014398509481990",     "18014398509481986.1",
        "9007199254740991.5",    "0.9999999999999999999", "0.1000000000000000055",
        "0.1000000000000000056", "1000000000000000128",   "9223372036854775807"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        cr_assert_eq(number(texts[i]), strtod(texts[i], NULL), "%s", texts[i]);
}

/* Random doubles printed with 17 digits, and with more, read back as themselves. */
Test(json_read_number, random_doubles_read_back_bit_by_bit)
{
    uint64_t state = 20240601;
    for (int i = 0; i < 20000; i++) {
        state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        uint64_t bits = state ^ state >> 29;
        double value;
        memcpy(&value, &bits, sizeof value);
        if (!isfinite(value))
            continue;
        char text[512];
        snprintf(text, sizeof text, i % 3 == 0 ? "%.17g" : i % 3 == 1 ? "%.16e" : "%.40e", value);
        cr_assert_eq(number(text), value, "%s", text);
        snprintf(text, sizeof text, "%.6f", (double)(bits >> 32) / 1024);
        cr_assert_eq(number(text), strtod(text, NULL), "%s", text);
    }
}
