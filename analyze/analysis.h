#ifndef RANKLEDGER_ANALYSIS_H
#define RANKLEDGER_ANALYSIS_H

#include "group.h"
#include "json_write.h"
#include "options.h"

struct analysis_options {
    struct policy policy;
    bool allow_invalid;
    const struct group_filter *filters;
    size_t filter_count;
    /* Only the sources that the summary names were looked at, of files that may hold others: it is
     * of one group of an archive. `only` are those to load, as in struct evidence_choice. */
    bool listed;
    const char *const *only;
    size_t only_count;
};

/* options.records of a summary whose options are `listed`. */
#define ANALYSIS_LISTED "listed"

enum verdict { VERDICT_ACCEPT, VERDICT_TUNE, VERDICT_REJECT };

struct selection {
    enum verdict verdict; /* accept or reject */
    long candidate;       /* index into the group's candidates; -1: none */
    const char *reason;
    const size_t *order; /* eligible candidates, best first */
    size_t order_count;
    long fastest; /* the eligible candidate of the largest throughput, that ratios are to; -1 */
    const size_t *tied; /* statistical ties: it and those tied with it, in order; else none */
    size_t tied_count;
    const struct message *ties;
    size_t tie_count;
};

struct action {
    struct message message;
    const char *gate, *kind;
    enum strategy strategy;
    double world_size, micro_batch, gradient_accumulation;
    int activation_checkpointing;
    const char *command;
    double predicted_peak_mb;
    const char *basis; /* of that number: "exact", "at most", "estimated", "measured"; or NULL */
    bool verified;     /* the prediction had all its inputs */
    const char *const *missing;
    size_t missing_count;
    bool changes_global_batch;
};

struct sensitivity_change {
    const char *direction, *comparison;
    double value;
    double beyond;  /* the next value in the direction where the answer may change again; infinite:
                       none */
    long candidate; /* selected beyond it, -1 none */
    const char *strategy; /* of that candidate, NULL none */
    enum verdict verdict;
    const char *rule;
};

struct sensitivity {
    const char *limit, *unit;
    double current;
    struct sensitivity_change changes[2];
    size_t change_count;
};

struct decision {
    enum verdict verdict;
    const char *rule;
    struct message reason;
    long candidate; /* -1 none */
    long baseline;  /* index, -1 absent */
    bool gain_applicable;
    double gain;
    const struct action *actions;
    size_t action_count;
    const struct sensitivity *sensitivity;
    size_t sensitivity_count;
    const struct message *notes;
    size_t note_count;
};

struct group_outcome {
    struct selection selection;
    struct decision decision;
};

/* An analysis: everything a summary says. */
struct analysis {
    struct evidence_set set;
    struct analysis_options options;
    struct group_list groups;
    struct group_outcome *outcomes; /* one a group */
    long picked;                    /* the only (or filtered) group, -1 none */
    struct selection selection;     /* of the whole */
    struct decision decision;
    struct arena arena;
};

/* Loads, groups, gates, selects, decides. Paths are made relative to the directory `base` (NULL: as
 * given). STATUS_INPUT "no evidence" if there is no record and nothing was rejected. Rejected
 * sources are no failure here: the caller turns them into its exit code. */
enum status analysis_run(struct analysis *analysis, const struct path_list *paths, const char *base,
                         const struct analysis_options *options, struct diag *diag) STATUS_CHECKED;

/* The same from what is loaded already: groups, gates, selects, decides. `set` and `options` are
 * set; an analysis of a view, whose records another set owns, is released like any other. */
enum status analysis_judge(struct analysis *analysis, struct diag *diag) STATUS_CHECKED;

/* STATUS_INPUT, with the message that there is no record in the set; that no group has the values
 * asked for. */
enum status analysis_no_evidence(const struct evidence_set *set, struct diag *diag);
enum status analysis_no_group(const struct analysis_options *options, struct diag *diag);

/* The summary document as text (rankledger.summary/1). */
enum status analysis_write_summary(const struct analysis *analysis, struct text_buffer *out,
                                   struct diag *diag) STATUS_CHECKED;

void analysis_fini(struct analysis *analysis);

#endif
