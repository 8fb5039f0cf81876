#ifndef RANKLEDGER_CHANGES_H
#define RANKLEDGER_CHANGES_H

#include "summary.h"

/*
 * What `rankledger compare` found, read from its document (rankledger.comparison/1), for a report
 * of what changed. BASE and NEW are the two sides. As in a summary a number that is not measured is
 * NAN, an absent text NULL, and all texts are safe to print.
 */

struct changes_rejected {
    const char *path, *error;
};

struct changes_side {
    const char *path, *kind; /* kind: summary, summaries, evidence, archive */
    double summaries, sources;
    const struct changes_rejected *rejected;
    size_t rejected_count;
};

struct changes_policy_difference {
    const char *field, *base, *now; /* values as JSON text */
};

struct changes_finding {
    struct summary_message message;
    const char *tendency; /* regression, improvement, note */
    const char *category, *strategy;
    bool beyond; /* worse than what is allowed */
};

struct changes_findings {
    const struct changes_finding *items;
    size_t count;
};

struct changes_value {
    const char *name, *category, *verdict, *unit, *kind, *unlike, *interval_unit;
    double base, now, change, relative;
    double lower, upper; /* 95 % interval of now / base */
    double worse_by;
    bool beyond;
};

struct changes_losses {
    bool told;
    double base_count, now_count, compared;
    double first_difference, largest_difference, largest_at, broken_at;
};

struct changes_candidate {
    const char *label, *evidence_level, *failure;
    bool eligible;
    double rank, repeats, samples;
    const struct summary_gate *gates;
    size_t gate_count;
};

struct changes_strategy {
    const char *label, *strategy;
    const char *presence;                       /* both, missing, new */
    const struct changes_candidate *base, *now; /* NULL: has none */
    const struct changes_value *values;
    size_t value_count;
    struct changes_losses losses;
};

struct changes_choice {
    const char *label, *evidence_level, *decision, *rule, *strategy;
    struct summary_message reason;
    double gain;
};

struct changes_group {
    const char *label;
    struct changes_choice base, now;
    const struct changes_strategy *strategies;
    size_t strategy_count;
    struct changes_findings findings;
    bool shown; /* on pages and as a chart, see changes.shown */
};

/* Groups that pages show; of many groups those without a change are counted alone. */
#define CHANGES_FEW_GROUPS 6
#define CHANGES_SHOWN_MOST 40

struct changes_unmatched {
    const char *label, *differs_in;
};

struct changes {
    struct summary_message verdict;
    double regressions, improvements, beyond;
    bool same_input;
    struct changes_side base, now;
    double tolerance;      /* a fraction */
    double max_regression; /* a fraction; NAN: not asked */
    double interval_level;
    struct summary_texts fail_on;
    const struct changes_policy_difference *policy;
    size_t policy_count;
    struct changes_findings findings; /* of the whole */
    const struct changes_group *groups;
    size_t group_count;
    size_t shown[CHANGES_SHOWN_MOST]; /* indices of groups, those that changed most first */
    size_t shown_count;
    size_t more_changed, more_unchanged; /* groups that are not */
    const struct changes_unmatched *missing, *added;
    size_t missing_count, added_count;
};

/*
 * Reads such a document into *summary, whose `changes` it becomes: its groups and candidates are
 * those of NEW (of BASE for a strategy that NEW lacks), with label, strategy, level, standing and
 * failure alone, so that charts and pages have rows and labels as in any report. `texts` is the
 * language of labels (NULL: as written). Faults as in summary_load.
 */
enum status changes_load(const struct summary_document *document, const struct texts *texts,
                         struct summary *summary, struct diag *diag) STATUS_CHECKED;

/* The value of a name, or NULL. */
const struct changes_value *changes_find(const struct changes_strategy *strategy, const char *name);

#endif
