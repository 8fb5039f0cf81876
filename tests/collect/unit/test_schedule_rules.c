#include <criterion/criterion.h>
#include <inttypes.h>
#include <string.h>

#include "schedule_case.h"
#include "schedule_checker.h"

/* Every schedule is run on paper (support/schedule_checker*.c). That the paper run finds what is
 * wrong is shown by wronging sound schedules in every way below, at every place. */

static struct schedule build(const struct schedule_request *request, struct arena *arena)
{
    struct diag diag = {0};
    struct schedule schedule;
    cr_assert_eq(schedule_build(request, arena, &schedule, &diag), STATUS_OK, "%s", diag.text);
    return schedule;
}

static void check_sound(enum strategy strategy)
{
    static const uint64_t world_sizes[] = {1, 2, 3, 8, 64};
    char where[256];
    for (size_t shape = 0; shape < schedule_case_shape_count; shape++) {
        struct schedule_request request = {
            .strategy = strategy,
            .shape = schedule_case_shapes[shape],
        };
        for (size_t i = 0; schedule_case_options(i, &request); i++) {
            for (size_t j = 0; j < sizeof world_sizes / sizeof world_sizes[0]; j++) {
                struct arena arena = {0};
                request.world_size = world_sizes[j];
                struct schedule schedule = build(&request, &arena);
                const char *fault = schedule_checker_fault(&schedule);
                cr_assert_null(fault, "%s: %s", schedule_case_text(&request, where), fault);
                arena_fini(&arena);
            }
        }
    }
}

Test(schedule_rules, hold_for_ddp)
{
    check_sound(STRATEGY_DDP);
}

Test(schedule_rules, hold_for_zero1)
{
    check_sound(STRATEGY_ZERO1);
}

Test(schedule_rules, hold_for_zero2)
{
    check_sound(STRATEGY_ZERO2);
}

Test(schedule_rules, hold_for_zero3)
{
    check_sound(STRATEGY_ZERO3);
}

Test(schedule_rules, hold_for_fsdp)
{
    check_sound(STRATEGY_FSDP);
}

/* --- wronging --- */

static struct schedule_request request_to_wrong(enum strategy strategy, bool overlap)
{
    return (struct schedule_request){
        .strategy = strategy,
        .shape = {.width = 8, .layers = 3, .heads = 2, .vocab = 11, .seq_len = 4, .micro_batch = 2},
        .dtype = MODEL_BF16,
        .world_size = 3,
        .gradient_accumulation = 2,
        .bucket_bytes = 900,
        .prefetch = 1,
        .overlap = overlap,
        .activation_checkpointing = overlap,
        .workspace_bytes = 4096,
    };
}

/* A copy of the list with room for one action more. */
static struct schedule copy_actions(const struct schedule *schedule, struct arena *arena)
{
    struct schedule copy = *schedule;
    copy.actions = arena_take_array(arena, schedule->action_count + 1, sizeof *copy.actions);
    cr_assert_not_null(copy.actions);
    memcpy(copy.actions, schedule->actions, schedule->action_count * sizeof *copy.actions);
    return copy;
}

static void expect_fault(const struct schedule *schedule, const char *wrong, size_t index)
{
    cr_assert_not_null(schedule_checker_fault(schedule), "%s: nothing found after %s %zu",
                       training_state_row(schedule->request.strategy)->name, wrong, index);
}

static void remove_action(struct schedule *schedule, size_t index)
{
    schedule->action_count--;
    memmove(&schedule->actions[index], &schedule->actions[index + 1],
            (schedule->action_count - index) * sizeof *schedule->actions);
}

static void insert_action(struct schedule *schedule, size_t index, struct schedule_action action)
{
    memmove(&schedule->actions[index + 1], &schedule->actions[index],
            (schedule->action_count - index) * sizeof *schedule->actions);
    schedule->actions[index] = action;
    schedule->action_count++;
}

static void wrong_actions(enum strategy strategy, bool overlap)
{
    struct arena arena = {0};
    struct schedule_request request = request_to_wrong(strategy, overlap);
    struct schedule sound = build(&request, &arena);
    cr_assert_null(schedule_checker_fault(&sound));
    for (size_t i = 0; i < sound.action_count; i++) {
        struct schedule wrong = copy_actions(&sound, &arena);
        remove_action(&wrong, i);
        expect_fault(&wrong, "deleting action", i);
        insert_action(&wrong, i, sound.actions[i]);
        insert_action(&wrong, i, sound.actions[i]);
        expect_fault(&wrong, "doubling action", i);
    }
    arena_fini(&arena);
}

