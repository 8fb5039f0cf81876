#include <math.h>
#include <string.h>

#include "import_count.h"
#include "import_megatron.h"

/* "  world_size ...................................... 8" */
static const struct {
    const char *name;
    enum import_megatron_argument argument;
} numbers[] = {
    {"world_size", IMPORT_MEGATRON_WORLD_SIZE},
    {"tensor_model_parallel_size", IMPORT_MEGATRON_TENSOR},
    {"pipeline_model_parallel_size", IMPORT_MEGATRON_PIPELINE},
    {"context_parallel_size", IMPORT_MEGATRON_CONTEXT},
    {"expert_model_parallel_size", IMPORT_MEGATRON_EXPERT},
    {"data_parallel_size", IMPORT_MEGATRON_DATA},
    {"seq_length", IMPORT_MEGATRON_SEQ_LEN},
    {"micro_batch_size", IMPORT_MEGATRON_MICRO_BATCH},
    {"global_batch_size", IMPORT_MEGATRON_GLOBAL_BATCH},
    {"num_layers", IMPORT_MEGATRON_LAYERS},
    {"hidden_size", IMPORT_MEGATRON_WIDTH},
    {"num_attention_heads", IMPORT_MEGATRON_HEADS},
    {"padded_vocab_size", IMPORT_MEGATRON_VOCAB},
    {"lr", IMPORT_MEGATRON_LEARNING_RATE},
    {"clip_grad", IMPORT_MEGATRON_CLIP},
    {"seed", IMPORT_MEGATRON_SEED},
    {"zero_stage", IMPORT_MEGATRON_ZERO_STAGE},
};

static const struct {
    const char *name;
    enum import_megatron_switch flag;
} switches[] = {
    {"use_distributed_optimizer", IMPORT_MEGATRON_DISTRIBUTED_OPTIMIZER},
    {"use_megatron_fsdp", IMPORT_MEGATRON_FSDP},
    {"use_custom_fsdp", IMPORT_MEGATRON_FSDP},
    {"use_torch_fsdp2", IMPORT_MEGATRON_TORCH_FSDP},
    {"deepspeed", IMPORT_MEGATRON_DEEPSPEED},
    {"bf16", IMPORT_MEGATRON_BF16},
    {"fp16", IMPORT_MEGATRON_FP16},
};

/* The words of "using world size: 8, data-parallel size: 8, ..., pipeline-model-parallel size: 1".
 */
static const struct {
    const char *label;
    enum import_megatron_argument argument;
} degrees[] = {
    {"using world size:", IMPORT_MEGATRON_WORLD_SIZE},
    {"data-parallel size:", IMPORT_MEGATRON_DATA},
    {"data-parallel-size:", IMPORT_MEGATRON_DATA},
    {"context-parallel size:", IMPORT_MEGATRON_CONTEXT},
    {" tensor-model-parallel size:", IMPORT_MEGATRON_TENSOR},
    {" pipeline-model-parallel size:", IMPORT_MEGATRON_PIPELINE},
};

static void set(struct import_megatron_setup *setup, enum import_megatron_argument argument,
                double value, size_t line)
{
    if (isfinite(value) && value >= 0)
        setup->numbers[argument] = (struct import_megatron_number){value, line};
}

/* A switch that two arguments share (old and new name) is on if one of them is. */
static void set_switch(struct import_megatron_setup *setup, enum import_megatron_switch which,
                       struct import_span value, size_t line)
{
    struct import_megatron_flag *flag = &setup->switches[which];
    bool on = import_scan_is(&value, "True");
    if ((on || import_scan_is(&value, "False")) && !(flag->on && !on))
        *flag = (struct import_megatron_flag){on, line};
}

static void take_argument(struct import_megatron_setup *setup, struct import_span name,
                          struct import_span value, size_t line)
{
    double number;
    struct import_megatron_text *text =
        import_scan_is(&name, "data_parallel_sharding_strategy") ? &setup->sharding
        : import_scan_is(&name, "optimizer")                     ? &setup->optimizer
        : import_scan_is(&name, "recompute_granularity")         ? &setup->recompute
                                                                 : NULL;
    if (text != NULL)
        *text = (struct import_megatron_text){value, line};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        if (import_scan_is(&name, numbers[i].name) && import_scan_number(&value, &number))
            set(setup, numbers[i].argument, number, line);
    for (size_t i = 0; i < sizeof switches / sizeof switches[0]; i++)
        if (import_scan_is(&name, switches[i].name))
            set_switch(setup, switches[i].flag, value, line);
}

/* "  name ...... value", whatever a launcher puts before it ("[host:0]:"). */
static bool read_argument(struct import_megatron_setup *setup, struct import_span rest, size_t line)
{
    struct import_span value = rest;
    if (!import_scan_find(&value, " .."))
        return false;
    const char *end = value.text - 3;
    const char *begin = end;
    while (begin > rest.text && begin[-1] != ' ' && begin[-1] != ':')
        begin--;
    while (import_scan_skip(&value, "."))
        continue;
    struct import_span name = {begin, (size_t)(end - begin), false};
    take_argument(setup, name, import_scan_trim(value), line);
    return name.length > 0;
}

