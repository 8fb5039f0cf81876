#ifndef RANKLEDGER_VERIFY_H
#define RANKLEDGER_VERIFY_H

#include "arena.h"
#include "diag.h"

/* A place where a summary differs from what its sources give. */
struct verify_difference {
    const char *pointer; /* JSON pointer; safe to print */
    const char *stored;  /* as in the summary; "absent"; cut and safe to print */
    const char *found;   /* as recomputed */
};

struct verify_result {
    struct verify_difference *differences; /* the first VERIFY_MAX_DIFFERENCES */
    size_t shown;
    size_t count; /* of all */
    size_t source_count;
    const char *const *changed_sources; /* paths whose bytes are not those of the summary */
    size_t changed_count;
    const char *decision; /* as stored: "accept", and the strategy or NULL */
    const char *strategy;
    const char *other_version; /* the program that wrote it, where it is not this one; NULL */
    struct arena arena;
};

#define VERIFY_MAX_DIFFERENCES 40

/*
 * Recomputes a summary from its sources with the policy and options that it carries, and compares:
 * texts, digests and decisions exactly, numbers to 1e-12 relative. STATUS_INPUT if it is no summary
 * of ours, was made by a newer edition of the format, or sources are missing (named).
 */
enum status verify_summary(const char *path, struct verify_result *result,
                           struct diag *diag) STATUS_CHECKED;

void verify_fini(struct verify_result *result);

#endif
