#include "record.h"

#include <math.h>
#include <string.h>

#include "normalise.h"

static const char *const kind_names[MEMORY_KIND_COUNT] = {
    [MEMORY_ALLOCATED] = "allocated",
    [MEMORY_RESERVED] = "reserved",
    [MEMORY_DEVICE] = "device",
};

const char *memory_kind_name(enum memory_kind kind)
{
    return kind_names[kind];
}

bool memory_kind_find(const char *name, size_t length, enum memory_kind *kind)
{
    for (int i = 0; i < MEMORY_KIND_COUNT; i++) {
        if (strlen(kind_names[i]) == length && memcmp(kind_names[i], name, length) == 0) {
            *kind = (enum memory_kind)i;
            return true;
        }
    }
    return false;
}

const char *throughput_unit_name(enum throughput_unit unit)
{
    return unit == THROUGHPUT_SAMPLES ? "samples/s" : "tokens/s";
}

bool record_times_count(const struct record *record)
{
    return record->level != NULL && record->level->times_count;
}

/* The first of `names` that is a number; NAN if none is. */
static double first_number(const struct normalise *context, uint32_t object,
                           const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        double value = normalise_number(context, object, names[i]);
        if (!isnan(value))
            return value;
    }
    return NAN;
}

/* `state_bytes` by component (an object, or an array in the order of the contract), or one number,
 * which says the sum alone. */
static void read_state_bytes(struct normalise *context, uint32_t workload, struct workload *out)
{
    static const char *const optimizer_names[] = {"optimizer", "optimizer_state"};
    uint32_t node = json_read_member(context->json, workload, "state_bytes");
    out->state_bytes = (struct training_state_bytes){NAN, NAN, NAN};
    out->state_bytes_sum = normalise_number(context, workload, "state_bytes");
    if (json_read_is(context->json, node, JSON_READ_OBJECT)) {
        out->state_bytes.parameters = normalise_number(context, node, "parameters");
        out->state_bytes.gradients = normalise_number(context, node, "gradients");
        out->state_bytes.optimizer = first_number(context, node, optimizer_names, 2);
    } else if (json_read_is(context->json, node, JSON_READ_ARRAY)) {
        struct series values = normalise_series(context, node);
        if (values.count == 3)
            out->state_bytes =
                (struct training_state_bytes){values.values[0], values.values[1], values.values[2]};
    }
    double sum =
        out->state_bytes.parameters + out->state_bytes.gradients + out->state_bytes.optimizer;
    if (isfinite(sum))
        out->state_bytes_sum = sum;
}

/* Bytes of an element in a collective, as recorded, else of the data type (2 or 4). */
static void read_wire_bytes(struct normalise *context, uint32_t workload, struct workload *out)
{
    static const char *const parameter_names[] = {"parameter", "parameters"};
    static const char *const gradient_names[] = {"gradient", "gradients"};
    uint32_t node = json_read_member(context->json, workload, "wire_bytes");
    double fallback = NAN;
    struct training_state_bytes bytes;
    const char *dtype = normalise_dtype(out->dtype);
    if (dtype != NULL && training_state_bytes_of_dtype(dtype, STRATEGY_DDP, &bytes))
        fallback = bytes.parameters;
    out->parameter_wire_bytes = first_number(context, node, parameter_names, 2);
    out->gradient_wire_bytes = first_number(context, node, gradient_names, 2);
    if (isnan(out->parameter_wire_bytes))
        out->parameter_wire_bytes = fallback;
    if (isnan(out->gradient_wire_bytes))
        out->gradient_wire_bytes = fallback;
}

static void derive_global_batch(struct normalise *context, struct workload *workload)
{
    if (!isnan(workload->global_batch))
        return;
    bool accumulation_given = !isnan(workload->gradient_accumulation);
    double accumulation = accumulation_given ? workload->gradient_accumulation : 1;
    double batch = workload->micro_batch * accumulation * workload->world_size;
    if (!isfinite(batch))
        return;
    workload->global_batch = batch;
    normalise_report(context, "workload.global_batch",
                     accumulation_given
                         ? "micro_batch * gradient_accumulation * world_size"
                         : "micro_batch * world_size (gradient_accumulation not given: taken as 1)",
                     batch, "sequences");
}

static int read_flag(const struct normalise *context, uint32_t object, const char *name)
{
    uint32_t node = json_read_member(context->json, object, name);
    if (json_read_is(context->json, node, JSON_READ_TRUE))
        return 1;
    return json_read_is(context->json, node, JSON_READ_FALSE) ? 0 : -1;
}

static void read_workload(struct normalise *context, uint32_t node, struct workload *workload)
{
    *workload = (struct workload){
        .model = normalise_text(context, node, "model"),
        .dtype = normalise_text(context, node, "dtype"),
        .optimizer = normalise_text(context, node, "optimizer"),
        .parameters = normalise_number(context, node, "parameters"),
        .width = normalise_number(context, node, "width"),
        .layers = normalise_number(context, node, "layers"),
        .heads = normalise_number(context, node, "heads"),
        .vocab = normalise_number(context, node, "vocab"),
        .seq_len = normalise_number(context, node, "seq_len"),
        .micro_batch = normalise_number(context, node, "micro_batch"),
        .gradient_accumulation = normalise_number(context, node, "gradient_accumulation"),
        .global_batch = normalise_number(context, node, "global_batch"),
        .world_size = normalise_number(context, node, "world_size"),
        .warmup = normalise_number(context, node, "warmup"),
        .repeats = normalise_number(context, node, "repeats"),
        .activation_checkpointing = read_flag(context, node, "activation_checkpointing"),
    };
    if (isnan(workload->parameters)) {
        workload->parameters = normalise_number(context, node, "num_parameters");
        if (!isnan(workload->parameters))
            normalise_report(context, "workload.parameters", "num_parameters", workload->parameters,
                             "parameters");
    }
    derive_global_batch(context, workload);
    read_state_bytes(context, node, workload);
    read_wire_bytes(context, node, workload);
}

