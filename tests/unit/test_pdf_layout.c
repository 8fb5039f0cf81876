#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "pdf_command.h"
#include "pdf_recorder.h"

/* ---- Manuscripts ---- */

static void add_table(struct manuscript *manuscript, size_t rows)
{
    static const struct manuscript_column columns[] = {{.heading = "name"},
                                                       {.heading = "value", .number = true}};
    manuscript_table(manuscript, columns, 2);
    for (size_t i = 0; i < rows; i++) {
        manuscript_cell(manuscript, MANUSCRIPT_PLAIN, manuscript_format(manuscript, "row %zu", i));
        manuscript_cell(manuscript, MANUSCRIPT_PLAIN, "1");
    }
}

static void add_decision(struct manuscript *manuscript, size_t rows)
{
    manuscript_section(manuscript, 1, "decision", "Decision", true);
    manuscript_verdict(manuscript, MANUSCRIPT_GOOD, "accept", "because");
    manuscript_section(manuscript, 2, "decision-gates", "Gates", false);
    add_table(manuscript, rows);
    manuscript_section(manuscript, 2, "decision-actions", "Actions", false);
    for (size_t i = 0; i < rows; i++) {
        manuscript_item(manuscript, MANUSCRIPT_PLAIN, manuscript_format(manuscript, "do %zu", i));
        manuscript_command(manuscript, manuscript_format(manuscript, "run %zu", i));
    }
}

static void lay(struct pdf_recorder *recorder, struct manuscript *manuscript)
{
    pdf_recorder_lay(recorder, manuscript);
}

/* ---- The decision ---- */

Test(pdf_layout, sets_the_decision_on_one_page_and_what_it_leaves_out_on_the_next)
{
    struct pdf_recorder recorder;
    struct manuscript manuscript = {0};
    pdf_recorder_init(&recorder, "en");
    add_decision(&manuscript, 60);
    manuscript_section(&manuscript, 1, "after", "After", true);
    manuscript_paragraph(&manuscript, MANUSCRIPT_PLAIN, "the end");
    lay(&recorder, &manuscript);
    size_t pages = recorder.document.page_count;
    cr_assert_eq(pdf_recorder_page_of(&recorder, "decision"), 1);
    cr_assert_eq(pdf_recorder_page_of(&recorder, "decision-actions"), 1);
    cr_assert_eq(pdf_recorder_page_of(&recorder, "rest-2"), 2);
    cr_assert_gt(pdf_recorder_page_of(&recorder, "after"), 2);
    pdf_recorder_draw(&recorder, 1);
    cr_assert(recording_canvas_says(&recorder.canvas, "more: see page 2"));
    cr_assert(recording_canvas_says(&recorder.canvas, "row 0"));
    cr_assert_eq(pdf_recorder_count(&recorder, 2, pages, "row 59"), 1);
    cr_assert_eq(pdf_recorder_count(&recorder, 2, pages, "do 59"), 1);
    cr_assert_eq(pdf_recorder_count(&recorder, 2, pages, "run 59"), 1);
    cr_assert_not_null(recorder.document.first->links);
    pdf_recorder_fini(&recorder);
    manuscript_fini(&manuscript);
}

Test(pdf_layout, leaves_nothing_out_where_the_decision_fits)
{
    struct pdf_recorder recorder;
    struct manuscript manuscript = {0};
    pdf_recorder_init(&recorder, "en");
    add_decision(&manuscript, 6);
    lay(&recorder, &manuscript);
    cr_assert_eq(recorder.document.page_count, 1);
    cr_assert_eq(pdf_recorder_count(&recorder, 1, 1, "row 5"), 1);
    cr_assert_eq(pdf_recorder_count(&recorder, 1, 1, "run 5"), 1);
    cr_assert_null(recorder.document.first->links);
    pdf_recorder_fini(&recorder);
    manuscript_fini(&manuscript);
}

/* ---- Pages ---- */

Test(pdf_layout, repeats_the_headings_of_a_table_on_every_page)
{
    struct pdf_recorder recorder;
    struct manuscript manuscript = {0};
    pdf_recorder_init(&recorder, "en");
    manuscript_section(&manuscript, 1, "rows", "Rows", true);
    add_table(&manuscript, 150);
    lay(&recorder, &manuscript);
    size_t pages = recorder.document.page_count;
    cr_assert_geq(pages, 3);
    for (size_t page = 1; page <= pages; page++)
        cr_assert_eq(pdf_recorder_count(&recorder, page, page, "value"), 1, "page %zu", page);
    cr_assert_eq(pdf_recorder_count(&recorder, 1, pages, "1"), 150);
    pdf_recorder_fini(&recorder);
    manuscript_fini(&manuscript);
}

Test(pdf_layout, keeps_a_heading_with_what_follows)
{
    struct pdf_recorder recorder;
    pdf_recorder_init(&recorder, "en");
    for (size_t lines = 30; lines < 60; lines++) {
        struct manuscript manuscript = {0};
        manuscript_section(&manuscript, 1, "first", "First", true);
        for (size_t i = 0; i < lines; i++)
            manuscript_paragraph(&manuscript, MANUSCRIPT_PLAIN, "a line");
        manuscript_section(&manuscript, 2, "heading", "Heading", false);
        add_table(&manuscript, 3);
        lay(&recorder, &manuscript);
        size_t page = pdf_recorder_page_of(&recorder, "heading");
        cr_assert_eq(pdf_recorder_count(&recorder, page, page, "row 0"), 1, "%zu lines", lines);
        manuscript_fini(&manuscript);
    }
    pdf_recorder_fini(&recorder);
}

