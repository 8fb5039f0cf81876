#ifndef RANKLEDGER_CHART_CURVES_H
#define RANKLEDGER_CHART_CURVES_H

#include "chart_trace.h"

/* The losses of a group's candidates, compared with each other: curves, of which those that no eye
 * could tell apart share one line. Steps count from 0, the first of the run. */

struct chart_curve {
    const struct summary_candidate *candidate;
    struct chart_trace trace;
    size_t last;       /* index of the last finite loss; there is one */
    size_t not_finite; /* index of the first loss that is not finite; trace.count: none */
    bool rises;        /* its last loss is above its first */
    double batch;      /* its global batch; NAN: not told */
    bool other_batch;  /* than the baseline's: means over other sequences are not compared */
    double difference; /* the largest from the baseline's, absolute; NAN: no step in common, or not
                          compared */
    size_t difference_at;
    size_t leader; /* index of the curve whose line it shares; its own: none */
};

struct chart_curves {
    struct chart_curve *items; /* of the candidates with a finite loss */
    size_t count;
    size_t baseline; /* index; `count`: there is none */
    /* How many steps of warm-up the runs begin with, 0: unknown. */
    double warmup_least, warmup_most;
};

/* Of the rows of the frame. */
enum status chart_curves_of(struct chart_frame *frame, struct chart_curves *curves,
                            struct diag *diag) STATUS_CHECKED;

/* Whether a loss is finite. */
bool chart_curves_any(const struct summary_candidate *candidate);

/* Lets curves share a line that lie no more than a line's thickness apart in the panel. */
void chart_curves_join(struct chart_curves *curves, const struct chart_panel *panel);

/* How many curves share the line of `leader`, and the largest difference between two of them. */
size_t chart_curves_members(const struct chart_curves *curves, size_t leader);
double chart_curves_spread(const struct chart_curves *curves, size_t leader);

/* Whether some are not compared for their global batch. */
bool chart_curves_other_batch(const struct chart_curves *curves);

/* The curve with the largest difference from the baseline; `count` if none has one. */
size_t chart_curves_farthest(const struct chart_curves *curves);

#endif
