#include "import_trainer_log.h"

static unsigned matches(const struct import_source *source)
{
    return source->json != NULL ? 0 : import_trainer_log_deepspeed_signs(source);
}

extern const struct import_format import_deepspeed;
const struct import_format import_deepspeed = {
    .name = "deepspeed",
    .title = "DeepSpeed training log",
    .sample = "[INFO] [timer.py:215:stop] epoch=0/micro_step=34/global_step=34, "
              "RunningAvgSamplesPerSec=7.86, CurrSamplesPerSec=8.01, MemAllocated=59.65GB, ...",
    .matches = matches,
    .joins = true,
    .read = import_trainer_log_read,
};
