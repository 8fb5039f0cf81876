#ifndef RANKLEDGER_POLICY_H
#define RANKLEDGER_POLICY_H

#include <stdbool.h>
#include <stddef.h>

#include "arena.h"
#include "diag.h"
#include "json_write.h"
#include "record.h"

enum policy_key { POLICY_BY_THROUGHPUT, POLICY_BY_COMMUNICATION, POLICY_BY_PEAK, POLICY_KEY_COUNT };
enum policy_goal { POLICY_GOAL_THROUGHPUT, POLICY_GOAL_MEMORY };
enum policy_correctness { POLICY_CORRECTNESS_OWN, POLICY_CORRECTNESS_ON, POLICY_CORRECTNESS_OFF };

/* What is demanded (decision rules). A limit that is not set is NAN and its gate is not applied. */
struct policy {
    double memory_limit_mb; /* MiB */
    int memory_kind;        /* enum memory_kind, or -1: the largest kind present */
    double min_throughput;
    enum throughput_unit throughput_unit;
    double max_communication_ratio; /* in [0, 1] */
    double max_memory_fraction;     /* of the limit, checked on the winner; NAN: not checked */
    double tight_memory_fraction;   /* above it a pass is tight; default 0.9 */
    double min_gain;                /* fraction over the baseline; default 0 */
    enum policy_goal goal;
    enum strategy baseline; /* default ddp */
    enum policy_key ranking[POLICY_KEY_COUNT];
    size_t ranking_count;
    const char *const *vary; /* comparability fields that may differ inside a group */
    size_t vary_count;
    bool statistical_ties; /* throughputs that intervals do not tell apart are equal */
    bool allow_failed_repeats;
    const char *min_evidence_level; /* NULL: gate not applied */
    enum policy_correctness correctness;
    double max_step_time_variation; /* stability gate: coefficient of variation; NAN: not applied */
};

/* The defaults: no limits. */
void policy_init(struct policy *policy);

/*
 * Reads a policy file over the defaults. Unknown keys, wrong types, impossible values and a
 * contradiction (memory_limit and memory_limit_mb) are errors with their position. Texts live in
 * the arena.
 */
enum status policy_load(const char *path, struct arena *arena, struct policy *policy,
                        struct diag *diag) STATUS_CHECKED;
enum status policy_read(const struct json_read_source *source, uint32_t object, struct arena *arena,
                        struct policy *policy, struct diag *diag) STATUS_CHECKED;

/* "throughput", "communication_ratio", "peak_memory_mb"; "throughput", "memory"; "own", "on",
 * "off". Static storage. */
const char *policy_key_name(enum policy_key key);
const char *policy_goal_name(enum policy_goal goal);
const char *policy_correctness_name(enum policy_correctness correctness);

/* The complete policy as a document (rankledger.policy/1), readable by policy_read. */
json_t *policy_write(struct json_write *writer, const struct policy *policy);

/* "80GiB", "80 GB", "24576MiB", "15.5 GiB" -> MiB. STATUS_USAGE if not a size; a bare number is
 * none, since nobody means MiB by 80. */
enum status policy_parse_size(const char *text, double *mb, struct diag *diag) STATUS_CHECKED;

#endif
