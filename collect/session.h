#ifndef RANKLEDGER_SESSION_H
#define RANKLEDGER_SESSION_H

#include "rank_record.h"
#include "run_config.h"

/*
 * One rank's run of one strategy, from the started communicator to the finished record: backend,
 * arena, initial values or restore, warm-up, measured steps, dump, checkpoints, the pass without
 * collectives, calibration. On a failure the record says what, where and when, and everything that
 * was measured before stays in it; the caller then ends the process (the other ranks may be stuck
 * in a collective).
 */
enum status session_run(const struct run_config *config, enum strategy strategy, uint64_t round,
                        struct communicator *(*connect)(size_t ticket_count),
                        struct rank_record *record, struct diag *diag) STATUS_CHECKED;

#endif
