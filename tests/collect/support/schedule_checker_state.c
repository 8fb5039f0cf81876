#include "schedule_checker.h"

static enum strategy strategy_of(const struct checker *checker)
{
    return checker->schedule->request.strategy;
}

/* Parts that a tensor's gradient has after `micro_batches`: the tied embedding's has two each. */
static unsigned parts_of(size_t tensor, uint64_t micro_batches)
{
    return (unsigned)micro_batches * (tensor == 0 ? 2 : 1);
}

/* --- collectives --- */

static uint64_t group_bytes(const struct checker *checker, size_t group, bool also_persistent)
{
    const struct schedule *schedule = checker->schedule;
    uint64_t elements = 0;
    for (size_t i = 0; i < schedule->unit_count; i++)
        if (schedule->group_of_unit[i] == group &&
            (also_persistent || !schedule->units[i].persistent))
            elements += schedule->units[i].padded;
    return elements * model_dtype_bytes(schedule->request.dtype);
}

static uint64_t persistent_bytes(const struct checker *checker)
{
    const struct schedule *schedule = checker->schedule;
    uint64_t elements = 0;
    for (size_t i = 0; i < schedule->unit_count; i++)
        elements += schedule->units[i].persistent ? schedule->units[i].padded : 0;
    return elements * model_dtype_bytes(schedule->request.dtype);
}

static bool post(struct checker *checker, enum schedule_collective collective,
                 enum schedule_purpose purpose, uint64_t bytes)
{
    const struct schedule_action *action = checker->action;
    if (!action->communicates || action->collective != collective || action->purpose != purpose)
        return checker_fail(checker, "is not an %s for %s", schedule_collective_name(collective),
                            schedule_purpose_name(purpose));
    if (action->payload_bytes != bytes)
        return checker_fail(checker, "moves %llu bytes, not %llu",
                            (unsigned long long)action->payload_bytes, (unsigned long long)bytes);
    if (action->kind == SCHEDULE_NORM)
        return true;
    if (action->ticket != checker->next_ticket || action->ticket >= checker->schedule->ticket_count)
        return checker_fail(checker, "has ticket %zu out of turn", action->ticket);
    checker->tickets[action->ticket] = (struct checker_ticket){true, false, checker->index};
    checker->next_ticket++;
    checker->pending++;
    return true;
}

static bool gather(struct checker *checker, size_t group)
{
    size_t buffer = checker_buffer(checker, SCHEDULE_ROLE_GATHERED, group);
    if (strategy_of(checker) < STRATEGY_ZERO3 || checker->normed)
        return checker_fail(checker, "gathers parameters that nothing reads");
    if (group >= checker->schedule->group_count || buffer == SCHEDULE_NONE ||
        checker->action->buffer != buffer || !checker->live[buffer])
        return checker_fail(checker, "gathers into a buffer that is not the group's or not live");
    if (checker->groups[group].gathered != CHECKER_ABSENT)
        return checker_fail(checker, "gathers group %zu twice", group);
    checker->groups[group].gathered = CHECKER_POSTED;
    return post(checker, SCHEDULE_ALL_GATHER, SCHEDULE_PARAMETER_GATHER,
                group_bytes(checker, group, false));
}

static bool sync_group(struct checker *checker, size_t group)
{
    struct checker_group *of = &checker->groups[group];
    if (!of->updated || of->syncing || of->synced)
        return checker_fail(checker, "refreshes group %zu before its update or twice", group);
    of->syncing = true;
    return true;
}

static bool sync(struct checker *checker, size_t group)
{
    bool whole = strategy_of(checker) == STRATEGY_ZERO1 || strategy_of(checker) == STRATEGY_ZERO2;
    if (checker->action->buffer != SCHEDULE_NONE || strategy_of(checker) == STRATEGY_DDP ||
        strategy_of(checker) == STRATEGY_FSDP || whole == (group == SCHEDULE_NONE))
        return checker_fail(checker, "refreshes what the strategy does not keep");
    if (whole && group >= checker->schedule->group_count)
        return checker_fail(checker, "names no group");
    for (size_t i = 0; i < checker->schedule->group_count; i++)
        if ((!whole || i == group) && !sync_group(checker, i))
            return false;
    return post(checker, SCHEDULE_ALL_GATHER, SCHEDULE_PARAMETER_SYNC,
                whole ? group_bytes(checker, group, true) : persistent_bytes(checker));
}

