#ifndef RANKLEDGER_TESTS_RECORD_SET_H
#define RANKLEDGER_TESTS_RECORD_SET_H

#include "evidence_set.h"

/*
 * An evidence set made of JSON texts, without files and without validation: what reading, grouping
 * and pooling do with sound records. Quotes are written as ' in the texts. The records are named
 * a.json, b.json, ... Fails the test at the first fault.
 */
void record_set_add(struct evidence_set *set, const char *text);

/* A record of this strategy: `workload` and `metrics` are the members inside the braces, `rest` is
 * added to the record's own ("" for none). */
void record_set_add_run(struct evidence_set *set, const char *strategy, const char *workload,
                        const char *metrics, const char *rest);

void record_set_fini(struct evidence_set *set);

#endif
