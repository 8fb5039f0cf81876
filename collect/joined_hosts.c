#include "joined_hosts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Ranks of a host that may run where this one may, itself included. */
static uint64_t sharing(const struct joined_hosts_word *words, uint64_t ranks,
                        const struct joined_hosts_word *one)
{
    uint64_t count = 0;
    for (uint64_t rank = 0; rank < ranks; rank++)
        count += words[rank].place.host == one->place.host &&
                 strcmp(words[rank].affinity, one->affinity) == 0;
    return count;
}

/* Cores for each of the ranks that share these; at least one. */
static uint64_t share_of(const struct joined_hosts_word *words, uint64_t ranks,
                         const struct joined_hosts_word *one)
{
    uint64_t share = one->usable_cores / sharing(words, ranks, one);
    return share > 0 ? share : 1;
}

static void note_memory(const struct joined_hosts_word *word, struct joined_hosts *plan)
{
    const uint64_t ranks = word->place.local_ranks;
    if (word->available_bytes == 0) /* the system does not say */
        return;
    if (plan->tightest_bytes > 0 &&
        word->available_bytes / ranks >= plan->tightest_bytes / plan->tightest_ranks)
        return;
    plan->tightest = word->place.host;
    plan->tightest_ranks = ranks;
    plan->tightest_bytes = word->available_bytes;
    memcpy(plan->tightest_name, word->name, sizeof plan->tightest_name);
}

void joined_hosts_plan(const struct joined_hosts_word *words, uint64_t ranks, uint64_t threads,
                       struct joined_hosts *plan)
{
    *plan = (struct joined_hosts){.hosts = words[0].place.hosts,
                                  .threads = threads,
                                  .bound = true,
                                  .tightest_ranks = words[0].place.local_ranks};
    for (uint64_t rank = 0; rank < ranks && threads == 0; rank++) {
        uint64_t share = share_of(words, ranks, &words[rank]);
        if (plan->threads == 0 || share < plan->threads)
            plan->threads = share;
    }
    for (uint64_t rank = 0; rank < ranks; rank++) {
        const struct joined_hosts_word *word = &words[rank];
        const uint64_t count = sharing(words, ranks, word);
        plan->bound = plan->bound && count == 1 && word->usable_cores < word->cores;
        plan->oversubscribed = plan->oversubscribed || count * plan->threads > word->usable_cores;
        note_memory(word, plan);
    }
}

enum status joined_hosts_gather(struct communicator *communicator,
                                const struct communicator_mpi_place *place,
                                const struct host_info *host, uint64_t threads,
                                struct joined_hosts *plan, struct diag *diag)
{
    struct joined_hosts_word own = {.place = *place,
                                    .cores = host->cores,
                                    .usable_cores = host->usable_cores,
                                    .available_bytes = host->available_bytes};
    struct joined_hosts_word *all = NULL;
    memcpy(own.affinity, host->affinity, sizeof own.affinity);
    if (gethostname(own.name, sizeof own.name - 1) != 0)
        own.name[0] = '\0';
    if (communicator->rank == 0) {
        all = calloc(communicator->world_size, sizeof *all);
        if (all == NULL)
            return diag_no_memory(diag);
    }
    enum status status = communicator_gather(communicator, &own, sizeof own, all, 0, diag);
    if (status == STATUS_OK && all != NULL)
        joined_hosts_plan(all, communicator->world_size, threads, plan);
    free(all);
    if (status == STATUS_OK)
        status = communicator_broadcast(communicator, plan, sizeof *plan, 0, diag);
    return status;
}
