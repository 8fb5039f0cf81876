#include "collector_command.h"

#include <math.h>
#include <string.h>

#include "normalise.h"
#include "text.h"

#define BYTES_PER_MB 1048576.0

/* The name of the directory that a command writes to; analyze then reads it. */
#define OUTPUT_DIRECTORY "evidence"

void collector_command_quote(struct text_buffer *out, const char *text)
{
    static const char safe[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
                               "@%+=:,./-_";
    if (text[0] != '\0' && text[strspn(text, safe)] == '\0') {
        text_buffer_puts(out, text);
        return;
    }
    text_buffer_puts(out, "'");
    for (const char *c = text; *c != '\0'; c++) {
        if (*c == '\'')
            text_buffer_puts(out, "'\\''");
        else
            text_buffer_append(out, c, 1);
    }
    text_buffer_puts(out, "'");
}

static void add_text(struct text_buffer *out, const char *option, const char *value)
{
    text_buffer_printf(out, " --%s ", option);
    collector_command_quote(out, value);
}

static void add_number(struct text_buffer *out, const char *option, double value)
{
    char number[64];
    if (!isnan(value))
        add_text(out, option, text_number_exact(number, sizeof number, value));
}

/* A number that records carry and the analyzer otherwise has no use for. */
static double other_number(const struct candidate *like, const char *section, const char *name)
{
    if (like->record_count == 0 || like->records[0]->json == NULL)
        return NAN;
    const struct json_read_document *json = like->records[0]->json;
    uint32_t object = json_read_member(json, like->records[0]->node, section);
    double value;
    if (!json_read_is(json, object, JSON_READ_OBJECT) ||
        !json_read_double(json, json_read_member(json, object, name), &value))
        return NAN;
    return value;
}

static const char *backend_of(const struct candidate *like)
{
    const char *name = like->level_name;
    const struct evidence_level *level =
        name != NULL ? evidence_level_find(name, strlen(name)) : NULL;
    if (name != NULL && strcmp(name, "cpu_multi_process") == 0)
        return "cpu";
    return level != NULL && level->several_gpus ? "cuda" : NULL;
}

static bool can_run(const struct collector_command *what)
{
    const struct workload *workload = &what->like->workload;
    return !isnan(workload->width + workload->layers + workload->seq_len + what->world_size);
}

/*
 * The vocabulary where a record gives the number of parameters instead: with GPT-2's conventions
 * and a tied embedding it is V*C + T*C + L*(12*C^2 + 13*C) + 2*C. NAN unless that comes out whole.
 */
static double vocabulary(const struct workload *workload)
{
    double c = workload->width;
    double others = workload->seq_len * c + workload->layers * (12 * c * c + 13 * c) + 2 * c;
    double vocab = (workload->parameters - others) / c;
    if (!isnan(workload->vocab))
        return workload->vocab;
    return vocab >= 1 && vocab == floor(vocab) ? vocab : NAN;
}

static void add_shape(struct text_buffer *out, const struct workload *workload)
{
    add_number(out, "width", workload->width);
    add_number(out, "layers", workload->layers);
    add_number(out, "heads", workload->heads);
    add_number(out, "vocab", vocabulary(workload));
    add_number(out, "seq-len", workload->seq_len);
}

static void add_training(struct text_buffer *out, const struct collector_command *what)
{
    const struct workload *workload = &what->like->workload;
    int checkpointing = what->activation_checkpointing >= 0 ? what->activation_checkpointing
                                                            : workload->activation_checkpointing;
    add_number(out, "micro-batch",
               isnan(what->micro_batch) ? workload->micro_batch : what->micro_batch);
    add_number(out, "gradient-accumulation",
               isnan(what->gradient_accumulation) ? workload->gradient_accumulation
                                                  : what->gradient_accumulation);
    const char *dtype = normalise_dtype(workload->dtype);
    if (dtype != NULL && (strcmp(dtype, "bf16") == 0 || strcmp(dtype, "fp32") == 0))
        add_text(out, "dtype", dtype); /* the collector has no other */
    add_number(out, "warmup", workload->warmup);
    add_number(out, "repeats", workload->repeats);
    add_number(out, "seed", other_number(what->like, "workload", "seed"));
    add_number(out, "learning-rate", other_number(what->like, "workload", "learning_rate"));
    add_number(out, "max-grad-norm", other_number(what->like, "workload", "max_grad_norm"));
    add_number(out, "bucket-mb", workload->bucket_bytes / BYTES_PER_MB);
    add_number(out, "prefetch", workload->prefetch);
    add_number(out, "persistence-threshold", workload->persistence_threshold);
    if (workload->overlap == 0)
        text_buffer_puts(out, " --no-overlap");
    if (checkpointing == 1)
        text_buffer_puts(out, " --activation-checkpointing");
}

bool collector_command_make(const struct collector_command *what, struct arena *arena,
                            const char **command)
{
    struct collector_command filled = *what;
    if (isnan(filled.world_size))
        filled.world_size = what->like->workload.world_size;
    *command = NULL;
    if (!can_run(&filled))
        return true;
    struct text_buffer text = {0};
    const char *backend = what->backend != NULL ? what->backend : backend_of(what->like);
    text_buffer_puts(&text, "rankledger-collect run");
    add_text(&text, "strategy", what->strategy);
    add_number(&text, "world-size", filled.world_size);
    if (backend != NULL)
        add_text(&text, "backend", backend);
    add_shape(&text, &what->like->workload);
    add_training(&text, &filled);
    add_text(&text, "output-dir", OUTPUT_DIRECTORY);
    *command = text.failed ? NULL : arena_copy(arena, text.text, text.length);
    text_buffer_fini(&text);
    return *command != NULL;
}
