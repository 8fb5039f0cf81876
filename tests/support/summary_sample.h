#ifndef RANKLEDGER_SUMMARY_SAMPLE_H
#define RANKLEDGER_SUMMARY_SAMPLE_H

#include "summary.h"

/* Made-up summaries for tests of what a report draws. */

enum summary_sample_kind {
    SUMMARY_SAMPLE_COMPLETE, /* every metric and ledger; one candidate over its limit, one failed */
    SUMMARY_SAMPLE_MISSING,  /* metrics and ledgers absent here and there */
    SUMMARY_SAMPLE_FAILED,   /* every run failed */
    SUMMARY_SAMPLE_EXTREME,  /* values from 1e-9 to 1e15 */
    SUMMARY_SAMPLE_NAMES,    /* 120 Chinese characters, one long word, markup, right-to-left ... */
    SUMMARY_SAMPLE_KIND_COUNT
};

extern const char *const summary_sample_kind_names[SUMMARY_SAMPLE_KIND_COUNT];

/* A summary of one group with `count` candidates; release it with summary_sample_fini. Aborts when
 * memory is exhausted. */
void summary_sample_make(struct summary *summary, enum summary_sample_kind kind, size_t count);
void summary_sample_fini(struct summary *summary);

/* For changing a sample. */
struct summary_candidate *summary_sample_candidate(struct summary *summary, size_t index);
struct summary_group *summary_sample_group(struct summary *summary);
/* Recomputes gates, eligibility and ranks after a change. */
void summary_sample_judge(struct summary *summary);

#endif
