#ifndef RANKLEDGER_CHART_MEMORY_WORDS_H
#define RANKLEDGER_CHART_MEMORY_WORDS_H

#include "chart_lines.h"
#include "memory_stack.h"

/* What the memory chart says in words. */

/* Of the column of values: on a picture's width a verdict fits one line, on a page two. */
double chart_memory_words_width(const struct chart_frame *frame);

struct chart_memory_words {
    struct chart_frame *frame;
    struct axis_unit unit; /* of the axis */
    double limit_mb;       /* NAN: none */
    const char *kind;      /* of all measured peaks; NULL: they differ; "": none is named */
    bool parts_measured, parts_computed; /* where the parts of the bars come from */
};

/* An amount of memory in the unit that suits it, as a limit is written; in the scene's arena. */
const char *chart_memory_words_amount(struct chart_frame *frame, double mb);

/* Fills value and note of a line. `width` is the panel's. */
void chart_memory_words_fill(const struct chart_memory_words *words, struct chart_line *line,
                             const struct memory_stack *stack, double width);

const char *chart_memory_words_subtitle(const struct chart_memory_words *words, double limit_mb);
const char *chart_memory_words_axis(const struct chart_memory_words *words);

#endif
