#include "schedule_walk.h"

#include <stdlib.h>

/* What is live while the list is walked. */
struct walker {
    const struct schedule *schedule;
    struct schedule_walk *walk;
    bool *live; /* by buffer */
    enum { UNPOSTED, POSTED, WAITED } * tickets;
    uint64_t sum;
    uint64_t by_category[SCHEDULE_CATEGORY_COUNT];
    enum schedule_phase phase;
};

/* Keeps what is live now if nothing larger stood in this phase. */
static void note(struct walker *walker)
{
    struct schedule_walk *walk = walker->walk;
    if (walker->sum <= walk->phase_peak[walker->phase])
        return;
    walk->phase_peak[walker->phase] = walker->sum;
    for (int i = 0; i < SCHEDULE_CATEGORY_COUNT; i++)
        walk->at_peak[walker->phase][i] = walker->by_category[i];
}

static enum status take(struct walker *walker, size_t index, struct diag *diag)
{
    const struct schedule_buffer *buffer = &walker->schedule->buffers[index];
    if (walker->live[index])
        return diag_set(diag, STATUS_BUG, "the schedule takes buffer %zu twice", index);
    walker->live[index] = true;
    walker->sum += buffer->bytes;
    uint64_t *category = &walker->by_category[buffer->category];
    *category += buffer->bytes;
    if (*category > walker->walk->category_peak[buffer->category])
        walker->walk->category_peak[buffer->category] = *category;
    note(walker);
    return STATUS_OK;
}

static enum status release(struct walker *walker, size_t index, struct diag *diag)
{
    const struct schedule_buffer *buffer = &walker->schedule->buffers[index];
    if (!walker->live[index] || buffer->resident)
        return diag_set(diag, STATUS_BUG, "the schedule releases buffer %zu, which is %s", index,
                        buffer->resident ? "resident" : "not live");
    walker->live[index] = false;
    walker->sum -= buffer->bytes;
    walker->by_category[buffer->category] -= buffer->bytes;
    return STATUS_OK;
}

static enum status settle(struct walker *walker, size_t ticket, struct diag *diag)
{
    if (ticket >= walker->schedule->ticket_count || walker->tickets[ticket] != POSTED)
        return diag_set(diag, STATUS_BUG,
                        "the schedule waits for collective %zu, which is not on its way", ticket);
    walker->tickets[ticket] = WAITED;
    return STATUS_OK;
}

static enum status run(struct walker *walker, const struct schedule_action *action,
                       struct diag *diag)
{
    if (action->phase != walker->phase) {
        walker->phase = action->phase;
        note(walker);
    }
    if (action->communicates && action->ticket < walker->schedule->ticket_count)
        walker->tickets[action->ticket] = POSTED;
    if (action->kind == SCHEDULE_TAKE)
        return take(walker, action->buffer, diag);
    if (action->kind == SCHEDULE_RELEASE)
        return release(walker, action->buffer, diag);
    if (action->kind == SCHEDULE_WAIT)
        return settle(walker, action->ticket, diag);
    return STATUS_OK;
}

static enum status take_residents(struct walker *walker, struct diag *diag)
{
    enum status status = STATUS_OK;
    walker->phase = SCHEDULE_PHASE_INIT;
    for (size_t i = 0; i < walker->schedule->buffer_count && status == STATUS_OK; i++)
        if (walker->schedule->buffers[i].resident)
            status = take(walker, i, diag);
    for (int i = 0; i < SCHEDULE_CATEGORY_COUNT; i++)
        walker->walk->resident[i] = walker->by_category[i];
    return status;
}

static enum status check_end(const struct walker *walker, struct diag *diag)
{
    for (size_t i = 0; i < walker->schedule->buffer_count; i++)
        if (walker->live[i] && !walker->schedule->buffers[i].resident)
            return diag_set(diag, STATUS_BUG, "the schedule leaves buffer %zu behind", i);
    for (size_t i = 0; i < walker->schedule->ticket_count; i++)
        if (walker->tickets[i] != WAITED)
            return diag_set(diag, STATUS_BUG, "the schedule never waits for collective %zu", i);
    return STATUS_OK;
}

static enum status walk_all(struct walker *walker, struct diag *diag)
{
    enum status status = take_residents(walker, diag);
    for (size_t i = 0; i < walker->schedule->action_count && status == STATUS_OK; i++)
        status = run(walker, &walker->schedule->actions[i], diag);
    if (status == STATUS_OK)
        status = check_end(walker, diag);
    for (int i = 0; i < SCHEDULE_PHASE_COUNT; i++)
        if (walker->walk->phase_peak[i] > walker->walk->peak)
            walker->walk->peak = walker->walk->phase_peak[i];
    return status;
}

enum status schedule_walk_of(const struct schedule *schedule, struct schedule_walk *walk,
                             struct diag *diag)
{
    enum status status;
    struct schedule_walk result = {0};
    struct walker walker = {.schedule = schedule, .walk = &result};
    walker.live = calloc(schedule->buffer_count, sizeof *walker.live);
    walker.tickets = calloc(schedule->ticket_count, sizeof *walker.tickets);
    if (walker.live == NULL || walker.tickets == NULL)
        status = diag_no_memory(diag);
    else
        status = walk_all(&walker, diag);
    if (status == STATUS_OK)
        *walk = result;
    free(walker.live);
    free(walker.tickets);
    return status;
}

/* Psi parameters of `bytes` each, one rank's part: what the formula says, rounded down. */
static uint64_t share(const struct schedule *schedule, uint64_t bytes, bool whole)
{
    uint64_t total = model_parameters(&schedule->request.shape) * bytes;
    return whole ? total : total / schedule->request.world_size;
}

struct schedule_ledger schedule_ledger_of(const struct schedule *schedule)
{
    enum strategy strategy = schedule->request.strategy;
    uint64_t resident = 0;
    uint64_t optimizer = 0; /* bytes a parameter: each of master and moments is fp32 */
    for (size_t i = 0; i < schedule->buffer_count; i++) {
        const struct schedule_buffer *buffer = &schedule->buffers[i];
        if (!buffer->resident || buffer->category == SCHEDULE_WORKSPACE)
            continue;
        resident += buffer->bytes;
        optimizer += buffer->category == SCHEDULE_OPTIMIZER_STATE ? sizeof(float) : 0;
    }
    struct schedule_ledger ledger = {
        .parameters =
            share(schedule, schedule->parameter_bytes, schedule_whole_parameters(strategy)),
        .gradients = share(schedule, schedule->gradient_bytes, schedule_whole_gradients(strategy)),
        .optimizer_state = share(schedule, optimizer, strategy == STRATEGY_DDP),
        .persistent = schedule->persistent_valid_elements * schedule->wire_bytes,
    };
    ledger.padding = resident - ledger.parameters - ledger.gradients - ledger.optimizer_state -
                     ledger.persistent;
    return ledger;
}