/* A square panel takes no less of a page where it is drawn wider. */
Test(pdf_layout, keeps_a_chart_with_the_words_that_lead_to_it)
{
    static const struct {
        const char *anchor, *of_chart; /* an id of what the chart alone says */
    } charts[] = {{"charts-memory", "chart.memory.value"},
                  {"charts-frontier", "chart.frontier.front"},
                  {"charts-step_split", "chart.split.value"},
                  {"charts-communication", "chart.communication.value"},
                  {"charts-ledger_scale", "chart.scale.ranks"}};
    struct pdf_recorder recorder;
    pdf_recorder_init(&recorder, "en");
    for (size_t count = 2; count <= 14; count++) {
        pdf_recorder_lay_sample(&recorder, SUMMARY_SAMPLE_COMPLETE, count);
        for (size_t i = 0; i < sizeof charts / sizeof charts[0]; i++) {
            size_t page = pdf_recorder_page_of(&recorder, charts[i].anchor);
            const char *says = texts_get(&recorder.texts, charts[i].of_chart);
            cr_assert_gt(page, 0, "%zu: %s", count, charts[i].anchor);
            cr_expect_geq(pdf_recorder_count(&recorder, page, page, says), 1, "%zu: %s", count,
                          charts[i].anchor);
        }
    }
    pdf_recorder_fini(&recorder);
}

Test(pdf_layout, parts_a_cell_that_is_higher_than_a_page)
{
    static const struct manuscript_column columns[] = {{.heading = "name"}, {.heading = "why"}};
    struct pdf_recorder recorder;
    struct manuscript manuscript = {0};
    struct text_buffer words = {0};
    pdf_recorder_init(&recorder, "en");
    for (size_t i = 0; i < 3000; i++)
        text_buffer_printf(&words, "word%zu ", i);
    manuscript_table(&manuscript, columns, 2);
    manuscript_cell(&manuscript, MANUSCRIPT_PLAIN, "long");
    manuscript_cell(&manuscript, MANUSCRIPT_PLAIN, words.text);
    lay(&recorder, &manuscript);
    cr_assert_geq(recorder.document.page_count, 2);
    pdf_recorder_draw(&recorder, recorder.document.page_count);
    cr_assert(recording_canvas_says(&recorder.canvas, "word2999"));
    text_buffer_fini(&words);
    pdf_recorder_fini(&recorder);
    manuscript_fini(&manuscript);
}

Test(pdf_layout, sets_an_empty_manuscript_on_an_empty_page)
{
    struct pdf_recorder recorder;
    struct manuscript manuscript = {0};
    pdf_recorder_init(&recorder, "en");
    lay(&recorder, &manuscript);
    cr_assert_eq(recorder.document.page_count, 1);
    pdf_recorder_fini(&recorder);
}

/* ---- Commands ---- */

/* What a shell makes of a command that prints its arguments. */
static void run(const char *command, char *out, size_t size)
{
    FILE *shell = popen(command, "r");
    cr_assert_not_null(shell);
    out[fread(out, 1, size - 1, shell)] = '\0';
    cr_assert_eq(pclose(shell), 0, "%s", command);
}

Test(pdf_command, breaks_commands_into_lines_that_a_shell_joins)
{
    static const char *const commands[] = {
        "printf '[%s]' --strategy zero3 --micro-batch 16 --dtype bf16 --warmup 2 --repeats 10",
        "printf '[%s]' /a/path/that/is/far/longer/than/a/line/and/has/no/blank/anywhere/in/it.json "
        "x",
        "printf '[%s]' 'a quoted word with blanks that is longer than one line of the page has' b",
        "printf '[%s]' \"twofold quotes with a \\\"quote\\\" and a \\\\ inside, also very long\" "
        "'' c",
        "printf '[%s]' 'it'\\''s' don\\'t 'a\\b' a\\ b\\ c\\ d\\ e\\ f\\ g\\ h\\ i\\ j\\ k\\ l\\ m",
        "printf '[%s]' 训练状态分片/运行目录/摘要文件名称很长/摘要文件名称很长/summary.json '训练 "
        "状态'",
    };
    struct pdf_recorder recorder;
    const struct canvas_font font = {.size = 8, .fixed = true};
    pdf_recorder_init(&recorder, "en");
    recorder.document = (struct pdf_document){.canvas = &recorder.canvas.canvas};
    for (size_t i = 0; i < 3 * sizeof commands / sizeof commands[0]; i++) {
        const char *command = commands[i / 3];
        double width = 100 + 37 * (double)(i % 3);
        struct text_lines lines = pdf_command_lines(&recorder.document, &font, command, width);
        struct text_buffer joined = {0};
        char expected[1024];
        char found[1024];
        for (size_t k = 0; k < lines.count; k++) {
            text_buffer_printf(&joined, "%s%s", k > 0 ? "\n" : "", lines.lines[k].text);
            cr_expect_leq(lines.lines[k].extent.width, width, "%s", lines.lines[k].text);
        }
        cr_assert_gt(lines.count, 1);
        run(command, expected, sizeof expected);
        run(joined.text, found, sizeof found);
        cr_expect_str_eq(found, expected, "%s", joined.text);
        text_buffer_fini(&joined);
    }
    pdf_recorder_fini(&recorder);
}
