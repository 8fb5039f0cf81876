#ifndef RANKLEDGER_CANDIDATE_H
#define RANKLEDGER_CANDIDATE_H

#include "interval.h"
#include "policy.h"
#include "record.h"
#include "sentence.h"

/* A sentence for the reader with its parts, so that a report can say it in another language. */

struct message {
    const char *id;
    const char *text;
    const struct sentence_value *values;
    size_t value_count;
};

struct memory_amount {
    const char *category; /* static or arena */
    const char *text;     /* how it was computed */
    double mb;
};

/* Where the temporary memory comes from, the weakest first. */
enum candidate_source {
    CANDIDATE_FORMULA, /* the collector's schedule for this model: largest value of each category */
    CANDIDATE_RECORD,  /* the record's own prediction: `ledger.temporary` */
    CANDIDATE_MEASURED /* live at the measured peak: `memory.per_rank[].phases[].by_category` */
};

/* Resident state of one rank and the temporary memory beside it, never mixed into it. MiB. */
struct candidate_ledger {
    bool available;
    bool from_record;           /* the record's own ledger section, else formula */
    const char *const *missing; /* inputs that were absent, when not available */
    size_t missing_count;
    struct training_state_ledger state; /* MiB per rank */
    double parameters_divisor, gradients_divisor, optimizer_divisor;
    /* Held all the time beside the formula's state; NAN: none, or unknown. */
    double persistent_parameters_mb, padding_mb;
    const struct memory_amount *temporary;
    size_t temporary_count;
    double temporary_mb; /* sum; NAN if any needed input is missing */
    enum candidate_source temporary_source;
    const char *const *temporary_missing;
    size_t temporary_missing_count;
    double residual_mb; /* peak - resident - persistent - padding - temporary; NAN if one of peak,
                           resident, temporary is unknown */
    /* What the record foresaw beside what it measured: `ledger.temporary` and its peak, and the
     * peak of the phase that `temporary` was measured in. NAN, 0: absent. */
    const struct memory_amount *foreseen;
    size_t foreseen_count;
    double foreseen_peak_mb, measured_peak_mb;
};

enum gate_verdict {
    GATE_PASS,
    GATE_TIGHT, /* passes, above tight_memory_fraction of the limit */
    GATE_FAIL,
    GATE_NOT_MEASURED,  /* fails: the metric is absent */
    GATE_NOT_EVALUATED, /* the run failed and left no such metric */
    GATE_NOT_APPLIED,   /* no limit */
    GATE_UNIT_DIFFERS   /* fails: tokens/s against samples/s */
};

struct gate_result {
    const char *name;
    enum gate_verdict verdict;
    bool failed;
    double value, limit, margin, margin_percent; /* margin > 0: room; percent of the limit */
    const char *unit;                            /* "MiB", "tokens/s", "samples/s", "ratio", "" */
    const char *detail;                          /* one line; arena */
};

/* How sure its times are: from the slowest rank's time of each step. NAN, NAN: no interval. */
struct candidate_times {
    struct interval_medians medians; /* of the step time in ms; says why there is no interval */
    const size_t *rounds;            /* steps of each round, as the samples are ordered */
    size_t round_count;
    double scale; /* throughput = scale / step time in ms */
    struct interval step_time_ms, throughput;
    struct interval ratio; /* of its throughput to that of the fastest eligible candidate, which
                              selection_make sets */
};

#define CANDIDATE_MAX_GATES 8

/* One strategy (and one setting of the varied fields) inside a group: its repeats pooled. */
struct candidate {
    const char *label;
    enum strategy strategy;
    size_t input_order; /* of its first record, for stable selection */
    const struct record **records;
    size_t record_count;
    size_t failed_repeats;
    struct workload workload;
    struct metrics metrics; /* pooled: medians recomputed, memory the maximum */
    int memory_kind;        /* the kind the gate reads; -1: none measured */
    double peak_mb;         /* of that kind; NAN: not measured */
    struct failure failure; /* of the first failed repeat, unless the policy allows */
    bool times_count, own_collector;
    const char *level_name; /* the weakest of its records */
    struct candidate_times times;
    struct candidate_ledger ledger;
    double formula_payload_mb; /* communication per optimizer step and rank, closed form; NAN */
    const struct normalised *normalised;
    size_t normalised_count;
    struct gate_result gates[CANDIDATE_MAX_GATES];
    size_t gate_count;
    bool eligible;
    size_t rank; /* 1 = best; 0 = not eligible */
    struct message *notes;
    size_t note_count;
};

#endif
