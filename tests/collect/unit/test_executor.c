#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "communicator_count.h"
#include "schedule_walk.h"
#include "trial.h"

static struct diag diag;

static struct trial *make(const struct trial_request *request)
{
    struct trial *trial = NULL;
    cr_assert_eq(trial_create(request, &trial, &diag), STATUS_OK, "%s", diag.text);
    return trial;
}

static void must_step(struct trial *trial, struct executor_step *step)
{
    cr_assert_eq(trial_step(trial, step, &diag), STATUS_OK, "%s", diag.text);
}

/* Every parameter of a run of one rank. */
static float *parameters_of(struct trial *trial)
{
    float *values = calloc(model_parameters(&trial->schedule.request.shape), sizeof *values);
    cr_assert_eq(trial_collect(trial, EXECUTOR_PARAMETERS, values, &diag), STATUS_OK, "%s",
                 diag.text);
    return values;
}

static bool same_parameters(const struct trial *trial, const float *a, const float *b)
{
    return memcmp(a, b, model_parameters(&trial->schedule.request.shape) * sizeof *a) == 0;
}

/* --- time --- */

Test(executor, splits_a_step_into_parts_that_add_up)
{
    const struct trial_request request = {.training =
                                              trial_training(STRATEGY_ZERO2, MODEL_FP32, 4, 2, 1)};
    struct trial *trial = make(&request);
    uint64_t forward = UINT64_MAX,
             backward = UINT64_MAX; /* the smallest: others may take the core */
    for (int i = 0; i < 8; i++) {
        struct executor_step step;
        must_step(trial, &step);
        const struct executor_times *times = &step.times;
        uint64_t exposed = 0;
        for (int p = 0; p < SCHEDULE_PHASE_COUNT; p++)
            exposed += times->exposed_phase_ns[p];
        cr_assert_eq(exposed, times->exposed_ns);
        cr_assert_eq(times->forward_ns + times->backward_ns + times->optimizer_ns +
                         times->exposed_ns + times->other_ns,
                     times->total_ns);
        cr_assert_gt(times->forward_ns, 0);
        forward = times->forward_ns < forward ? times->forward_ns : forward;
        backward = times->backward_ns < backward ? times->backward_ns : backward;
        cr_assert_gt(times->optimizer_ns, 0);
        cr_assert_lt(times->other_ns, times->total_ns);
    }
    cr_assert_gt(backward, forward / 4);
    trial_destroy(trial);
}

/* --- memory --- */

static uint64_t peak_of(const struct trial *trial)
{
    struct schedule_walk walk;
    cr_assert_eq(schedule_walk_of(&trial->schedule, &walk, &diag), STATUS_OK, "%s", diag.text);
    return walk.peak;
}

Test(executor, runs_within_its_peak_and_not_within_one_byte_less)
{
    for (enum strategy strategy = 0; strategy < STRATEGY_COUNT; strategy++) {
        struct trial_request request = {.training = trial_training(strategy, MODEL_BF16, 2, 2, 1)};
        struct executor_step step;
        struct trial *trial = make(&request);
        request.limit = peak_of(trial);
        trial_destroy(trial);
        trial = make(&request);
        must_step(trial, &step);
        trial->memory.limit--;
        struct diag refused = {0};
        cr_assert_eq(trial_step(trial, &step, &refused), STATUS_ENVIRONMENT);
        cr_assert(trial->memory.refused);
        cr_assert_not_null(strstr(refused.text, "out of memory: "), "%s", refused.text);
        trial_destroy(trial);
    }
}

Test(executor, refuses_residents_beyond_the_limit)
{
    struct trial_request request = {.training = trial_training(STRATEGY_DDP, MODEL_FP32, 1, 1, 1),
                                    .limit = 1000};
    struct trial *trial = NULL;
    cr_assert_eq(trial_create(&request, &trial, &diag), STATUS_ENVIRONMENT);
    cr_assert_null(trial);
    cr_assert_not_null(strstr(diag.text, "out of memory"));
}

/* Sum of the absolute values of every padding element of a state's shards. */
static double padding_size(struct trial *trial, enum executor_state state)
{
    const struct schedule *schedule = &trial->schedule;
    const uint64_t width = executor_state_bytes(trial->executor, state);
    double sum = 0;
    for (size_t unit = 0; unit < schedule->unit_count && width > 0; unit++) {
        const uint64_t part = schedule->units[unit].padded / schedule->request.world_size;
        const uint64_t valid = schedule_valid_elements(schedule, unit, trial->communicator->rank);
        const unsigned char *shard = executor_shard(trial->executor, state, unit);
        for (uint64_t i = valid * width; i < part * width; i++)
            sum += shard[i];
    }
    return sum;
}

