#include "import_llmc.h"

#include <math.h>
#include <string.h>

#include "import_count.h"

/* "label" of a row "| label | number |" or of a line "label: number", and what it sets. All of them
 * stand before the first step: one after a step begins the next run. */
static const struct {
    const char *label;
    enum import_llmc_setting setting;
} labels[] = {
    {"micro batch size B", IMPORT_LLMC_MICRO_BATCH},
    {"batch size B", IMPORT_LLMC_MICRO_BATCH},
    {"batch size", IMPORT_LLMC_MICRO_BATCH},
    {"sequence length T", IMPORT_LLMC_SEQ_LEN},
    {"sequence length", IMPORT_LLMC_SEQ_LEN},
    {"total batch size", IMPORT_LLMC_TOTAL_BATCH},
    {"total desired batch size", IMPORT_LLMC_TOTAL_BATCH},
    {"=> calculated gradient accumulation steps", IMPORT_LLMC_ACCUMULATION},
    {"learning rate (LR)", IMPORT_LLMC_LEARNING_RATE},
    {"learning rate", IMPORT_LLMC_LEARNING_RATE},
    {"recompute", IMPORT_LLMC_RECOMPUTE},
    {"peak TFlops", IMPORT_LLMC_PEAK_TFLOPS},
    {"vocab_size V", IMPORT_LLMC_VOCAB},
    {"vocab_size", IMPORT_LLMC_VOCAB},
    {"num_layers L", IMPORT_LLMC_LAYERS},
    {"num_layers", IMPORT_LLMC_LAYERS},
    {"num_heads NH", IMPORT_LLMC_HEADS},
    {"num_heads", IMPORT_LLMC_HEADS},
    {"channels C", IMPORT_LLMC_CHANNELS},
    {"channels", IMPORT_LLMC_CHANNELS},
    {"num_parameters", IMPORT_LLMC_PARAMETERS},
    {"num_processes", IMPORT_LLMC_PROCESSES},
    {"zero_stage", IMPORT_LLMC_ZERO_STAGE},
};

static void start(struct import_llmc_run *run)
{
    struct import *import = run->import;
    *run = (struct import_llmc_run){.import = import};
}

/* What a run had so far becomes its record. */
static void finish(struct import_llmc_run *run)
{
    if (run->step_count > 0 || run->header_line != 0)
        import_llmc_record(run);
    start(run);
}

static void note_header(struct import_llmc_run *run, size_t line)
{
    if (run->step_count > 0)
        finish(run);
    if (run->header_line == 0)
        run->header_line = line;
}

static void set(struct import_llmc_run *run, enum import_llmc_setting setting, double value,
                size_t line)
{
    if (isfinite(value))
        run->settings[setting] = (struct import_llmc_number){value, line};
}

/* "| device | NVIDIA A100-SXM4-40GB |": names; false if the row is another. */
static bool read_name(struct import_llmc_run *run, struct import_span label,
                      struct import_span value, size_t line)
{
    struct import_llmc_text *text = NULL;
    if (import_scan_is(&label, "device"))
        text = &run->device;
    else if (import_scan_is(&label, "precision"))
        text = &run->precision;
    if (text == NULL || value.length == 0)
        return false;
    note_header(run, line);
    *text = (struct import_llmc_text){value, line};
    return true;
}

static bool read_setting(struct import_llmc_run *run, struct import_span label,
                         struct import_span value, size_t line)
{
    double number;
    for (size_t i = 0; i < sizeof labels / sizeof labels[0]; i++) {
        if (!import_scan_is(&label, labels[i].label) || !import_scan_number(&value, &number))
            continue;
        note_header(run, line);
        set(run, labels[i].setting, number, line);
        if (labels[i].setting == IMPORT_LLMC_PARAMETERS && import_scan_find(&value, "=> bytes:") &&
            import_scan_number(&value, &number))
            set(run, IMPORT_LLMC_PARAMETER_BYTES, number, line);
        return true;
    }
    return false;
}

/* The part of *rest before `mark`, trimmed, and *rest behind the mark. */
static bool take_until(struct import_span *rest, const char *mark, struct import_span *part)
{
    struct import_span behind = *rest;
    if (!import_scan_find(&behind, mark))
        return false;
    struct import_span before = *rest;
    before.length = (size_t)(behind.text - rest->text) - strlen(mark);
    before.cut = false;
    *part = import_scan_trim(before);
    *rest = behind;
    return true;
}

