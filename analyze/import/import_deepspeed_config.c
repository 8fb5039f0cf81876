#include <string.h>

#include "import_deepspeed.h"

/* ---- One value ---- */

static void number_of(struct import_told *told, struct import_span value, size_t line)
{
    double number = 0;
    if (import_scan_grouped(&value, &number))
        import_told_add(told, number, line);
}

/* True, true, False, false, also as "{'enabled': True"; "auto" and everything else is neither. */
static void flag_of(struct import_told *told, struct import_span value, size_t line)
{
    (void)import_scan_skip(&value, "{'enabled':");
    if (import_scan_skip(&value, "True") || import_scan_skip(&value, "true"))
        import_told_add(told, 1, line);
    else if (import_scan_skip(&value, "False") || import_scan_skip(&value, "false"))
        import_told_add(told, 0, line);
}

static bool contains(struct import_span span, const char *word)
{
    return import_scan_find(&span, word);
}

/* More than one shard group, or more than one rank that computes a layer's part. */
static void more_than_one(size_t *told_line, struct import_span value, size_t line)
{
    double number = 0;
    if (import_scan_grouped(&value, &number) && number > 1 && *told_line == 0)
        *told_line = line;
}

/* "stage=1 ... offload_param=None ... mics_shard_size=-1", a printed configuration object. */
static void take_zero_config(struct import_deepspeed_config *config, struct import_span value,
                             size_t line)
{
    struct import_span rest = value;
    if (import_scan_skip(&rest, "stage="))
        number_of(&config->stage_set, rest, line);
    if ((contains(value, "OffloadDeviceEnum.cpu") || contains(value, "OffloadDeviceEnum.nvme") ||
         contains(value, "device='cpu'") || contains(value, "device='nvme'")) &&
        config->offload_line == 0)
        config->offload_line = line;
    rest = value;
    if (import_scan_find(&rest, "mics_shard_size="))
        more_than_one(&config->mics_line, rest, line);
    rest = value;
    if (import_scan_find(&rest, "zero_hpz_partition_size="))
        more_than_one(&config->mics_line, rest, line);
}

static void take_offload(struct import_deepspeed_config *config, struct import_span value,
                         size_t line)
{
    if ((contains(value, "cpu") || contains(value, "nvme") || contains(value, "true")) &&
        config->offload_line == 0)
        config->offload_line = line;
}

/* The values that have a section of the user's configuration around them. */
static void take_in_section(struct import_deepspeed_config *config, const char *section,
                            const char *name, struct import_span value, size_t line)
{
    bool zero = strcmp(section, "zero_optimization") == 0;
    if (zero && strcmp(name, "stage") == 0)
        number_of(&config->stage_asked, value, line);
    else if (zero &&
             (strcmp(name, "mics_shard_size") == 0 || strcmp(name, "zero_hpz_partition_size") == 0))
        more_than_one(&config->mics_line, value, line);
    else if ((zero && strcmp(name, "cpu_offload") == 0) ||
             (strncmp(section, "offload_", 8) == 0 && strcmp(name, "device") == 0))
        take_offload(config, value, line);
    else if (strcmp(section, "fp16") == 0 && strcmp(name, "enabled") == 0)
        flag_of(&config->fp16, value, line);
    else if ((strcmp(section, "bf16") == 0 || strcmp(section, "bfloat16") == 0) &&
             strcmp(name, "enabled") == 0)
        flag_of(&config->bf16, value, line);
}

enum value_kind { NUMBER, FLAG, PARALLEL };

/* The names of DeepSpeed's own configuration, and of the arguments that Megatron-DeepSpeed and
 * GPT-NeoX print in the same form; what their `world_size` counts is settled by the caller. */
