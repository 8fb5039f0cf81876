#ifndef RANKLEDGER_MANUSCRIPT_H
#define RANKLEDGER_MANUSCRIPT_H

#include <stdbool.h>
#include <stddef.h>

#include "arena.h"
#include "diag.h"

/*
 * What a report says, before it has a form: a list of blocks that the sections (section_table.h)
 * write once and that PDF, HTML and Markdown each lay out in their own way. Texts are UTF-8
 * without control characters, not escaped for any format. Everything lives in the manuscript's
 * arena or longer. Adding never fails visibly: when memory is exhausted `failed` is set, later
 * calls do nothing, and the writers report it.
 */

/* How a text is meant; a writer never shows it by colour alone. */
enum manuscript_tone {
    MANUSCRIPT_PLAIN,
    MANUSCRIPT_STRONG,
    MANUSCRIPT_QUIET, /* a remark, or what is not measured */
    MANUSCRIPT_GOOD,
    MANUSCRIPT_WARNING,
    MANUSCRIPT_BAD
};

enum manuscript_kind {
    MANUSCRIPT_SECTION, /* a heading; level 1 begins a part of the report */
    MANUSCRIPT_VERDICT, /* what was decided, as a banner */
    MANUSCRIPT_FIGURES, /* the few numbers that carry the decision, side by side */
    MANUSCRIPT_PARAGRAPH,
    MANUSCRIPT_NOTICE,  /* what must not be overlooked */
    MANUSCRIPT_ITEM,    /* of a list; items that follow each other are one list */
    MANUSCRIPT_COMMAND, /* to type, exactly as it stands */
    MANUSCRIPT_TABLE,
    MANUSCRIPT_CHART
};

struct manuscript_text {
    const char *text; /* NULL: empty */
    enum manuscript_tone tone;
};

struct manuscript_figure {
    const char *label;  /* "Peak memory" */
    const char *value;  /* "16,384 MiB" */
    const char *detail; /* "of 24,576 MiB; room 8,192 MiB (33 %)", or NULL */
    enum manuscript_tone tone;
};
#define MANUSCRIPT_FIGURES_MOST 4

struct manuscript_column {
    const char *heading;
    bool number; /* set to the right */
    bool code;   /* a digest or path: fixed width, may break anywhere */
};
#define MANUSCRIPT_COLUMNS_MOST 12

struct manuscript_table {
    struct manuscript_column columns[MANUSCRIPT_COLUMNS_MOST];
    size_t column_count;
    struct manuscript_row *first, *last; /* cells in the order of the columns */
    size_t row_count;
    size_t filled; /* cells of the last row */
};

struct manuscript_row {
    struct manuscript_row *next;
    struct manuscript_text cells[]; /* column_count of them */
};

struct manuscript_block {
    struct manuscript_block *next;
    enum manuscript_kind kind;
    enum manuscript_tone tone;
    unsigned level;     /* of a section, 1 to 3 */
    bool new_page;      /* of a section: it begins a page where there are pages */
    const char *anchor; /* of a section: unique, letters, digits and "-" */
    const char *text;   /* heading, headline of the verdict, sentence, command, alternative text */
    const char *detail; /* the verdict's reason; NULL */
    struct manuscript_figure figures[MANUSCRIPT_FIGURES_MOST];
    size_t figure_count;
    struct manuscript_table *table;
    const struct chart_row *chart; /* chart_table.h */
    size_t group;                  /* of the chart */
};

/* A zeroed one is ready for use; release it with manuscript_fini. */
struct manuscript {
    struct arena arena;
    struct manuscript_block *first, *last;
    struct manuscript_table *table; /* the one being filled */
    bool failed;
};

void manuscript_fini(struct manuscript *manuscript);

/* A text of the manuscript, formatted as by printf; "" when memory is exhausted. */
const char *manuscript_format(struct manuscript *manuscript, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Copies a text; NULL stays NULL. */
const char *manuscript_copy(struct manuscript *manuscript, const char *text);

/* Texts that are given must live as long as the manuscript (its arena, the summary, the
 * language). */
void manuscript_section(struct manuscript *manuscript, unsigned level, const char *anchor,
                        const char *heading, bool new_page);
void manuscript_verdict(struct manuscript *manuscript, enum manuscript_tone tone,
                        const char *headline, const char *reason);
/* At most MANUSCRIPT_FIGURES_MOST. */
void manuscript_figures(struct manuscript *manuscript, const struct manuscript_figure *figures,
                        size_t count);
void manuscript_paragraph(struct manuscript *manuscript, enum manuscript_tone tone,
                          const char *text);
void manuscript_notice(struct manuscript *manuscript, enum manuscript_tone tone, const char *text);
void manuscript_item(struct manuscript *manuscript, enum manuscript_tone tone, const char *text);
void manuscript_command(struct manuscript *manuscript, const char *text);

/* A table, then its cells from left to right and row by row; a last row that is not full is
 * completed with empty cells. */
void manuscript_table(struct manuscript *manuscript, const struct manuscript_column *columns,
                      size_t count);
void manuscript_cell(struct manuscript *manuscript, enum manuscript_tone tone, const char *text);

void manuscript_chart(struct manuscript *manuscript, const struct chart_row *chart, size_t group,
                      const char *alternative);

/* STATUS_ENVIRONMENT if memory ran out on the way. */
enum status manuscript_check(const struct manuscript *manuscript, struct diag *diag) STATUS_CHECKED;

#endif
