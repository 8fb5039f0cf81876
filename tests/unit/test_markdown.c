#include "markdown.h"

#include <criterion/criterion.h>

#include "chart_table.h"
#include "report_template.h"

static void expect(void (*append)(struct text_buffer *, const char *), const char *text,
                   const char *expected)
{
    struct text_buffer out = {0};
    text_buffer_puts(&out, "");
    append(&out, text);
    cr_assert_str_eq(out.text, expected);
    text_buffer_fini(&out);
}

Test(markdown, escapes_what_would_be_markup_a_link_or_a_mention)
{
    expect(markdown_escape, "plain text, 3.5 %", "plain text, 3.5 %");
    expect(markdown_escape, "a*b_c`d|e", "a\\*b\\_c\\`d\\|e");
    expect(markdown_escape, "[x](y) <b> # !", "\\[x\\](y) \\<b\\> \\# \\!");
    expect(markdown_escape, "http://192.0.2.1 www.example.org",
           "http\\://192.0.2.1 www\\.example.org");
    expect(markdown_escape, "@someone", "`@`someone");
    expect(markdown_escape, "back\\slash", "back\\\\slash");
}

Test(markdown, encloses_code_whatever_it_has)
{
    expect(markdown_code, "zero1", "`zero1`");
    expect(markdown_code, "a`b", "``a`b``");
    expect(markdown_code, "`a``", "``` `a`` ```");
    expect(markdown_code, "a|b", "`a\\|b`");
    expect(markdown_code, "", "`  `");
}

Test(markdown, links_no_number_of_an_issue)
{
    expect(markdown_escape, "GH-12, owner/project#3", "GH\\-12, owner/project\\#3");
}

/* ---- A whole manuscript ---- */

static struct manuscript manuscript;
static struct texts texts;
static struct summary summary = {.group_count = 1};
static struct report_template template;

static void begin(void)
{
    size_t count;
    static const struct chart_row *charts[1];
    cr_assert_eq(texts_load("en", NULL, &texts, NULL), STATUS_OK);
    charts[0] = chart_table(&count);
    template.pictures = (struct report_template_charts){charts, 1};
}

static void end(void)
{
    manuscript_fini(&manuscript);
    texts_fini(&texts);
}

TestSuite(markdown_document, .init = begin, .fini = end);

static void expect_written(unsigned formats, const char *expected)
{
    struct text_buffer out = {0};
    const struct report_input input = {
        .summary = &summary, .texts = &texts, .template = &template, .formats = formats};
    cr_assert_eq(markdown_write(&manuscript, &input, &out, NULL), STATUS_OK);
    cr_assert_str_eq(out.text, expected);
    text_buffer_fini(&out);
}

Test(markdown_document, begins_with_the_verdict_and_its_numbers)
{
    const struct manuscript_figure figures[] = {
        {.label = "Peak memory", .value = "14 MiB", .detail = "limit 16 MiB"},
        {.label = "Throughput", .value = "not measured"}};
    manuscript_verdict(&manuscript, MANUSCRIPT_GOOD, "Decision: accept a_b", "1. is no list.");
    manuscript_figures(&manuscript, figures, 2);
    manuscript_notice(&manuscript, MANUSCRIPT_WARNING, "- mind *this*");
    manuscript_section(&manuscript, 1, "group-1", "A group", true);
    manuscript_verdict(&manuscript, MANUSCRIPT_BAD, "Decision: reject", NULL);
    expect_written(REPORT_MARKDOWN, "## Decision: accept a\\_b\n\n1\\. is no list.\n\n"
                                    "- Peak memory: **14 MiB**; limit 16 MiB\n"
                                    "- Throughput: **not measured**\n\n"
                                    "> \\- mind \\*this\\*\n\n"
                                    "### A group\n\n**Decision: reject**\n");
}

Test(markdown_document, keeps_a_command_as_it_is_below_its_action)
{
    manuscript_item(&manuscript, MANUSCRIPT_PLAIN, "+ do it");
    manuscript_command(&manuscript, "run --a '```' <x>");
    manuscript_item(&manuscript, MANUSCRIPT_PLAIN, "then this");
    expect_written(REPORT_MARKDOWN, "\n- \\+ do it\n\n  ````sh\n  run --a '```' <x>\n  ````\n"
                                    "- then this\n");
}

Test(markdown_document, cuts_a_table_that_is_longer_than_a_screen)
{
    const struct manuscript_column columns[] = {{.heading = "Name"},
                                                {.heading = "Value", .number = true}};
    struct text_buffer expected = {0};
    text_buffer_puts(&expected, "\n| Name | Value |\n|---|--:|\n");
    manuscript_table(&manuscript, columns, 2);
    for (int i = 0; i < 43; i++) {
        manuscript_cell(&manuscript, i == 0 ? MANUSCRIPT_STRONG : MANUSCRIPT_PLAIN, "a|b");
        manuscript_cell(&manuscript, i == 0 ? MANUSCRIPT_QUIET : MANUSCRIPT_PLAIN, "");
        if (i < 40)
            text_buffer_puts(&expected, i == 0 ? "| **a\\|b** | |\n" : "| a\\|b | |\n");
    }
    text_buffer_puts(&expected, "\n… and 3 more rows.\n");
    expect_written(REPORT_MARKDOWN, expected.text);
    text_buffer_fini(&expected);
}

Test(markdown_document, links_a_chart_only_where_its_picture_is_written)
{
    size_t count;
    const struct chart_row *charts = chart_table(&count);
    manuscript_chart(&manuscript, &charts[0], 0, "Peak [memory]");
    manuscript_chart(&manuscript, &charts[1], 0, "not among the pictures");
    expect_written(REPORT_MARKDOWN | REPORT_PNG | REPORT_SVG,
                   "\n![Peak \\[memory\\]](charts/memory.png)\n");
    expect_written(REPORT_MARKDOWN | REPORT_SVG, "\n![Peak \\[memory\\]](charts/memory.svg)\n");
    struct text_buffer out = {0};
    const struct report_input input = {.summary = &summary,
                                       .texts = &texts,
                                       .template = &template,
                                       .formats = REPORT_MARKDOWN | REPORT_PDF};
    cr_assert_eq(markdown_write(&manuscript, &input, &out, NULL), STATUS_OK);
    cr_assert_eq(out.length, 0);
}

Test(markdown_document, leaves_out_the_heading_of_a_chart_without_picture_and_words)
{
    size_t count;
    const struct chart_row *charts = chart_table(&count);
    manuscript_section(&manuscript, 1, "a", "Charts", false);
    manuscript_section(&manuscript, 2, "b", "Memory", false);
    manuscript_chart(&manuscript, &charts[0], 0, "Memory");
    manuscript_section(&manuscript, 1, "c", "Next", false);
    expect_written(REPORT_MARKDOWN, "\n### Next\n");
    manuscript_section(&manuscript, 2, "d", "Changes", false);
    manuscript_chart(&manuscript, &charts[0], 0, "Changes");
    manuscript_item(&manuscript, MANUSCRIPT_PLAIN, "by 2 %");
    expect_written(REPORT_MARKDOWN, "\n### Next\n\n#### Changes\n\n- by 2 %\n");
}