Test(schedule_rules, find_every_action_left_out_or_done_twice)
{
    for (int strategy = 0; strategy < STRATEGY_COUNT; strategy++) {
        wrong_actions((enum strategy)strategy, true);
        wrong_actions((enum strategy)strategy, false);
    }
}

/* The way number `way` of changing an action; false if it makes no sense for this one. */
static bool change(struct schedule_action *action, int way)
{
    bool computes = action->kind == SCHEDULE_FORWARD || action->kind == SCHEDULE_BACKWARD;
    switch (way) {
    case 0:
        action->accumulate = !action->accumulate;
        return action->kind == SCHEDULE_BACKWARD || action->kind == SCHEDULE_ACCUMULATE;
    case 1:
        action->recompute = !action->recompute;
        return action->kind == SCHEDULE_FORWARD;
    case 2:
        action->ticket++;
        return action->ticket != 0; /* none there */
    case 3:
        action->group++;
        return action->group != 0;
    case 4:
        action->buffer++;
        return action->buffer != 0;
    case 5:
        action->stage++;
        return computes;
    case 6:
        action->module = action->module == MODEL_QKV ? MODEL_UP : MODEL_QKV;
        return action->kind == SCHEDULE_BACKWARD;
    case 7:
        action->payload_bytes--;
        return action->communicates;
    case 8:
        action->collective = (enum schedule_collective)((action->collective + 1) % 3);
        return action->communicates;
    case 9:
        action->purpose = (enum schedule_purpose)((action->purpose + 1) % SCHEDULE_PURPOSE_COUNT);
        return action->communicates;
    case 10:
        action->communicates = !action->communicates;
        return action->kind == SCHEDULE_GATHER || action->kind == SCHEDULE_REDUCE ||
               action->kind == SCHEDULE_NORM;
    case 11:
        action->phase = (enum schedule_phase)((action->phase + 1) % SCHEDULE_PHASE_COUNT);
        return true;
    default:
        action->micro_batch++;
        return true;
    }
}

static void change_actions(enum strategy strategy)
{
    struct arena arena = {0};
    struct schedule_request request = request_to_wrong(strategy, true);
    struct schedule schedule = build(&request, &arena);
    for (int way = 0; way <= 12; way++) {
        size_t changed = 0;
        for (size_t i = 0; i < schedule.action_count; i++) {
            struct schedule_action kept = schedule.actions[i];
            if (change(&schedule.actions[i], way)) {
                expect_fault(&schedule, "changing action", 1000 * (size_t)way + i);
                changed++;
            }
            schedule.actions[i] = kept;
        }
        cr_assert_gt(changed, 0, "way %d", way);
    }
    cr_assert_null(schedule_checker_fault(&schedule));
    arena_fini(&arena);
}

Test(schedule_rules, find_every_action_that_says_another_thing)
{
    for (int strategy = 0; strategy < STRATEGY_COUNT; strategy++)
        change_actions((enum strategy)strategy);
}

/* A wait put off to the end of its micro-batch's computing, a buffer given back before its use, a
 * buffer taken after it. */
static void move_actions(enum strategy strategy)
{
    struct arena arena = {0};
    struct schedule_request request = request_to_wrong(strategy, true);
    struct schedule sound = build(&request, &arena);
    size_t moved = 0;
    for (size_t i = 0; i < sound.action_count; i++) {
        const struct schedule_action action = sound.actions[i];
        size_t to = i;
        if (action.kind == SCHEDULE_WAIT && action.phase != SCHEDULE_PHASE_OPTIMIZER) {
            for (; sound.actions[to].kind != SCHEDULE_NORM; to++)
                ;
        } else if (action.kind == SCHEDULE_TAKE) {
            for (; sound.actions[to].kind != SCHEDULE_RELEASE ||
                   sound.actions[to].buffer != action.buffer;
                 to++)
                ;
            to--;
        } else if (action.kind == SCHEDULE_RELEASE) {
            for (; sound.actions[to].kind != SCHEDULE_TAKE ||
                   sound.actions[to].buffer != action.buffer;
                 to--)
                ;
            to++;
        }
        if (to == i)
            continue;
        struct schedule wrong = copy_actions(&sound, &arena);
        remove_action(&wrong, i);
        insert_action(&wrong, to, action);
        expect_fault(&wrong, "moving action", i);
        moved++;
    }
    cr_assert_gt(moved, 20);
    arena_fini(&arena);
}

