#ifndef RANKLEDGER_IMPORT_TRAINER_LOG_H
#define RANKLEDGER_IMPORT_TRAINER_LOG_H

#include "import.h"

/*
 * Console logs of training with DeepSpeed, with the Hugging Face Trainer, and with both: the one
 * prints the configuration and its timers, the other the plan and the report. One record a run.
 */
void import_trainer_log_read(struct import *import, const struct import_source *source);

/* How many signs of each are in the text. */
unsigned import_trainer_log_deepspeed_signs(const struct import_source *source);
unsigned import_trainer_log_hf_signs(const struct import_source *source);

#endif
