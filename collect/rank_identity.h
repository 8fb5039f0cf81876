#ifndef RANKLEDGER_RANK_IDENTITY_H
#define RANKLEDGER_RANK_IDENTITY_H

#include "rank_record.h"

/* Writes which process a record is of, first of all: a rank that dies during start-up must be
 * findable. */
void rank_identity_begin(struct rank_record *record);

/* Writes where the rank runs and with what: host, processor, cores, libraries, and `threads`. */
void rank_identity_fill(struct rank_record *record, uint64_t threads);

#endif
