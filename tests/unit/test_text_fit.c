#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "recording_canvas.h"
#include "text.h"
#include "text_fit.h"

/* By the recording canvas' rule a column is half of ten pixels wide. */
static const struct canvas_font font = {.size = 10};
#define COLUMN 5.0

static struct recording_canvas canvas;
static struct arena arena;

static void set_up(void)
{
    recording_canvas_init(&canvas, NULL);
    arena = (struct arena){0};
}

static void tear_down(void)
{
    recording_canvas_fini(&canvas);
    arena_fini(&arena);
}

TestSuite(text_fit, .init = set_up, .fini = tear_down);
TestSuite(text_lines, .init = set_up, .fini = tear_down);

static struct text_fit fit(const char *text, double columns, size_t lines, bool keep_end)
{
    struct text_fit result = {0};
    struct text_fit_room room = {columns * COLUMN, lines, keep_end};
    cr_assert_eq(text_fit(&arena, &canvas.canvas, &font, text, room, &result, NULL), STATUS_OK);
    for (size_t i = 0; i < result.count; i++)
        cr_assert(result.lines[i].extent.width <= room.width, "line %zu: \"%s\"", i,
                  result.lines[i].text);
    return result;
}

static void assert_lines(const struct text_fit *result, size_t count, const char *const *lines)
{
    cr_assert_eq(result->count, count, "%zu lines", result->count);
    for (size_t i = 0; i < count; i++)
        cr_assert_str_eq(result->lines[i].text, lines[i]);
}

Test(text_fit, a_text_that_fits_stays_whole)
{
    struct text_fit result = fit("zero1", 5, 1, false);
    assert_lines(&result, 1, (const char *[]){"zero1"});
    cr_assert_not(result.cut);
    cr_assert_eq(result.lines[0].extent.width, 25);
}

Test(text_fit, breaks_at_spaces_and_drops_them)
{
    struct text_fit result = fit("out of memory  in backward", 13, 3, false);
    assert_lines(&result, 2, (const char *[]){"out of memory", "in backward"});
}

Test(text_fit, breaks_names_after_their_separators)
{
    struct text_fit result = fit("fsdp_full_shard-long/er", 11, 4, false);
    assert_lines(&result, 3, (const char *[]){"fsdp_full_", "shard-long/", "er"});
}

Test(text_fit, keeps_numbers_together)
{
    struct text_fit result = fit("needs 1,073,741,824 bytes", 14, 3, false);
    assert_lines(&result, 3, (const char *[]){"needs", "1,073,741,824", "bytes"});
}

Test(text_fit, keeps_percent_signs_with_their_numbers)
{
    struct text_fit result = fit("over by 9.2 %, of 25 %", 11, 4, false);
    assert_lines(&result, 3, (const char *[]){"over by", "9.2 %, of", "25 %"});
}

Test(text_fit, breaks_a_word_wider_than_the_line_between_characters)
{
    struct text_fit result = fit("abcdefghij", 4, 3, false);
    assert_lines(&result, 3, (const char *[]){"abcd", "efgh", "ij"});
}

Test(text_fit, breaks_chinese_anywhere_but_before_closing_marks)
{
    /* four characters and a full stop; three characters a line */
    struct text_fit result = fit("\u8BAD\u7EC3\u72B6\u3002\u6001", 6, 3, false);
    assert_lines(&result, 2, (const char *[]){"\u8BAD\u7EC3", "\u72B6\u3002\u6001"});
}

Test(text_fit, ends_with_an_ellipsis_when_lines_run_out)
{
    struct text_fit result = fit("one two three four", 8, 2, false);
    assert_lines(&result, 2, (const char *[]){"one two", "three..."});
    cr_assert(result.cut);
}

Test(text_fit, can_keep_the_end_of_a_name)
{
    struct text_fit result = fit("candidate_with_long_name_17", 12, 2, true);
    cr_assert_eq(result.count, 2);
    cr_assert_str_eq(result.lines[0].text, "candidate_");
    cr_assert_str_eq(result.lines[1].text, "...g_name_17");
    cr_assert(result.cut);
}

