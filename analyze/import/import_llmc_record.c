#include <math.h>

#include "import_count.h"
#include "import_llmc.h"

static void count_field(const struct import_llmc_run *run, struct import_record *record,
                        enum import_llmc_setting setting, const char *field)
{
    const struct import_llmc_number *number = &run->settings[setting];
    if (number->line != 0)
        import_count_write(record, field, number->value, number->line);
}

static void write_model(const struct import_llmc_run *run, struct import_record *record)
{
    count_field(run, record, IMPORT_LLMC_PARAMETERS, "workload.parameters");
    count_field(run, record, IMPORT_LLMC_CHANNELS, "workload.width");
    count_field(run, record, IMPORT_LLMC_LAYERS, "workload.layers");
    count_field(run, record, IMPORT_LLMC_HEADS, "workload.heads");
    count_field(run, record, IMPORT_LLMC_VOCAB, "workload.vocab");
    const struct import_llmc_number *rate = &run->settings[IMPORT_LLMC_LEARNING_RATE];
    if (rate->line != 0)
        import_count_write_amount(record, "workload.learning_rate", rate->value, rate->line);
    const struct import_llmc_number *recompute = &run->settings[IMPORT_LLMC_RECOMPUTE];
    if (recompute->line != 0 && recompute->value == 0)
        import_flag(record, "workload.activation_checkpointing", false, recompute->line);
    else if (recompute->line != 0) /* llm.c recomputes single operations, not blocks */
        import_text(record, "workload.activation_checkpointing",
                    recompute->value == 1 ? "gelu" : "gelu and layer norm", recompute->line);
}

/* TF32 is how fp32 matrices are multiplied, not how anything is stored. */
static void write_precision(const struct import_llmc_run *run, struct import_record *record)
{
    const struct import_span *name = &run->precision.text;
    if (run->precision.line == 0)
        return;
    if (import_scan_is(name, "BF16"))
        import_text(record, "workload.dtype", "bf16", run->precision.line);
    else if (import_scan_is(name, "FP16"))
        import_text(record, "workload.dtype", "fp16", run->precision.line);
    else if (import_scan_is(name, "FP32") || import_scan_is(name, "TF32"))
        import_text(record, "workload.dtype", "fp32", run->precision.line);
    else
        import_text_span(record, "workload.dtype", *name, run->precision.line);
}

static void write_batch(const struct import_llmc_run *run, struct import_record *record)
{
    count_field(run, record, IMPORT_LLMC_PROCESSES, "workload.world_size");
    count_field(run, record, IMPORT_LLMC_MICRO_BATCH, "workload.micro_batch");
    count_field(run, record, IMPORT_LLMC_SEQ_LEN, "workload.seq_len");
    count_field(run, record, IMPORT_LLMC_ACCUMULATION, "workload.gradient_accumulation");
    /* llm.c's batch is in tokens, the contract's in sequences. */
    const struct import_llmc_number *total = &run->settings[IMPORT_LLMC_TOTAL_BATCH];
    double seq_len;
    if (total->line != 0 && import_given_number(record, "workload.seq_len", &seq_len) &&
        seq_len > 0)
        import_count_write(record, "workload.global_batch", total->value / seq_len, total->line);
    import_ask(record, "workload.world_size", "the log does not say how many processes trained");
    import_ask(record, "workload.micro_batch", "the log does not print the batch size");
    import_ask(record, "workload.seq_len", "the log does not print the sequence length");
}

/* The allocation whose label has `word` in it; NULL. */
static const struct import_llmc_allocation *allocated(const struct import_llmc_run *run,
                                                      const char *word)
{
    for (size_t i = 0; i < run->allocation_count; i++) {
        struct import_span rest = run->allocations[i].label;
        if (import_scan_find(&rest, word))
            return &run->allocations[i];
    }
    return NULL;
}

/*
 * Bytes per parameter: those of a parameter as printed (its gradient has the same type, floatX),
 * and AdamW's two fp32 moments, with the fp32 master copy where one was allocated (train_gpt2.cu).
 */
