#include <math.h>

#include "import_count.h"
#include "import_llmc.h"
#include "import_losses.h"

/* Beyond this part two statements of one rate contradict each other (evidence contract). */
#define ALLOWED 0.02

/* Peak that versions without a row "peak TFlops" divide by, whatever the device: bf16 of an A100.
 */
#define A100_TFLOPS 312.0

/* Tokens of an optimizer step over all processes, from the log and --set; NAN: not known. */
static double step_tokens(const struct import_llmc_run *run, const struct import_record *record)
{
    double total = import_llmc_told(run, IMPORT_LLMC_TOTAL_BATCH);
    double batch;
    double seq_len;
    double ranks;
    double accumulation;
    if (import_count_plausible(total))
        return total;
    if (!import_given_number(record, "workload.seq_len", &seq_len))
        return NAN;
    if (import_given_number(record, "workload.global_batch", &batch))
        return batch * seq_len;
    if (!import_given_number(record, "workload.micro_batch", &batch) ||
        !import_given_number(record, "workload.world_size", &ranks))
        return NAN;
    if (!import_given_number(record, "workload.gradient_accumulation", &accumulation))
        accumulation = 1; /* the versions that print none have none */
    return batch * seq_len * ranks * accumulation;
}

/* The product of what is printed must be the total batch, or one of them is not what ran. */
static void check_batch(const struct import_llmc_run *run, struct import_record *record)
{
    const struct import_llmc_number *total = &run->settings[IMPORT_LLMC_TOTAL_BATCH];
    double product = import_llmc_told(run, IMPORT_LLMC_MICRO_BATCH) *
                     import_llmc_told(run, IMPORT_LLMC_SEQ_LEN) *
                     import_llmc_told(run, IMPORT_LLMC_PROCESSES) *
                     import_llmc_told(run, IMPORT_LLMC_ACCUMULATION);
    if (total->line != 0 && !isnan(product) && product != total->value)
        import_warn(record, total->line,
                    "total batch size is %.0f tokens, but B, T, num_processes and grad_accum_steps "
                    "make %.0f",
                    total->value, product);
}

/*
 * Steps whose times count: all but the first of a process, which initialises cuBLAS and cuDNN
 * (llm.c's own average leaves it out), and the first after a restart.
 */
static void collect(const struct import_llmc_run *run, struct import_record *record,
                    struct import_sample *times, struct import_sample *mfu)
{
    for (size_t i = 0; i < run->step_count; i++) {
        const struct import_llmc_step *step = &run->steps[i];
        bool first = i == 0 && (step->step <= 1 || run->header_line != 0);
        bool back = i > 0 && step->step < run->steps[i - 1].step;
        if (first || back) {
            import_warn(record, step->line,
                        "step %.0f (%.2f ms) is a warm-up and not counted in times", step->step,
                        step->ms);
            continue;
        }
        if (!import_count_plausible(step->ms)) {
            import_warn(record, step->line, "step %.0f has no usable time", step->step);
            continue;
        }
        import_sample_add(run->import, times, step->ms, step->line);
        if (import_count_plausible(fabs(step->mfu)))
            import_sample_add(run->import, mfu, step->mfu, step->line);
    }
}

static void write_losses(const struct import_llmc_run *run, struct import_record *record)
{
    struct import_losses losses = {0};
    for (size_t i = 0; i < run->step_count; i++) {
        const struct import_llmc_step *step = &run->steps[i];
        struct import_loss read = {step->step, step->loss,     step->norm,
                                   true,       step->has_norm, step->line};
        import_losses_add(run->import, &losses, &read);
    }
    import_losses_write(record, &losses);
}

/* llm.c divides by its table's peak of the device, prints -100 % where it has none; without the row
 * "peak TFlops" by an A100's. */
static void write_utilisation(const struct import_llmc_run *run, struct import_record *record,
                              const struct import_sample *mfu)
{
    double percent = import_sample_median(run->import, mfu);
    const struct import_llmc_number *row = &run->settings[IMPORT_LLMC_PEAK_TFLOPS];
    struct import_span device = run->device.text;
    double peak = row->line == 0                       ? A100_TFLOPS
                  : import_count_plausible(row->value) ? row->value
                                                       : NAN;
    if (isnan(percent))
        return;
    if (percent <= 0 || !(peak > 0)) {
        import_warn(record, mfu->first_line,
                    "MFU %.1f %%: llm.c does not know this device's peak; the utilisation is not "
                    "known",
                    percent);
        return;
    }
    if (row->line == 0 && !(run->device.line != 0 && import_scan_find(&device, "A100"))) {
        import_warn(record, mfu->first_line,
                    "without a row \"peak TFlops\" MFU is against an A100's %.0f TFLOP/s, and the "
                    "log does not say that the device is one: it is left out",
                    A100_TFLOPS);
        return;
    }
    import_value(record, "median_mfu_percent", percent);
    if (percent > 100)
        return;
    import_number_over(record, "metrics.utilisation", percent / 100, mfu->first_line,
                       mfu->last_line);
    import_number_over(record, "metrics.achieved_tflops", percent / 100 * peak, mfu->first_line,
                       mfu->last_line);
    import_text(record, "metrics.peak_source",
                row->line != 0 ? "llm.c: peak TFlops of the device" : "llm.c: bf16 peak of an A100",
                row->line);
}

