#ifndef RANKLEDGER_CMD_BANDWIDTH_H
#define RANKLEDGER_CMD_BANDWIDTH_H

#include "communicator.h"
#include "options.h"
#include "rank_record.h"
#include "text_buffer.h"

/*
 * `rankledger-collect bandwidth`: how fast the collectives are between ranks that do nothing else,
 * through the same code that training uses. The ranks measure into their records; whoever started
 * them, or rank 0, prints rank 0's.
 */
struct cmd_bandwidth {
    uint64_t world_size; /* 2 unless given */
    bool world_size_given;
    enum model_dtype dtype;
    const char *backend; /* a row of backend_table */
    bool json;
};

/* Bytes of memory that the sweep takes. */
#define CMD_BANDWIDTH_LARGEST ((size_t)64 << 20)

/* argv after the command's name. *help is set if help was printed. STATUS_ENVIRONMENT for a backend
 * that is not part of this build. */
enum status cmd_bandwidth_parse(int argc, char **argv, struct cmd_bandwidth *command, enum options_help *help,
                                struct diag *diag) STATUS_CHECKED;

/* In every rank: measures into the record. The communicator has one ticket at least; `memory`:
 * CMD_BANDWIDTH_LARGEST bytes of its, zero. */
enum status cmd_bandwidth_rank(struct communicator *communicator, void *memory,
                               struct rank_record *record, struct diag *diag) STATUS_CHECKED;

/* The table, or JSON, of a complete record. The library that moves the
 * bytes: `record->mpi`, on streams `record->algorithm`. */
enum status cmd_bandwidth_format(const struct cmd_bandwidth *command,
                                 const struct rank_record *record, struct text_buffer *out,
                                 struct diag *diag) STATUS_CHECKED;

#endif
