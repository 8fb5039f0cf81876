#ifndef RANKLEDGER_CANDIDATE_LEDGER_H
#define RANKLEDGER_CANDIDATE_LEDGER_H

#include "candidate.h"
#include "temporary_memory.h"

/*
 * The ledger of a workload under any strategy, by formula alone: parameters times state_bytes (of
 * the dtype where they are not given) over the world size, and beside it the temporary memory and
 * zero3's persistent parameters. What is missing is named, never guessed. Texts live in the arena
 * or are static. This is what a prediction for another strategy or another micro-batch asks.
 */
enum status candidate_ledger_of_workload(const struct workload *workload, enum strategy strategy,
                                         struct arena *arena, struct candidate_ledger *ledger,
                                         struct diag *diag) STATUS_CHECKED;

/*
 * The ledger of a pooled candidate (strategy, workload, records, peak_mb set): the resident state
 * of the first record whose own `ledger` section is sound (amounts not negative, and a stated
 * `resident_bytes` that is their sum, with or without persistent parameters and padding), else by
 * formula. The temporary memory is what the fullest rank measured at its peak, where the record's
 * categories add up to it, else what its `ledger` section foresaw, else by formula.
 */
enum status candidate_ledger_fill(struct candidate *candidate, struct arena *arena,
                                  struct diag *diag) STATUS_CHECKED;

/* Persistent parameters and padding, MiB; 0 where there are none. */
double candidate_ledger_kept_mb(const struct candidate_ledger *ledger);

/* What the schedule needs to know of a workload. */
struct temporary_memory_shape candidate_ledger_shape(const struct workload *workload);

/* Communication payload of one optimizer step and rank in MiB, from the schedule where the shape is
 * known, else a closed form (communication_volume.h); NAN if an input is missing. */
enum status candidate_ledger_payload(const struct workload *workload, enum strategy strategy,
                                     double *payload_mb, struct diag *diag) STATUS_CHECKED;

#endif
