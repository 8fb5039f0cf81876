#include "launcher.h"

void launcher_plan(const struct host_info *host, uint64_t ranks, uint64_t threads,
                   struct launcher_job *job)
{
    struct host_info_blas blas;
    uint64_t cores = host->usable_cores > 0 ? host->usable_cores : 1;
    uint64_t share = cores / ranks > 0 ? cores / ranks : 1;
    host_info_load_blas(&blas);
    job->ranks = ranks;
    job->threads = threads > 0 ? threads : share;
    job->kernels = host_info_better_kernels(&blas);
    job->oversubscribed = ranks * job->threads > cores;
    /* Ranks that move between cores take each other's caches, and two on one core double a step.
     * But mpirun counts cores from the first: where this process may not run on all of them,
     * binding would leave what it was given. */
    job->bind = !job->oversubscribed && cores == host->cores;
}

uint64_t launcher_shared_bytes(uint64_t ranks)
{
    return ranks << 23;
}