/* "| label | value |", and the banner rows, which say what was done with the ZeRO stage. */
static bool read_row(struct import_llmc_run *run, struct import_span rest, size_t line)
{
    struct import_span label;
    struct import_span value;
    if (!import_scan_skip(&rest, "|") || !take_until(&rest, "|", &label))
        return false;
    struct import_span words = label;
    if (import_scan_find(&words, "Zero Optimization")) {
        note_header(run, line);
        /* "Zero Optimization is disabled" alone is stage 0 as asked for; with a reason, and in
         * "Disabling Zero Optimization, ...", another stage was. */
        if (!import_scan_is(&label, "Zero Optimization is disabled"))
            run->fallback = (struct import_llmc_text){label, line};
        return true;
    }
    return take_until(&rest, "|", &value) &&
           (read_name(run, label, value, line) || read_setting(run, label, value, line));
}

/* "label: value" of the CPU program, the Python one and the first CUDA versions. */
static bool read_pair(struct import_llmc_run *run, struct import_span rest, size_t line)
{
    struct import_span label;
    return take_until(&rest, ":", &label) && read_setting(run, label, rest, line);
}

/* "batch_size B=32 * seq_len T=1024 * num_processes=4 and total_batch_size=131072" and
 * "=> setting grad_accum_steps=1". */
static bool read_batch(struct import_llmc_run *run, const struct import_span *span, size_t line)
{
    double number;
    if (import_scan_labelled(span, "=> setting grad_accum_steps=", &number)) {
        note_header(run, line);
        set(run, IMPORT_LLMC_ACCUMULATION, number, line);
        return true;
    }
    if (!import_scan_labelled(span, "batch_size B=", &number))
        return false;
    note_header(run, line);
    set(run, IMPORT_LLMC_MICRO_BATCH, number, line);
    if (import_scan_labelled(span, "seq_len T=", &number))
        set(run, IMPORT_LLMC_SEQ_LEN, number, line);
    if (import_scan_labelled(span, "num_processes=", &number))
        set(run, IMPORT_LLMC_PROCESSES, number, line);
    if (import_scan_labelled(span, "total_batch_size=", &number))
        set(run, IMPORT_LLMC_TOTAL_BATCH, number, line);
    return true;
}

/* "allocated 237 MiB for model parameters", newer "allocating ..."; once a label, for every process
 * prints its own where more than one does. */
static bool read_allocation(struct import_llmc_run *run, struct import_span rest, size_t line)
{
    double bytes;
    if ((!import_scan_skip(&rest, "allocated") && !import_scan_skip(&rest, "allocating")) ||
        !import_scan_size(&rest, IMPORT_SCAN_BINARY, &bytes) || !import_count_plausible(bytes) ||
        !import_scan_skip(&rest, "for"))
        return false;
    struct import_span label = import_scan_trim(rest);
    for (size_t i = 0; i < run->allocation_count; i++) {
        const struct import_span *known = &run->allocations[i].label;
        if (known->length == label.length && memcmp(known->text, label.text, label.length) == 0) {
            if (run->repeated_allocation == 0)
                run->repeated_allocation = line;
            return true;
        }
    }
    if (run->allocation_count < IMPORT_LLMC_ALLOCATIONS)
        run->allocations[run->allocation_count++] =
            (struct import_llmc_allocation){label, bytes / (1024 * 1024), line};
    return true;
}

static bool read_memory(struct import_llmc_run *run, struct import_span rest, size_t line)
{
    double used;
    double total;
    if (import_scan_skip(&rest, "device memory usage:")) {
        if (!import_scan_size(&rest, IMPORT_SCAN_BINARY, &used))
            return true;
        /* The driver is asked again by some versions: the largest answer counts. */
        if (!(import_llmc_told(run, IMPORT_LLMC_DEVICE_USED) >= used / (1024 * 1024)))
            set(run, IMPORT_LLMC_DEVICE_USED, used / (1024 * 1024), line);
        if (import_scan_skip(&rest, "/") && import_scan_size(&rest, IMPORT_SCAN_BINARY, &total))
            set(run, IMPORT_LLMC_DEVICE_TOTAL, total / (1024 * 1024), line);
        return true;
    }
    if (import_scan_skip(&rest, "peak memory consumption:")) {
        if (import_scan_size(&rest, IMPORT_SCAN_BINARY, &used))
            set(run, IMPORT_LLMC_TORCH_PEAK, used / (1024 * 1024), line);
        return true;
    }
    return false;
}

