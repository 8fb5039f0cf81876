#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "import_scan.h"

static struct import_span span(const char *text)
{
    return (struct import_span){text, strlen(text), false};
}

static struct import_span cut(const char *text)
{
    return (struct import_span){text, strlen(text), true};
}

static double number(const char *text)
{
    struct import_span rest = span(text);
    double value = -77;
    return import_scan_number(&rest, &value) ? value : -99;
}

Test(import_scan, reads_decimal_numbers_as_they_are_printed)
{
    cr_assert_eq(number("59.65GB"), 59.65);
    cr_assert_eq(number("  \t-1.5e-05,"), -1.5e-5);
    cr_assert_eq(number("1.118665E+01 |"), 11.18665);
    cr_assert_eq(number(".5"), .5);
    cr_assert_eq(number("5."), 5);
    cr_assert_eq(number("5.e"), 5, "an e without digits is no exponent");
    cr_assert_eq(number("1e400"), -99, "no double");
    cr_assert_eq(number("-"), -99);
    cr_assert_eq(number("."), -99);
    cr_assert_eq(number(""), -99);
    cr_assert_eq(number("0x10"), 0, "no hexadecimal: the x is behind the number");
}

Test(import_scan, reads_what_is_not_finite_in_every_spelling)
{
    cr_assert(isnan(number("nan")));
    cr_assert(isnan(number("NaN,")));
    cr_assert(isnan(number("-nan")));
    cr_assert_eq(number("inf"), INFINITY);
    cr_assert_eq(number("-Infinity"), -INFINITY);
    cr_assert_eq(number("info"), -99);
    cr_assert_eq(number("nanz"), -99, "llm.c prints \"+nanz\" of a z-score");
}

Test(import_scan, a_number_that_may_have_lost_digits_is_not_read)
{
    struct import_span rest = cut("loss: 53");
    double value = 0;
    cr_assert_not(import_scan_labelled(&rest, "loss:", &value));
    rest = cut("loss: 53 ");
    cr_assert(import_scan_labelled(&rest, "loss:", &value));
    rest = cut("loss: 53|");
    cr_assert(import_scan_labelled(&rest, "loss:", &value));
    cr_assert_eq(value, 53);
}

Test(import_scan, finds_words_in_short_lines_and_in_long_ones)
{
    char text[2000];
    memset(text, 'a', sizeof text);
    memcpy(text + sizeof text - 3, "aab", 3);
    for (size_t length = 3; length <= sizeof text; length += 7) {
        struct import_span rest = {text + sizeof text - length, length, false};
        cr_assert(import_scan_find(&rest, "ab"), "the end of a line of %zu", length);
        cr_assert_eq(rest.length, 0);
        rest = (struct import_span){text + sizeof text - length, length - 1, false};
        cr_assert_not(import_scan_find(&rest, "ab"));
        cr_assert_eq(rest.length, length - 1);
    }
}

Test(import_scan, a_failure_moves_nothing)
{
    struct import_span rest = span("  word 5");
    double value = 1;
    cr_assert_not(import_scan_number(&rest, &value));
    cr_assert_not(import_scan_skip(&rest, "5"));
    cr_assert_not(import_scan_find(&rest, "6"));
    cr_assert_eq(rest.length, strlen("  word 5"));
    cr_assert_eq(value, 1);
}

Test(import_scan, an_empty_span_has_nothing)
{
    struct import_span rest = {0};
    struct import_span word;
    double value = 0;
    cr_assert_not(import_scan_find(&rest, "x"));
    cr_assert_not(import_scan_skip(&rest, "x"));
    cr_assert_not(import_scan_word(&rest, &word));
    cr_assert_not(import_scan_grouped(&rest, &value));
    cr_assert_not(import_scan_rank(&rest, &value));
    cr_assert(import_scan_is(&rest, ""));
}

Test(import_scan, commas_stand_between_thousands_only)
{
    struct import_span rest = span("5,856  tflops");
    double value = 0;
    cr_assert(import_scan_grouped(&rest, &value));
    cr_assert_eq(value, 5856);
    cr_assert(import_scan_begins(&rest, "  tflops"));
    rest = span("12,34");
    cr_assert(import_scan_grouped(&rest, &value));
    cr_assert_eq(value, 12);
    rest = span("1,234,567.5");
    cr_assert(import_scan_grouped(&rest, &value));
    cr_assert_eq(value, 1234567.5);
}

Test(import_scan, counts_are_whole_and_not_negative)
{
    double value = 0;
    struct import_span rest = span("8 x");
    cr_assert(import_scan_count_of(&rest, &value));
    cr_assert_eq(value, 8);
    rest = span("-1");
    cr_assert_not(import_scan_count_of(&rest, &value));
    rest = span("2.5");
    cr_assert_not(import_scan_count_of(&rest, &value));
    rest = span("nan");
    cr_assert_not(import_scan_count_of(&rest, &value));
}

