#include "schedule_checker.h"

/* What must be computed next, in the order of the model. */
struct expected {
    enum schedule_action_kind kind;
    size_t stage;
    enum model_module module;
    bool recompute;
};

static const enum model_module backward_block[] = {MODEL_DOWN,       MODEL_UP,  MODEL_LN2,
                                                   MODEL_PROJECTION, MODEL_QKV, MODEL_LN1};

static size_t layers_of(const struct checker *checker)
{
    return (size_t)checker->schedule->request.shape.layers;
}

/* Actions of a block's backward. */
static size_t block_length(const struct checker *checker)
{
    return checker->schedule->request.activation_checkpointing ? 7 : 6;
}

/* All forwards, two of the head, the blocks', one of the embedding. */
static size_t micro_batch_length(const struct checker *checker)
{
    return layers_of(checker) + 2 + 2 + layers_of(checker) * block_length(checker) + 1;
}

bool checker_computed(const struct checker *checker)
{
    return checker->micro_batch + 1 == checker->schedule->request.gradient_accumulation &&
           checker->position == micro_batch_length(checker);
}

static struct expected expected_now(const struct checker *checker)
{
    size_t at = checker->position;
    size_t layers = layers_of(checker);
    size_t length = block_length(checker);
    if (at < layers + 2)
        return (struct expected){SCHEDULE_FORWARD, at, MODEL_WTE, false};
    at -= layers + 2;
    if (at < 2)
        return (struct expected){SCHEDULE_BACKWARD, layers + 1, at == 0 ? MODEL_WTE : MODEL_LN_F,
                                 false};
    at -= 2;
    if (at >= layers * length)
        return (struct expected){SCHEDULE_BACKWARD, 0, MODEL_WPE, false};
    size_t stage = layers - at / length;
    at %= length;
    if (length == 7 && at == 0)
        return (struct expected){SCHEDULE_FORWARD, stage, MODEL_WTE, true};
    return (struct expected){SCHEDULE_BACKWARD, stage, backward_block[at - (length == 7)], false};
}

static bool is_filled(const struct checker *checker, enum schedule_role role, size_t stage)
{
    size_t buffer = checker_buffer(checker, role, stage);
    return buffer != SCHEDULE_NONE && checker->live[buffer] && checker->filled[buffer];
}

static bool fill(struct checker *checker, enum schedule_role role, size_t stage)
{
    size_t buffer = checker_buffer(checker, role, stage);
    if (buffer == SCHEDULE_NONE || !checker->live[buffer])
        return checker_fail(checker, "writes stage %zu's buffer, which is not live", stage);
    checker->filled[buffer] = true;
    return true;
}

static bool reads(struct checker *checker, size_t tensor)
{
    const struct schedule *schedule = checker->schedule;
    size_t group = checker_group_of(checker, tensor);
    size_t buffer = checker_buffer(checker, SCHEDULE_ROLE_GATHERED, group);
    if (schedule->request.strategy < STRATEGY_ZERO3 ||
        schedule->units[schedule->places[tensor].unit].persistent)
        return true;
    if (buffer == SCHEDULE_NONE || !checker->live[buffer] ||
        checker->groups[group].gathered != CHECKER_WHOLE)
        return checker_fail(checker, "reads tensor %zu, which is not gathered", tensor);
    return true;
}

static bool has_bias(enum model_module module)
{
    return module != MODEL_WTE && module != MODEL_WPE;
}

static size_t tensor_of(const struct checker *checker, size_t stage, enum model_module module)
{
    return model_tensor_index(&checker->schedule->request.shape, module,
                              stage >= 1 && stage <= layers_of(checker) ? stage - 1 : 0, false);
}

static bool reads_module(struct checker *checker, size_t stage, enum model_module module)
{
    size_t tensor = tensor_of(checker, stage, module);
    return reads(checker, tensor) && (!has_bias(module) || reads(checker, tensor + 1));
}

static bool forward(struct checker *checker, size_t stage)
{
    bool head = stage == layers_of(checker) + 1;
    if (stage >= 1 && !is_filled(checker, SCHEDULE_ROLE_STREAM, stage - 1))
        return checker_fail(checker, "stage %zu's input is not there", stage);
    if (stage >= 1 && !fill(checker, SCHEDULE_ROLE_SAVED, stage))
        return false;
    if (!head && !checker->action->recompute && !fill(checker, SCHEDULE_ROLE_STREAM, stage))
        return false;
    if (stage == 0)
        return reads_module(checker, stage, MODEL_WTE) && reads_module(checker, stage, MODEL_WPE);
    if (head)
        return reads_module(checker, stage, MODEL_WTE) && reads_module(checker, stage, MODEL_LN_F);
    for (int module = MODEL_LN1; module <= MODEL_DOWN; module++)
        if (!reads_module(checker, stage, (enum model_module)module))
            return false;
    return true;
}

static bool adds(struct checker *checker, size_t tensor, bool accumulate)
{
    size_t group = checker_group_of(checker, tensor);
    size_t buffer = checker_buffer(checker, SCHEDULE_ROLE_REDUCED, group);
    struct checker_gradient *gradient = &checker->whole[tensor];
    if (checker->schedule->request.strategy >= STRATEGY_ZERO2 &&
        (buffer == SCHEDULE_NONE || !checker->live[buffer]))
        return checker_fail(checker, "tensor %zu's gradient has no buffer", tensor);
    if (checker->groups[group].reducing || checker->groups[group].reduced)
        return checker_fail(checker, "writes tensor %zu's gradient after its reduction", tensor);
    if (gradient->stale == accumulate)
        return checker_fail(checker, "tensor %zu's gradient %s", tensor,
                            accumulate ? "is added to what is no gradient" : "is overwritten");
    gradient->stale = false;
    gradient->parts = accumulate ? gradient->parts + 1 : 1;
    return true;
}

static bool backward(struct checker *checker, size_t stage, enum model_module module)
{
    size_t tensor = tensor_of(checker, stage, module);
    bool accumulate = checker->action->accumulate;
    if (stage >= 1 && (!is_filled(checker, SCHEDULE_ROLE_SAVED, stage) ||
                       !is_filled(checker, SCHEDULE_ROLE_STREAM, stage - 1)))
        return checker_fail(checker, "stage %zu's activations are not there", stage);
    if (stage >= 1 && !reads(checker, tensor))
        return false;
    if (!adds(checker, tensor, accumulate))
        return false;
    if (has_bias(module) && !adds(checker, tensor + 1, accumulate))
        return false;
    return stage > 0 || adds(checker, tensor_of(checker, 0, MODEL_WTE), true);
}

bool checker_compute(struct checker *checker)
{
    const struct schedule_action *action = checker->action;
    if (checker->position == micro_batch_length(checker))
        return checker_fail(checker, "computes after the micro-batch is done");
    struct expected expected = expected_now(checker);
    if (action->kind != expected.kind || action->stage != expected.stage ||
        action->recompute != expected.recompute ||
        (expected.kind == SCHEDULE_BACKWARD && action->module != expected.module))
        return checker_fail(checker, "computes stage %zu out of turn", action->stage);
    checker->position++;
    return action->kind == SCHEDULE_FORWARD ? forward(checker, action->stage)
                                            : backward(checker, action->stage, action->module);
}
