#ifndef RANKLEDGER_IMPORT_HF_H
#define RANKLEDGER_IMPORT_HF_H

#include "import_sample.h"
#include "import_told.h"

/*
 * What the Hugging Face Trainer says of one run: on the console, in trainer_state.json, in
 * all_results.json. A zeroed struct is a run of which nothing is known yet.
 */

struct import_hf_number {
    double value; /* may be not finite, as printed */
    size_t line;  /* 0: not told */
};

/* The report at the end of training; names as the Trainer's. */
struct import_hf_report {
    struct import_hf_number runtime_s, samples_per_s, steps_per_s, tokens_per_s, loss, epoch;
    struct import_hf_number tokens_seen, train_samples;
    /* Allocated memory of rank 0 on its device, bytes: before Trainer's __init__, what that and
     * training kept, and what training used above that in between. */
    struct import_hf_number before_init, init_kept, training_kept, training_peaked;
    size_t count; /* of reports: a resumed run's file has several */
};

/* "***** Running training *****" and what stands below it. */
struct import_hf_plan {
    struct import_told examples, epochs, per_device, adjusted, total_batch, accumulation, steps;
    struct import_told trainable, parameters;
    struct import_told resumed_from; /* step */
};

/* The entries of the run's history: one for every so many steps. */
struct import_hf_history {
    struct import_sample steps; /* NAN: not told; the console does not */
    struct import_sample losses, norms;
    bool has_norms;
    size_t hidden_line;   /* a loss of 0 beside a norm that is no number */
    size_t bad_loss_line; /* the first that is not finite */
    size_t bad_norm_line;
    size_t evaluation_line; /* of the first evaluation */
};

struct import_hf {
    struct import_hf_plan plan;
    struct import_hf_history history;
    struct import_hf_report report;
    struct import_hf_number global_step, max_steps, micro_batch; /* of trainer_state.json */
};

/* Notes what a line of the console says. */
void import_hf_take_line(struct import *import, struct import_hf *run,
                         const struct import_line *line);

/* The same for an object of a JSON document: an entry of log_history, or a file of results. */
void import_hf_take_object(struct import *import, struct import_hf *run,
                           const struct json_read_document *json, uint32_t object);

/* Whether the line is of another run: training after a report, or a report of other training. */
bool import_hf_restarts(const struct import_hf *run, const struct import_line *line);

/* Whether steps or a report were seen. */
bool import_hf_measured(const struct import_hf *run);

/* The ranks that the plan's batch sizes imply; NAN where they do not, or one process drives several
 * devices. */
double import_hf_ranks(const struct import_hf_plan *plan);

void import_hf_write(struct import *import, struct import_record *record,
                     const struct import_hf *run);

#endif
