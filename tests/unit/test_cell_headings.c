#include "cell.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "text.h"

static struct texts texts;

static void load(void)
{
    struct diag diag = {0};
    cr_assert_eq(texts_load("en", NULL, &texts, &diag), STATUS_OK);
}

static void finish(void)
{
    texts_fini(&texts);
}

/* The headings made of two, with a bar between them. */
static void expect_pair(const char *first, const char *second, const char *expected)
{
    const char *const headings[] = {first, second};
    struct text_buffer out = {0};
    cr_assert(cell_headings(&out, &texts, headings, 2));
    out.text[strlen(out.text)] = '|';
    cr_assert_str_eq(out.text, expected);
    text_buffer_fini(&out);
}

Test(cell_headings, headings_are_kept_where_they_differ, .init = load, .fini = finish)
{
    expect_pair("Peak", "Throughput", "Peak|Throughput");
    expect_pair("Peak", "Peaks", "Peak|Peaks");
    expect_pair("", "", "1|2");
}

Test(cell_headings, headings_alike_but_for_case_are_numbered, .init = load, .fini = finish)
{
    expect_pair("Peak", "PEAK", "Peak|PEAK (2)");
    expect_pair("\xC3\x84", "\xC3\xA4", "\xC3\x84|\xC3\xA4 (2)"); /* A umlaut */
    expect_pair("\xD0\x96", "\xD0\xB6", "\xD0\x96|\xD0\xB6 (2)"); /* Zhe */
    expect_pair("\xD0\x8F", "\xD1\x9F", "\xD0\x8F|\xD1\x9F (2)"); /* Dzhe */
    expect_pair("\xC3\x97", "\xC3\xB7", "\xC3\x97|\xC3\xB7");     /* times, divided */
    expect_pair("a\n", "A\\n", "a\\n|A\\n (2)");                  /* as they stand in their cells */
}

Test(cell_headings, a_long_heading_is_cut_and_still_numbered, .init = load, .fini = finish)
{
    char name[301];
    memset(name, 'x', 300);
    name[300] = '\0';
    const char *const headings[] = {name, name, "x"};
    struct text_buffer out = {0};
    cr_assert(cell_headings(&out, &texts, headings, 3));
    const char *second = out.text + strlen(out.text) + 1;
    cr_assert_eq(strlen(out.text), 255);
    cr_assert_leq(strlen(second), 255);
    cr_assert_str_eq(second + strlen(second) - 4, " (2)");
    cr_assert_str_eq(second + strlen(second) + 1, "x");
    text_buffer_fini(&out);
}

static void expect_reference(uint32_t row, uint32_t column, bool fixed, const char *expected)
{
    struct text_buffer out = {0};
    cell_append_reference(&out, row, column, fixed);
    cr_assert_str_eq(out.text, expected);
    text_buffer_fini(&out);
}

Test(cell_headings, references_count_columns_by_letters)
{
    expect_reference(0, 0, false, "A1");
    expect_reference(9, 25, true, "$Z$10");
    expect_reference(0, 26, false, "AA1");
    expect_reference(1048575, 255, false, "IV1048576");
    expect_reference(0, 701, false, "ZZ1");
    expect_reference(0, 702, false, "AAA1");
}

Test(cell_headings, texts_in_formulas_cannot_end_them, .init = load, .fini = finish)
{
    struct text_buffer out = {0};
    cell_append_literal(&out, &texts, "a\"&b");
    cell_append_sheet(&out, "It's");
    cr_assert_str_eq(out.text, "\"a\"\"&b\"'It''s'!");
    text_buffer_clear(&out);
    char name[301];
    memset(name, 'x', 300);
    name[300] = '\0';
    cell_append_literal(&out, &texts, name);
    cr_assert_eq(out.length, 255 + 2);
    text_buffer_fini(&out);
}
