#ifndef RANKLEDGER_COMPARABILITY_H
#define RANKLEDGER_COMPARABILITY_H

#include "policy.h"
#include "record.h"

/*
 * The fields in which records must agree to be compared, in the order in which they are tested
 * (decision rules, "Comparability and repeats").
 */
enum comparability_field {
    COMPARABILITY_WORLD_SIZE,
    COMPARABILITY_GLOBAL_BATCH,
    COMPARABILITY_MICRO_BATCH,
    COMPARABILITY_GRADIENT_ACCUMULATION,
    COMPARABILITY_SEQ_LEN,
    COMPARABILITY_MODEL,
    COMPARABILITY_PARAMETERS,
    COMPARABILITY_WIDTH,
    COMPARABILITY_LAYERS,
    COMPARABILITY_HEADS,
    COMPARABILITY_VOCAB,
    COMPARABILITY_DTYPE,
    COMPARABILITY_OPTIMIZER,
    COMPARABILITY_ACTIVATION_CHECKPOINTING,
    COMPARABILITY_STATE_BYTES,     /* the sum of the components: fsdp splits them otherwise */
    COMPARABILITY_THROUGHPUT_UNIT, /* absent where no throughput was measured */
    COMPARABILITY_TIMES_COUNT,
    COMPARABILITY_DEVICE,
    COMPARABILITY_DEVICE_COUNT,
    COMPARABILITY_FIELD_COUNT
};

/* The name of a field; all names in order. Static storage. */
const char *comparability_name(enum comparability_field field);
const char *const *comparability_names(void);
/* The same in words, as a label says it before its value: "micro-batch". Static storage; reports say
 * "label.NAME" of their language. */
const char *comparability_words(enum comparability_field field);
bool comparability_find(const char *name, enum comparability_field *field);

/* The fields that policy.vary may free: all but the unit of the throughput and whether times count,
 * without which a comparison has no meaning. Returns the number. */
size_t comparability_free_fields(const char *free_names[COMPARABILITY_FIELD_COUNT]);

/* Which fields a policy frees. */
void comparability_freed(const struct policy *policy, bool freed[COMPARABILITY_FIELD_COUNT]);

/*
 * The value of a field as text, exact, so that equal texts are equal values: numbers in their
 * shortest digits, dtype by its canonical name, flags as "true" and "false". NULL where the record
 * does not say. Text fields are the record's own, not escaped. False: memory exhausted.
 */
bool comparability_text(const struct record *record, enum comparability_field field,
                        struct arena *arena, const char **text);

#endif
