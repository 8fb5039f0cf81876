#ifndef RANKLEDGER_LAUNCHED_RANK_H
#define RANKLEDGER_LAUNCHED_RANK_H

#include "launcher_marker.h"
#include "rank_record.h"

/* What a rank that our launcher started does, from its first line to its last, around `work`. */
struct launched_rank {
    const struct launcher_marker *marker;
    uint64_t step_capacity; /* of the records, as the launcher made them */
    /* The rank's own part, with MPI started; record->failure says what went wrong if it fails. */
    enum status (*work)(void *context, struct rank_record *record, struct diag *diag);
    void *context;
};

/* Ends the process, without a word and without finishing MPI, if anything fails once the record is
 * there: the record has the words, other ranks may stand in a collective, and the launcher ends
 * them. */
enum status launched_rank_run(const struct launched_rank *rank, struct diag *diag) STATUS_CHECKED;

#endif
