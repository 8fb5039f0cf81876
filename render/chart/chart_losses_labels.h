#ifndef RANKLEDGER_CHART_LOSSES_LABELS_H
#define RANKLEDGER_CHART_LOSSES_LABELS_H

#include "chart_curves.h"
#include "chart_labels.h"

/* What stands beside the losses of a chart: the name of each line with how far it lies from the
 * baseline, and below, the runs without losses. */

#define CHART_LOSSES_SAMPLE 46.0 /* length of the line drawn before a name */

struct chart_losses_labels {
    struct chart_label *items;
    size_t *leaders; /* the curve whose line each names */
    size_t count;
};

/* A label a line, at most `width` wide; short ones if there are many. Their anchors are left to
 * the caller. */
enum status chart_losses_labels_of(struct chart_losses_labels *labels, struct chart_frame *frame,
                                   const struct chart_curves *curves, double width,
                                   struct diag *diag) STATUS_CHECKED;

/* How high a panel must be for them. */
double chart_losses_labels_height(const struct chart_losses_labels *labels);

/* What the chart says first: how far the curves lie apart. */
const char *chart_losses_labels_subtitle(struct chart_frame *frame,
                                         const struct chart_curves *curves);

/* Adds the runs without losses, from frame->y downwards. */
void chart_losses_labels_absent(struct chart_frame *frame);

#endif
