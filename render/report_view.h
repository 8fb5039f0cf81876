#ifndef RANKLEDGER_REPORT_VIEW_H
#define RANKLEDGER_REPORT_VIEW_H

#include <stdbool.h>
#include <stddef.h>

#include "cell.h"
#include "summary.h"
#include "text_buffer.h"
#include "texts.h"

/*
 * What several outputs derive from a summary in the same way, so that they cannot disagree.
 */

/* The title and the subject of the whole report. */
const char *report_view_name(const struct texts *texts, const struct summary *summary);
const char *report_view_subject(const struct texts *texts, const struct summary *summary);

/* The selected candidate of a group, or NULL. */
const struct summary_candidate *report_view_selected(const struct summary_group *group);

/* The candidate that a decision without a selected one speaks of: the one that its reason names as
 * closest, else the one with the fewest failed gates, of those the one whose worst margin is best.
 * NULL for a group without candidates. */
const struct summary_candidate *report_view_closest(const struct summary_group *group);

/* The gate of a name, or NULL. */
const struct summary_gate *report_view_gate(const struct summary_candidate *candidate,
                                            const char *name);

/* The change of a limit "up" or "down" that changes the answer, or NULL: none does. */
const struct summary_change *report_view_find_change(const struct summary_sensitivity *item,
                                                     const char *direction);

/* The group's baseline if it was measured, or NULL: of several candidates of its strategy the one
 * that the decision reckons from. Its label, or the strategy's name where it was not measured. */
const struct summary_candidate *report_view_baseline(const struct summary_group *group);
const char *report_view_baseline_name(const struct summary_group *group);

/* Throughput against the baseline's as a fraction (0.14: 14 % faster); NAN if either is unknown or
 * its run failed, or their units differ, or it is the baseline itself. */
double report_view_gain(const struct summary_group *group,
                        const struct summary_candidate *candidate);

/* "selected", "eligible", "not_eligible" or "failed_run": a word of the group "verdict". */
const char *report_view_verdict(const struct summary_group *group,
                                const struct summary_candidate *candidate);
enum cell_style report_view_verdict_style(const char *verdict);

/* Different names in the order of their first use; beyond the capacity `more` is set. */
#define REPORT_VIEW_NAMES 64
struct report_view_names {
    const char *items[REPORT_VIEW_NAMES];
    size_t count;
    bool more;
};
void report_view_add_name(struct report_view_names *names, const char *name);

/* Sum of the amounts of that name; with NULL, of all names that are not among `names`. NAN if
 * there is none. */
double report_view_amount(const struct summary_amounts *amounts,
                          const struct report_view_names *names, const char *name);

bool report_view_is_tokens(const char *unit);
/* The unit of a candidate's throughput, tokens/s where it does not say. */
const char *report_view_unit_of(const struct summary_candidate *candidate);
/* Whether the group's throughputs are in tokens/s. */
bool report_view_group_tokens(const struct summary_group *group);
/* True if some candidate measured its throughput in this unit. */
bool report_view_has_unit(const struct summary *summary, bool tokens);

/* "accept zero1" and the like: the answer of a decision or of a change of a limit. */
void report_view_answer(struct text_buffer *out, const struct texts *texts, const char *decision,
                        const char *strategy);
/* The same as a headline. */
void report_view_title(struct text_buffer *out, const struct texts *texts,
                       const struct summary_decision *decision);
/* The same where a heading says already that it is the decision: "Accept zero1". */
void report_view_headline(struct text_buffer *out, const struct texts *texts,
                          const struct summary_decision *decision);
/* What to do, with the inputs that a prediction lacks and a changed global batch said. */
void report_view_action(struct text_buffer *out, const struct texts *texts,
                        const struct summary_action *action);
/* The answer after a change of a limit; names the candidate where several share a strategy. */
void report_view_change_answer(struct text_buffer *out, const struct texts *texts,
                               const struct summary_change *change);
/* "below 15,258.8": where a limit would have to go. */
void report_view_change(struct text_buffer *out, const struct texts *texts,
                        const struct summary_sensitivity *item,
                        const struct summary_change *change);
/* A rejected source with its first fault and the number of the others. */
void report_view_left_out(struct text_buffer *out, const struct texts *texts,
                          const struct summary_rejected *rejected);

/* What there is to say of a gate beyond its numbers; "" if they say it. */
const char *report_view_detail(const struct texts *texts, const struct summary_gate *gate);
/* Whether an action was predicted to pass; "" for one of which nothing can be predicted. */
const char *report_view_action_status(const struct texts *texts,
                                      const struct summary_action *action);
/* The heading of a column with the gain over the group's baseline. */
void report_view_gain_heading(struct text_buffer *out, const struct texts *texts,
                              const struct summary_group *group);
/* So many more are on that sheet of the workbook. */
void report_view_more(struct text_buffer *out, const struct texts *texts, size_t count,
                      const char *sheet_id);

/* How a number of that unit is shown. */
enum cell_style report_view_unit_style(const char *unit, double value);
enum cell_style report_view_gate_style(const struct summary_gate *gate);
/* The same as text, for sentences: "15,258.8", "22 %", or the word for "not measured". */
void report_view_number(struct text_buffer *out, const struct texts *texts, double value,
                        const char *unit);

/* With its unit: "15,258.8 MiB", "22 %". */
void report_view_quantity(struct text_buffer *out, const struct texts *texts, double value,
                          const char *unit);

/* Decimals that suit numbers up to `largest`. */
enum cell_style report_view_style_for(double largest);
double report_view_largest_throughput(const struct summary *summary);

#endif