static void write_state_bytes(const struct import_llmc_run *run, struct import_record *record)
{
    double each = import_llmc_told(run, IMPORT_LLMC_PARAMETER_BYTES) /
                  import_llmc_told(run, IMPORT_LLMC_PARAMETERS);
    const struct import_llmc_allocation *moment = allocated(run, "AdamW optimizer state m");
    if (moment == NULL || allocated(run, "AdamW optimizer state v") == NULL)
        return;
    import_text(record, "workload.optimizer", "adamw", moment->line);
    if (each != 2 && each != 4)
        return;
    size_t line = run->settings[IMPORT_LLMC_PARAMETER_BYTES].line;
    bool has_master = allocated(run, "master copy") != NULL;
    import_number(record, "workload.state_bytes.parameters", each, line);
    import_number(record, "workload.state_bytes.gradients", each, line);
    import_number(record, "workload.state_bytes.optimizer", has_master ? 12 : 8, line);
}

/*
 * The stage that the allocations show: AdamW's first moment takes 4 bytes a parameter, the
 * gradients as many bytes as the parameters, and a stage that shards them allocates a part. NAN:
 * they do not show it, or agree with any higher stage.
 */
static double stage_allocated(const struct import_llmc_run *run, const struct import_record *record)
{
    double ranks;
    const double mib = 1024 * 1024;
    const struct import_llmc_allocation *moment = allocated(run, "AdamW optimizer state m");
    const struct import_llmc_allocation *gradients = allocated(run, "parameter gradients");
    double whole = import_llmc_told(run, IMPORT_LLMC_PARAMETERS) * 4 / mib;
    double whole_gradients = import_llmc_told(run, IMPORT_LLMC_PARAMETER_BYTES) / mib;
    if (!import_given_number(record, "workload.world_size", &ranks) || !(ranks > 1) ||
        moment == NULL || !(whole > 16)) /* whole MiB are printed: small models prove nothing */
        return NAN;
    if (moment->mib >= 0.75 * whole)
        return 0;
    return gradients != NULL && gradients->mib >= 0.75 * whole_gradients ? 1 : NAN;
}

/* The stage that ran, of one that the table tells; NAN: not clear. */
static double stage_that_ran(const struct import_llmc_run *run, struct import_record *record,
                             double stage)
{
    size_t line = run->settings[IMPORT_LLMC_ZERO_STAGE].line;
    double shown = stage_allocated(run, record);
    if (isnan(shown) || shown == stage)
        return stage;
    import_warn(record, line,
                "zero_stage is %.0f, but each process allocated %.0f MiB of the %.0f MiB that "
                "AdamW's first moment takes%s",
                stage, allocated(run, "AdamW optimizer state m")->mib,
                import_llmc_told(run, IMPORT_LLMC_PARAMETERS) * 4 / (1024 * 1024),
                stage == 0   ? ": the strategy is left out"
                : shown == 0 ? ": nothing was sharded, the strategy is ddp"
                             : " and all of the gradients: the strategy is zero1");
    return stage == 0 ? NAN : shown;
}

/* Of an excerpt without the table: the allocations alone, where they show the stage. */
static void write_shown(const struct import_llmc_run *run, struct import_record *record)
{
    const struct import_llmc_allocation *moment = allocated(run, "AdamW optimizer state m");
    double shown = stage_allocated(run, record);
    if (isnan(shown))
        return;
    import_text(record, "strategy", shown == 0 ? "ddp" : "zero1", moment->line);
    import_warn(record, moment->line,
                "zero_stage is not in the log; the strategy is %s because each process allocated "
                "%.0f MiB of the %.0f MiB that AdamW's first moment takes",
                shown == 0 ? "ddp" : "zero1", moment->mib,
                import_llmc_told(run, IMPORT_LLMC_PARAMETERS) * 4 / (1024 * 1024));
}

/* llm.c's own words for running stage 0 instead of what was asked for. */
static void write_fallback(const struct import_llmc_run *run, struct import_record *record)
{
    const struct import_llmc_number *told = &run->settings[IMPORT_LLMC_ZERO_STAGE];
    struct import_span words = run->fallback.text;
    import_warn(record, run->fallback.line,
                "a ZeRO stage was asked for and not run: \"%.*s\"; the strategy is ddp",
                (int)(words.length < 100 ? words.length : 100), words.text);
    if (told->line != 0 && told->value != 0)
        import_warn(record, told->line, "zero_stage %.0f is the one asked for", told->value);
    import_text(record, "strategy", "ddp", run->fallback.line);
}

