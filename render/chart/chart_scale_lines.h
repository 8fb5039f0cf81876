#ifndef RANKLEDGER_CHART_SCALE_LINES_H
#define RANKLEDGER_CHART_SCALE_LINES_H

#include "chart_frame.h"

/*
 * The different lines among the ledgers of a chart's candidates. Candidates of a strategy usually
 * share one, since their micro-batch has no part in it; strategies that shard the same share their
 * values and are named together.
 */

struct chart_scale_line {
    const struct summary_candidate *candidate; /* the first that has it */
    const struct theme_series *series;
    size_t same_as; /* the first line with these values; its own index if it is that one */
    bool own_name;  /* its strategy has another line, too: the candidate's label tells them apart */
    const char *name; /* on the first of equal lines the names of all, in the scene's arena */
};

struct chart_scale_lines {
    struct chart_scale_line items[CHART_FRAME_ROWS];
    size_t count;
};

void chart_scale_lines_find(struct chart_scale_lines *lines, struct chart_frame *frame);

/* Whether its strategy has a line, its own or that of another candidate. */
bool chart_scale_lines_have(const struct chart_scale_lines *lines,
                            const struct summary_candidate *candidate);

/* The value at the largest world size, MiB. */
double chart_scale_line_end(const struct chart_scale_line *line);

/* The measured resident state of a candidate's fullest rank in MiB, NAN if it was not measured, and
 * the world size of its run. */
double chart_scale_measured(const struct summary_candidate *candidate);
double chart_scale_ranks(const struct chart_frame *frame,
                         const struct summary_candidate *candidate);

#endif
