#include "evidence_parts.h"

/* The resident state's categories; what else is live at the peak is temporary. */
static bool is_state(int category)
{
    return category == SCHEDULE_PARAMETERS || category == SCHEDULE_GRADIENTS ||
           category == SCHEDULE_OPTIMIZER_STATE;
}

static json_t *state_bytes(const struct evidence_parts *parts)
{
    struct training_state_bytes bytes = {0};
    json_t *object = json_write_object(parts->writer);
    const char *dtype = model_dtype_name(parts->source->config->training.schedule.dtype);
    if (!training_state_bytes_of_dtype(dtype, parts->source->strategy, &bytes))
        return object;
    evidence_parts_set_number(parts, object, "parameters", bytes.parameters);
    evidence_parts_set_number(parts, object, "gradients", bytes.gradients);
    evidence_parts_set_number(parts, object, "optimizer", bytes.optimizer);
    return object;
}

static json_t *wire_bytes(const struct evidence_parts *parts)
{
    json_t *object = json_write_object(parts->writer);
    uint64_t bytes = model_dtype_bytes(parts->source->config->training.schedule.dtype);
    evidence_parts_set_count(parts, object, "parameter", bytes);
    evidence_parts_set_count(parts, object, "gradient", bytes);
    return object;
}

static void set_shape(const struct evidence_parts *parts, json_t *object)
{
    const struct model_shape *shape = &parts->source->config->training.schedule.shape;
    evidence_parts_set_text(parts, object, "model", "gpt2_conventions");
    evidence_parts_set_count(parts, object, "parameters", model_parameters(shape));
    evidence_parts_set_count(parts, object, "width", shape->width);
    evidence_parts_set_count(parts, object, "layers", shape->layers);
    evidence_parts_set_count(parts, object, "heads", shape->heads);
    evidence_parts_set_count(parts, object, "vocab", shape->vocab);
    evidence_parts_set_count(parts, object, "seq_len", shape->seq_len);
    evidence_parts_set_count(parts, object, "micro_batch", shape->micro_batch);
}

json_t *evidence_parts_workload(const struct evidence_parts *parts)
{
    const struct training *training = &parts->source->config->training;
    const struct schedule_request *schedule = &training->schedule;
    json_t *object = json_write_object(parts->writer);
    set_shape(parts, object);
    evidence_parts_set_count(parts, object, "gradient_accumulation",
                             schedule->gradient_accumulation);
    evidence_parts_set_count(parts, object, "global_batch", training_global_batch(training));
    evidence_parts_set_count(parts, object, "world_size", schedule->world_size);
    evidence_parts_set_text(parts, object, "dtype", model_dtype_name(schedule->dtype));
    evidence_parts_set(parts, object, "state_bytes", state_bytes(parts));
    evidence_parts_set(parts, object, "wire_bytes", wire_bytes(parts));
    evidence_parts_set_text(parts, object, "optimizer", "adamw");
    evidence_parts_set_number(parts, object, "learning_rate", training->learning_rate);
    evidence_parts_set_number(parts, object, "max_grad_norm", training->max_grad_norm);
    evidence_parts_set_count(parts, object, "warmup", training->warmup);
    evidence_parts_set_count(parts, object, "repeats", training->repeats);
    evidence_parts_set_count(parts, object, "seed", training->seed);
    evidence_parts_set_bool(parts, object, "activation_checkpointing",
                            schedule->activation_checkpointing);
    return object;
}

json_t *evidence_parts_strategy_options(const struct evidence_parts *parts)
{
    const struct schedule *schedule = &parts->source->plan->schedule;
    const struct schedule_request *request = &schedule->request;
    bool buckets = schedule_whole_parameters(request->strategy);
    bool zero3 = request->strategy == STRATEGY_ZERO3;
    json_t *object = json_write_object(parts->writer);
    if (buckets) {
        evidence_parts_set_count(parts, object, "bucket_bytes", request->bucket_bytes);
        evidence_parts_set_count(parts, object, "first_bucket_bytes",
                                 request->bucket_bytes < SCHEDULE_FIRST_BUCKET_BYTES
                                     ? request->bucket_bytes
                                     : SCHEDULE_FIRST_BUCKET_BYTES);
    } else {
        evidence_parts_set_count(parts, object, "prefetch",
                                 request->overlap ? request->prefetch : 0);
    }
    if (zero3)
        evidence_parts_set_count(parts, object, "persistence_threshold",
                                 request->persistence_threshold);
    evidence_parts_set_text(parts, object, "unit", buckets ? "bucket" : zero3 ? "tensor" : "block");
    evidence_parts_set_count(parts, object, "units", schedule->unit_count);
    evidence_parts_set_count(parts, object, "padded_elements", schedule->full_elements);
    evidence_parts_set_count(parts, object, "persistent_elements",
                             schedule->persistent_valid_elements);
    evidence_parts_set_bool(parts, object, "overlap", request->overlap);
    evidence_parts_set_bool(parts, object, "sharding_exercised", request->world_size > 1);
    evidence_parts_set_bool(parts, object, "bf16_emulated",
                            request->dtype == MODEL_BF16 && !evidence_parts_on_device(parts));
    return object;
}

/* What else than state is live at the predicted peak, by category. */
static json_t *temporary(const struct evidence_parts *parts)
{
    const struct schedule_walk *walk = &parts->source->plan->walk;
    json_t *object = json_write_object(parts->writer);
    int at = SCHEDULE_PHASE_INIT;
    for (int phase = SCHEDULE_PHASE_INIT; phase <= SCHEDULE_PHASE_OPTIMIZER; phase++)
        if (walk->phase_peak[phase] > walk->phase_peak[at])
            at = phase;
    for (int category = 0; category < SCHEDULE_CATEGORY_COUNT; category++)
        if (!is_state(category))
            evidence_parts_set_count(parts, object,
                                     schedule_category_name((enum schedule_category)category),
                                     walk->at_peak[at][category]);
    return object;
}

json_t *evidence_parts_ledger(const struct evidence_parts *parts)
{
    const struct schedule_ledger *ledger = &parts->source->plan->ledger;
    json_t *object = json_write_object(parts->writer);
    evidence_parts_set_count(parts, object, "parameters_bytes", ledger->parameters);
    evidence_parts_set_count(parts, object, "gradients_bytes", ledger->gradients);
    evidence_parts_set_count(parts, object, "optimizer_state_bytes", ledger->optimizer_state);
    evidence_parts_set_count(parts, object, "resident_bytes",
                             ledger->parameters + ledger->gradients + ledger->optimizer_state);
    evidence_parts_set_count(parts, object, "persistent_parameters_bytes", ledger->persistent);
    evidence_parts_set_count(parts, object, "padding_bytes", ledger->padding);
    if (parts->source->plan->incomplete)
        return object; /* without the backend's workspace these are not known */
    evidence_parts_set(parts, object, "temporary", temporary(parts));
    evidence_parts_set_count(parts, object, "predicted_peak_bytes", parts->source->plan->walk.peak);
    return object;
}