Test(executor, leaves_padding_zero)
{
    for (enum strategy strategy = 0; strategy < STRATEGY_COUNT; strategy++)
        for (uint64_t rank = 0; rank < 4; rank++) {
            const struct trial_request request = {
                .training = trial_training(strategy, MODEL_BF16, 4, 2, 1), .rank = rank};
            struct trial *trial = make(&request);
            struct executor_step step;
            for (int i = 0; i < 3; i++)
                must_step(trial, &step);
            for (enum executor_state state = 0; state < EXECUTOR_STATE_COUNT; state++)
                cr_assert_eq(padding_size(trial, state), 0, "%s, rank %u, state %d",
                             training_state_row(strategy)->name, (unsigned)rank, (int)state);
            trial_destroy(trial);
        }
}

/* --- what stops a step --- */

static enum status stop_at_norm(void *context, const struct schedule_action *action, struct diag *d)
{
    (*(int *)context)++;
    return action->kind == SCHEDULE_NORM ? diag_set(d, STATUS_ENVIRONMENT, "enough") : STATUS_OK;
}

Test(executor, asks_the_observer_before_every_action)
{
    int asked = 0;
    const struct trial_request request = {.training =
                                              trial_training(STRATEGY_ZERO1, MODEL_FP32, 1, 1, 1),
                                          .observer = {stop_at_norm, &asked}};
    struct trial *trial = make(&request);
    float *before = parameters_of(trial);
    struct executor_step step;
    cr_assert_eq(trial_step(trial, &step, &diag), STATUS_ENVIRONMENT);
    cr_assert_str_eq(diag.text, "enough");
    int expected = 1;
    for (size_t i = 0; trial->schedule.actions[i].kind != SCHEDULE_NORM; i++)
        expected++;
    cr_assert_eq(asked, expected);
    cr_assert_eq(executor_steps(trial->executor), 0);
    float *after = parameters_of(trial);
    cr_assert(same_parameters(trial, before, after));
    free(before);
    free(after);
    trial_destroy(trial);
}

static struct trial *poisoned;

static enum status poison(void *context, const struct schedule_action *action, struct diag *d)
{
    (void)context;
    (void)d;
    if (poisoned != NULL && action->kind == SCHEDULE_BACKWARD && action->module == MODEL_WTE)
        executor_poison(poisoned->executor);
    return STATUS_OK;
}

Test(executor, stops_at_a_norm_that_is_not_finite_and_keeps_the_parameters)
{
    for (enum strategy strategy = 0; strategy < STRATEGY_COUNT; strategy++)
        for (enum model_dtype dtype = 0; dtype < MODEL_DTYPE_COUNT; dtype++) {
            struct diag words = {0};
            struct executor_step step;
            const struct trial_request request = {
                .training = trial_training(strategy, dtype, 1, 2, 1), .observer = {poison, NULL}};
            poisoned = NULL;
            struct trial *trial = make(&request);
            must_step(trial, &step);
            float *before = parameters_of(trial);
            poisoned = trial;
            cr_assert_eq(trial_step(trial, &step, &words), STATUS_NEGATIVE);
            cr_assert_not_null(strstr(words.text, "the gradient norm is not a number"), "%s",
                               words.text);
            cr_assert(!isfinite(step.grad_norm));
            float *after = parameters_of(trial);
            cr_assert(same_parameters(trial, before, after));
            cr_assert_eq(executor_steps(trial->executor), 1);
            free(before);
            free(after);
            trial_destroy(trial);
        }
}

/* --- a schedule at fault is a bug that is named, not a wrong number --- */

/* Takes the first action of that kind out, and what waits for it. */
static void drop(struct schedule *schedule, enum schedule_action_kind kind, size_t ticket)
{
    size_t kept = 0;
    for (size_t i = 0; i < schedule->action_count; i++) {
        const struct schedule_action *action = &schedule->actions[i];
        if ((action->kind == kind || action->kind == SCHEDULE_WAIT) && action->ticket == ticket)
            continue;
        schedule->actions[kept++] = *action;
    }
    schedule->action_count = kept;
}

static size_t first_ticket(const struct schedule *schedule, enum schedule_action_kind kind)
{
    size_t i = 0;
    while (schedule->actions[i].kind != kind)
        i++;
    return schedule->actions[i].ticket;
}

static void drop_first_gather(struct schedule *schedule)
{
    drop(schedule, SCHEDULE_GATHER, first_ticket(schedule, SCHEDULE_GATHER));
}

static void wait_twice(struct schedule *schedule)
{
    size_t i = 0;
    while (schedule->actions[i].kind != SCHEDULE_WAIT)
        i++;
    schedule->actions[i + 1] = schedule->actions[i];
}

static void count_too_much(struct schedule *schedule)
{
    size_t i = 0;
    while (schedule->actions[i].kind != SCHEDULE_REDUCE)
        i++;
    schedule->actions[i].payload_bytes += 64;
}

