#ifndef RANKLEDGER_VALIDATION_RULES_H
#define RANKLEDGER_VALIDATION_RULES_H

#include "validation.h"

/*
 * Rules about several fields, and the names of all rules. A rule reads validation->found and
 * reports; it never repeats what the rule table already said about one of its fields.
 */
struct validation_rule {
    const char *id;
    unsigned scopes; /* set of enum evidence_scopes */
    enum finding_severity severity;
    bool in_schema; /* a JSON Schema can say it, and `rankledger schema` does */
    void (*check)(struct validation *validation); /* NULL: reported by the reader or the table */
    const char *description; /* what is at fault, a sentence */
    const char *advice;      /* what to do about it, a sentence */
};

const struct validation_rule *validation_rules_table(size_t *count);

/* rules_schema.c */
void rules_schema_known(struct validation *validation);
/* rules_failure.c */
void rules_failure_text(struct validation *validation);
void rules_failure_success(struct validation *validation);
void rules_failure_decision(struct validation *validation);
/* rules_ranks.c */
void rules_ranks_world_size(struct validation *validation);
void rules_ranks_count(struct validation *validation);
void rules_ranks_steps(struct validation *validation);
void rules_ranks_maximum(struct validation *validation);
/* rules_memory.c */
void rules_memory_peak(struct validation *validation);
/* rules_throughput.c */
void rules_throughput_consistent(struct validation *validation);
/* rules_ratio.c */
void rules_ratio_utilisation(struct validation *validation);
void rules_ratio_exposed(struct validation *validation);
void rules_ratio_skew(struct validation *validation);
void rules_ratio_metrics_empty(struct validation *validation);

/* rules_own_memory.c: of our own collector's records alone, as those that follow */
void rules_own_counted(struct validation *validation);
void rules_own_resident(struct validation *validation);
void rules_own_categories(struct validation *validation);
void rules_own_peaks(struct validation *validation);
/* rules_own_device.c */
void rules_own_device(struct validation *validation);
/* rules_own_time.c */
void rules_own_medians(struct validation *validation);
void rules_own_series(struct validation *validation);
void rules_own_timing(struct validation *validation);
void rules_own_signs(struct validation *validation);

/* True if a text about the peak of `utilisation` says that it was measured. */
bool rules_ratio_is_measured(const char *source, size_t length);

#endif
