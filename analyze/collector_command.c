#include "collector_command.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model.h"
#include "normalise.h"
#include "text.h"

#define BYTES_PER_MB 1048576.0

/* A new folder: in the one that was analysed a strategy's file may exist, and is not replaced. */
#define OUTPUT_DIRECTORY "evidence-next"

/* The collector's own: what it takes where nothing is said, and the most that it accepts. */
#define COLLECTOR_VOCAB 8192
#define COLLECTOR_MOST_RANKS 1024

/* ---- what records carry and the analyzer otherwise has no use for ---- */

static const struct json_read_document *json_of(const struct candidate *like)
{
    return like->record_count > 0 ? like->records[0]->json : NULL;
}

static double other_number(const struct candidate *like, const char *section, const char *name)
{
    const struct json_read_document *json = json_of(like);
    if (json == NULL)
        return NAN;
    uint32_t object = json_read_member(json, like->records[0]->node, section);
    double value;
    if (!json_read_is(json, object, JSON_READ_OBJECT) ||
        !json_read_double(json, json_read_member(json, object, name), &value))
        return NAN;
    return value;
}

/* Our own collector's: threads of a rank, where all have the same number. */
static double threads_of(const struct candidate *like)
{
    const struct json_read_document *json = json_of(like);
    double threads = NAN;
    if (json == NULL || !like->own_collector)
        return NAN;
    uint32_t ranks = json_read_member(
        json, json_read_member(json, like->records[0]->node, "environment"), "per_rank");
    if (!json_read_is(json, ranks, JSON_READ_ARRAY))
        return NAN;
    for (uint32_t rank = json_read_first(json, ranks); rank != JSON_READ_NONE;
         rank = json_read_next(json, ranks, rank)) {
        double own;
        if (!json_read_double(json, json_read_member(json, rank, "threads"), &own) ||
            (!isnan(threads) && own != threads))
            return NAN;
        threads = own;
    }
    return threads;
}

/* Our own collector's, where the strategies took turns. */
static double rounds_of(const struct candidate *like)
{
    const struct json_read_document *json = json_of(like);
    if (json == NULL || !like->own_collector)
        return NAN;
    uint32_t rounds = json_read_member(json, like->records[0]->node, "rounds");
    bool several = json_read_is(json, rounds, JSON_READ_ARRAY) && json_read_count(json, rounds) > 1;
    return several ? (double)json_read_count(json, rounds) : (double)NAN;
}

static bool has_level(const struct candidate *like, const char *name)
{
    return like->level_name != NULL && strcmp(like->level_name, name) == 0;
}

static const char *backend_of(const struct candidate *like)
{
    const char *name = like->level_name;
    const struct evidence_level *level =
        name != NULL ? evidence_level_find(name, strlen(name)) : NULL;
    if (has_level(like, "cpu_multi_process"))
        return "cpu";
    if (has_level(like, "single_gpu") || has_level(like, "single_gpu_shared") ||
        has_level(like, "emulated_cuda"))
        return "cuda";
    return level != NULL && level->several_gpus ? "cuda" : NULL;
}

/* ---- the model ---- */

#define HEAD_WIDTH 64 /* the collector's default number of heads is width / 64 */

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

/* A whole number of a size; 0: none. */
static uint64_t size_of(double value)
{
    bool whole = value >= 1 && value <= (double)MODEL_LARGEST_SIZE && value == floor(value);
    return whole ? (uint64_t)value : 0;
}

/* The collector's own defaults where nothing is said. */
static uint64_t size_or(double value, uint64_t otherwise)
{
    return isnan(value) ? otherwise : size_of(value);
}

/* True if the collector accepts the model, the batch and the number of ranks. */
static bool can_run(const struct collector_command *what)
{
    char text[256];
    const struct workload *workload = &what->like->workload;
    const uint64_t width = size_of(workload->width);
    const struct model_shape shape = {
        .width = width,
        .layers = size_of(workload->layers),
        .heads = size_or(workload->heads, width >= HEAD_WIDTH ? width / HEAD_WIDTH : 1),
        .vocab = size_or(vocabulary(workload), COLLECTOR_VOCAB),
        .seq_len = size_of(workload->seq_len),
        .micro_batch = size_or(what->micro_batch, 1),
    };
    return model_shape_fault(&shape, text, sizeof text) == NULL &&
           size_or(what->gradient_accumulation, 1) > 0 && size_of(what->world_size) > 0 &&
           what->world_size <= COLLECTOR_MOST_RANKS;
}

/* ---- options ---- */

static void add_text(struct text_buffer *out, const char *option, const char *value)
{
    text_buffer_printf(out, " --%s ", option);
    text_quote(out, value);
}

