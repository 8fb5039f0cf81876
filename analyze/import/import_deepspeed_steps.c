#include <math.h>

#include "import_deepspeed.h"

/* The lines of steps: what stands in them. import_deepspeed_times.c makes metrics of them. */

/* ---- Megatron-DeepSpeed and GPT-NeoX: one line an optimizer step (or the mean of a few) ---- */

/* A field as "elapsed time per iteration (ms): 4103.1" or "elapsed_time_per_iteration_ms=4103.1"; a
 * label may not be the end of a longer one. */
static bool field_of(const struct import_line *line, const char *const labels[4], double *value)
{
    for (size_t i = 0; i < 4 && labels[i] != NULL; i++)
        if (import_scan_labelled(&line->span, labels[i], value))
            return true;
    return false;
}

static const char *const time_labels[4] = {"elapsed time per iteration (ms):",
                                           "elapsed_time_per_iteration_ms="};
static const char *const rate_labels[4] = {
    "samples/sec:", "samples per second:", "samples_per_second="};
static const char *const loss_labels[4] = {"lm loss:", "lm_loss:", "lm loss=", " loss: "};
static const char *const norm_labels[4] = {"grad norm:", "grad_norm:", "grad_norm="};
static const char *const batch_labels[4] = {"global batch size:", "global_batch_size="};
static const char *const seq_labels[4] = {"actual seqlen:", "actual_seqlen="};
static const char *const skipped_labels[4] = {"number of skipped iterations:",
                                              "number_of_skipped_iterations="};
static const char *const nan_labels[4] = {"number of nan iterations:", "number_of_nan_iterations="};

/* The iteration's number: "iteration       34/   10000". */
static bool iteration_of(const struct import_line *line, double *step)
{
    struct import_span rest = line->span;
    while (import_scan_find(&rest, "iteration")) {
        struct import_span number = rest;
        (void)import_scan_skip(&number, "=");
        if (import_scan_count_of(&number, step) && import_scan_skip(&number, "/"))
            return true;
    }
    return false;
}

static double value_or_nan(const struct import_line *line, const char *const labels[4])
{
    double value = NAN;
    return field_of(line, labels, &value) && isfinite(value) ? value : NAN;
}

/* The same for what is reckoned with. */
static double rate_or_nan(const struct import_line *line, const char *const labels[4])
{
    double value = value_or_nan(line, labels);
    return import_told_usable(value) ? value : NAN;
}

static void take_told(struct import_told *told, const struct import_line *line,
                      const char *const labels[4])
{
    double value = 0;
    if (field_of(line, labels, &value))
        import_told_add(told, value, line->number);
}

static void sum_of(double *sum, size_t *first_line, const struct import_line *line,
                   const char *const labels[4])
{
    double value = 0;
    if (!field_of(line, labels, &value) || !(value > 0))
        return;
    *sum += value;
    if (*first_line == 0)
        *first_line = line->number;
}

/* "steps: 10 loss: 2.3026 iter time (s): 0.123 samples/sec: 259.300", DeepSpeed's pipeline. */
static bool pipeline_of(const struct import_line *line, double *step, double *ms)
{
    struct import_span rest = line->span;
    double seconds = 0;
    if (!import_scan_find(&rest, "steps: ") || !import_scan_count_of(&rest, step) ||
        !import_scan_labelled(&rest, "iter time (s):", &seconds))
        return false;
    *ms = seconds * 1000;
    return true;
}

/* A step's number and time; the half unit of the last digit that is printed. */
static bool loop_step_of(const struct import_line *line, double *step, double *ms,
                         double *half_unit_ms)
{
    *half_unit_ms = 0.05;
    if (field_of(line, time_labels, ms) && iteration_of(line, step))
        return *ms > 0 && import_told_usable(*ms);
    *half_unit_ms = 0.5;
    return pipeline_of(line, step, ms) && *ms > 0 && import_told_usable(*ms);
}

static bool contains(const struct import_line *line, const char *text)
{
    struct import_span rest = line->span;
    return import_scan_find(&rest, text);
}

