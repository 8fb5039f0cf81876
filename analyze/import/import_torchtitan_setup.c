#include <math.h>
#include <string.h>

#include "import_count.h"
#include "import_torchtitan.h"

static const struct {
    const char *list_name; /* in "Building 2-D device mesh with ['dp_shard', 'tp'], [4, 2]" */
    const char *pair_name; /* in "device mesh with parallelism: pp=1, dp_replicate=1, ..." */
    const char *title;
} dimensions[IMPORT_TORCHTITAN_DIMENSIONS] = {
    [IMPORT_TORCHTITAN_PP] = {"'pp'", " pp=", "pipeline parallelism"},
    [IMPORT_TORCHTITAN_DP_REPLICATE] = {"'dp_replicate'", " dp_replicate=", "replicas"},
    [IMPORT_TORCHTITAN_DP_SHARD] = {"'dp_shard'", " dp_shard=", "shards"},
    [IMPORT_TORCHTITAN_CP] = {"'cp'", " cp=", "context parallelism"},
    [IMPORT_TORCHTITAN_TP] = {"'tp'", " tp=", "tensor parallelism"},
    [IMPORT_TORCHTITAN_EP] = {"'ep'", " ep=", "expert parallelism"},
};

void import_torchtitan_setup_init(struct import_torchtitan_setup *setup)
{
    *setup = (struct import_torchtitan_setup){.peak_flops = NAN};
    for (size_t i = 0; i < IMPORT_TORCHTITAN_DIMENSIONS; i++)
        setup->degrees[i] = 1;
}

static void take(struct import_torchtitan_number *number, const struct import_span *span,
                 const char *label, size_t line)
{
    struct import_span rest = *span;
    double value;
    if (import_scan_find(&rest, label) && import_scan_grouped(&rest, &value) && isfinite(value) &&
        value >= 0)
        *number = (struct import_torchtitan_number){value, line};
}

/* Which dimension a mesh's name is part of; 'dp' of old versions was sharded, and expert
 * parallelism splits 'dp_shard' into 'dp_shard_mod_ep' and 'dp_shard_in_ep'. */
static size_t dimension_of(struct import_span name)
{
    for (size_t i = 0; i < IMPORT_TORCHTITAN_DIMENSIONS; i++)
        if (import_scan_is(&name, dimensions[i].list_name))
            return i;
    return IMPORT_TORCHTITAN_DP_SHARD;
}

/* "['dp_shard', 'tp'], [4, 2]" */
static bool read_mesh_lists(struct import_torchtitan_setup *setup, struct import_span rest)
{
    struct import_span sizes = rest;
    double size;
    if (!import_scan_skip(&rest, "[") || !import_scan_find(&sizes, "]") ||
        !import_scan_find(&sizes, "["))
        return false;
    while (import_scan_count_of(&sizes, &size) && import_count_plausible(size)) {
        size_t end = 0;
        rest = import_scan_trim(rest);
        while (end < rest.length && rest.text[end] != ',' && rest.text[end] != ']')
            end++;
        struct import_span name = import_scan_trim((struct import_span){rest.text, end, false});
        setup->degrees[dimension_of(name)] *= size;
        struct import_span in_expert = name;
        if (import_scan_find(&in_expert, "in_ep"))
            setup->degrees[IMPORT_TORCHTITAN_EP] *= size;
        if (!import_scan_skip(&sizes, ",") || !import_scan_find(&rest, ","))
            break;
    }
    return true;
}

static void read_mesh(struct import_torchtitan_setup *setup, struct import_span rest, size_t line)
{
    struct import_torchtitan_setup read = *setup;
    for (size_t i = 0; i < IMPORT_TORCHTITAN_DIMENSIONS; i++)
        read.degrees[i] = 1;
    if (!import_scan_skip(&rest, "parallelism:")) {
        if (!read_mesh_lists(&read, rest))
            return;
    } else {
        for (size_t i = 0; i < IMPORT_TORCHTITAN_DIMENSIONS; i++) {
            double degree;
            if (import_scan_labelled(&rest, dimensions[i].pair_name, &degree) &&
                import_count_plausible(degree))
                read.degrees[i] = degree;
        }
    }
    read.mesh_line = line;
    *setup = read;
}

