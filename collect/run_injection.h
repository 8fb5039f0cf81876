#ifndef RANKLEDGER_RUN_INJECTION_H
#define RANKLEDGER_RUN_INJECTION_H

#include "run_config.h"

/*
 * Reads "hang@rank:1,step:3" and checks it against the rest of the config (ranks, steps,
 * checkpoints): what could never happen is refused. Faults go to `faults`; `injection` is then
 * unspecified.
 */
void run_injection_read(const char *text, const struct run_config *config,
                        struct run_injection *injection, struct run_faults *faults);

#endif