/* What is missing or no number among a line's loss and norm. */
static void note_bad(struct import_deepspeed_iterations *taken, const struct import_line *line)
{
    double norm = 0;
    taken->names_loss = taken->names_loss || contains(line, "loss:") || contains(line, "loss=");
    if (field_of(line, norm_labels, &norm) && !isfinite(norm) && taken->bad_norms++ == 0)
        taken->bad_norm_line = line->number;
}

static bool take_iteration(struct import *import, struct import_deepspeed_iterations *taken,
                           const struct import_line *line)
{
    double step = 0;
    double ms = 0;
    double half_unit_ms = 0;
    if (!loop_step_of(line, &step, &ms, &half_unit_ms))
        return false;
    if (taken->steps.count > 0 && taken->steps.values[taken->steps.count - 1] == step) {
        taken->repeated++; /* another rank's line of the same step */
        return true;
    }
    taken->half_unit_ms = half_unit_ms;
    import_sample_add(import, &taken->steps, step, line->number);
    import_sample_add(import, &taken->times_ms, ms, line->number);
    import_sample_add(import, &taken->rates, rate_or_nan(line, rate_labels), line->number);
    import_sample_add(import, &taken->losses, value_or_nan(line, loss_labels), line->number);
    import_sample_add(import, &taken->norms, value_or_nan(line, norm_labels), line->number);
    note_bad(taken, line);
    take_told(&taken->global_batch, line, batch_labels);
    take_told(&taken->seq_len, line, seq_labels);
    sum_of(&taken->skipped, &taken->skipped_line, line, skipped_labels);
    sum_of(&taken->nans, &taken->nan_line, line, nan_labels);
    return true;
}

/* ---- DeepSpeed's throughput timer ---- */

/* Days since 1970-01-01 in the Gregorian calendar; the differences are what counts. */
static double days_of(double year, double month, double day)
{
    double y = month <= 2 ? year - 1 : year;
    double m = month <= 2 ? month + 9 : month - 3; /* from March, so that a leap day is last */
    return 365 * y + floor(y / 4) - floor(y / 100) + floor(y / 400) + floor((153 * m + 2) / 5) +
           day - 719469;
}

/* The line's time stamp "[2023-07-25 21:03:17,269]" in ms; NAN if there is none. */
static double clock_of(const struct import_line *line)
{
    static const char *const between[] = {"-", "-", NULL, ":", ":", ","};
    double parts[7] = {0};
    struct import_span rest = line->span;
    if (!import_scan_find(&rest, "["))
        return NAN;
    for (size_t i = 0; i < 7; i++) {
        struct import_span digits = rest;
        if (i > 0 && between[i - 1] != NULL && !import_scan_skip(&digits, between[i - 1]))
            return NAN;
        double value = 0;
        /* A count of "17,269" ends before the comma; one of "2023-07" before the hyphen. */
        if (!import_scan_count_of(&digits, &value))
            return NAN;
        parts[i] = value;
        rest = digits;
    }
    double seconds = parts[3] * 3600 + parts[4] * 60 + parts[5];
    return (days_of(parts[0], parts[1], parts[2]) * 86400 + seconds) * 1000 + parts[6];
}

/* "0/40, " right before the rate: epoch and step of the older versions. */
static bool old_step_of(const struct import_line *line, const char *label, double *step)
{
    struct import_span rest = line->span;
    if (!import_scan_find(&rest, label))
        return false;
    const char *end = rest.text;
    for (const char *c = line->span.text; c < end; c++) {
        struct import_span at = {c, (size_t)(end - c), false};
        double epoch = 0;
        if ((c > line->span.text && c[-1] >= '0' && c[-1] <= '9') ||
            !import_scan_count_of(&at, &epoch) || !import_scan_begins(&at, "/"))
            continue;
        at = (struct import_span){at.text + 1, at.length - 1, false};
        if (import_scan_count_of(&at, step) && import_scan_skip(&at, ",") &&
            import_scan_skip(&at, label) && at.length == 0)
            return true;
    }
    return false;
}

