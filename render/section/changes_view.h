#ifndef RANKLEDGER_CHANGES_VIEW_H
#define RANKLEDGER_CHANGES_VIEW_H

#include "changes.h"
#include "text_buffer.h"
#include "texts.h"

/* What the outputs of a comparison say alike of its values. */

/* The quantities that a comparison may count, in the order in which they are shown. */
struct changes_view_quantity {
    const char *name;     /* of its values: "throughput" */
    const char *title_id; /* text id */
    bool larger_is_better;
    bool in_points; /* a share of the step: its change is a difference, in points */
};
const struct changes_view_quantity *changes_view_quantities(size_t *count);
const struct changes_view_quantity *changes_view_quantity(const char *name); /* or NULL */

/* The change in per cent of BASE's value, or in points; NAN where the two were not held against
 * each other, or BASE's value is 0. */
double changes_view_percent(const struct changes_value *value);
/* The ends of its interval in the same unit; NAN: none. */
void changes_view_interval(const struct changes_value *value, double *lower, double *upper);

/* Whether some strategy's value of that name was held against BASE's, so that a change can be
 * drawn; whether one of them is not the same. */
bool changes_view_drawn(const struct changes_group *group, const char *name);
bool changes_view_changed(const struct changes_group *group, const char *name);

/* "+3.1 %", "-2 points"; what is no number as its word: "not measured", "from 0". */
void changes_view_change(struct text_buffer *out, const struct texts *texts,
                         const struct changes_value *value);
/* "-0.1 % to +0.5 %", or nothing. */
void changes_view_bounds(struct text_buffer *out, const struct texts *texts,
                         const struct changes_value *value);
/* "worse", "within noise", "worse, beyond what is allowed". */
const char *changes_view_verdict(const struct texts *texts, const struct changes_value *value);

/* "selected", "passes", "fails memory, throughput", "failed: out of memory": how a strategy stands
 * on one side, NULL: it has no evidence there. */
void changes_view_standing(struct text_buffer *out, const struct texts *texts,
                           const struct changes_choice *choice,
                           const struct changes_candidate *candidate);

/* The worst that a group's findings say of it: so groups are ordered. */
enum changes_view_rank {
    CHANGES_VIEW_BEYOND,
    CHANGES_VIEW_WORSE,
    CHANGES_VIEW_BETTER,
    CHANGES_VIEW_UNCHANGED
};
enum changes_view_rank changes_view_rank(const struct changes_group *group);
/* The same of the whole comparison. */
enum changes_view_rank changes_view_whole(const struct changes *changes);
/* Chooses the groups that pages show, when a comparison is read; `groups` are its own. */
void changes_view_choose(struct changes *changes, struct changes_group *groups);

/* Strategies that both sides have. */
size_t changes_view_compared(const struct changes *changes);
/* The text id of the answer in a few words. */
const char *changes_view_headline(const struct changes *changes);

#endif