/* A number that the collector accepts for the option; another is left out. */
static void add_between(struct text_buffer *out, const char *option, double value, double least,
                        double most)
{
    char number[64];
    if (value >= least && value <= most)
        add_text(out, option, text_number_exact(number, sizeof number, value));
}

/* Digits alone: the collector reads no exponents in a count. */
static void add_count(struct text_buffer *out, const char *option, double value, double least,
                      double most)
{
    char number[64];
    if (!(value >= least && value <= most) || value != floor(value))
        return;
    snprintf(number, sizeof number, "%.0f", value);
    add_text(out, option, number);
}

static void add_shape(struct text_buffer *out, const struct workload *workload)
{
    const double most = (double)MODEL_LARGEST_SIZE;
    add_count(out, "width", workload->width, 1, most);
    add_count(out, "layers", workload->layers, 1, most);
    add_count(out, "heads", workload->heads, 1, most);
    add_count(out, "vocab", vocabulary(workload), 1, most);
    add_count(out, "seq-len", workload->seq_len, 1, most);
}

static void add_steps(struct text_buffer *out, const struct candidate *like)
{
    add_count(out, "warmup", like->workload.warmup, 0, 1e6);
    add_count(out, "repeats", like->workload.repeats, 1, 1e6);
    add_count(out, "rounds", rounds_of(like), 2, 1000);
    add_count(out, "seed", other_number(like, "workload", "seed"), 0, 9007199254740992.0);
    add_between(out, "learning-rate", other_number(like, "workload", "learning_rate"), 0, 1e3);
    add_between(out, "max-grad-norm", other_number(like, "workload", "max_grad_norm"), 0, 1e30);
}

static void add_training(struct text_buffer *out, const struct collector_command *what)
{
    const struct workload *workload = &what->like->workload;
    add_count(out, "micro-batch", what->micro_batch, 1, (double)MODEL_LARGEST_SIZE);
    add_count(out, "gradient-accumulation", what->gradient_accumulation, 1,
              (double)MODEL_LARGEST_SIZE);
    const char *dtype = normalise_dtype(workload->dtype);
    if (dtype != NULL && (strcmp(dtype, "bf16") == 0 || strcmp(dtype, "fp32") == 0))
        add_text(out, "dtype", dtype); /* the collector has no other */
    add_steps(out, what->like);
    add_between(out, "bucket-mb", workload->bucket_bytes / BYTES_PER_MB, 1e-6, 1e6);
    add_count(out, "prefetch", workload->prefetch, 0, 1024);
    add_count(out, "persistence-threshold", workload->persistence_threshold, 0, 1e15);
    if (what->world_size == workload->world_size && what->backend != NULL &&
        strcmp(what->backend, "cpu") == 0)
        add_count(out, "threads", threads_of(what->like), 1, 4096);
    if (workload->overlap == 0)
        text_buffer_puts(out, " --no-overlap");
    if (what->activation_checkpointing == 1)
        text_buffer_puts(out, " --activation-checkpointing");
}

/* What is not asked to change is as in the record. */
static struct collector_command complete(const struct collector_command *what)
{
    const struct workload *workload = &what->like->workload;
    struct collector_command filled = *what;
    if (isnan(filled.world_size))
        filled.world_size = workload->world_size;
    if (isnan(filled.micro_batch))
        filled.micro_batch = workload->micro_batch;
    if (isnan(filled.gradient_accumulation))
        filled.gradient_accumulation = workload->gradient_accumulation;
    if (filled.activation_checkpointing < 0)
        filled.activation_checkpointing = workload->activation_checkpointing;
    if (filled.backend == NULL)
        filled.backend = backend_of(what->like);
    return filled;
}

bool collector_command_make(const struct collector_command *what, struct arena *arena,
                            const char **command)
{
    const struct collector_command filled = complete(what);
    *command = NULL;
    if (!can_run(&filled))
        return true;
    struct text_buffer text = {0};
    text_buffer_puts(&text, "rankledger-collect run");
    add_text(&text, "strategy", what->strategy);
    add_count(&text, "world-size", filled.world_size, 1, COLLECTOR_MOST_RANKS);
    if (filled.backend != NULL)
        add_text(&text, "backend", filled.backend);
    /* Where the run is not moved to another machine, on purpose, its ranks share a GPU again. */
    if (what->backend == NULL && has_level(what->like, "single_gpu_shared"))
        text_buffer_puts(&text, " --share-device");
    add_shape(&text, &what->like->workload);
    add_training(&text, &filled);
    add_text(&text, "output-dir", OUTPUT_DIRECTORY);
    *command = text.failed ? NULL : arena_copy(arena, text.text, text.length);
    text_buffer_fini(&text);
    return *command != NULL;
}
