#ifndef RANKLEDGER_CHART_TABLE_H
#define RANKLEDGER_CHART_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "canvas.h"
#include "diag.h"

struct chart_input;

/* A kind of chart. To add one: a file chart_<name>.c and a row in chart_table.c. */
struct chart_row {
    const char *name;     /* stem of the file name: "memory" */
    const char *title_id; /* text id of its title, for a caption or an alternative text */
    bool has_rows;        /* one a candidate, so that its pages can share them */
    /* NULL: always. See chart_has_content. */
    bool (*has_content)(const struct chart_input *input);
    /* Measures with the canvas, then draws exactly one page on it. */
    enum status (*draw)(const struct chart_input *input, struct canvas *canvas, struct diag *diag);
};

/* All charts, in the order in which a report shows them. */
const struct chart_row *chart_table(size_t *count);

#endif
