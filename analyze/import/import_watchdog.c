#include "import_failures.h"

/* A log of which only the failure is known: what NCCL's watchdog, PyTorch and its launcher print.
 */

static unsigned count_signs(const struct import_source *source)
{
    return import_failures_count(source, 1);
}

static void read_log(struct import *import, const struct import_source *source)
{
    if (import_failures_count(source, 1) > 0)
        import_failures_scan(import_begin(import), source);
}

const struct import_format import_watchdog = {
    .name = "nccl-watchdog",
    .title = "failure of a PyTorch job",
    .sample = "[Rank 2] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=...",
    .matches = count_signs,
    .last_resort = true,
    .read = read_log,
};