/* Why the rate that is printed is not that of the whole step. */
static const char *explain(const struct import_llmc_run *run, double ratio)
{
    double accumulation = import_llmc_told(run, IMPORT_LLMC_ACCUMULATION);
    double ranks = import_llmc_told(run, IMPORT_LLMC_PROCESSES);
    if (accumulation > 1 && !import_sample_differ(ratio, 1 / accumulation, ALLOWED))
        return ": it leaves out the gradient accumulation";
    if (ranks > 1 && !import_sample_differ(ratio, 1 / ranks, ALLOWED))
        return ": it is one process's";
    return "";
}

/*
 * The rate printed last is an exponential mean over steps in newer versions and one step's in older
 * ones: both are near to what the tokens of a step and the median time make, or something was left
 * out of them.
 */
static double check_rate(const struct import_llmc_run *run, struct import_record *record,
                         double throughput)
{
    const struct import_llmc_step *last = &run->steps[run->step_count - 1];
    if (!import_count_plausible(last->rate))
        return throughput;
    if (!import_sample_differ(last->rate, throughput, ALLOWED))
        return last->rate;
    import_value(record, "printed_tokens_per_s", last->rate);
    import_warn(record, last->line,
                "%.0f tok/s is printed, but the tokens of a step / the median step time are %.0f, "
                "which is taken%s",
                last->rate, throughput, explain(run, last->rate / throughput));
    return throughput;
}

static void write_throughput(const struct import_llmc_run *run, struct import_record *record,
                             const struct import_sample *times, double step_ms)
{
    const struct import_llmc_step *last = &run->steps[run->step_count - 1];
    double tokens = step_tokens(run, record);
    double throughput = tokens / step_ms * 1e3;
    if (!(step_ms > 0))
        return;
    if (import_count_plausible(throughput)) {
        import_value(record, "tokens_per_step", tokens);
        import_value(record, "tokens_per_s", check_rate(run, record, throughput));
        import_number_over(record, "metrics.throughput", throughput, times->first_line,
                           times->last_line);
    } else if (import_count_plausible(last->rate)) {
        import_value(record, "tokens_per_s", last->rate);
        import_number(record, "metrics.throughput", last->rate, last->line);
    } else {
        return;
    }
    import_text(record, "metrics.throughput_unit", "tokens/s", 0);
}

/* llm.c's own mean: without the first step, in the first versions with it. */
static void check_average(const struct import_llmc_run *run, struct import_record *record,
                          const struct import_sample *times)
{
    const struct import_llmc_number *told = &run->settings[IMPORT_LLMC_AVERAGE_MS];
    if (told->line == 0 || !(told->value > 0))
        return;
    double all = 0;
    for (size_t i = 0; i < run->step_count; i++)
        all += run->steps[i].ms / (double)run->step_count;
    import_value(record, "average_iteration_ms", told->value);
    double mean = import_sample_mean(times);
    if (import_sample_differ(told->value, mean, ALLOWED) &&
        import_sample_differ(told->value, all, ALLOWED))
        import_warn(record, told->line,
                    "total average iteration time is %.2f ms, but the steps in this log take "
                    "%.2f ms: it does not hold all of them",
                    told->value, mean);
}

static void check_end(const struct import_llmc_run *run, struct import_record *record)
{
    const struct import_llmc_step *last = &run->steps[run->step_count - 1];
    if (last->step < last->total && run->failures.weight == 0)
        import_warn(record, last->line, "the log ends at step %.0f of %.0f", last->step,
                    last->total);
    if (run->same_step_line != 0)
        import_warn(record, run->same_step_line,
                    "steps are printed more than once; of each the slowest counts");
    if (run->back_line != 0)
        import_warn(record, run->back_line,
                    "the step number goes back here: the run was resumed; losses are those of the "
                    "steps run last");
}

void import_llmc_time(struct import_llmc_run *run, struct import_record *record)
{
    struct import_sample times = {0};
    struct import_sample mfu = {0};
    double ranks;
    if (run->step_count == 0)
        return;
    check_batch(run, record);
    collect(run, record, &times, &mfu);
    double step_ms = import_sample_median(run->import, &times);
    import_value(record, "steps", (double)run->step_count);
    if (times.count > 0) {
        import_value(record, "step_ms", step_ms);
        import_number_over(record, "metrics.step_time_ms", step_ms, times.first_line,
                           times.last_line);
        import_number(record, "workload.repeats", (double)times.count, 0);
    } else {
        import_warn(record, run->steps[0].line, "no step is left after the warm-up: no times");
    }
    if (import_given_number(record, "workload.world_size", &ranks) && ranks == 1)
        import_sample_ranks(record, &times);
    else
        import_sample_keep(record, "step_times_ms", &times);
    write_throughput(run, record, &times, step_ms);
    write_utilisation(run, record, &mfu);
    write_losses(run, record);
    check_average(run, record, &times);
    check_end(run, record);
}