static const struct known_value {
    const char *name;
    enum value_kind kind;
    size_t offset;
} known_values[] = {
    {"train_batch_size", NUMBER, offsetof(struct import_deepspeed_config, train_batch)},
    {"global_batch_size", NUMBER, offsetof(struct import_deepspeed_config, train_batch)},
    {"train_micro_batch_size_per_gpu", NUMBER,
     offsetof(struct import_deepspeed_config, micro_batch)},
    {"micro_batch_size", NUMBER, offsetof(struct import_deepspeed_config, micro_batch)},
    {"gradient_accumulation_steps", NUMBER, offsetof(struct import_deepspeed_config, accumulation)},
    {"data_parallel_size", NUMBER, offsetof(struct import_deepspeed_config, data_parallel)},
    {"data_parallel_world_size", NUMBER, offsetof(struct import_deepspeed_config, data_parallel)},
    {"seq_length", NUMBER, offsetof(struct import_deepspeed_config, seq_len)},
    {"num_layers", NUMBER, offsetof(struct import_deepspeed_config, layers)},
    {"hidden_size", NUMBER, offsetof(struct import_deepspeed_config, width)},
    {"num_attention_heads", NUMBER, offsetof(struct import_deepspeed_config, heads)},
    {"fp16", FLAG, offsetof(struct import_deepspeed_config, fp16)},
    {"bf16", FLAG, offsetof(struct import_deepspeed_config, bf16)},
    {"global_num_gpus", NUMBER, offsetof(struct import_deepspeed_config, ranks)},
    {"ranks", NUMBER, offsetof(struct import_deepspeed_config, ranks)},
    {"zero_optimization_stage", NUMBER, offsetof(struct import_deepspeed_config, stage_set)},
    {"zero_stage", NUMBER, offsetof(struct import_deepspeed_config, stage_asked)},
    {"fp16_enabled", FLAG, offsetof(struct import_deepspeed_config, fp16)},
    {"bfloat16_enabled", FLAG, offsetof(struct import_deepspeed_config, bf16)},
    {"tensor_model_parallel_size", PARALLEL, 0},
    {"pipeline_model_parallel_size", PARALLEL, 0},
    {"model_parallel_size", PARALLEL, 0},
    {"pipe_parallel_size", PARALLEL, 0},
};

static bool take_known(struct import_deepspeed_config *config, const char *name,
                       struct import_span value, size_t line)
{
    for (size_t i = 0; i < sizeof known_values / sizeof known_values[0]; i++) {
        const struct known_value *known = &known_values[i];
        if (strcmp(name, known->name) != 0)
            continue;
        struct import_told *told = (struct import_told *)(void *)((char *)config + known->offset);
        if (known->kind == PARALLEL)
            more_than_one(&config->model_parallel_line, value, line);
        else if (known->kind == FLAG)
            flag_of(told, value, line);
        else
            number_of(told, value, line);
        return true;
    }
    return false;
}

void import_deepspeed_take_value(struct import_deepspeed_config *config, const char *section,
                                 const char *name, struct import_span value, size_t line)
{
    struct import_span rest = value;
    if (section[0] != '\0')
        take_in_section(config, section, name, value, line);
    else if (strcmp(name, "zero_enabled") == 0 && import_scan_skip(&rest, "False"))
        import_told_add(&config->stage_set, 0, line);
    else if (strcmp(name, "zero_optimization") == 0 && import_scan_find(&rest, "'stage':"))
        number_of(&config->stage_asked, rest, line); /* GPT-NeoX's arguments */
    else if (strcmp(name, "zero_config") == 0)
        take_zero_config(config, value, line);
    else if (strcmp(name, "bfloat16_config") == 0 && import_scan_skip(&rest, "enabled="))
        flag_of(&config->bf16, rest, line);
    else if (strcmp(name, "float16_config") == 0 && import_scan_skip(&rest, "enabled="))
        flag_of(&config->fp16, rest, line);
    else
        (void)take_known(config, name, value, line);
}

/* ---- Lines ---- */

/* "[config.py:1003:print]   world_size ................... 4", and the arguments' lines, which are
 * the same without the first part. A name too long for dots has two blanks behind it. */
static bool take_entry(struct import_deepspeed_config *config, const struct import_line *line)
{
    struct import_span rest = line->span;
    struct import_span key;
    struct import_span dots;
    char name[48];
    bool printed = import_scan_find(&rest, ":print]");
    if (!import_scan_word(&rest, &key))
        return false;
    if (!printed && key.text[key.length - 1] == ':' && !import_scan_word(&rest, &key))
        return false; /* what a launcher puts before it: "worker-0: " */
    if (key.length >= sizeof name)
        return false;
    struct import_span value = rest;
    if (import_scan_word(&value, &dots) && import_scan_begins(&dots, ".."))
        rest = value;
    else if (!printed)
        return false;
    memcpy(name, key.text, key.length);
    name[key.length] = '\0';
    if (strcmp(name, "world_size") == 0) /* DeepSpeed counts the ranks that share a batch */
        memcpy(name, printed ? "data_parallel_size" : "ranks", printed ? 19 : 6);
    import_deepspeed_take_value(config, "", name, rest, line->number);
    return true;
}

