#ifndef RANKLEDGER_RANK_IDENTITY_H
#define RANKLEDGER_RANK_IDENTITY_H

#include "rank_record.h"

/* Writes which process a record is of, first of all: a rank that dies during start-up must be
 * findable. */
void rank_identity_begin(struct rank_record *record);

/* Writes where the rank runs and with what: host, processor, cores, libraries. `threads`: it uses;
 * 0: as many as cores it may run on, shared among `local_ranks` of this host that may run on the
 * same. */
void rank_identity_fill(struct rank_record *record, uint64_t threads, uint64_t local_ranks);

#endif
