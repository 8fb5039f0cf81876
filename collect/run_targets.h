#ifndef RANKLEDGER_RUN_TARGETS_H
#define RANKLEDGER_RUN_TARGETS_H

#include "run_config.h"

/*
 * The places that a run writes to (evidence, checkpoints, dumps) are whole files and whole folders:
 * a fault for each two that are the same, or of which one lies inside the other. Existing folders
 * count as what they are, whatever they are called (links, "..").
 */
void run_targets_check(const struct run_config *config, struct run_faults *faults);

#endif