static const struct labelled_value {
    const char *label;
    size_t offset;
} labelled_values[] = {
    {"mesh_device None world_size =", offsetof(struct import_deepspeed_config, data_parallel)},
    {"data parallel size:", offsetof(struct import_deepspeed_config, data_parallel)},
    {"dist_world_size=", offsetof(struct import_deepspeed_config, ranks)},
};

bool import_deepspeed_take_config(struct import *import, struct import_deepspeed_config *config,
                                  const struct import_line *line)
{
    struct import_span rest = line->span;
    if (import_deepspeed_take_json(import, config, line))
        return true;
    if (import_scan_find(&rest, "Discovered MPI settings of ")) {
        struct import_line settings = {rest, line->number};
        import_told_labelled(&config->ranks, &settings, "world_size=");
    }
    for (size_t i = 0; i < sizeof labelled_values / sizeof labelled_values[0]; i++)
        import_told_labelled(
            (struct import_told *)(void *)((char *)config + labelled_values[i].offset), line,
            labelled_values[i].label);
    rest = line->span;
    if (import_scan_find(&rest, " STAGE=")) { /* the pipeline's, from 0 */
        double stage = 0;
        if (import_scan_count_of(&rest, &stage) && stage > 0 && config->model_parallel_line == 0)
            config->model_parallel_line = line->number;
    }
    rest = line->span;
    if (import_scan_find(&rest, "model parallel size:") ||
        import_scan_find(&rest, "model paralel size:"))
        more_than_one(&config->model_parallel_line, rest, line->number);
    return import_deepspeed_take_stage(config, line) || take_entry(config, line);
}

/* ---- The record ---- */

size_t import_deepspeed_line(const struct import_deepspeed_config *config, size_t line)
{
    return config->elsewhere ? 0 : line;
}

static void write_told(struct import_record *record, const char *field,
                       const struct import_deepspeed_config *config, const struct import_told *told)
{
    if (config->elsewhere && import_told_once(told))
        import_number(record, field, told->value, 0);
    else
        import_told_write(record, field, told);
}

static void write_ranks(struct import_record *record, const struct import_deepspeed_config *config)
{
    const struct import_told *ranks = &config->ranks;
    const struct import_told *parallel = &config->data_parallel;
    if (ranks->line == 0)
        ranks = parallel;
    write_told(record, "workload.world_size", config, ranks);
    if (import_told_once(ranks) && import_told_once(parallel) && ranks->value != parallel->value)
        write_told(record, "workload.data_parallel", config, parallel);
    import_ask(record, "workload.world_size", "the log does not tell the number of ranks");
}

static void write_dtype(struct import_record *record, const struct import_deepspeed_config *config)
{
    static const char *const names[] = {"fp32", "fp16", "bf16"};
    bool bf16 = import_told_once(&config->bf16) && config->bf16.value == 1;
    bool fp16 = import_told_once(&config->fp16) && config->fp16.value == 1;
    const struct import_told *enabled = fp16 ? &config->fp16 : &config->bf16;
    const struct import_told *created = &config->created_dtype;
    double dtype = fp16 ? IMPORT_DEEPSPEED_FP16 : IMPORT_DEEPSPEED_BF16;
    import_ask(record, "workload.dtype", "the log does not tell the number format");
    if ((bf16 && fp16) || created->other_line != 0 ||
        ((bf16 || fp16) && import_told_once(created) && created->value != dtype))
        import_warn(record, import_deepspeed_line(config, created->line),
                    "several number formats are told; workload.dtype is left out");
    else if (bf16 || fp16)
        import_text(record, "workload.dtype", names[(size_t)dtype],
                    import_deepspeed_line(config, enabled->line));
    else if (created->line != 0)
        import_text(record, "workload.dtype", names[(size_t)created->value], created->line);
}

void import_deepspeed_write_config(struct import_record *record,
                                   const struct import_deepspeed_config *config)
{
    write_ranks(record, config);
    write_told(record, "workload.global_batch", config, &config->train_batch);
    write_told(record, "workload.micro_batch", config, &config->micro_batch);
    write_told(record, "workload.gradient_accumulation", config, &config->accumulation);
    write_told(record, "workload.seq_len", config, &config->seq_len);
    write_told(record, "workload.layers", config, &config->layers);
    write_told(record, "workload.width", config, &config->width);
    write_told(record, "workload.heads", config, &config->heads);
    write_dtype(record, config);
    import_deepspeed_write_stage(record, config);
}
