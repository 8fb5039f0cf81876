#include <math.h>

#include "planner.h"
#include "walked_memory.h"

/* The peaks of every adjustment of a candidate that can be walked, so that sensitivity can ask
 * about many limits without walking again. */

/* Every strategy; the micro-batch by 2..16 or down to 1, and up by 2, 4, 8; checkpointing. */
#define MOST_WALKS (STRATEGY_COUNT + PLANNER_LARGEST_DIVISOR + 3 + 1)

struct walks {
    const struct candidate *from;
    const struct walked_memory *walked; /* of every subject */
    size_t subject_count;
    const struct walked_memory *own;
    struct planner_walk *items;
    size_t count;
};

/*
 * The workspace at another micro-batch: that of a run which had it; else the largest that there can
 * be. Its parts are constant or grow with the micro-batch, so that k times the micro-batch need at
 * most k times the workspace, and a smaller one no more than this one.
 */
static uint64_t workspace_at(const struct walks *walks, double micro_batch, bool *exact)
{
    double own = (double)walks->own->request.shape.micro_batch;
    *exact = true;
    for (size_t i = 0; i < walks->subject_count; i++)
        if (walks->walked[i].known &&
            (double)walks->walked[i].request.shape.micro_batch == micro_batch)
            return walks->walked[i].request.workspace_bytes;
    *exact = false;
    if (micro_batch <= own)
        return walks->own->request.workspace_bytes;
    return (uint64_t)ceil((double)walks->own->request.workspace_bytes * (micro_batch / own));
}

static enum status add(struct walks *walks, const struct planner_walk *what, struct diag *diag)
{
    struct planner_walk walk = *what;
    struct schedule_request request = walks->own->request;
    struct diag refused = {0};
    request.strategy = walk.strategy;
    request.shape.micro_batch = (uint64_t)walk.micro_batch;
    request.activation_checkpointing = walk.activation_checkpointing == 1;
    bool exact;
    request.workspace_bytes = workspace_at(walks, walk.micro_batch, &exact);
    walk.basis = walks->own->on_device ? PLANNER_DEVICE : exact ? PLANNER_EXACT : PLANNER_AT_MOST;
    enum status status = walked_memory_peak(&request, &walk.peak_mb, &refused);
    if (status == STATUS_ENVIRONMENT)
        return diag_set(diag, status, "%s", refused.text);
    walk.peak_mb += walks->own->beside_mb;
    if (status == STATUS_OK) /* else too large to be run */
        walks->items[walks->count++] = walk;
    return STATUS_OK;
}

static enum status add_micro_batches(struct walks *walks, struct planner_walk walk,
                                     struct diag *diag)
{
    double own = walk.micro_batch;
    enum status status = STATUS_OK;
    for (int divisor = 2; divisor <= PLANNER_LARGEST_DIVISOR && status == STATUS_OK; divisor++) {
        walk.micro_batch = own / divisor;
        if (divisor < own && fmod(own, divisor) == 0)
            status = add(walks, &walk, diag);
    }
    walk.micro_batch = 1;
    if (own > 1 && status == STATUS_OK)
        status = add(walks, &walk, diag);
    for (int factor = 2; factor <= PLANNER_LARGEST_MULTIPLE && status == STATUS_OK; factor *= 2) {
        walk.micro_batch = own * factor;
        status = add(walks, &walk, diag);
    }
    return status;
}

static enum status add_all(struct walks *walks, struct diag *diag)
{
    struct planner_walk walk = {.strategy = walks->from->strategy,
                                .micro_batch = walks->from->workload.micro_batch,
                                .activation_checkpointing =
                                    walks->from->workload.activation_checkpointing};
    enum status status = add_micro_batches(walks, walk, diag);
    for (int i = 0; i < STRATEGY_COUNT && status == STATUS_OK; i++) {
        walk.strategy = (enum strategy)i;
        status = add(walks, &walk, diag);
    }
    if (walk.activation_checkpointing == 1 || status != STATUS_OK)
        return status;
    walk.strategy = walks->from->strategy;
    walk.activation_checkpointing = 1;
    return add(walks, &walk, diag);
}

enum status planner_walks_add(const struct group *group, struct planner_subject *subjects,
                              size_t count, struct arena *arena, struct diag *diag)
{
    struct walked_memory *walked = arena_take_array(arena, count, sizeof *walked);
    if (walked == NULL)
        return diag_no_memory(diag);
    for (size_t i = 0; i < count; i++) {
        enum status status =
            walked_memory_of(&group->candidates[subjects[i].candidate], &walked[i], diag);
        if (status != STATUS_OK)
            return status;
    }
    for (size_t i = 0; i < count; i++) {
        struct walks walks = {
            &group->candidates[subjects[i].candidate], walked, count, &walked[i], NULL, 0};
        if (!walked[i].known)
            continue;
        walks.items = arena_take_array(arena, MOST_WALKS, sizeof *walks.items);
        if (walks.items == NULL)
            return diag_no_memory(diag);
        enum status status = add_all(&walks, diag);
        if (status != STATUS_OK)
            return status;
        subjects[i].walks = walks.items;
        subjects[i].walk_count = walks.count;
    }
    return STATUS_OK;
}

const struct planner_walk *planner_walks_find(const struct planner_subject *subject,
                                              const struct plan *plan)
{
    for (size_t i = 0; i < subject->walk_count; i++) {
        const struct planner_walk *walk = &subject->walks[i];
        if (walk->strategy == plan->strategy && walk->micro_batch == plan->micro_batch &&
            walk->activation_checkpointing == plan->activation_checkpointing)
            return walk;
    }
    return NULL;
}