/* The step that the timer's line is of; *global if it counts optimizer steps. */
static bool timer_step_of(const struct import_line *line, double *step, bool *global)
{
    *global = import_scan_labelled(&line->span, "/global_step=", step);
    return *global || old_step_of(line, "RunningAvgSamplesPerSec=", step) ||
           old_step_of(line, "SamplesPerSec=", step);
}

static void take_accumulation(struct import_deepspeed_timers *taken, const struct import_line *line)
{
    double epoch = 0;
    double micro = 0;
    /* The number of micro-steps begins anew with an epoch. */
    if (import_scan_labelled(&line->span, "epoch=", &epoch) && epoch == 0 &&
        import_scan_labelled(&line->span, "/micro_step=", &micro) &&
        import_scan_labelled(&line->span, "/global_step=", &taken->global_steps))
        taken->micro_steps = micro;
}

static bool take_timer(struct import *import, struct import_deepspeed_timers *taken,
                       const struct import_line *line)
{
    double running = NAN;
    double current = NAN;
    double step = 0;
    bool global = false;
    bool split = import_scan_labelled(&line->span, "RunningAvgSamplesPerSec=", &running);
    if (!split && !import_scan_labelled(&line->span, "SamplesPerSec=", &running))
        return false;
    if (!timer_step_of(line, &step, &global))
        return false;
    (void)import_scan_labelled(&line->span, "CurrSamplesPerSec=", &current);
    if (taken->steps.count > 0 && taken->steps.values[taken->steps.count - 1] == step)
        return true; /* another rank's line of the same step */
    if (!(running > 0) || !import_told_usable(running)) {
        taken->useless_line = line->number;
        return true;
    }
    taken->accumulates = global;
    take_accumulation(taken, line);
    import_sample_add(import, &taken->steps, step, line->number);
    import_sample_add(import, &taken->running, running, line->number);
    import_sample_add(import, &taken->current,
                      current > 0 && import_told_usable(current) ? current : NAN, line->number);
    import_sample_add(import, &taken->clock_ms, clock_of(line), line->number);
    return true;
}

/* "[Rank 0] step=40, skipped=2, lr=[5e-05], ..." */
static bool take_progress(struct import_deepspeed_timers *taken, const struct import_line *line)
{
    struct import_span rest = line->span;
    double step = 0;
    double skipped = 0;
    if (!import_scan_find(&rest, " step=") || !import_scan_count_of(&rest, &step) ||
        !import_scan_skip(&rest, ",") || !import_scan_skip(&rest, "skipped=") ||
        !import_scan_count_of(&rest, &skipped))
        return false;
    taken->step = step;
    taken->skipped = skipped;
    taken->skipped_line = line->number;
    return true;
}

/* ---- DeepSpeed's wall-clock breakdown ---- */

static bool part_of(const struct import_span *span, const char *name, const char *old_name,
                    double *ms)
{
    return (import_scan_labelled(span, name, ms) || import_scan_labelled(span, old_name, ms)) &&
           *ms >= 0 && import_told_usable(*ms);
}

/*
 * "time (ms) | fwd: 652.41 | bwd: 2164.52 | bwd_inner: 2001.89 | bwd_allreduce: 162.60 | step:
 * 1172.13": sums over the micro-steps of an optimizer step. Inner and all-reduce are parts of bwd.
 * The same with "_microstep" is of one micro-step alone, and GPT-NeoX's own line ("optimizer:") has
 * no step.
 */
