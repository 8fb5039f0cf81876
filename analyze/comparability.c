#include "comparability.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "normalise.h"
#include "text.h"

static const char *const names[COMPARABILITY_FIELD_COUNT] = {
    [COMPARABILITY_WORLD_SIZE] = "world_size",
    [COMPARABILITY_GLOBAL_BATCH] = "global_batch",
    [COMPARABILITY_MICRO_BATCH] = "micro_batch",
    [COMPARABILITY_GRADIENT_ACCUMULATION] = "gradient_accumulation",
    [COMPARABILITY_SEQ_LEN] = "seq_len",
    [COMPARABILITY_MODEL] = "model",
    [COMPARABILITY_PARAMETERS] = "parameters",
    [COMPARABILITY_WIDTH] = "width",
    [COMPARABILITY_LAYERS] = "layers",
    [COMPARABILITY_HEADS] = "heads",
    [COMPARABILITY_VOCAB] = "vocab",
    [COMPARABILITY_DTYPE] = "dtype",
    [COMPARABILITY_OPTIMIZER] = "optimizer",
    [COMPARABILITY_ACTIVATION_CHECKPOINTING] = "activation_checkpointing",
    [COMPARABILITY_STATE_BYTES] = "state_bytes",
    [COMPARABILITY_THROUGHPUT_UNIT] = "throughput_unit",
    [COMPARABILITY_TIMES_COUNT] = "times_count",
    [COMPARABILITY_DEVICE] = "device",
    [COMPARABILITY_DEVICE_COUNT] = "device_count",
};

/* Where a field stands in struct record: a double, or a const char *. 0: other_text() knows it. */
#define WORKLOAD(member) offsetof(struct record, workload.member)

static const size_t number_offsets[COMPARABILITY_FIELD_COUNT] = {
    [COMPARABILITY_WORLD_SIZE] = WORKLOAD(world_size),
    [COMPARABILITY_GLOBAL_BATCH] = WORKLOAD(global_batch),
    [COMPARABILITY_MICRO_BATCH] = WORKLOAD(micro_batch),
    [COMPARABILITY_GRADIENT_ACCUMULATION] = WORKLOAD(gradient_accumulation),
    [COMPARABILITY_SEQ_LEN] = WORKLOAD(seq_len),
    [COMPARABILITY_PARAMETERS] = WORKLOAD(parameters),
    [COMPARABILITY_WIDTH] = WORKLOAD(width),
    [COMPARABILITY_LAYERS] = WORKLOAD(layers),
    [COMPARABILITY_HEADS] = WORKLOAD(heads),
    [COMPARABILITY_VOCAB] = WORKLOAD(vocab),
    [COMPARABILITY_STATE_BYTES] = WORKLOAD(state_bytes_sum),
    [COMPARABILITY_DEVICE_COUNT] = offsetof(struct record, hardware.device_count),
};

static const size_t text_offsets[COMPARABILITY_FIELD_COUNT] = {
    [COMPARABILITY_MODEL] = WORKLOAD(model),
    [COMPARABILITY_OPTIMIZER] = WORKLOAD(optimizer),
    [COMPARABILITY_DEVICE] = offsetof(struct record, hardware.device),
};

/* As labels say it before the value; the names that are missing here are words already. */
static const char *const words[COMPARABILITY_FIELD_COUNT] = {
    [COMPARABILITY_WORLD_SIZE] = "world size",
    [COMPARABILITY_GLOBAL_BATCH] = "global batch",
    [COMPARABILITY_MICRO_BATCH] = "micro-batch",
    [COMPARABILITY_GRADIENT_ACCUMULATION] = "accumulation",
    [COMPARABILITY_SEQ_LEN] = "sequence length",
    [COMPARABILITY_VOCAB] = "vocabulary",
    [COMPARABILITY_DTYPE] = "number format",
    [COMPARABILITY_ACTIVATION_CHECKPOINTING] = "activation checkpointing",
    [COMPARABILITY_STATE_BYTES] = "state bytes per parameter",
    [COMPARABILITY_THROUGHPUT_UNIT] = "throughput unit",
    [COMPARABILITY_TIMES_COUNT] = "times count:",
    [COMPARABILITY_DEVICE_COUNT] = "devices",
};

const char *const *comparability_names(void)
{
    return names;
}

const char *comparability_name(enum comparability_field field)
{
    return names[field];
}

const char *comparability_words(enum comparability_field field)
{
    return words[field] != NULL ? words[field] : names[field];
}

bool comparability_find(const char *name, enum comparability_field *field)
{
    for (int f = 0; f < COMPARABILITY_FIELD_COUNT; f++) {
        if (strcmp(names[f], name) == 0) {
            *field = (enum comparability_field)f;
            return true;
        }
    }
    return false;
}

size_t comparability_free_fields(const char *free_names[COMPARABILITY_FIELD_COUNT])
{
    size_t count = 0;
    for (int f = 0; f < COMPARABILITY_FIELD_COUNT; f++)
        if (f != COMPARABILITY_THROUGHPUT_UNIT && f != COMPARABILITY_TIMES_COUNT)
            free_names[count++] = names[f];
    return count;
}

void comparability_freed(const struct policy *policy, bool freed[COMPARABILITY_FIELD_COUNT])
{
    memset(freed, 0, COMPARABILITY_FIELD_COUNT * sizeof freed[0]);
    for (size_t i = 0; i < policy->vary_count; i++) {
        enum comparability_field field;
        if (comparability_find(policy->vary[i], &field))
            freed[field] = true;
    }
}

static const char *other_text(const struct record *record, enum comparability_field field)
{
    switch (field) {
    case COMPARABILITY_DTYPE:
        return normalise_dtype(record->workload.dtype);
    case COMPARABILITY_ACTIVATION_CHECKPOINTING:
        if (record->workload.activation_checkpointing < 0)
            return NULL;
        return record->workload.activation_checkpointing > 0 ? "true" : "false";
    case COMPARABILITY_THROUGHPUT_UNIT:
        if (isnan(record->metrics.throughput))
            return NULL;
        return throughput_unit_name(record->metrics.throughput_unit);
    case COMPARABILITY_TIMES_COUNT:
        return record_times_count(record) ? "true" : "false";
    default:
        return NULL;
    }
}

bool comparability_text(const struct record *record, enum comparability_field field,
                        struct arena *arena, const char **text)
{
    const unsigned char *bytes = (const unsigned char *)record;
    if (text_offsets[field] != 0) {
        memcpy(text, bytes + text_offsets[field], sizeof *text);
        return true;
    }
    if (number_offsets[field] == 0) {
        *text = other_text(record, field);
        return true;
    }
    double number = NAN;
    char digits[64];
    memcpy(&number, bytes + number_offsets[field], sizeof number);
    *text = NULL;
    if (isnan(number))
        return true;
    text_number_exact(digits, sizeof digits, number);
    *text = arena_copy(arena, digits, strlen(digits));
    return *text != NULL;
}
