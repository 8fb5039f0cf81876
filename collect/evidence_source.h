#ifndef RANKLEDGER_EVIDENCE_SOURCE_H
#define RANKLEDGER_EVIDENCE_SOURCE_H

#include "host_info.h"
#include "rank_record.h"
#include "run_devices.h"
#include "run_plan.h"

/* When and how a run was started; the same for all its strategies. */
struct evidence_run {
    char id[33];            /* 128 random bits, hexadecimal */
    char started_utc[32];   /* "2026-01-31T12:00:00Z" */
    bool joined;            /* a foreign mpirun or srun started the ranks */
    uint64_t hosts;         /* that they are on; 0: what the records say */
    bool bound;             /* each rank has cores of its own */
    bool oversubscribed;    /* more threads than cores */
    const char *kernels_by; /* who chose OpenBLAS' kernels: "library", "environment", "launcher" */
    char *const *environment; /* of the ranks, NULL-terminated */
};

/* All that one strategy's evidence is made from. Nothing of it is owned. */
struct evidence_source {
    const struct run_config *config;
    enum strategy strategy;
    const struct run_plan *plan;
    const struct rank_board *boards; /* one a round that was started, in order */
    size_t round_count;
    const struct rank_failure *failure; /* kind NONE: every round completed */
    const struct host_info *host;
    const struct evidence_run *run;
    /* Where the ranks were to compute, one a rank; NULL: on the host itself. */
    const struct run_devices_place *places;
};

/* The record of a rank in a round. */
const struct rank_record *evidence_source_record(const struct evidence_source *source, size_t round,
                                                 uint64_t rank);
uint64_t evidence_source_ranks(const struct evidence_source *source);
/* Hosts of the ranks, at least 1; and how many ranks of which something is known one has. */
uint64_t evidence_source_hosts(const struct evidence_source *source);
uint64_t evidence_source_ranks_of_host(const struct evidence_source *source, uint64_t host);
/* Number of a rank's host; -1: there is only one, or nothing is known. */
int64_t evidence_source_host_of(const struct evidence_source *source, int64_t rank);

/* Measured steps that a rank completed; one whose numbers were not finite is not among them. */
uint64_t evidence_source_measured(const struct rank_record *record);
/* Those that every rank of a round completed. */
uint64_t evidence_source_common(const struct evidence_source *source, size_t round);
/* Sample of measured step `step`, from 0. */
const struct rank_step *evidence_source_step(const struct rank_record *record, uint64_t step);
/* Optimizer steps, warm-up included, whose losses every rank of a round noted. */
uint64_t evidence_source_noted(const struct evidence_source *source, size_t round);

#endif