static bool read_result(struct import_llmc_run *run, struct import_span rest, size_t line)
{
    double number;
    if (import_scan_skip(&rest, "total average iteration time:")) {
        if (import_scan_number(&rest, &number))
            set(run, IMPORT_LLMC_AVERAGE_MS, number, line);
        return true;
    }
    if (import_scan_skip(&rest, "val loss")) {
        if (import_scan_number(&rest, &number))
            set(run, IMPORT_LLMC_VAL_LOSS, number, line);
        return true;
    }
    if (import_scan_skip(&rest, "using ZeroRedundancyOptimizer"))
        run->sharded = (struct import_llmc_text){rest, line};
    return false;
}

/* A step that another process of the run printed, too: the slower one counts. */
static void merge(struct import_llmc_run *run, const struct import_llmc_step *step)
{
    struct import_llmc_step *last = &run->steps[run->step_count - 1];
    last->ms = fmax(last->ms, step->ms);
    if (run->same_step_line == 0)
        run->same_step_line = step->line;
}

static void add_step(struct import_llmc_run *run, const struct import_llmc_step *step)
{
    if (run->step_count > 0) {
        double last = run->steps[run->step_count - 1].step;
        if (step->step == last) {
            merge(run, step);
            return;
        }
        /* From the beginning again, or after the end: another run without its header. */
        if (step->step < last &&
            (step->step <= 1 || run->settings[IMPORT_LLMC_AVERAGE_MS].line != 0))
            finish(run);
        else if (step->step < last && run->back_line == 0)
            run->back_line = step->line;
    }
    struct import_llmc_step *steps = import_sample_room(run->import, run->steps, run->step_count,
                                                        &run->step_capacity, sizeof *steps);
    if (steps == NULL)
        return;
    run->steps = steps;
    run->steps[run->step_count++] = *step;
}

static void read_log(struct import *import, const struct import_source *source)
{
    struct import_llmc_run run = {.import = import};
    struct import_cursor lines = {.source = source};
    struct import_line line;
    while (import_goes_on(import) && import_scan_next(&lines, &line)) {
        struct import_llmc_step step;
        if (import_llmc_step_read(&line, &step)) {
            add_step(&run, &step);
            import_failures_progress(&run.failures);
            continue;
        }
        struct import_span rest = line.span;
        double rank;
        import_scan_rank(&rest, &rank);
        if (!read_row(&run, rest, line.number) && !read_batch(&run, &rest, line.number) &&
            !read_allocation(&run, rest, line.number) && !read_memory(&run, rest, line.number) &&
            !read_result(&run, rest, line.number))
            read_pair(&run, rest, line.number);
        import_failures_line(&run.failures, &line);
    }
    finish(&run);
}

double import_llmc_told(const struct import_llmc_run *run, enum import_llmc_setting setting)
{
    const struct import_llmc_number *number = &run->settings[setting];
    return number->line == 0 ? NAN : number->value;
}

/* Its lines are unlike any other tool's, except a step's, which must have the rate beside it. */
static unsigned matches(const struct import_source *source)
{
    static const char *const signs[] = {"total average iteration time:",
                                        "device memory usage:",
                                        "allocated ",
                                        "allocating ",
                                        "| micro batch size B",
                                        "| zero_stage ",
                                        "=> setting grad_accum_steps=",
                                        " MFU | ",
                                        "num_parameters:",
                                        "[GPT-2]",
                                        "val loss ",
                                        "total desired batch size:",
                                        "peak memory consumption:"};
    struct import_cursor lines = {.source = source};
    struct import_line line;
    struct import_llmc_step step;
    bool stepped = false;
    while (!stepped && import_scan_next(&lines, &line))
        stepped = import_llmc_step_read(&line, &step);
    unsigned found = stepped ? 2 : 0;
    for (size_t i = 0; i < sizeof signs / sizeof signs[0]; i++)
        found += import_scan_count(source, signs[i], 1);
    /* Without a step its own header must be there: the rest is anybody's. */
    bool own = stepped || import_scan_count(source, "| micro batch size B", 1) > 0 ||
               import_scan_count(source, "| zero_stage ", 1) > 0;
    return own ? found : 0;
}

const struct import_format import_llmc = {
    .name = "llm.c",
    .title = "llm.c log",
    .sample =
        "step    2/4 | loss 10.355100 (+nanz)| norm 1.2000 (+nanz)| lr 3.00e-04 | 287.00 ms | "
        "43.3% bf16 MFU | 456697 tok/s",
    .matches = matches,
    .read = read_log,
};
