#ifndef RANKLEDGER_COMPARISON_SIDE_H
#define RANKLEDGER_COMPARISON_SIDE_H

#include "analysis.h"
#include "candidate.h"
#include "comparability.h"
#include "path_list.h"
#include "summary_reader.h"

/*
 * One side of a comparison: what summaries say. Evidence is analysed first, and its summary read
 * like any other, so that both sides come through the same door. Texts are not escaped; NAN and
 * NULL: not measured, not told.
 */

struct comparison_gate {
    const char *name, *verdict, *unit, *detail;
    double value, limit, margin, margin_percent;
    bool failed;
};

struct comparison_candidate {
    const char *label, *strategy, *level;
    bool eligible, times_count;
    double rank;                                /* 1 = best; NAN: not eligible */
    double workload[COMPARABILITY_FIELD_COUNT]; /* those of its fields that are numbers */
    const char *throughput_unit;
    double throughput, step_time_ms, communication_ratio, checkpoint_peak_mb;
    int memory_kind; /* that its gate reads; -1: none */
    double peak_mb[MEMORY_KIND_COUNT];
    double resident_mb, payload_mb; /* payload: of all collectives of a step and rank */
    struct candidate_times times;
    struct series losses;
    const struct comparison_gate *gates;
    size_t gate_count;
    const char *failure; /* the reason; NULL: none */
    size_t repeats, failed_repeats;
    const struct json_read_document *json; /* of its summary, */
    uint32_t varied_node;                  /* what its label says besides; NONE: not told */
};

struct comparison_choice { /* a selection with its decision */
    const char *decision, *rule, *strategy, *reason, *selection_reason;
    double gain; /* a fraction */
};

struct comparison_members { /* a group */
    const char *label, *level;
    size_t index;                               /* in its summary */
    const char *key[COMPARABILITY_FIELD_COUNT]; /* values as JSON text; NULL: not told */
    const struct json_read_document *json;      /* of its summary, */
    uint32_t node, key_node, decision_node;     /* and its parts there */
    const char *fastest;                        /* label of selection.fastest; NULL */
    const bool *tied;                           /* of each candidate: it is in selection.tied */
    bool times_count;
    const struct comparison_candidate *candidates;
    size_t candidate_count;
    struct comparison_choice choice;
};

struct comparison_rejected { /* a source that was left out */
    const char *path, *error;
};

struct comparison_side {
    const char *path;               /* as named, escaped */
    bool directory;                 /* is that one? */
    const char *broken;             /* why it is no JSON; NULL: it is, or that is not known */
    const char *kind;               /* "summary", "summaries", "evidence", "archive" */
    struct summary_reader *readers; /* of its summaries */
    size_t reader_count;
    const struct comparison_members *groups;
    size_t group_count;
    size_t source_count;
    const char *const *files; /* that the evidence was read from, where it was analysed */
    size_t file_count;
    const struct comparison_rejected *rejected; /* those that its summaries do not allow for */
    size_t rejected_count;
    struct policy policy;                                    /* of the first summary */
    const char *const *policy_fields, *const *policy_values; /* each field, as JSON text */
    size_t policy_count;
    struct arena arena;
};

/*
 * Opens `path` if it is a summary: *found then. A directory is none.
 */
enum status comparison_side_open(struct comparison_side *side, const char *path, bool *found,
                                 struct diag *diag) STATUS_CHECKED;

/*
 * Analyses the evidence at `path` under the options; a directory that holds summaries of ours and
 * no evidence stands for those summaries. STATUS_INPUT if there is neither.
 */
enum status comparison_side_analyze(struct comparison_side *side, const char *path,
                                    const struct analysis_options *options,
                                    struct diag *diag) STATUS_CHECKED;

/* Reads the groups of the opened summaries. STATUS_INPUT with position for what is no summary. */
enum status comparison_side_read(struct comparison_side *side, struct diag *diag) STATUS_CHECKED;

/* True if a source of evidence that was analysed is the file at `path`. */
bool comparison_side_holds(const struct comparison_side *side, const char *path);

void comparison_side_fini(struct comparison_side *side);

#endif