static double size(const char *text, enum import_scan_units units)
{
    struct import_span rest = span(text);
    double bytes = 0;
    return import_scan_size(&rest, units, &bytes) ? bytes : -1;
}

Test(import_scan, sizes_mean_what_their_tool_means)
{
    cr_assert_eq(size("63.5GB,", IMPORT_SCAN_BINARY), 63.5 * 0x1p30);
    cr_assert_eq(size("63.5GB,", IMPORT_SCAN_DECIMAL), 63.5e9);
    cr_assert_eq(size("49.5GiB(52%)", IMPORT_SCAN_DECIMAL), 49.5 * 0x1p30);
    cr_assert_eq(size("237 MiB for", IMPORT_SCAN_DECIMAL), 237 * 0x1p20);
    cr_assert_eq(size("1,024 kB", IMPORT_SCAN_BINARY), 0x1p20);
    cr_assert_eq(size("512 bytes", IMPORT_SCAN_DECIMAL), 512);
    cr_assert_eq(size("512 B", IMPORT_SCAN_DECIMAL), 512);
    cr_assert_eq(size("512", IMPORT_SCAN_DECIMAL), -1);
    cr_assert_eq(size("512 batches", IMPORT_SCAN_DECIMAL), -1);
    cr_assert_eq(size("3 Gbit", IMPORT_SCAN_DECIMAL), -1);
    cr_assert_eq(size("nan GB", IMPORT_SCAN_DECIMAL), -1);
}

static double rank_of(const char *text, const char *left)
{
    struct import_span rest = span(text);
    double rank = -1;
    bool found = import_scan_rank(&rest, &rank);
    cr_assert(import_scan_is(&rest, left), "%s leaves %.*s", text, (int)rest.length, rest.text);
    return found ? rank : -1;
}

Test(import_scan, knows_what_launchers_put_before_a_line)
{
    cr_assert_eq(rank_of("[rank0]:[titan] x", "[titan] x"), 0);
    cr_assert_eq(rank_of("[default12]:x", "x"), 12);
    cr_assert_eq(rank_of("[1,7]<stdout>:x", "x"), 7);
    cr_assert_eq(rank_of("[1,7]<stderr>: x", " x"), 7);
    cr_assert_eq(rank_of(" 3: x", " x"), 3);
    cr_assert_eq(rank_of("3:", ""), 3);
    cr_assert_eq(rank_of("12:34:56 x", "12:34:56 x"), -1, "a time of day");
    cr_assert_eq(rank_of("[2023-07-25 21:03] x", "[2023-07-25 21:03] x"), -1);
    cr_assert_eq(rank_of("[Rank 2] x", "[Rank 2] x"), -1);
    cr_assert_eq(rank_of("x", "x"), -1);
}

static void expect_line(struct import_cursor *cursor, const char *text, size_t line_number)
{
    struct import_line line;
    cr_assert(import_scan_next(cursor, &line), "%s", text);
    cr_assert(import_scan_is(&line.span, text), "%.*s", (int)line.span.length, line.span.text);
    cr_assert_eq(line.number, line_number);
}

Test(import_scan, lines_end_in_every_way_and_keep_their_numbers)
{
    struct import_source source = {.text = "a\r\n\nb 1%\rb 2%\r\nc\rd", .size = 19};
    source.size = strlen(source.text);
    struct import_cursor cursor = {.source = &source};
    struct import_line line;
    expect_line(&cursor, "a", 1);
    expect_line(&cursor, "", 2);
    expect_line(&cursor, "b 1%", 3);
    expect_line(&cursor, "b 2%", 3);
    expect_line(&cursor, "c", 4);
    cr_assert(import_scan_next(&cursor, &line));
    cr_assert(line.span.cut, "the file ends without a line end");
    cr_assert_eq(line.number, 4);
    cr_assert_not(import_scan_next(&cursor, &line));
}

Test(import_scan, a_line_with_an_end_is_not_cut)
{
    const char *const texts[] = {"a 5\n", "a 5\r\n", "a 5\r"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct import_source source = {.text = texts[i], .size = strlen(texts[i])};
        struct import_cursor cursor = {.source = &source};
        struct import_line line;
        cr_assert(import_scan_next(&cursor, &line));
        cr_assert_not(line.span.cut);
        cr_assert_not(import_scan_next(&cursor, &line));
    }
}

Test(import_scan, signs_are_counted_by_line_up_to_a_most)
{
    struct import_source source = {.text = "x x\nx\ny\nx", .size = 9};
    cr_assert_eq(import_scan_count(&source, "x", 9), 3);
    cr_assert_eq(import_scan_count(&source, "x", 2), 2);
    cr_assert_eq(import_scan_count(&source, "z", 2), 0);
}
