#ifndef RANKLEDGER_SUMMARY_H
#define RANKLEDGER_SUMMARY_H

#include <stdbool.h>
#include <stddef.h>

#include "arena.h"
#include "diag.h"
#include "sentence.h"

/*
 * What a report shows, read from a summary document (rankledger.summary/1). Every number that is
 * not measured is NAN, every text that is absent is NULL; memory is in MiB. All of it lives in the
 * summary's arena.
 */

/* A sentence with its parts, so that another language can say it from a template of the same id. */
struct summary_message {
    const char *id;
    const char *text; /* English */
    const struct sentence_value *values;
    size_t value_count;
};

struct summary_gate {
    const char *name;
    const char
        *verdict; /* pass, tight, fail, not_measured, not_evaluated, not_applied, unit_differs */
    const char *unit;
    const char *detail;
    double value, limit, margin, margin_percent;
    bool failed;
};

struct summary_amount { /* a named amount of memory */
    const char *name;   /* category */
    const char *text;   /* explanation or NULL */
    double mb;
};

struct summary_amounts {
    const struct summary_amount *items;
    size_t count;
};

struct summary_phase {
    const char *name;
    double peak_mb;
    struct summary_amounts by_category;
};

struct summary_texts {
    const char *const *items;
    size_t count;
};

struct summary_numbers {
    const double *items;
    size_t count;
};

struct summary_ledger {
    bool available;
    const char *source;           /* "record" or "formula" */
    const char *temporary_source; /* "measured", "record" or "formula" */
    double parameters_mb, gradients_mb, optimizer_state_mb, resident_mb;
    double parameters_divisor, gradients_divisor, optimizer_divisor;
    double persistent_parameters_mb, padding_mb, residual_mb, predicted_peak_mb;
    struct summary_amounts temporary;
    struct summary_texts missing, temporary_missing; /* names of absent inputs */
};

struct summary_collective {
    const char *collective, *purpose;
    double calls, expected_calls, payload_mb, expected_mb, exposed_ms, in_flight_ms, bus_gb_per_s;
};

enum summary_answer { SUMMARY_NOT_TOLD, SUMMARY_NO, SUMMARY_YES };

struct summary_checkpoint {
    const char *kind;
    double files, mb, save_ms, restore_ms;
    enum summary_answer restore_verified;
};

/* The time of a step of its slowest rank in parts, means over the measured steps of all repeats
 * (weighted by their numbers of steps). step = forward + backward + optimizer (computing) + exposed
 * (standing still for collectives) + other; `in_flight` runs beside them. */
struct summary_timing {
    bool available; /* false: every number is NAN */
    double rank;    /* the slowest, of the repeat with most steps */
    double steps;   /* over which the means are, of all repeats together */
    double step_ms, forward_ms, backward_ms, optimizer_ms, exposed_ms, other_ms, in_flight_ms;
};

/* Step times in ms, warm-up left out: ranks[rank].items[step]. Ranks may have different numbers of
 * steps where a run failed. */
struct summary_samples {
    const struct summary_numbers *ranks;
    size_t rank_count;
};

struct summary_scale_point { /* resident state of one rank by formula, MiB */
    double world_size, resident_mb;
};

struct summary_scale {
    const struct summary_scale_point *items;
    size_t count;
};

struct summary_link { /* a collective alone on the same machine: the calibration of the run */
    const char *collective;
    double payload_mb, bus_gb_per_s;
};

/* One condition of a group's runs: a field of the contract ("seq_len", "environment.kernel",
 * "run.version"). Where the candidates differ `text` lists the values. */
struct summary_condition {
    const char *name, *text; /* text NULL: not told */
    double number;           /* the value where all have one number, else NAN */
    bool differs;
};

struct summary_conditions {
    const struct summary_condition *items;
    size_t count;
};

struct summary_normalised {
    const char *metric, *from, *unit;
    double value;
};

struct summary_failure {
    const char *reason; /* NULL: no failure */
    const char *kind, *phase;
    double rank, step;
};

struct summary_candidate {
    const char *label, *strategy, *group_name, *evidence_level;
    bool eligible, own_collector;
    double rank; /* 1 = best, NAN = not eligible */
    struct summary_texts gate_failures;
    const struct summary_gate *gates;
    size_t gate_count;
    double micro_batch, gradient_accumulation, global_batch;
    double peak_memory_mb, throughput, step_time_ms, communication_ratio, skew_ratio;
    double in_flight_ratio, checkpoint_peak_memory_mb, utilisation;
    double step_time_smallest_ms, step_time_largest_ms, step_time_variation;
    double step_time_lower_ms, step_time_upper_ms; /* the 95 % interval of its median; NAN */
    double throughput_lower, throughput_upper;     /* the same of its throughput */
    double ratio_lower, ratio_upper; /* of its throughput to the fastest eligible candidate's */
    double interval_samples;         /* steps that the intervals rest on */
    const char *interval_unit;       /* "round", "within_run", or NULL: none */
    struct summary_samples step_times;
    struct summary_numbers round_steps;        /* steps of each round, as step_times are ordered */
    struct summary_numbers losses, grad_norms; /* of each optimizer step; NAN: not finite */
    double warmup; /* so many losses at the beginning are of warm-up steps; NAN: not told */
    struct summary_timing timing;
    double world_size;
    struct summary_scale scale; /* at 1, 2, 4, ..., 1024 ranks; empty without a ledger */
    bool on_front; /* completed, and no other completed candidate has at least its throughput in at
                      most its memory, and more of the one or less of the other */
    const struct summary_link *links;
    size_t link_count;
    struct summary_conditions varied; /* what tells it from its strategy's other candidates, as its
                                         label says it: "micro_batch" and its value; NULL: not
                                         given */
    const char *memory_kind, *throughput_unit;
    double allocated_mb, reserved_mb, device_mb;
    struct summary_numbers per_rank_mb;
    const struct summary_phase *phases;
    size_t phase_count;
    struct summary_ledger ledger;
    const struct summary_collective *collectives;
    size_t collective_count;
    double formula_payload_mb;
    const struct summary_checkpoint *checkpoints;
    size_t checkpoint_count;
    struct summary_failure failure;
    size_t repeats;
    const size_t *sources; /* indices into summary.sources */
    size_t source_count;
    const struct summary_normalised *normalised;
    size_t normalised_count;
    const struct summary_message *notes;
    size_t note_count;
};

