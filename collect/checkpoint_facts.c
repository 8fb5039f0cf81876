#include "checkpoint_facts.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "text.h"

static const struct {
    const char *key;
    const char *advice; /* where this run's must be the same; NULL: it need not */
} rows[CHECKPOINT_FACT_COUNT] = {
    [CHECKPOINT_FORMAT] = {"format", NULL},
    [CHECKPOINT_CONTENT] = {"content", NULL},
    [CHECKPOINT_STEP] = {"step", NULL},
    [CHECKPOINT_SEED] = {"seed", "the data would be others; give --seed"},
    [CHECKPOINT_WIDTH] = {"width", "the model is another; give --width"},
    [CHECKPOINT_LAYERS] = {"layers", "the model is another; give --layers"},
    [CHECKPOINT_HEADS] = {"heads", "the model is another; give --heads"},
    [CHECKPOINT_VOCAB] = {"vocab", "the model is another; give --vocab"},
    [CHECKPOINT_SEQ_LEN] = {"seq_len", "the model is another; give --seq-len"},
    [CHECKPOINT_DTYPE] = {"dtype", "the state is not converted; give --dtype"},
    [CHECKPOINT_GLOBAL_BATCH] = {"global_batch", NULL},
    [CHECKPOINT_STRATEGY] = {"strategy", NULL},
    [CHECKPOINT_WORLD_SIZE] = {"world_size", NULL},
};

const char *checkpoint_facts_key(enum checkpoint_fact fact)
{
    return rows[fact].key;
}

static void set_number(struct checkpoint_facts *facts, enum checkpoint_fact fact, uint64_t value)
{
    snprintf(facts->text[fact], sizeof facts->text[fact], "%" PRIu64, value);
}

static void set_text(struct checkpoint_facts *facts, enum checkpoint_fact fact, const char *text)
{
    snprintf(facts->text[fact], sizeof facts->text[fact], "%s", text);
}

void checkpoint_facts_planned(struct checkpoint_facts *facts, const struct training *training,
                              const struct schedule_request *request)
{
    *facts = (struct checkpoint_facts){0};
    set_text(facts, CHECKPOINT_FORMAT, CHECKPOINT_FACTS_FORMAT);
    set_number(facts, CHECKPOINT_STEP, 0);
    set_number(facts, CHECKPOINT_SEED, training->seed);
    set_number(facts, CHECKPOINT_WIDTH, request->shape.width);
    set_number(facts, CHECKPOINT_LAYERS, request->shape.layers);
    set_number(facts, CHECKPOINT_HEADS, request->shape.heads);
    set_number(facts, CHECKPOINT_VOCAB, request->shape.vocab);
    set_number(facts, CHECKPOINT_SEQ_LEN, request->shape.seq_len);
    set_text(facts, CHECKPOINT_DTYPE, model_dtype_name(request->dtype));
    set_number(facts, CHECKPOINT_GLOBAL_BATCH, training_global_batch(training));
    set_text(facts, CHECKPOINT_STRATEGY, training_state_row(request->strategy)->name);
    set_number(facts, CHECKPOINT_WORLD_SIZE, request->world_size);
}

void checkpoint_facts_of(struct checkpoint_facts *facts, const struct executor *executor,
                         const struct executor_request *context)
{
    checkpoint_facts_planned(facts, context->training, &context->schedule->request);
    set_number(facts, CHECKPOINT_STEP, executor_steps(executor));
}

void checkpoint_facts_notes(const struct checkpoint_facts *facts,
                            struct safetensors_note notes[CHECKPOINT_FACT_COUNT])
{
    for (int fact = 0; fact < CHECKPOINT_FACT_COUNT; fact++)
        notes[fact] = (struct safetensors_note){rows[fact].key, facts->text[fact]};
}

enum status checkpoint_facts_take(struct checkpoint_facts *facts, enum checkpoint_fact fact,
                                  const char *text, const char *path, struct diag *diag)
{
    if (text == NULL)
        return diag_set(diag, STATUS_INPUT, "%s: the metadata have no \"%s\": no checkpoint", path,
                        rows[fact].key);
    size_t length = strlen(text);
    if (length >= sizeof facts->text[fact])
        return diag_set(diag, STATUS_INPUT,
                        "%s: the metadata's \"%s\" has %zu bytes: no checkpoint", path,
                        rows[fact].key, length);
    memcpy(facts->text[fact], text, length + 1);
    return STATUS_OK;
}

/* As this program writes numbers: digits alone, no zero before others. */
static bool parse_number(const char *text, uint64_t *value)
{
    uint64_t number = 0;
    if (*text == '\0' || (*text == '0' && text[1] != '\0'))
        return false;
    for (; *text >= '0' && *text <= '9'; text++)
        if (__builtin_mul_overflow(number, 10, &number) ||
            __builtin_add_overflow(number, (uint64_t)(*text - '0'), &number))
            return false;
    *value = number;
    return *text == '\0';
}

static enum status refuse(const struct checkpoint_facts *facts, enum checkpoint_fact fact,
                          const char *path, const char *expected, struct diag *diag)
{
    char found[80];
    const char *text = facts->text[fact];
    return diag_set(diag, STATUS_INPUT, "%s: the metadata's \"%s\" is \"%s\", expected %s", path,
                    rows[fact].key, text_escape_into(found, sizeof found, text, strlen(text)),
                    expected);
}

static enum status compare(const struct checkpoint_facts *facts, const struct checkpoint_facts *own,
                           const char *path, struct diag *diag)
{
    for (int fact = 0; fact < CHECKPOINT_FACT_COUNT; fact++) {
        char found[80];
        const char *text = facts->text[fact];
        if (rows[fact].advice == NULL || strcmp(text, own->text[fact]) == 0)
            continue;
        text_escape_into(found, sizeof found, text, strlen(text));
        return diag_set(diag, STATUS_INPUT,
                        "%s: the checkpoint's %s is %s, this run's is %s: %s %s", path,
                        rows[fact].key, found, own->text[fact], rows[fact].advice, found);
    }
    return STATUS_OK;
}

enum status checkpoint_facts_understand(const struct checkpoint_facts *facts,
                                        const struct checkpoint_facts *own, const char *path,
                                        struct checkpoint_facts_meaning *meaning, struct diag *diag)
{
    const char *strategy = facts->text[CHECKPOINT_STRATEGY];
    if (strcmp(facts->text[CHECKPOINT_FORMAT], CHECKPOINT_FACTS_FORMAT) != 0)
        return refuse(facts, CHECKPOINT_FORMAT, path, CHECKPOINT_FACTS_FORMAT, diag);
    if (!training_state_find(strategy, strlen(strategy), &meaning->strategy))
        return refuse(facts, CHECKPOINT_STRATEGY, path, "a strategy's name", diag);
    if (!parse_number(facts->text[CHECKPOINT_STEP], &meaning->step))
        return refuse(facts, CHECKPOINT_STEP, path, "a number", diag);
    if (!parse_number(facts->text[CHECKPOINT_WORLD_SIZE], &meaning->world_size) ||
        meaning->world_size == 0)
        return refuse(facts, CHECKPOINT_WORLD_SIZE, path, "a number from 1 on", diag);
    /* The dtype is this run's, or it is refused here. */
    enum status status = compare(facts, own, path, diag);
    if (status != STATUS_OK)
        return status;
    meaning->narrow_parameters =
        strcmp(facts->text[CHECKPOINT_DTYPE], model_dtype_name(MODEL_BF16)) == 0 &&
        meaning->strategy != STRATEGY_FSDP;
    return STATUS_OK;
}