static void read_options(const struct normalise *context, uint32_t record,
                         struct workload *workload)
{
    uint32_t options = json_read_member(context->json, record, "strategy_options");
    workload->bucket_bytes = normalise_number(context, options, "bucket_bytes");
    if (isnan(workload->bucket_bytes))
        workload->bucket_bytes = normalise_number(context, options, "bucket_mb") * 1048576;
    if (!isfinite(workload->bucket_bytes))
        workload->bucket_bytes = NAN;
    workload->prefetch = normalise_number(context, options, "prefetch");
    workload->persistence_threshold = normalise_number(context, options, "persistence_threshold");
    workload->overlap = read_flag(context, options, "overlap");
}

static void read_hardware(struct normalise *context, uint32_t record, struct hardware *hardware)
{
    static const char *const device_names[] = {"device", "device_name", "gpu",        "gpu_name",
                                               "name",   "model",       "accelerator"};
    static const char *const count_names[] = {"device_count", "gpu_count", "num_gpus", "gpus",
                                              "count"};
    uint32_t node = json_read_member(context->json, record, "hardware");
    hardware->device = normalise_text(context, record, "hardware");
    for (size_t i = 0; i < sizeof device_names / sizeof device_names[0]; i++) {
        if (hardware->device != NULL)
            break;
        hardware->device = normalise_text(context, node, device_names[i]);
    }
    hardware->device_count =
        first_number(context, node, count_names, sizeof count_names / sizeof count_names[0]);
}

/* null and the empty text are no failure; any other text is a reason. */
static void read_failure(struct normalise *context, uint32_t record, struct failure *failure)
{
    uint32_t node = json_read_member(context->json, record, "failure");
    *failure = (struct failure){.rank = NAN, .step = NAN, .limit_mb = NAN};
    if (json_read_is(context->json, node, JSON_READ_STRING)) {
        const char *reason = normalise_text(context, record, "failure");
        failure->failed = reason == NULL || reason[0] != '\0';
        failure->reason = failure->failed ? reason : NULL;
    } else if (json_read_is(context->json, node, JSON_READ_OBJECT)) {
        failure->failed = true;
        failure->reason = normalise_text(context, node, "reason");
        failure->kind = normalise_text(context, node, "kind");
        failure->phase = normalise_text(context, node, "phase");
        failure->rank = normalise_number(context, node, "rank");
        failure->step = normalise_number(context, node, "step");
        double limit = normalise_number(context, node, "limit_bytes");
        failure->limit_mb = limit > 0 ? limit / 1048576 : NAN;
    }
}

/* "slow@rank:0,step:2", of our own collector; the first of them. */
static const char *read_injected(struct normalise *context, uint32_t record)
{
    const struct json_read_document *json = context->json;
    uint32_t faults =
        json_read_member(json, json_read_member(json, record, "run"), "injected_faults");
    if (!json_read_is(json, faults, JSON_READ_ARRAY) || json_read_count(json, faults) == 0)
        return NULL;
    return normalise_text(context, json_read_first(json, faults), "fault");
}

static const char *read_decision(struct normalise *context, uint32_t record)
{
    const char *text = normalise_text(context, record, "decision");
    if (text != NULL)
        return text;
    return normalise_text(context, json_read_member(context->json, record, "decision"), "decision");
}

/* What tells with which records one may be compared. */
static void read_comparable(struct normalise *context, uint32_t node, struct record *record)
{
    const struct json_read_document *json = context->json;
    record->level_name = normalise_text(context, node, "evidence_level");
    if (record->level_name != NULL)
        record->level = evidence_level_find(record->level_name, strlen(record->level_name));
    read_workload(context, json_read_member(json, node, "workload"), &record->workload);
    read_hardware(context, node, &record->hardware);
    normalise_metrics(context, json_read_member(json, node, "metrics"), &record->metrics);
}

enum status record_read_refused(const struct json_read_document *json, uint32_t node,
                                struct arena *arena, struct record *record, struct diag *diag)
{
    struct normalise context = {.json = json, .arena = arena};
    struct record read = {.json = json, .node = node};
    read_comparable(&context, node, &read);
    if (context.failed)
        return diag_no_memory(diag);
    *record = read;
    return STATUS_OK;
}

enum status record_read(const struct json_read_document *json, uint32_t node, struct arena *arena,
                        struct record *record, struct diag *diag)
{
    struct normalise context = {.json = json, .arena = arena};
    struct record read = {.json = json, .node = node};
    const char *strategy = normalise_text(&context, node, "strategy");
    if (!context.failed &&
        (strategy == NULL || !training_state_find(strategy, strlen(strategy), &read.strategy)))
        return diag_set(diag, STATUS_BUG, "a record without a valid strategy passed validation");
    read_comparable(&context, node, &read);
    read_options(&context, node, &read.workload);
    read_failure(&context, node, &read.failure);
    read.decision = read_decision(&context, node);
    const char *schema = normalise_text(&context, node, "schema");
    read.own_collector = schema != NULL && strncmp(schema, "rankledger.evidence/", 20) == 0;
    if (read.own_collector)
        read.injected = read_injected(&context, node);
    if (context.failed)
        return diag_no_memory(diag);
    read.normalised = context.items;
    read.normalised_count = context.count;
    *record = read;
    return STATUS_OK;
}
