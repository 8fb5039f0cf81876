#include <string.h>

#include "changes_view.h"
#include "sheet_changes.h"

void sheet_changes_flag(struct sheet_grid *grid, bool flag, enum cell_style yes)
{
    const struct texts *texts = cell_texts(grid->sheet);
    sheet_grid_text(grid, texts_get(texts, flag ? "word.yes" : "word.no"), flag ? yes : CELL_TEXT);
}

static enum cell_style style_of(const struct changes_finding *finding)
{
    if (finding->beyond)
        return CELL_FAIL;
    if (strcmp(finding->tendency, "regression") == 0)
        return CELL_TIGHT;
    return strcmp(finding->tendency, "improvement") == 0 ? CELL_PASS : CELL_NEUTRAL;
}

static void write_finding(struct sheet_grid *grid, const char *label,
                          const struct changes_finding *finding)
{
    const struct texts *texts = cell_texts(grid->sheet);
    if (grid->grouped)
        sheet_grid_text(grid, label, CELL_TEXT);
    sheet_grid_text(grid, finding->strategy, CELL_TEXT);
    sheet_grid_text(grid, texts_word(texts, "tendency", finding->tendency), style_of(finding));
    sheet_grid_word(grid, "counts", finding->category);
    sheet_changes_flag(grid, finding->beyond, CELL_FAIL);
    text_buffer_clear(&grid->buffer);
    texts_message(&grid->buffer, texts, &finding->message);
    sheet_grid_text(grid, grid->buffer.text, CELL_TEXT);
    sheet_grid_end_row(grid);
}

struct wanted {
    const char *tendency;
    bool beyond;
};

static void write_findings(struct sheet_grid *grid, const char *label,
                           const struct changes_findings *findings, const struct wanted *wanted)
{
    for (size_t i = 0; i < findings->count && cell_is_writable(grid->sheet); i++) {
        const struct changes_finding *finding = &findings->items[i];
        if (strcmp(finding->tendency, wanted->tendency) == 0 && finding->beyond == wanted->beyond)
            write_finding(grid, label, finding);
    }
}

/* Regressions first, those beyond what is allowed before all. */
static void write_all(struct sheet_grid *grid, const struct changes *changes)
{
    static const struct wanted order[] = {{"regression", true},  {"regression", false},
                                          {"improvement", true}, {"improvement", false},
                                          {"note", true},        {"note", false}};
    for (size_t k = 0; k < sizeof order / sizeof order[0]; k++) {
        write_findings(grid, NULL, &changes->findings, &order[k]);
        for (size_t i = 0; i < changes->group_count; i++)
            write_findings(grid, changes->groups[i].label, &changes->groups[i].findings, &order[k]);
    }
}

void sheet_changes_findings_write(const struct sheet_input *input, struct sheet *sheet)
{
    static const struct sheet_grid_heading headings[] = {{"column.strategy", false},
                                                         {"column.tendency", false},
                                                         {"column.counts_as", false},
                                                         {"column.beyond", false},
                                                         {"column.finding", false}};
    const struct changes *changes = input->summary->changes;
    struct sheet_grid grid = {
        .sheet = sheet, .table = "FindingsTable", .grouped = changes->group_count > 1};
    sheet_grid_headings(&grid, headings, sizeof headings / sizeof headings[0]);
    sheet_grid_end_row(&grid);
    write_all(&grid, changes);
    sheet_grid_finish(&grid, 1, "about.findings");
}