static bool reduce(struct checker *checker, size_t group)
{
    const struct schedule *schedule = checker->schedule;
    bool buffered = strategy_of(checker) >= STRATEGY_ZERO2;
    uint64_t micro_batches = buffered ? 1 : schedule->request.gradient_accumulation;
    if (group >= schedule->group_count)
        return checker_fail(checker, "names no group");
    size_t buffer =
        buffered ? checker_buffer(checker, SCHEDULE_ROLE_REDUCED, group) : SCHEDULE_NONE;
    if (checker->action->buffer != buffer || (buffered && !checker->live[buffer]))
        return checker_fail(checker, "reduces a buffer that is not the group's or not live");
    if (checker->groups[group].reducing || checker->groups[group].reduced)
        return checker_fail(checker, "reduces group %zu twice", group);
    for (size_t i = 0; i < schedule->tensor_count; i++)
        if (checker_group_of(checker, i) == group &&
            (checker->whole[i].stale || checker->whole[i].parts != parts_of(i, micro_batches)))
            return checker_fail(checker, "reduces tensor %zu before its gradient is complete", i);
    checker->groups[group].reducing = true;
    return post(checker,
                strategy_of(checker) == STRATEGY_DDP ? SCHEDULE_ALL_REDUCE
                                                     : SCHEDULE_REDUCE_SCATTER,
                SCHEDULE_GRADIENT_REDUCTION, group_bytes(checker, group, true));
}

/* ddp, zero1: the sum lies where the gradient lay. */
static void complete_reduction(struct checker *checker, size_t group)
{
    checker->groups[group].reducing = false;
    checker->groups[group].reduced = true;
    for (size_t i = 0; i < checker->schedule->tensor_count; i++)
        if (strategy_of(checker) < STRATEGY_ZERO2 && checker_group_of(checker, i) == group)
            checker->sharded[i] = checker->whole[i];
}

static bool wait_for(struct checker *checker, size_t ticket)
{
    if (ticket >= checker->schedule->ticket_count || !checker->tickets[ticket].posted ||
        checker->tickets[ticket].done)
        return checker_fail(checker, "waits for ticket %zu, which is not on its way", ticket);
    checker->tickets[ticket].done = true;
    checker->pending--;
    const struct schedule_action *posted =
        &checker->schedule->actions[checker->tickets[ticket].action];
    if (posted->kind == SCHEDULE_REDUCE)
        complete_reduction(checker, posted->group);
    else if (posted->purpose == SCHEDULE_PARAMETER_GATHER)
        checker->groups[posted->group].gathered = CHECKER_WHOLE;
    for (size_t i = 0; i < checker->schedule->group_count; i++)
        if (posted->purpose == SCHEDULE_PARAMETER_SYNC &&
            (posted->group == i || posted->group == SCHEDULE_NONE))
            checker->groups[i].synced = true;
    return true;
}

bool checker_collective(struct checker *checker)
{
    const struct schedule_action *action = checker->action;
    if (action->kind == SCHEDULE_WAIT)
        return wait_for(checker, action->ticket);
    if (action->kind == SCHEDULE_REDUCE)
        return reduce(checker, action->group);
    return action->purpose == SCHEDULE_PARAMETER_SYNC ? sync(checker, action->group)
                                                      : gather(checker, action->group);
}

/* --- memory --- */

/* At most so many whole gradients besides the root's, and gathered blocks besides the root. */
static bool check_limits(struct checker *checker)
{
    const struct schedule *schedule = checker->schedule;
    size_t gradients = 0;
    size_t blocks = 0;
    for (size_t i = 0; i < schedule->buffer_count; i++) {
        const struct schedule_buffer *buffer = &schedule->buffers[i];
        if (!checker->live[i])
            continue;
        gradients += buffer->category == SCHEDULE_COMMUNICATION_BUFFERS;
        blocks +=
            buffer->role == SCHEDULE_ROLE_GATHERED && schedule->groups[buffer->group].block >= 0;
    }
    uint64_t ahead = schedule->request.overlap ? schedule->request.prefetch : 0;
    if (gradients > 2 || blocks > ahead + 1)
        return checker_fail(checker, "%zu gradients, %zu gathered blocks are alive", gradients,
                            blocks);
    return true;
}

static bool take(struct checker *checker, size_t index)
{
    const struct schedule *schedule = checker->schedule;
    if (index >= schedule->buffer_count || checker->live[index])
        return checker_fail(checker, "takes buffer %zu, which is live or not known", index);
    checker->live[index] = true;
    checker->filled[index] = false;
    if (schedule->buffers[index].role == SCHEDULE_ROLE_REDUCED)
        for (size_t i = 0; i < schedule->tensor_count; i++)
            if (checker_group_of(checker, i) == schedule->buffers[index].group)
                checker->whole[i].stale = true;
    return check_limits(checker);
}

