#ifndef RANKLEDGER_RANK_IDENTITY_H
#define RANKLEDGER_RANK_IDENTITY_H

#include "host_info.h"
#include "rank_record.h"

/* Writes which process a record is of, first of all: a rank that dies during start-up must be
 * findable. */
void rank_identity_begin(struct rank_record *record);

/* Threads of a rank that may run on the host's usable cores: `asked`, or if that is 0 as many as
 * there are cores for it. */
uint64_t rank_identity_threads(const struct host_info *host, uint64_t asked, uint64_t local_ranks);

/* Writes where the rank runs and with what: host, processor, cores, libraries. `threads` as asked
 * for, 0: rank_identity_threads; `local_ranks` of this host. */
void rank_identity_fill(struct rank_record *record, uint64_t threads, uint64_t local_ranks);

#endif