static bool take_breakdown(struct import *import, struct import_deepspeed_timers *taken,
                           const struct import_line *line)
{
    struct import_span rest = line->span;
    double forward = 0;
    double backward = 0;
    double step = 0;
    double all_reduce = 0;
    if (!import_scan_find(&rest, "time (ms) |"))
        return false;
    if (part_of(&rest, " fwd_microstep:", " forward_microstep:", &forward))
        taken->micro_line = line->number;
    if (!part_of(&rest, " fwd:", " forward:", &forward) ||
        !part_of(&rest, " bwd:", " backward:", &backward) ||
        !part_of(&rest, " step:", " step:", &step) || !(forward + backward + step > 0))
        return true;
    double sum = forward + backward + step;
    bool told = part_of(&rest, " bwd_allreduce:", " backward_allreduce:", &all_reduce);
    import_sample_add(import, &taken->sums_ms, sum, line->number);
    import_sample_add(import, &taken->shares, told ? all_reduce / sum : NAN, line->number);
    return true;
}

/* "iter latency:      184.73 ms" and "samples/second:      2165.38" of the FLOPS profiler. */
static void take_profile(struct import_deepspeed_timers *taken, const struct import_line *line)
{
    static const struct {
        const char *unit;
        double ms;
    } units[] = {{"ms", 1}, {"us", 1e-3}, {"s", 1e3}};
    struct import_span rest = line->span;
    double number = 0;
    if (taken->profiler_line == 0)
        return;
    if (import_scan_skip(&rest, "samples/second:") && import_scan_number(&rest, &number) &&
        import_told_usable(number)) {
        taken->profiled_rate = number;
    } else if (import_scan_skip(&rest, "iter latency:") && import_scan_number(&rest, &number)) {
        for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
            if (import_told_usable(number) && import_scan_skip(&rest, units[i].unit)) {
                taken->profiled_ms = number * units[i].ms;
                return;
            }
    }
}

bool import_deepspeed_take_steps(struct import *import, struct import_deepspeed_steps *steps,
                                 const struct import_line *line)
{
    struct import_span rest = line->span;
    if (import_scan_find(&rest, "DeepSpeed Flops Profiler ---"))
        steps->timers.profiler_line = line->number;
    take_profile(&steps->timers, line);
    if (import_scan_find(&rest, "OVERFLOW! Rank 0 Skipping step") ||
        import_scan_find(&rest, "Overflow detected. Skipping step")) {
        steps->timers.overflows += 1;
        if (steps->timers.overflow_line == 0)
            steps->timers.overflow_line = line->number;
    }
    return take_iteration(import, &steps->iterations, line) ||
           take_timer(import, &steps->timers, line) || take_progress(&steps->timers, line) ||
           take_breakdown(import, &steps->timers, line);
}

void import_deepspeed_derive(struct import_deepspeed_config *config,
                             const struct import_deepspeed_steps *steps)
{
    const struct import_told *batch = &steps->iterations.global_batch;
    const struct import_deepspeed_timers *timers = &steps->timers;
    const struct import_told *seq_len = &steps->iterations.seq_len;
    double each = timers->micro_steps / timers->global_steps; /* NAN or infinite where not told */
    if (batch->line != 0)
        import_told_add(&config->train_batch, batch->value, batch->line);
    if (batch->other_line != 0)
        import_told_add(&config->train_batch, batch->other, batch->other_line);
    if (seq_len->line != 0)
        import_told_add(&config->seq_len, seq_len->value, seq_len->line);
    if (seq_len->other_line != 0)
        import_told_add(&config->seq_len, seq_len->other, seq_len->other_line);
    if (timers->global_steps > 0 && each == floor(each))
        import_told_add(&config->accumulation, each, timers->steps.last_line);
}

static bool before_first(const struct import_sample *steps, double step)
{
    return steps->count > 1 && step <= steps->values[0];
}

bool import_deepspeed_restarts(const struct import_deepspeed_steps *steps,
                               const struct import_line *line)
{
    double step = 0;
    double ms = 0;
    double half_unit_ms = 0;
    double rate = 0;
    bool global = false;
    if (loop_step_of(line, &step, &ms, &half_unit_ms))
        return before_first(&steps->iterations.steps, step);
    return import_scan_labelled(&line->span, "SamplesPerSec=", &rate) &&
           timer_step_of(line, &step, &global) && before_first(&steps->timers.steps, step);
}