static bool release(struct checker *checker, size_t index)
{
    const struct schedule *schedule = checker->schedule;
    if (index >= schedule->buffer_count || !checker->live[index] ||
        schedule->buffers[index].resident)
        return checker_fail(checker, "releases buffer %zu, which is not live", index);
    const struct schedule_buffer *buffer = &schedule->buffers[index];
    checker->live[index] = false;
    if (buffer->role == SCHEDULE_ROLE_GATHERED) {
        if (checker->groups[buffer->group].gathered != CHECKER_WHOLE)
            return checker_fail(checker, "releases a gather on its way");
        checker->groups[buffer->group].gathered = CHECKER_ABSENT;
    }
    for (size_t i = 0; buffer->role == SCHEDULE_ROLE_REDUCED && i < schedule->tensor_count; i++)
        if (checker_group_of(checker, i) == buffer->group && !checker->whole[i].stale)
            return checker_fail(checker, "releases tensor %zu's gradient, not yet added", i);
    return true;
}

/* --- the owned state --- */

static bool accumulate(struct checker *checker, size_t group)
{
    const struct schedule *schedule = checker->schedule;
    if (group >= schedule->group_count || strategy_of(checker) < STRATEGY_ZERO2 ||
        checker->action->buffer != checker_buffer(checker, SCHEDULE_ROLE_REDUCED, group) ||
        !checker->groups[group].reduced)
        return checker_fail(checker, "adds a gradient that is not reduced");
    checker->groups[group].reduced = false;
    for (size_t i = 0; i < schedule->tensor_count; i++) {
        if (checker_group_of(checker, i) != group)
            continue;
        struct checker_gradient *to = &checker->sharded[i];
        if (to->stale == checker->action->accumulate)
            return checker_fail(checker, "tensor %zu's shard %s", i,
                                to->stale ? "is added to what is no gradient" : "is overwritten");
        to->parts = checker->whole[i].parts + (to->stale ? 0 : to->parts);
        to->stale = false;
        checker->whole[i].stale = true;
    }
    return true;
}

static bool norm(struct checker *checker)
{
    const struct schedule *schedule = checker->schedule;
    if (!checker_computed(checker) || checker->pending > 0 || checker->normed)
        return checker_fail(checker, "takes the norm before the gradients are there, or twice");
    for (size_t i = 0; i < schedule->tensor_count; i++)
        if (checker->sharded[i].stale ||
            checker->sharded[i].parts != parts_of(i, schedule->request.gradient_accumulation))
            return checker_fail(checker, "tensor %zu's gradient is not reduced exactly once", i);
    checker->normed = true;
    if (strategy_of(checker) == STRATEGY_DDP)
        return !checker->action->communicates ||
               checker_fail(checker, "adds up what every rank has");
    return post(checker, SCHEDULE_ALL_REDUCE, SCHEDULE_SCALAR, 8);
}

static bool update(struct checker *checker, size_t group)
{
    if (!checker->normed || group >= checker->schedule->group_count ||
        checker->groups[group].updated)
        return checker_fail(checker, "updates group %zu before the norm or twice", group);
    checker->groups[group].updated = true;
    return true;
}

bool checker_state(struct checker *checker)
{
    const struct schedule_action *action = checker->action;
    switch (action->kind) {
    case SCHEDULE_TAKE:
        return take(checker, action->buffer);
    case SCHEDULE_RELEASE:
        return release(checker, action->buffer);
    case SCHEDULE_ACCUMULATE:
        return accumulate(checker, action->group);
    case SCHEDULE_NORM:
        return norm(checker);
    case SCHEDULE_UPDATE:
        return update(checker, action->group);
    default:
        return checker_fail(checker, "is of no known kind");
    }
}

bool checker_end(struct checker *checker)
{
    const struct schedule *schedule = checker->schedule;
    bool copies = strategy_of(checker) == STRATEGY_ZERO1 ||
                  strategy_of(checker) == STRATEGY_ZERO2 || persistent_bytes(checker) > 0;
    if (!checker->normed || checker->pending > 0 || checker->next_ticket != schedule->ticket_count)
        return checker_fail(checker, "the step ends before it is done");
    for (size_t i = 0; i < schedule->group_count; i++)
        if (!checker->groups[i].updated || (copies && !checker->groups[i].synced))
            return checker_fail(checker, "group %zu is not updated or not refreshed", i);
    for (size_t i = 0; i < schedule->buffer_count; i++)
        if (checker->live[i] && !schedule->buffers[i].resident)
            return checker_fail(checker, "buffer %zu is left behind", i);
    return true;
}
