#include "groups_table.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "text.h"
#include "text_table.h"

/* A label of many fields is cut; the index has the whole. */
#define LABEL_COLUMNS 60

static void add_safe(struct text_table *table, const char *text, size_t columns)
{
    struct text_buffer safe = {0};
    text_redact(&safe, text, strlen(text));
    size_t shown = safe.length == 0 ? 0 : text_prefix(safe.text, safe.length, columns);
    if (shown < safe.length) {
        safe.length = shown;
        text_buffer_puts(&safe, "...");
    }
    if (safe.failed)
        table->failed = true;
    else
        text_table_add(table, safe.length == 0 ? "" : safe.text);
    text_buffer_fini(&safe);
}

static void add_number(struct text_table *table, double value, const char *unit)
{
    char number[64];
    char cell[96];
    if (isnan(value)) {
        text_table_add(table, "not measured");
        return;
    }
    text_rounded(number, sizeof number, value, TEXT_ROUNDED_PLAIN, 0);
    snprintf(cell, sizeof cell, "%s%s%s", number, unit[0] != '\0' ? " " : "", unit);
    text_table_add(table, cell);
}

void groups_table_print(const struct groups_table_row *rows, size_t count, struct arena *arena,
                        struct text_buffer *out)
{
    static const char *const headings[] = {"group",      "decision", "selected", "peak MiB",
                                           "throughput", "records",  "rule"};
    struct text_table table = {.columns = sizeof headings / sizeof headings[0],
                               .right = {[3] = true, [4] = true, [5] = true},
                               .arena = arena};
    for (size_t i = 0; i < table.columns; i++)
        text_table_add(&table, headings[i]);
    for (size_t i = 0; i < count; i++) {
        const struct groups_table_row *row = &rows[i];
        add_safe(&table, row->label, LABEL_COLUMNS);
        text_table_add(&table, row->decision);
        text_table_add(&table, row->strategy == NULL ? "none" : row->strategy);
        if (row->strategy == NULL) {
            text_table_add(&table, "");
            text_table_add(&table, "");
        } else {
            add_number(&table, row->peak_mb, "");
            add_number(&table, row->throughput,
                       row->throughput_unit == NULL ? "" : row->throughput_unit);
        }
        add_number(&table, row->records, "");
        text_table_add(&table, row->rule);
    }
    if (table.failed)
        out->failed = true;
    else
        text_table_print(&table, 2, out);
}