/* The part of *rest before `mark`, trimmed. */
static bool before(struct import_span rest, const char *mark, struct import_span *part)
{
    struct import_span behind = rest;
    if (!import_scan_find(&behind, mark))
        return false;
    rest.length = (size_t)(behind.text - rest.text) - strlen(mark);
    rest.cut = false;
    *part = import_scan_trim(rest);
    return true;
}

/* "CUDA capacity: NVIDIA H100 with 95.00GiB memory" */
static void read_device(struct import_torchtitan_setup *setup, struct import_span rest, size_t line)
{
    double bytes;
    struct import_span device;
    if (!import_scan_find(&rest, " capacity: ") || !before(rest, " with ", &device) ||
        !import_scan_find(&rest, " with ") ||
        !import_scan_size(&rest, IMPORT_SCAN_BINARY, &bytes) || isinf(bytes))
        return;
    setup->device = device;
    setup->device_line = line;
    setup->capacity_gib =
        (struct import_torchtitan_number){bytes / (1024.0 * 1024.0 * 1024.0), line};
}

/* "Model llama3 8B size: 8,030,261,248 total parameters"; a colour's remains may stand in it. */
static void read_model(struct import_torchtitan_setup *setup, struct import_span rest, size_t line)
{
    struct import_span name;
    struct import_span clean;
    if (!import_scan_find(&rest, "Model ") || !before(rest, "size:", &name))
        return;
    take(&setup->parameters, &rest, "size:", line);
    setup->model = before(name, "[", &clean) ? clean : name;
    setup->model_line = line;
}

/* "Building llama3 8B with ModelArgs(dim=4096, n_layers=32, n_heads=32, ..., vocab_size=128256" */
static void read_architecture(struct import_torchtitan_setup *setup, const struct import_span *rest,
                              size_t line)
{
    take(&setup->width, rest, "(dim=", line);
    if (setup->width.line != line)
        take(&setup->width, rest, " dim=", line);
    take(&setup->layers, rest, "n_layers=", line);
    take(&setup->heads, rest, "n_heads=", line);
    take(&setup->vocab, rest, "vocab_size=", line);
}

/* "... with local batch size 1, global batch size 8, gradient accumulation steps 1, sequence length
 * 8192, total steps 100 (warmup 200)" */
static void read_batch(struct import_torchtitan_setup *setup, const struct import_span *rest,
                       size_t line)
{
    take(&setup->local_batch, rest, "local batch size", line);
    take(&setup->global_batch, rest, "global batch size", line);
    take(&setup->accumulation, rest, "gradient accumulation steps", line);
    take(&setup->seq_len, rest, "sequence length", line);
    take(&setup->total_steps, rest, "total steps", line);
}

static bool has(const struct import_span *span, const char *word)
{
    struct import_span rest = *span;
    return import_scan_find(&rest, word);
}

/* "Applied FSDP to the model", "Applied selective activation checkpointing to the model". */
static void read_applied(struct import_torchtitan_setup *setup, const struct import_span *rest,
                         size_t line)
{
    static const struct {
        const char *words, *name;
    } wrappers[] = {{"Applied FSDP to", "FSDP"},        {"Applied HSDP to", "HSDP"},
                    {"Applied DDP to", "DDP"},          {"(dp mode=fully_shard)", "FSDP"},
                    {"(dp mode=hybrid_shard)", "HSDP"}, {"(dp mode=replicate)", "DDP"},
                    {"Applied fully_shard to", "FSDP"}, {"Applied replicate to", "DDP"}};
    for (size_t i = 0; i < sizeof wrappers / sizeof wrappers[0]; i++)
        if (has(rest, wrappers[i].words)) {
            setup->wrapper = wrappers[i].name;
            setup->wrapper_line = line;
        }
    if (!has(rest, "activation checkpointing"))
        return;
    setup->checkpointing = has(rest, "Applied full ") ? "full" : "selective";
    setup->checkpointing_line = line;
}

