#ifndef RANKLEDGER_RUN_CHECK_H
#define RANKLEDGER_RUN_CHECK_H

#include "run_results.h"

/*
 * What stands in the way of a run, before any rank starts; every fault is noted.
 *
 * Places: existing evidence (without --force), folders of evidence, checkpoints and dumps that
 * cannot be made or written, places that overlap, a checkpoint to restore that is not there or not
 * of this model. All folders are made as they will be, and taken away again; the evidence's stays
 * if there is no fault at all.
 */
void run_check_places(const struct run_config *config, struct run_faults *faults);

/*
 * Memory: a fault if no strategy fits --memory-limit, or none fits the machine, with each one's
 * predicted peak. If some fit the machine, the others' failure becomes `preflight`; where the ranks
 * compute on devices it does also if none fits them. One that does not fit the limit is run and
 * meets it.
 */
void run_check_memory(struct run_results *results, struct run_faults *faults);

/*
 * Devices, where the ranks compute on some (results->places): false if they cannot all be had, and
 * then that is every strategy's failure, of kind `preflight`. Different ones are warned of.
 */
bool run_check_devices(struct run_results *results);

#endif