Test(text_fit, never_cuts_inside_a_character)
{
    for (double columns = 4; columns < 14; columns += 0.5) {
        struct text_fit result =
            fit("a\u8BAD\u00E9\U0001F680\u7EC3\u72B6\u6001\u5207\u5206x", columns, 1, false);
        const char *text = result.lines[0].text;
        for (size_t i = 0, size = 0; text[i] != '\0'; i += size) {
            uint32_t code;
            size = text_decode(text + i, strlen(text + i), &code);
            cr_assert(size > 0, "%g columns: \"%s\"", columns, text);
        }
    }
}

Test(text_fit, never_parts_a_mark_from_its_letter)
{
    struct text_fit result = fit("ae\u0301io\u0302u", 2, 6, false);
    assert_lines(&result, 3, (const char *[]){"ae\u0301", "io\u0302", "u"});
}

Test(text_fit, drops_marks_beyond_the_fourth)
{
    struct text_fit result = fit("z\u0300\u0301\u0302\u0303\u0304\u0305x", 9, 1, false);
    assert_lines(&result, 1, (const char *[]){"z\u0300\u0301\u0302\u0303x"});
}

Test(text_fit, shows_control_characters_escaped)
{
    struct text_fit result = fit("a\nb\x1b[0m\xff\u202E", 40, 1, false);
    assert_lines(&result, 1, (const char *[]){"a\\nb\\x1b[0m\\xff\\u202e"});
}

Test(text_fit, an_empty_text_has_no_line)
{
    cr_assert_eq(fit("", 10, 2, false).count, 0);
    cr_assert_eq(fit("   ", 10, 2, false).count, 0);
}

Test(text_fit, a_line_narrower_than_a_character_still_ends)
{
    struct text_fit result = {0};
    struct text_fit_room room = {1, 3, false};
    cr_assert_eq(
        text_fit(&arena, &canvas.canvas, &font, "\u8BAD\u7EC3\u72B6\u6001", room, &result, NULL),
        STATUS_OK);
    cr_assert_eq(result.count, 3);
}

Test(text_fit, work_does_not_grow_with_a_text_that_cannot_fit)
{
    size_t size = (size_t)8 << 20;
    char *text = malloc(size + 1);
    cr_assert_not_null(text);
    memset(text, 'x', size);
    text[size] = '\0';
    struct text_fit result = fit(text, 30, 2, true);
    cr_assert_eq(result.count, 2);
    cr_assert(result.cut);
    cr_assert(canvas.measured < 100, "%zu measures", canvas.measured);
    cr_assert(canvas.longest_measured <= 4096, "%zu bytes", canvas.longest_measured);
    free(text);
}

static struct text_lines lines(const char *text, double columns, bool anywhere)
{
    struct text_lines result = {0};
    struct text_lines_room room = {columns * COLUMN, anywhere};
    cr_assert_eq(text_lines(&arena, &canvas.canvas, &font, text, room, &result, NULL), STATUS_OK);
    for (size_t i = 0; i < result.count; i++)
        cr_assert(result.lines[i].extent.width <= room.width, "%s", result.lines[i].text);
    return result;
}

Test(text_lines, leave_nothing_out)
{
    struct text_buffer text = {0};
    struct text_buffer joined = {0};
    for (size_t i = 0; i < 2000; i++)
        text_buffer_printf(&text, "%sword%zu", i > 0 ? " " : "", i);
    struct text_lines result = lines(text.text, 40, false);
    for (size_t i = 0; i < result.count; i++)
        text_buffer_printf(&joined, "%s%s", i > 0 ? " " : "", result.lines[i].text);
    cr_assert_gt(result.count, 300);
    cr_assert_str_eq(joined.text, text.text);
    text_buffer_fini(&text);
    text_buffer_fini(&joined);
}

Test(text_lines, break_codes_anywhere_into_lines_of_one_length)
{
    struct text_lines result = lines("0123456789abcdef0123456789abcdef", 16, true);
    cr_assert_eq(result.count, 2);
    cr_assert_str_eq(result.lines[0].text, "0123456789abcdef");
    cr_assert_str_eq(result.lines[1].text, "0123456789abcdef");
}

Test(text_lines, of_an_empty_text_are_none)
{
    cr_assert_eq(lines("", 10, false).count, 0);
    cr_assert_eq(lines("   ", 10, false).count, 0);
}