/* "number of parameters on (tensor, pipeline) model parallel rank (0, 0): 630167424" */
static void read_parameters(struct import_megatron_setup *setup, struct import_span rest,
                            size_t line)
{
    double count;
    if (import_scan_find(&rest, "number of parameters on (tensor, pipeline) model parallel rank") &&
        import_scan_find(&rest, "):") && import_scan_number(&rest, &count))
        set(setup, IMPORT_MEGATRON_PARAMETERS, count, line);
}

bool import_megatron_setup_starts(const struct import_line *line)
{
    struct import_span words = line->span;
    return import_scan_find(&words, "using world size:") ||
           import_scan_find(&words, "[before the start of training step]");
}

void import_megatron_setup_read(struct import_megatron_setup *setup, const struct import_line *line)
{
    struct import_span rest = line->span;
    double rank;
    double value;
    import_scan_rank(&rest, &rank);
    struct import_span words = rest;
    if (import_scan_find(&words, "using world size:")) {
        for (size_t i = 0; i < sizeof degrees / sizeof degrees[0]; i++)
            if (import_scan_labelled(&rest, degrees[i].label, &value))
                set(setup, degrees[i].argument, value, line->number);
        return;
    }
    if (read_argument(setup, rest, line->number))
        return;
    read_parameters(setup, rest, line->number);
    words = rest; /* "OptimizerConfig(optimizer='adam', ..., use_distributed_optimizer=True, ..." */
    if (import_scan_find(&words, "use_distributed_optimizer=")) {
        struct import_span word = words;
        word.length = import_scan_begins(&words, "True") ? 4 : 5;
        if (word.length <= words.length)
            set_switch(setup, IMPORT_MEGATRON_DISTRIBUTED_OPTIMIZER, word, line->number);
    }
    words = rest;
    if (import_scan_find(&words, "using torch.") && import_scan_word(&words, &setup->dtype.text))
        setup->dtype.line = line->number;
}

void import_megatron_setup_join(struct import_megatron_setup *setup,
                                const struct import_megatron_setup *earlier)
{
    struct import_megatron_text *texts[] = {&setup->sharding, &setup->optimizer, &setup->recompute,
                                            &setup->dtype};
    const struct import_megatron_text *before[] = {&earlier->sharding, &earlier->optimizer,
                                                   &earlier->recompute, &earlier->dtype};
    for (size_t i = 0; i < IMPORT_MEGATRON_NUMBERS; i++)
        if (setup->numbers[i].line == 0)
            setup->numbers[i] = earlier->numbers[i];
    for (size_t i = 0; i < IMPORT_MEGATRON_SWITCHES; i++)
        if (setup->switches[i].line == 0)
            setup->switches[i] = earlier->switches[i];
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        if (texts[i]->line == 0)
            *texts[i] = *before[i];
}

static void write_count(const struct import_megatron_setup *setup, struct import_record *record,
                        enum import_megatron_argument argument, const char *field)
{
    const struct import_megatron_number *number = &setup->numbers[argument];
    if (number->line != 0)
        import_count_write(record, field, number->value, number->line);
}

static void write_amount(const struct import_megatron_setup *setup, struct import_record *record,
                         enum import_megatron_argument argument, const char *field)
{
    const struct import_megatron_number *number = &setup->numbers[argument];
    if (number->line != 0)
        import_count_write_amount(record, field, number->value, number->line);
}

static void write_dtype(const struct import_megatron_setup *setup, struct import_record *record)
{
    const struct import_megatron_flag *bf16 = &setup->switches[IMPORT_MEGATRON_BF16];
    const struct import_megatron_flag *fp16 = &setup->switches[IMPORT_MEGATRON_FP16];
    if (bf16->on)
        import_text(record, "workload.dtype", "bf16", bf16->line);
    else if (fp16->on)
        import_text(record, "workload.dtype", "fp16", fp16->line);
    else if (bf16->line != 0 && fp16->line != 0)
        import_text(record, "workload.dtype", "fp32", bf16->line);
    else if (setup->dtype.line != 0 && import_scan_begins(&setup->dtype.text, "bfloat16"))
        import_text(record, "workload.dtype", "bf16", setup->dtype.line);
    else if (setup->dtype.line != 0 && import_scan_begins(&setup->dtype.text, "float16"))
        import_text(record, "workload.dtype", "fp16", setup->dtype.line);
}

/* Parallelism that is none of the five strategies; true if there is any. */
static bool is_mixed(const struct import_megatron_setup *setup, struct import_record *record)
{
    static const struct {
        enum import_megatron_argument argument;
        const char *title;
    } kinds[] = {{IMPORT_MEGATRON_TENSOR, "tensor"},
                 {IMPORT_MEGATRON_PIPELINE, "pipeline"},
                 {IMPORT_MEGATRON_CONTEXT, "context"},
                 {IMPORT_MEGATRON_EXPERT, "expert"}};
    bool mixed = false;
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        const struct import_megatron_number *number = &setup->numbers[kinds[i].argument];
        if (number->line == 0 || number->value <= 1)
            continue;
        import_warn(record, number->line,
                    "%s parallelism of degree %.0f is none of the five strategies: the strategy is "
                    "left out",
                    kinds[i].title, number->value);
        mixed = true;
    }
    if (mixed)
        import_ask(record, "strategy",
                   "what ran is none of the five strategies, as a warning says");
    return mixed;
}