Test(schedule_rules, find_every_action_at_the_wrong_time)
{
    for (int strategy = 0; strategy < STRATEGY_COUNT; strategy++)
        move_actions((enum strategy)strategy);
}

/* Adds one to a number, expects it to be found, takes it back. */
static void nudge(struct schedule *schedule, uint64_t *number, const char *what, size_t index)
{
    (*number)++;
    expect_fault(schedule, what, index);
    (*number)--;
}

static void nudge_units(struct schedule *schedule)
{
    for (size_t i = 0; i < schedule->unit_count; i++) {
        struct schedule_unit *unit = &schedule->units[i];
        nudge(schedule, &unit->elements, "nudging elements of unit", i);
        nudge(schedule, &unit->padded, "nudging padding of unit", i);
        nudge(schedule, &unit->full_offset, "nudging full offset of unit", i);
        nudge(schedule, &unit->shard_offset, "nudging shard offset of unit", i);
        nudge(schedule, &unit->gathered_offset, "nudging gathered offset of unit", i);
        nudge(schedule, &unit->reduced_offset, "nudging reduced offset of unit", i);
        if (unit->persistent)
            nudge(schedule, &unit->persistent_offset, "nudging persistent offset of unit", i);
        unit->persistent = !unit->persistent;
        expect_fault(schedule, "turning persistence of unit", i);
        unit->persistent = !unit->persistent;
    }
}

static void nudge_groups(struct schedule *schedule)
{
    for (size_t i = 0; i < schedule->group_count; i++) {
        struct schedule_group *group = &schedule->groups[i];
        nudge(schedule, &group->gathered_elements, "nudging gathered size of group", i);
        nudge(schedule, &group->reduced_elements, "nudging reduced size of group", i);
        group->block++;
        expect_fault(schedule, "nudging block of group", i);
        group->block--;
        group->unit_count++;
        expect_fault(schedule, "nudging units of group", i);
        group->unit_count--;
    }
}

static void nudge_buffers(struct schedule *schedule)
{
    for (size_t i = 0; i < schedule->buffer_count; i++) {
        struct schedule_buffer *buffer = &schedule->buffers[i];
        nudge(schedule, &buffer->bytes, "nudging bytes of buffer", i);
        enum schedule_category kept = buffer->category;
        buffer->category = kept == SCHEDULE_WORKSPACE ? SCHEDULE_ACTIVATIONS : SCHEDULE_WORKSPACE;
        expect_fault(schedule, "changing category of buffer", i);
        buffer->category = kept;
        buffer->resident = !buffer->resident;
        expect_fault(schedule, "turning residence of buffer", i);
        buffer->resident = !buffer->resident;
    }
}

static void nudge_layout(enum strategy strategy)
{
    struct arena arena = {0};
    struct schedule_request request = request_to_wrong(strategy, true);
    struct schedule schedule = build(&request, &arena);
    for (size_t i = 0; i < schedule.tensor_count; i++) {
        nudge(&schedule, &schedule.places[i].offset, "nudging place of tensor", i);
        size_t kept = schedule.places[i].unit;
        schedule.places[i].unit = (kept + 1) % schedule.unit_count;
        expect_fault(&schedule, "changing unit of tensor", i);
        schedule.places[i].unit = kept;
    }
    nudge_units(&schedule);
    nudge_groups(&schedule);
    nudge_buffers(&schedule);
    nudge(&schedule, &schedule.full_elements, "nudging all elements", 0);
    nudge(&schedule, &schedule.shard_elements, "nudging shard elements", 0);
    nudge(&schedule, &schedule.persistent_elements, "nudging persistent elements", 0);
    nudge(&schedule, &schedule.persistent_valid_elements, "nudging persistent elements", 1);
    cr_assert_null(schedule_checker_fault(&schedule));
    arena_fini(&arena);
}

Test(schedule_rules, find_everything_that_lies_elsewhere)
{
    for (int strategy = 0; strategy < STRATEGY_COUNT; strategy++)
        nudge_layout((enum strategy)strategy);
}
