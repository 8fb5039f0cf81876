#include "schedule_checker.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

bool checker_fail(struct checker *checker, const char *format, ...)
{
    static char text[512];
    va_list arguments;
    if (checker->text != NULL)
        return false;
    va_start(arguments, format);
    int length = snprintf(text, sizeof text, "action %zu: ", checker->index);
    vsnprintf(text + length, sizeof text - (size_t)length, format, arguments);
    va_end(arguments);
    checker->text = text;
    return false;
}

size_t checker_group_of(const struct checker *checker, size_t tensor)
{
    return checker->schedule->group_of_unit[checker->schedule->places[tensor].unit];
}

size_t checker_buffer(const struct checker *checker, enum schedule_role role, size_t of)
{
    for (size_t i = 0; i < checker->schedule->buffer_count; i++) {
        const struct schedule_buffer *buffer = &checker->schedule->buffers[i];
        bool of_group = role == SCHEDULE_ROLE_GATHERED || role == SCHEDULE_ROLE_REDUCED;
        if (buffer->role == role && (of_group ? buffer->group : buffer->stage) == of)
            return i;
    }
    return SCHEDULE_NONE;
}

/* The phase follows from what has been computed; actions in between must agree. */
static bool check_phase(struct checker *checker)
{
    const struct schedule_action *action = checker->action;
    size_t forwards = (size_t)checker->schedule->request.shape.layers + 2;
    enum schedule_phase phase =
        checker->position < forwards ? SCHEDULE_PHASE_FORWARD : SCHEDULE_PHASE_BACKWARD;
    if (checker->normed || action->kind == SCHEDULE_NORM)
        phase = SCHEDULE_PHASE_OPTIMIZER;
    if (action->phase != phase)
        return checker_fail(checker, "is in phase %s, not %s", schedule_phase_name(action->phase),
                            schedule_phase_name(phase));
    return true;
}

/* A micro-batch ends when all is computed and nothing is on its way. */
static bool check_micro_batch(struct checker *checker)
{
    const struct schedule *schedule = checker->schedule;
    size_t last = (size_t)schedule->request.gradient_accumulation - 1;
    bool ends = checker->action->micro_batch == checker->micro_batch + 1 &&
                checker->micro_batch < last && checker->pending == 0;
    size_t before = checker->micro_batch;
    if (ends) {
        checker->micro_batch = last;
        ends = checker_computed(checker);
        checker->micro_batch = before + ends;
        checker->position = ends ? 0 : checker->position;
    }
    if (checker->action->micro_batch != checker->micro_batch)
        return checker_fail(checker, "is of micro-batch %zu while %zu is not done",
                            checker->action->micro_batch, checker->micro_batch);
    return true;
}

/* Without overlap the wait stands right behind the post. */
static bool check_overlap(struct checker *checker)
{
    const struct schedule *schedule = checker->schedule;
    bool posts =
        checker->action->kind == SCHEDULE_GATHER || checker->action->kind == SCHEDULE_REDUCE;
    if (schedule->request.overlap || !posts)
        return true;
    const struct schedule_action *next = checker->action + 1;
    if (checker->index + 1 == schedule->action_count || next->kind != SCHEDULE_WAIT ||
        next->ticket != checker->action->ticket)
        return checker_fail(checker, "is not waited for at once");
    return true;
}

static bool run(struct checker *checker)
{
    if (!check_micro_batch(checker) || !check_phase(checker) || !check_overlap(checker))
        return false;
    switch (checker->action->kind) {
    case SCHEDULE_FORWARD:
    case SCHEDULE_BACKWARD:
        return checker_compute(checker);
    case SCHEDULE_GATHER:
    case SCHEDULE_REDUCE:
    case SCHEDULE_WAIT:
        return checker_collective(checker);
    default:
        return checker_state(checker);
    }
}

/* Nothing of this step is in the gradients yet. */
static void forget_gradients(struct checker *checker)
{
    for (size_t i = 0; i < checker->schedule->tensor_count; i++) {
        checker->whole[i].stale = true;
        checker->sharded[i].stale = true;
    }
}

static void take_residents(struct checker *checker)
{
    for (size_t i = 0; i < checker->schedule->buffer_count; i++)
        checker->live[i] = checker->schedule->buffers[i].resident;
}

static void run_all(struct checker *checker)
{
    bool sound = checker_layout(checker);
    for (size_t i = 0; i < checker->schedule->action_count && sound; i++) {
        checker->index = i;
        checker->action = &checker->schedule->actions[i];
        sound = run(checker);
    }
    if (sound)
        checker_end(checker);
}

const char *schedule_checker_fault(const struct schedule *schedule)
{
    struct checker checker = {
        .schedule = schedule,
        .live = calloc(schedule->buffer_count, sizeof(bool)),
        .filled = calloc(schedule->buffer_count, sizeof(bool)),
        .groups = calloc(schedule->group_count, sizeof(struct checker_group)),
        .whole = calloc(schedule->tensor_count, sizeof(struct checker_gradient)),
        .sharded = calloc(schedule->tensor_count, sizeof(struct checker_gradient)),
        .tickets = calloc(schedule->ticket_count, sizeof(struct checker_ticket)),
    };
    take_residents(&checker);
    forget_gradients(&checker);
    run_all(&checker);
    free(checker.live);
    free(checker.filled);
    free(checker.groups);
    free(checker.whole);
    free(checker.sharded);
    free(checker.tickets);
    return checker.text;
}