/* Of Megatron's own FSDP the sharding strategy says what is sharded; without it that argument is
 * printed, too, and means nothing. */
static const char *fsdp_strategy(const struct import_megatron_setup *setup)
{
    static const char *const names[][2] = {{"no_shard", "ddp"},
                                           {"optim", "zero1"},
                                           {"optim_grads", "zero2"},
                                           {"optim_grads_params", "zero3"}};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (import_scan_is(&setup->sharding.text, names[i][0]))
            return names[i][1];
    return NULL;
}

/* The distributed optimizer shards its state alone (ZeRO stage 1). Nothing follows from silence. */
static void write_strategy(const struct import_megatron_setup *setup, struct import_record *record)
{
    static const char *const stages[] = {"ddp", "zero1", "zero2", "zero3"};
    const struct import_megatron_flag *flags = setup->switches;
    const struct import_megatron_number *stage = &setup->numbers[IMPORT_MEGATRON_ZERO_STAGE];
    if (is_mixed(setup, record))
        return;
    if (flags[IMPORT_MEGATRON_DEEPSPEED].on) {
        if (stage->line != 0 && stage->value <= 3 && stage->value == floor(stage->value))
            import_text(record, "strategy", stages[(int)stage->value], stage->line);
    } else if (flags[IMPORT_MEGATRON_TORCH_FSDP].on) {
        import_text(record, "strategy", "fsdp_full_shard", flags[IMPORT_MEGATRON_TORCH_FSDP].line);
    } else if (flags[IMPORT_MEGATRON_FSDP].on) {
        const char *name = setup->sharding.line != 0 ? fsdp_strategy(setup) : NULL;
        if (name != NULL)
            import_text(record, "strategy", name, setup->sharding.line);
    } else if (flags[IMPORT_MEGATRON_DISTRIBUTED_OPTIMIZER].line != 0) {
        import_text(record, "strategy",
                    flags[IMPORT_MEGATRON_DISTRIBUTED_OPTIMIZER].on ? "zero1" : "ddp",
                    flags[IMPORT_MEGATRON_DISTRIBUTED_OPTIMIZER].line);
    }
}

/* The parameters of the model, which one rank of tensor and pipeline parallelism has a part of. */
static void write_parameters(const struct import_megatron_setup *setup,
                             struct import_record *record)
{
    const struct import_megatron_number *tensor = &setup->numbers[IMPORT_MEGATRON_TENSOR];
    const struct import_megatron_number *pipeline = &setup->numbers[IMPORT_MEGATRON_PIPELINE];
    const struct import_megatron_number *expert = &setup->numbers[IMPORT_MEGATRON_EXPERT];
    if (tensor->value == 1 && pipeline->value == 1 && expert->value <= 1)
        write_count(setup, record, IMPORT_MEGATRON_PARAMETERS, "workload.parameters");
}

void import_megatron_setup_write(const struct import_megatron_setup *setup,
                                 struct import_record *record)
{
    write_count(setup, record, IMPORT_MEGATRON_WORLD_SIZE, "workload.world_size");
    write_count(setup, record, IMPORT_MEGATRON_SEQ_LEN, "workload.seq_len");
    write_count(setup, record, IMPORT_MEGATRON_MICRO_BATCH, "workload.micro_batch");
    write_count(setup, record, IMPORT_MEGATRON_LAYERS, "workload.layers");
    write_count(setup, record, IMPORT_MEGATRON_WIDTH, "workload.width");
    write_count(setup, record, IMPORT_MEGATRON_HEADS, "workload.heads");
    write_count(setup, record, IMPORT_MEGATRON_VOCAB, "workload.vocab");
    write_amount(setup, record, IMPORT_MEGATRON_LEARNING_RATE, "workload.learning_rate");
    write_amount(setup, record, IMPORT_MEGATRON_CLIP, "workload.max_grad_norm");
    write_amount(setup, record, IMPORT_MEGATRON_SEED, "workload.seed");
    write_parameters(setup, record);
    write_dtype(setup, record);
    if (setup->optimizer.line != 0)
        import_text_span(record, "workload.optimizer", setup->optimizer.text,
                         setup->optimizer.line);
    if (setup->recompute.line != 0 && import_scan_is(&setup->recompute.text, "None"))
        import_flag(record, "workload.activation_checkpointing", false, setup->recompute.line);
    else if (setup->recompute.line != 0)
        import_text_span(record, "workload.activation_checkpointing", setup->recompute.text,
                         setup->recompute.line);
    write_strategy(setup, record);
    import_ask(record, "workload.world_size", "the log does not say how many GPUs trained");
    import_ask(record, "workload.seq_len",
               "the log counts samples; tokens/s need the sequence length");
    import_ask(record, "hardware.device", "the log does not name the device");
}
