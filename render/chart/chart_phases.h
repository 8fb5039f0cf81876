#ifndef RANKLEDGER_CHART_PHASES_H
#define RANKLEDGER_CHART_PHASES_H

#include "chart_frame.h"
#include "memory_stack.h"

/* The phases in which a group's candidates recorded their memory, in the order in which a run goes
 * through them, each named once. */

#define CHART_PHASES_MOST 10

struct chart_phases {
    const char *names[CHART_PHASES_MOST];
    size_t count;
    size_t left_out; /* different ones beyond CHART_PHASES_MOST */
};

/* Of all candidates of the chart. */
void chart_phases_of(const struct chart_frame *frame, struct chart_phases *phases);

/* The candidate's phase of a name, or NULL: not recorded. */
const struct summary_phase *chart_phases_find(const struct summary_candidate *candidate,
                                              const char *name);

/* The candidate's largest phase of training, or of checkpoints; NULL: none recorded. */
const struct summary_phase *chart_phases_peak(const struct summary_candidate *candidate,
                                              bool checkpoint);

bool chart_phases_is_checkpoint(const char *name);

#endif