static void expect_bug(enum strategy strategy, void (*change)(struct schedule *), const char *words,
                       int step_of_bug)
{
    struct diag said = {0};
    struct executor_step step;
    const struct trial_request request = {.training = trial_training(strategy, MODEL_FP32, 2, 1, 1),
                                          .change = change};
    struct trial *trial = make(&request);
    for (int i = 0; i < step_of_bug; i++)
        must_step(trial, &step);
    cr_assert_eq(trial_step(trial, &step, &said), STATUS_BUG, "%s",
                 training_state_row(strategy)->name);
    cr_assert_not_null(strstr(said.text, words), "%s", said.text);
    trial_destroy(trial);
}

Test(executor, names_parameters_that_were_not_gathered)
{
    expect_bug(STRATEGY_ZERO3, drop_first_gather, "without the parameters of ", 0);
    expect_bug(STRATEGY_FSDP, drop_first_gather, "without the parameters of ", 0);
}

Test(executor, names_parameters_that_were_not_gathered_after_their_update)
{
    expect_bug(STRATEGY_ZERO1, drop_first_gather, "without the parameters of ", 1);
    expect_bug(STRATEGY_ZERO2, drop_first_gather, "without the parameters of ", 1);
}

Test(executor, names_a_wait_for_nothing)
{
    expect_bug(STRATEGY_ZERO2, wait_twice, "which is not posted", 0);
}

Test(executor, names_bytes_that_are_not_those_of_the_arrays)
{
    expect_bug(STRATEGY_DDP, count_too_much, "bytes for a collective of", 0);
}

/* --- the pass without collectives --- */

Test(executor, computes_on_real_values_without_collectives)
{
    for (enum strategy strategy = 0; strategy < STRATEGY_COUNT; strategy++) {
        const struct trial_request request = {
            .training = trial_training(strategy, MODEL_BF16, 4, 2, 1), .rank = 3};
        struct trial *trial = make(&request);
        trial->communicator->off = true;
        for (int i = 0; i < 5; i++) {
            struct executor_step step;
            must_step(trial, &step);
            cr_assert(isfinite(step.loss_sum));
            cr_assert_eq(step.times.exposed_ns, 0);
        }
        trial_destroy(trial);
    }
}

/* --- state --- */

Test(executor, keeps_states_by_strategy_and_dtype)
{
    static const struct {
        enum strategy strategy;
        enum model_dtype dtype;
        uint64_t bytes[EXECUTOR_STATE_COUNT]; /* parameters, gradients, master, moments */
    } cases[] = {
        {STRATEGY_DDP, MODEL_FP32, {4, 4, 0, 4, 4}},
        {STRATEGY_DDP, MODEL_BF16, {2, 2, 4, 4, 4}},
        {STRATEGY_ZERO3, MODEL_BF16, {2, 2, 4, 4, 4}},
        {STRATEGY_ZERO3, MODEL_FP32, {4, 4, 0, 4, 4}},
        {STRATEGY_FSDP, MODEL_FP32, {4, 4, 0, 4, 4}},
        {STRATEGY_FSDP, MODEL_BF16, {4, 4, 0, 4, 4}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct trial_request request = {
            .training = trial_training(cases[i].strategy, cases[i].dtype, 2, 1, 1)};
        struct trial *trial = make(&request);
        for (enum executor_state state = 0; state < EXECUTOR_STATE_COUNT; state++) {
            cr_assert_eq(executor_state_bytes(trial->executor, state), cases[i].bytes[state]);
            cr_assert_eq(executor_shard(trial->executor, state, 0) == NULL,
                         cases[i].bytes[state] == 0);
        }
        trial_destroy(trial);
    }
}

/* A run whose state is taken to another one goes on there as if nothing had happened. */
static void move_state(struct trial *from, struct trial *to)
{
    for (enum executor_state state = 0; state < EXECUTOR_STATE_COUNT; state++)
        for (size_t unit = 0; unit < from->schedule.unit_count; unit++) {
            void *shard = executor_shard(to->executor, state, unit);
            if (shard != NULL && state != EXECUTOR_GRADIENTS)
                memcpy(shard, executor_shard(from->executor, state, unit),
                       from->schedule.units[unit].padded *
                           executor_state_bytes(from->executor, state));
        }
    executor_set_steps(to->executor, executor_steps(from->executor));
    cr_assert_eq(executor_publish(to->executor, &diag), STATUS_OK, "%s", diag.text);
}

Test(executor, goes_on_from_published_state)
{
    for (enum strategy strategy = 0; strategy < STRATEGY_COUNT; strategy++)
        for (enum model_dtype dtype = 0; dtype < MODEL_DTYPE_COUNT; dtype++) {
            struct executor_step step;
            const struct trial_request request = {.training =
                                                      trial_training(strategy, dtype, 1, 2, 1)};
            struct trial *first = make(&request), *second = make(&request);
            must_step(first, &step);
            must_step(first, &step);
            move_state(first, second);
            must_step(first, &step);
            must_step(second, &step);
            float *a = parameters_of(first), *b = parameters_of(second);
            cr_assert(same_parameters(first, a, b), "%s %s", training_state_row(strategy)->name,
                      model_dtype_name(dtype));
            free(a);
            free(b);
            trial_destroy(first);
            trial_destroy(second);
        }
}
