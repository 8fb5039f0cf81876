#ifndef RANKLEDGER_SUMMARY_LOAD_H
#define RANKLEDGER_SUMMARY_LOAD_H

#include "summary_fields.h"

/* The format that this program reads. */
#define SUMMARY_SCHEMA "rankledger.summary/1"

/* The parts of summary_load() (summary.h) that have their own files; `element` is what the name
 * says. `limits` below: the number of sources, against which indices are checked. */
struct summary_load {
    struct summary_fields fields; /* first: the readers of elements get a pointer to it */
    size_t source_count;
    size_t candidate_count;                     /* of the group being read */
    const struct summary_candidate *candidates; /* the same; NULL where there are several groups */
    const char *limit;                          /* whose changes are being read */
};

void summary_load_candidate(struct summary_fields *fields, uint32_t node, void *element);
/* What was measured step by step, and what the ledger, the calibration and the policy say beside
 * it: samples, timing, scale, links, varied. */
void summary_load_samples(struct summary_fields *fields, uint32_t node,
                          struct summary_candidate *candidate);
const struct summary_gate *summary_load_gates(struct summary_fields *fields, uint32_t node,
                                              size_t *count);
struct summary_conditions summary_load_varied(struct summary_fields *fields, uint32_t node);
struct summary_conditions summary_load_key(struct summary_fields *fields, uint32_t node);
/* What the runs of a group were and where they ran; `candidates` is its array's node. */
void summary_load_conditions(struct summary_fields *fields, uint32_t node,
                             struct summary_group *group);
struct summary_decision summary_load_decision(struct summary_fields *fields, uint32_t node);

#endif