/*
 * What ran, not what was asked for: llm.c shards the optimizer alone (stage 1), and says so when it
 * runs stage 0 instead. Higher stages are believed only where nothing speaks against it.
 */
static void write_strategy(const struct import_llmc_run *run, struct import_record *record)
{
    static const char *const names[] = {"ddp", "zero1", "zero2", "zero3"};
    const struct import_llmc_number *told = &run->settings[IMPORT_LLMC_ZERO_STAGE];
    double stage = told->value;
    if (run->fallback.line != 0) {
        write_fallback(run, record);
    } else if (told->line != 0) {
        if (stage != 0 && stage != 1 && stage != 2 && stage != 3) {
            import_warn(record, told->line, "zero_stage %g is no stage of ZeRO", stage);
            return;
        }
        stage = stage_that_ran(run, record, stage);
        if (!isnan(stage))
            import_text(record, "strategy", names[(int)stage], told->line);
    } else if (run->sharded.line != 0) {
        import_text(record, "strategy", "zero1", run->sharded.line);
    } else {
        write_shown(run, record);
    }
}

static void write_allocations(const struct import_llmc_run *run, struct import_record *record)
{
    double sum = 0;
    for (size_t i = 0; i < run->allocation_count; i++)
        sum += run->allocations[i].mib;
    if (run->allocation_count > 0)
        import_value(record, "sum_of_printed_allocations_mib", sum);
    if (run->repeated_allocation != 0)
        import_warn(record, run->repeated_allocation,
                    "allocations are printed again, as several processes do; each is counted once");
    double used = import_llmc_told(run, IMPORT_LLMC_DEVICE_USED);
    if (used < sum)
        import_warn(record, run->settings[IMPORT_LLMC_DEVICE_USED].line,
                    "the device holds %.0f MiB, less than the %.0f MiB that were allocated: it was "
                    "asked before the last of them",
                    used, sum);
}

/*
 * The driver's answer (cudaMemGetInfo) counts all that the device holds: CUDA's context, and other
 * processes. train_gpt2.py prints what its allocator handed out at most.
 */
static void write_memory(const struct import_llmc_run *run, struct import_record *record)
{
    const struct import_llmc_number *used = &run->settings[IMPORT_LLMC_DEVICE_USED];
    const struct import_llmc_number *torch = &run->settings[IMPORT_LLMC_TORCH_PEAK];
    write_allocations(run, record);
    if (used->line != 0 && import_count_plausible(used->value)) {
        import_number(record, "metrics.peak_memory_mb", used->value, used->line);
        import_text(record, "metrics.memory_kind", "device", used->line);
        import_value(record, "device_mib", used->value);
        import_value(record, "device_capacity_mib",
                     import_llmc_told(run, IMPORT_LLMC_DEVICE_TOTAL));
    } else if (torch->line != 0 && import_count_plausible(torch->value)) {
        import_number(record, "metrics.peak_memory_mb", torch->value, torch->line);
        import_text(record, "metrics.memory_kind", "allocated", torch->line);
        import_value(record, "allocated_mib", torch->value);
    }
}

/* `import.values` names the strategy beside the numbers, as read or as given. */
static void write_values(const struct import_llmc_run *run, struct import_record *record)
{
    const char *strategy;
    if (import_given_text(record, "strategy", &strategy))
        import_value_text(record, "strategy", strategy);
    if (run->settings[IMPORT_LLMC_VAL_LOSS].line != 0)
        import_value(record, "last_val_loss", import_llmc_told(run, IMPORT_LLMC_VAL_LOSS));
}

void import_llmc_record(struct import_llmc_run *run)
{
    struct import_record *record = import_begin(run->import);
    write_model(run, record);
    write_precision(run, record);
    write_batch(run, record);
    write_state_bytes(run, record);
    write_strategy(run, record);
    if (run->device.line != 0)
        import_text_span(record, "hardware.device", run->device.text, run->device.line);
    import_ask(record, "hardware.device", "the log does not name the device");
    write_memory(run, record);
    import_llmc_time(run, record);
    write_values(run, record);
    import_failures_finish(&run->failures, record);
}
