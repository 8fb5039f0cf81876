#ifndef RANKLEDGER_WHAT_IF_H
#define RANKLEDGER_WHAT_IF_H

#include <stdbool.h>
#include <stddef.h>

#include "summary.h"

/*
 * What the gates, the ranking and the rules that follow a selection come to under given limits, by
 * the same arithmetic as the what-if sheet's formulas, so that its cells hold from the beginning
 * what a spreadsheet computes. Gates that have no limit here (runtime, evidence level, correctness,
 * stability) are taken from the summary.
 */

struct what_if_limits { /* NAN: there is none, and the gate is not applied */
    double memory_mb, tight_fraction, throughput, communication, gain, memory_fraction;
    bool tokens; /* the unit of the throughput: tokens/s, else samples/s */
};

enum what_if_verdict {
    WHAT_IF_PASS,
    WHAT_IF_TIGHT,
    WHAT_IF_FAIL,
    WHAT_IF_NOT_MEASURED,
    WHAT_IF_NOT_EVALUATED,
    WHAT_IF_NOT_APPLIED,
    WHAT_IF_UNIT_DIFFERS
};

struct what_if_row {
    const struct summary_candidate *candidate;
    enum what_if_verdict memory, throughput, communication;
    double failures; /* gates that fail, of all */
    double rank;     /* NAN: some gate fails */
    bool baseline;   /* the eligible candidate that gains are reckoned from */
    double gain;     /* over it; NAN: not applicable */
};

enum what_if_decision {
    WHAT_IF_NONE, /* no candidate passes every gate: tune or reject, as adjustments may be known */
    WHAT_IF_ACCEPT,
    WHAT_IF_TUNE, /* the selected one takes more than its share of the memory limit */
    WHAT_IF_REJECT,
    WHAT_IF_FIXED /* the summary's, by a rule that no limit moves */
};

struct what_if_result {
    const struct what_if_row *selected; /* NULL: none */
    enum what_if_decision decision;
};

/* The limits of a summary's policy. */
void what_if_policy(const struct summary *summary, struct what_if_limits *limits);

/* The keys of the ranking in their order, at most WHAT_IF_KEYS. */
enum what_if_key { WHAT_IF_BY_THROUGHPUT, WHAT_IF_BY_COMMUNICATION, WHAT_IF_BY_PEAK };
#define WHAT_IF_KEYS ((size_t)3)
size_t what_if_ranking(const struct summary_policy *policy, enum what_if_key keys[WHAT_IF_KEYS]);

/* Judges the candidates of a group into `rows`, as many as candidates, in the group's order. Takes
 * time by the square of their number. */
struct what_if_result what_if_judge(const struct summary *summary, size_t group,
                                    const struct what_if_limits *limits, struct what_if_row *rows);

#endif
