#include "cell.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text.h"

static char *sanitised(const char *text)
{
    static struct texts texts;
    struct diag diag = {0};
    if (texts.count == 0)
        cr_assert_eq(texts_load("en", NULL, &texts, &diag), STATUS_OK);
    struct text_buffer out = {0};
    cell_sanitise(&out, &texts, text);
    cr_assert_not(out.failed);
    return out.text; /* the caller's */
}

static void expect(const char *text, const char *expected)
{
    char *made = sanitised(text);
    cr_assert_str_eq(made != NULL ? made : "", expected);
    free(made);
}

Test(cell, keeps_ordinary_texts)
{
    expect("", "");
    expect("zero1, 4 ranks", "zero1, 4 ranks");
    expect("=1+1 <b> & \"quoted\"", "=1+1 <b> & \"quoted\"");
    expect("合成变换器", "合成变换器");
}

Test(cell, makes_what_xml_forbids_visible)
{
    expect("a\x01z", "a\\x01z");
    expect("a\tb\nc\r", "a\\tb\\nc\\r");
    expect("\xEF\xBF\xBE\xEF\xBF\xBF", "\\ufffe\\uffff");
    expect("\xE2\x80\xAE"
           "abc",
           "\\u202e"
           "abc");
    expect("\xff", "\\xff");
}

Test(cell, keeps_the_encoding_of_characters_as_text)
{
    /* A spreadsheet reads _x005F_ as "_", so that the rest stays what it was. */
    expect("_x0041_", "_x005F_x0041_");
    expect("_x005F_x0041_", "_x005F_x005F_x005F_x0041_");
    expect("a_x000D_b", "a_x005F_x000D_b");
    expect("_x00G1_ _x041_ _x00410_", "_x00G1_ _x041_ _x00410_");
}

Test(cell, removes_user_names_from_paths)
{
    expect("/home/alice/run.json", "/home/<user>/run.json");
    expect("C:\\Users\\alice\\run.json", "C:\\Users\\<user>\\run.json");
}

static char *repeated(const char *unit, size_t count)
{
    size_t length = strlen(unit);
    char *text = malloc(length * count + 1);
    cr_assert_not_null(text);
    for (size_t i = 0; i < count; i++)
        memcpy(text + i * length, unit, length);
    text[length * count] = '\0';
    return text;
}

Test(cell, holds_the_longest_text_whole)
{
    char *text = repeated("E", CELL_MAX_UNITS);
    expect(text, text);
    free(text);
}

static void expect_cut(const char *unit, size_t count, size_t units_each)
{
    char *text = repeated(unit, count);
    char *made = sanitised(text);
    size_t length = strlen(made);
    const char *mark = strstr(made, "\xE2\x80\xA6 [cut: ");
    cr_assert_not_null(mark, "no mark");
    cr_assert_leq(text_utf16_units(made, length), CELL_MAX_UNITS);
    /* What is kept and what is said to be cut make the whole. */
    size_t kept = text_utf16_units(made, (size_t)(mark - made)) / units_each;
    char expected[64];
    char number[64];
    snprintf(expected, sizeof expected, "[cut: %s more characters]",
             text_number(number, sizeof number, (double)(count - kept), 6));
    cr_assert_not_null(strstr(mark, expected), "%s is not %s", mark, expected);
    free(made);
    free(text);
}

Test(cell, cuts_a_longer_text_with_a_mark)
{
    expect_cut("E", CELL_MAX_UNITS + 6, 1);
    expect_cut("E", CELL_MAX_UNITS + 1, 1);
    expect_cut("合", CELL_MAX_UNITS + 1, 1);
    expect_cut("\xF0\x9F\x98\x80", 16400, 2); /* outside the BMP: two units each */
}

Test(cell, counts_lines_by_width)
{
    cr_assert_eq(cell_lines("", 10), 1);
    cr_assert_eq(cell_lines("123456789", 10), 1);
    cr_assert_eq(cell_lines("1234567890", 10), 2);
    cr_assert_eq(cell_lines("合成变换", 10), 1);
    cr_assert_eq(cell_lines("合成变换器", 10), 2);
}