/* The peak of MFU, and whether it is another device's. */
static void read_peak(struct import_torchtitan_setup *setup, const struct import_span *rest,
                      size_t line)
{
    struct import_torchtitan_number peak = {0};
    take(&peak, rest, "Peak FLOPS used for computing MFU:", line);
    if (peak.line != 0) {
        setup->peak_flops = peak.value;
        setup->peak_line = line;
    }
    if (has(rest, "Peak flops undefined for"))
        setup->unknown_peak_line = line;
}

/* From the printed configuration, as one Python dictionary or as JSON over many lines. */
static void read_configuration(struct import_torchtitan_setup *setup,
                               const struct import_span *rest, size_t line)
{
    struct import_span value = *rest;
    if (import_scan_find(&value, "mixed_precision_param")) {
        value.length = value.length < 16 ? value.length : 16; /* ": \"bfloat16\"," */
        setup->dtype = has(&value, "bfloat16") ? "bf16" : has(&value, "float32") ? "fp32" : NULL;
        setup->dtype_line = line;
    }
    value = *rest;
    if (import_scan_find(&value, "fsdp_reshard_after_forward")) {
        value.length = value.length < 12 ? value.length : 12; /* ": \"never\"," */
        setup->keeps_line = has(&value, "never") ? line : 0;
    }
}

bool import_torchtitan_setup_starts(const struct import_line *line)
{
    const struct import_span *span = &line->span;
    return has(span, "Starting job:") || has(span, "device mesh with") ||
           has(span, "Trainer is initialized with") || has(span, "Training starts at step");
}

void import_torchtitan_setup_read(struct import_torchtitan_setup *setup,
                                  const struct import_line *line)
{
    struct import_span rest = line->span;
    size_t number = line->number;
    if (import_scan_find(&rest, "device mesh with")) {
        read_mesh(setup, rest, number);
        return;
    }
    rest = line->span;
    read_device(setup, rest, number);
    if (has(&rest, " total parameters"))
        read_model(setup, rest, number);
    else if (has(&rest, "n_layers="))
        read_architecture(setup, &rest, number);
    else if (has(&rest, "Applied "))
        read_applied(setup, &rest, number);
    read_batch(setup, &rest, number);
    read_peak(setup, &rest, number);
    read_configuration(setup, &rest, number);
}

static void write_number(struct import_record *record, const char *field,
                         struct import_torchtitan_number number)
{
    if (number.line != 0)
        import_count_write(record, field, number.value, number.line);
}

/* The product of the degrees, but for expert parallelism, which takes its ranks from the others. */
static double world_size(const struct import_torchtitan_setup *setup)
{
    double ranks = 1;
    for (size_t i = 0; i < IMPORT_TORCHTITAN_DIMENSIONS; i++)
        if (i != IMPORT_TORCHTITAN_EP)
            ranks *= setup->degrees[i];
    return ranks;
}

/* Something else than data parallelism is on: none of the five strategies. */
static bool is_mixed(const struct import_torchtitan_setup *setup, struct import_record *record)
{
    bool mixed = false;
    for (size_t i = 0; i < IMPORT_TORCHTITAN_DIMENSIONS; i++) {
        bool data = i == IMPORT_TORCHTITAN_DP_REPLICATE || i == IMPORT_TORCHTITAN_DP_SHARD;
        if (data || setup->degrees[i] <= 1)
            continue;
        import_warn(record, setup->mesh_line,
                    "%s of degree %.0f is none of the five strategies: the strategy is left out",
                    dimensions[i].title, setup->degrees[i]);
        mixed = true;
    }
    if (mixed)
        import_ask(record, "strategy",
                   "what ran is none of the five strategies, as a warning says");
    return mixed;
}

