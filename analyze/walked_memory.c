#include "walked_memory.h"

#include <math.h>
#include <string.h>

#include "candidate_ledger.h"
#include "schedule_walk.h"

#define MIB 1048576.0

enum status walked_memory_peak(const struct schedule_request *request, double *peak_mb,
                               struct diag *diag)
{
    struct arena arena = {0};
    struct schedule schedule;
    struct schedule_walk walk;
    struct schedule_request shorter = *request;
    shorter.gradient_accumulation = 1; /* others are like the first (a test shows it) */
    enum status status = schedule_build(&shorter, &arena, &schedule, diag);
    if (status == STATUS_OK)
        status = schedule_walk_of(&schedule, &walk, diag);
    if (status == STATUS_OK)
        *peak_mb = (double)walk.peak / MIB;
    arena_fini(&arena);
    return status;
}

/* More is no workspace, and would not be exact in a double. */
#define MOST_WORKSPACE 9007199254740992.0 /* 2^53 */

/* The workspace in bytes, as measured or foreseen; -1: the record does not say. */
static double workspace_of(const struct candidate_ledger *ledger)
{
    if (ledger->temporary_source == CANDIDATE_FORMULA)
        return -1;
    for (size_t i = 0; i < ledger->temporary_count; i++)
        if (strcmp(ledger->temporary[i].category, "workspace") == 0)
            return ledger->temporary[i].mb * MIB <= MOST_WORKSPACE ? ledger->temporary[i].mb * MIB
                                                                   : -1;
    return 0;
}

/* True if the record states everything that a schedule is built from. */
static bool states_all(const struct candidate *candidate)
{
    const struct workload *workload = &candidate->workload;
    const struct temporary_memory_shape shape = candidate_ledger_shape(workload);
    return candidate->own_collector && workload->heads >= 1 && workload->micro_batch >= 1 &&
           workload->world_size >= 1 && workload->activation_checkpointing >= 0 &&
           workload->parameter_wire_bytes == shape.activation_bytes &&
           workload->gradient_wire_bytes == shape.activation_bytes;
}

/* A device holds what was allocated, and more. */
static bool reads_device(const struct candidate *candidate)
{
    return candidate->memory_kind == MEMORY_DEVICE &&
           candidate->peak_mb >= candidate->metrics.peak_mb[MEMORY_ALLOCATED];
}

static bool reads_allocated(const struct candidate *candidate)
{
    return candidate->memory_kind == MEMORY_ALLOCATED ||
           (candidate->memory_kind < 0 && isnan(candidate->metrics.peak_mb[MEMORY_ALLOCATED]));
}

static bool same_or_unknown(double peak_mb, double walked_mb)
{
    return isnan(peak_mb) || peak_mb == walked_mb;
}

enum status walked_memory_of(const struct candidate *candidate, struct walked_memory *walked,
                             struct diag *diag)
{
    const struct candidate_ledger *ledger = &candidate->ledger;
    const struct temporary_memory_shape shape = candidate_ledger_shape(&candidate->workload);
    double workspace = workspace_of(ledger);
    double peak_mb;
    *walked = (struct walked_memory){.known = false};
    if (!states_all(candidate) || (!reads_allocated(candidate) && !reads_device(candidate)) ||
        workspace < 0 || (isnan(ledger->measured_peak_mb) && isnan(ledger->foreseen_peak_mb)) ||
        !temporary_memory_request(&shape, candidate->strategy, &walked->request) ||
        (double)walked->request.shape.micro_batch != candidate->workload.micro_batch ||
        (double)walked->request.shape.heads != candidate->workload.heads ||
        (double)model_parameters(&walked->request.shape) != candidate->workload.parameters)
        return STATUS_OK;
    walked->request.workspace_bytes = (uint64_t)workspace;
    struct diag refused = {0};
    enum status status = walked_memory_peak(&walked->request, &peak_mb, &refused);
    if (status == STATUS_ENVIRONMENT)
        return diag_set(diag, status, "%s", refused.text);
    walked->known = status == STATUS_OK && same_or_unknown(ledger->measured_peak_mb, peak_mb) &&
                    same_or_unknown(ledger->foreseen_peak_mb, peak_mb);
    walked->on_device = reads_device(candidate);
    if (walked->on_device)
        walked->beside_mb = candidate->peak_mb - candidate->metrics.peak_mb[MEMORY_ALLOCATED];
    return STATUS_OK;
}
