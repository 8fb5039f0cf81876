#ifndef RANKLEDGER_SUMMARY_PARTS_H
#define RANKLEDGER_SUMMARY_PARTS_H

#include "analysis.h"

/*
 * The parts of a summary document, one function each. What was not measured is left out or null,
 * never 0. A writer that failed (memory) is seen at the end, by json_write_text.
 */
struct summary_parts {
    struct json_write writer;
    const struct analysis *analysis;
    struct arena *arena; /* scratch */
    enum status status;  /* first failure outside the writer */
    struct diag *diag;
};

/* summary_candidate.c */
json_t *summary_parts_candidate(struct summary_parts *parts, const struct group *group,
                                size_t index);
json_t *summary_parts_workload(struct summary_parts *parts, const struct workload *workload);
json_t *summary_parts_metrics(struct summary_parts *parts, const struct candidate *candidate);

/* summary_times.c: its samples and how sure they are. */
json_t *summary_parts_samples(struct summary_parts *parts, const struct candidate *candidate);
json_t *summary_parts_interval(struct summary_parts *parts, const struct candidate *candidate);
json_t *summary_parts_timing(struct summary_parts *parts, const struct candidate *candidate);
json_t *summary_parts_series(struct summary_parts *parts, const struct series *series);

/* summary_memory.c: what a candidate's records say beyond metrics. */
json_t *summary_parts_memory(struct summary_parts *parts, const struct candidate *candidate);
json_t *summary_parts_ledger(struct summary_parts *parts, const struct candidate *candidate);
json_t *summary_parts_checkpoints(struct summary_parts *parts, const struct candidate *candidate);
json_t *summary_parts_communication(struct summary_parts *parts, const struct candidate *candidate);
json_t *summary_parts_links(struct summary_parts *parts, const struct candidate *candidate);

/* summary_decision.c; `group` may be NULL (no candidates). */
json_t *summary_parts_message(struct summary_parts *parts, const struct message *message);
json_t *summary_parts_messages(struct summary_parts *parts, const struct message *messages,
                               size_t count);
json_t *summary_parts_selection(struct summary_parts *parts, const struct group *group,
                                const struct selection *selection);
json_t *summary_parts_decision(struct summary_parts *parts, const struct group *group,
                               const struct decision *decision);

/* summary_group.c */
json_t *summary_parts_group(struct summary_parts *parts, size_t index);
json_t *summary_parts_comparability(struct summary_parts *parts, const struct group *group);
json_t *summary_parts_hardware(struct summary_parts *parts, const struct hardware *hardware);

/* What tells a candidate from the others of its strategy, as its label says it. */
json_t *summary_parts_varied(struct summary_parts *parts, const struct group *group, size_t index);

/* summary_conditions.c: where and with what its runs ran. */
json_t *summary_parts_conditions(struct summary_parts *parts, const struct group *group);

/* A group's comparability texts, by field, as JSON values; NULL is null. */
json_t *summary_parts_key(struct summary_parts *parts, const char *const *texts);

/* summary_write.c: the program with its version; the options of the analysis. */
json_t *summary_parts_program(struct summary_parts *parts);
json_t *summary_parts_options(struct summary_parts *parts);

/* summary_source.c */
json_t *summary_parts_sources(struct summary_parts *parts);
json_t *summary_parts_rejected(struct summary_parts *parts);
json_t *summary_parts_skipped(struct summary_parts *parts);

/* A number, or null where it was not measured, or where arithmetic on extreme values overflowed. */
json_t *summary_parts_number(struct summary_parts *parts, double value);

/* Small helpers: a member that is left out where it was not measured (NAN, NULL). */
void summary_parts_put_number(struct summary_parts *parts, json_t *object, const char *key,
                              double value);
void summary_parts_put_text(struct summary_parts *parts, json_t *object, const char *key,
                            const char *value);

/* "accept", "tune", "reject"; static storage. */
const char *summary_parts_verdict_name(enum verdict verdict);

#endif