struct summary_action {
    struct summary_message message;
    const char *gate, *kind, *command, *status; /* status: predicted_pass, unverified */
    double predicted_peak_mb;
    struct summary_texts missing;
    bool changes_global_batch;
};

struct summary_change {
    const char *direction, *comparison, *strategy, *decision;
    double value;
    const char *label; /* of the candidate that would be selected; NULL: none or unknown */
    double beyond; /* the nearest value of a candidate further in the direction: there the answer
                      may change again; infinite: none */
};

struct summary_sensitivity {
    const char *limit, *unit;
    double current;
    const struct summary_change *changes;
    size_t change_count;
};

struct summary_decision {
    const char *decision, *rule, *strategy; /* strategy NULL: none */
    const char *label; /* of its candidate: tells those of one strategy apart; NULL: unknown */
    struct summary_message reason;
    long candidate;       /* index into the group's candidates, -1 none */
    const char *baseline; /* its strategy */
    long
        baseline_candidate; /* the one of that strategy that gains are reckoned from, -1 not told */
    bool gain_applicable;
    double gain, min_gain;
    const char *goal;
    const struct summary_action *actions;
    size_t action_count;
    const struct summary_sensitivity *sensitivity;
    size_t sensitivity_count;
    const struct summary_message *notes;
    size_t note_count;
};

struct summary_group {
    const char *label, *evidence_level, *device, *model, *dtype;
    bool times_count;
    double world_size, global_batch, seq_len, parameters, device_count;
    struct summary_conditions workload, hardware; /* what was run ("seq_len"), on what ("device") */
    struct summary_conditions conditions; /* software: "environment.kernel", "run.version" */
    struct summary_conditions key; /* every field that all must agree in, as the group has it */
    const struct summary_candidate *candidates;
    size_t candidate_count;
    const size_t *order; /* indices of all candidates: by rank, then as they stand */
    struct summary_decision decision;
    const struct summary_message *warnings; /* comparability */
    size_t warning_count;
};

struct summary_source {
    const char *path, *sha256, *strategy, *evidence_level, *failure, *decision;
    double group; /* index or NAN */
    struct summary_texts warnings;
};

struct summary_finding {
    double line, column; /* NAN: none */
    const char *pointer, *severity, *rule, *message;
};

struct summary_rejected {
    const char *path, *sha256;
    const struct summary_finding *findings;
    size_t finding_count;
};

struct summary_policy {
    double memory_limit_mb, min_throughput, max_communication_ratio, max_memory_fraction;
    double tight_memory_fraction, min_gain, max_step_time_variation;
    const char *memory_kind, *throughput_unit, *goal, *baseline;
    const char *min_evidence_level;
    const char *correctness;            /* whose differences fail: "own" collector's, "on", "off" */
    const char *ties;                   /* "strict" or "statistical" */
    struct summary_texts ranking, vary; /* keys of the ranking; fields that may differ */
    bool allow_failed_repeats;
};

struct changes; /* changes.h */

struct summary {
    const char *program_version, *weakest_source_level;
    struct summary_policy policy;
    struct summary_decision decision; /* of the only group, or of the whole when not comparable */
    const struct summary_group *groups;
    size_t group_count;
    const struct summary_source *sources;
    size_t source_count;
    const struct summary_rejected *rejected;
    size_t rejected_count;
    const char *failure; /* reason or NULL */
    /* What changed between two others, of which this has the rows (changes.h); NULL: it is a
     * summary of evidence. */
    const struct changes *changes;
    struct arena arena;
};

/*
 * Reads a summary from `size` bytes of text. `path` (safe to print) is for messages. STATUS_INPUT
 * with a positioned message if it is no sound summary; STATUS_ENVIRONMENT if memory is exhausted.
 */
enum status summary_load(const char *path, const char *text, size_t size, struct summary *summary,
                         struct diag *diag) STATUS_CHECKED;

struct texts; /* texts.h */

struct summary_document {
    const char *path, *text;
    size_t size;
};

/* The same with the labels of groups and candidates, also in messages, in a report's language. */
enum status summary_load_in(const struct summary_document *document, const struct texts *texts,
                            struct summary *summary, struct diag *diag) STATUS_CHECKED;
void summary_fini(struct summary *summary);

#endif
