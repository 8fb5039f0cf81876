#ifndef RANKLEDGER_REPORT_H
#define RANKLEDGER_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arena.h"
#include "diag.h"
#include "summary.h"
#include "text_buffer.h"
#include "texts.h"

/* The files of a report. */

enum report_format {
    REPORT_XLSX = 1,
    REPORT_MARKDOWN = 2,
    REPORT_SVG = 4,
    REPORT_PNG = 8,
    REPORT_PDF = 16,
    REPORT_HTML = 32
};
#define REPORT_ALL                                                                                 \
    (REPORT_XLSX | REPORT_MARKDOWN | REPORT_SVG | REPORT_PNG | REPORT_PDF | REPORT_HTML)

/* One row a format, for options and help. */
struct report_format_row {
    const char *name; /* "xlsx" */
    enum report_format format;
};
const struct report_format_row *report_formats(size_t *count);

struct theme;           /* theme.h */
struct report_template; /* report_template.h */

struct report_input {
    const struct summary *summary;
    const struct texts *texts;
    const struct theme *theme;
    const struct report_template *template; /* what to show, and in which order */
    unsigned formats;                       /* of enum report_format */
    int64_t created;                        /* the date of workbook and PDF, seconds since 1970 */
};

struct report_files {
    const char *const *names; /* relative to the report's folder: "charts/memory.svg" */
    size_t count;
};

/* Appends the name of a chart's file: "charts/memory.svg"; with the group's number where there are
 * several. */
void report_chart_name(struct text_buffer *out, const struct summary *summary, const char *chart,
                       size_t group, const char *suffix);

/* Names the files that report_write makes, in the order in which they are made. */
enum status report_list(const struct report_input *input, struct arena *arena,
                        struct report_files *files, struct diag *diag) STATUS_CHECKED;

/*
 * Writes the files into `folder`, an empty folder of the caller's. *glyphs_missing: some character
 * of a chart has no glyph in any installed font. STATUS_ENVIRONMENT if a file cannot be written or
 * memory is exhausted (GLib, below the charts, then ends the process: run this in a child).
 */
enum status report_write(const struct report_input *input, const char *folder, bool *glyphs_missing,
                         struct diag *diag) STATUS_CHECKED;

#endif