/*
 * FSDP frees the gathered weights after the forward pass unless fsdp_reshard_after_forward is
 * "never", and so shards everything. What --set says goes before, for the log may not print that
 * option.
 */
static void write_strategy(const struct import_torchtitan_setup *setup,
                           struct import_record *record)
{
    const char *given;
    if (is_mixed(setup, record) || import_given_text(record, "strategy", &given))
        return;
    bool replicas = setup->degrees[IMPORT_TORCHTITAN_DP_REPLICATE] > 1;
    bool shards = setup->degrees[IMPORT_TORCHTITAN_DP_SHARD] > 1;
    const char *wrapper = setup->wrapper;
    size_t line = setup->wrapper_line;
    if (wrapper == NULL && setup->mesh_line != 0 && replicas && !shards)
        wrapper = "DDP", line = setup->mesh_line;
    if (wrapper == NULL)
        return;
    if (strcmp(wrapper, "DDP") == 0)
        import_text(record, "strategy", "ddp", line);
    else if (strcmp(wrapper, "HSDP") == 0 || replicas)
        import_warn(record, line,
                    "the state is sharded inside of groups and replicated between them (HSDP), "
                    "which is none of the five strategies: the strategy is left out");
    else if (setup->keeps_line != 0)
        import_warn(record, setup->keeps_line,
                    "FSDP keeps the gathered weights after the forward pass "
                    "(fsdp_reshard_after_forward never), so not all of the state is sharded "
                    "throughout: the strategy is left out");
    else
        import_text(record, "strategy", "fsdp_full_shard", line);
}

/* Older versions print no accumulation: the global batch over what one micro-step takes. */
static void write_accumulation(const struct import_torchtitan_setup *setup,
                               struct import_record *record)
{
    double each = setup->local_batch.value * setup->degrees[IMPORT_TORCHTITAN_DP_REPLICATE] *
                  setup->degrees[IMPORT_TORCHTITAN_DP_SHARD];
    double steps = setup->global_batch.value / each;
    if (setup->accumulation.line != 0)
        write_number(record, "workload.gradient_accumulation", setup->accumulation);
    else if (setup->mesh_line != 0 && setup->global_batch.line != 0 &&
             setup->local_batch.line != 0 && import_count_plausible(steps) && steps == floor(steps))
        import_number(record, "workload.gradient_accumulation", steps, 0);
}

void import_torchtitan_setup_write(const struct import_torchtitan_setup *setup,
                                   struct import_record *record)
{
    if (setup->mesh_line != 0)
        import_count_write(record, "workload.world_size", world_size(setup), setup->mesh_line);
    if (setup->model_line != 0)
        import_text_span(record, "workload.model", setup->model, setup->model_line);
    write_number(record, "workload.parameters", setup->parameters);
    write_number(record, "workload.width", setup->width);
    write_number(record, "workload.layers", setup->layers);
    write_number(record, "workload.heads", setup->heads);
    write_number(record, "workload.vocab", setup->vocab);
    write_number(record, "workload.micro_batch", setup->local_batch);
    write_number(record, "workload.global_batch", setup->global_batch);
    write_accumulation(setup, record);
    write_number(record, "workload.seq_len", setup->seq_len);
    if (setup->dtype != NULL)
        import_text(record, "workload.dtype", setup->dtype, setup->dtype_line);
    if (setup->checkpointing != NULL)
        import_text(record, "workload.activation_checkpointing", setup->checkpointing,
                    setup->checkpointing_line);
    if (setup->device_line != 0)
        import_text_span(record, "hardware.device", setup->device, setup->device_line);
    write_strategy(setup, record);
    import_ask(record, "workload.world_size",
               "tps is one device's; tokens/s over all ranks need their number");
    import_ask(record, "workload.global_batch", "the log does not print it");
    import_ask(record, "workload.seq_len", "the log does not print the sequence length");
    import_ask(record, "hardware.device", "the log does not name the device");
}
