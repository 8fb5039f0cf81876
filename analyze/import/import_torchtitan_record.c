#include <math.h>

#include "import_count.h"
#include "import_losses.h"
#include "import_torchtitan.h"

#define MIB_PER_GIB 1024.0

/* A step that is slower than the median by more is said together with what came before it; less is
 * the scatter of an undisturbed run. */
#define SLOW_PART 0.02

/* Time stamps are of the logging, the rate of the training loop; a batch that does not fit is off
 * by far more. */
#define CLOCK_PART 0.1

enum { MOST_RANKS = 65536 }; /* of an array per rank */

/* Samples over the steps that count. */
struct samples {
    struct import_sample all_tps; /* as printed, the first step among them */
    struct import_sample tps, tflops, mfu;
    struct import_sample clock_ms; /* of one step, between the time stamps of two */
};

static void collect(const struct import_torchtitan_run *run, struct import_record *record,
                    struct samples *samples)
{
    for (size_t i = 0; i < run->step_count; i++) {
        const struct import_torchtitan_step *step = &run->steps[i];
        if (!import_count_plausible(step->tps)) {
            import_warn(record, step->line, "step %.0f has no usable tps", step->step);
            continue;
        }
        import_sample_add(run->import, &samples->all_tps, step->tps, step->line);
        if (step->warm_up) {
            import_warn(record, step->line,
                        "step %.0f is the first of its process (%.0f tps) and not counted in rates",
                        step->step, step->tps);
            continue;
        }
        import_sample_add(run->import, &samples->tps, step->tps, step->line);
        if (import_count_plausible(step->tflops))
            import_sample_add(run->import, &samples->tflops, step->tflops, step->line);
        if (import_count_plausible(step->mfu))
            import_sample_add(run->import, &samples->mfu, step->mfu, step->line);
        if (i == 0 || step->attempt != step[-1].attempt)
            continue;
        double ms = (step->time_ms - step[-1].time_ms) / (step->step - step[-1].step);
        if (import_count_plausible(ms)) /* no stamps, or a clock that was set back: none */
            import_sample_add(run->import, &samples->clock_ms, ms, step->line);
    }
}

static void warn_slow(const struct import_torchtitan_run *run, struct import_record *record,
                      double median)
{
    for (size_t i = 0; i < run->step_count; i++) {
        const struct import_torchtitan_step *step = &run->steps[i];
        if (step->warm_up || step->event.name == NULL || !(step->tps < median * (1 - SLOW_PART)))
            continue;
        import_warn(record, step->line,
                    "step %.0f follows %s (line %zu): %.0f tps, %.1f %% below the median, in which "
                    "it stays",
                    step->step, step->event.name, step->event.line, step->tps,
                    100 * (1 - step->tps / median));
    }
}

/* Tokens of an optimizer step over all ranks; NAN. */
static double step_tokens(const struct import_record *record)
{
    double batch;
    double seq_len;
    if (!import_given_number(record, "workload.global_batch", &batch) ||
        !import_given_number(record, "workload.seq_len", &seq_len))
        return NAN;
    return batch * seq_len;
}

/*
 * tps counts the tokens that a device's data-parallel group reads, divided by the ranks that share
 * them (tensor, pipeline, context): times all ranks it is the whole. A step's time follows from the
 * tokens, or else from the time stamps of the log.
 */
static void write_rates(const struct import_torchtitan_run *run, struct import_record *record,
                        const struct samples *samples)
{
    const struct import_sample *tps = &samples->tps;
    double median = import_sample_median(run->import, tps);
    double by_clock = import_sample_median(run->import, &samples->clock_ms);
    double by_tokens = NAN;
    double ranks;
    double tokens = step_tokens(record);
    import_value(record, "median_tps_per_device_without_first", median);
    import_value(record, "step_ms_by_clock", by_clock);
    if (import_given_number(record, "workload.world_size", &ranks) &&
        import_count_plausible(median * ranks)) {
        import_number_over(record, "metrics.throughput", median * ranks, tps->first_line,
                           tps->last_line);
        import_text(record, "metrics.throughput_unit", "tokens/s", 0);
        by_tokens = tokens / (median * ranks) * 1e3;
    }
    if (import_count_plausible(by_tokens))
        import_number_over(record, "metrics.step_time_ms", by_tokens, tps->first_line,
                           tps->last_line);
    else if (by_clock > 0)
        import_number_over(record, "metrics.step_time_ms", by_clock, samples->clock_ms.first_line,
                           samples->clock_ms.last_line);
    if (import_sample_differ(by_tokens, by_clock, CLOCK_PART))
        import_warn(record, tps->first_line,
                    "the batch, the ranks and tps make steps of %.1f ms, but the time stamps are "
                    "%.1f ms apart a step: check global_batch, seq_len and world_size",
                    by_tokens, by_clock);
    import_sample_keep(record, "tps_per_device", tps);
    import_sample_keep(record, "step_ms_by_clock", &samples->clock_ms);
    warn_slow(run, record, median);
}

static void write_efficiency(const struct import_torchtitan_run *run, struct import_record *record,
                             const struct samples *samples)
{
    const struct import_torchtitan_setup *setup = &run->setup;
    double tflops = import_sample_median(run->import, &samples->tflops);
    double mfu = import_sample_median(run->import, &samples->mfu);
    if (tflops > 0)
        import_number_over(record, "metrics.achieved_tflops", tflops, samples->tflops.first_line,
                           samples->tflops.last_line);
    if (!(mfu > 0))
        return;
    import_value(record, "median_mfu_percent", mfu);
    if (setup->unknown_peak_line != 0 || mfu > 100) {
        import_warn(record,
                    setup->unknown_peak_line != 0 ? setup->unknown_peak_line
                                                  : samples->mfu.first_line,
                    "mfu is not against this device's peak: the utilisation is not known");
        return;
    }
    import_number_over(record, "metrics.utilisation", mfu / 100, samples->mfu.first_line,
                       samples->mfu.last_line);
    import_text(record, "metrics.peak_source", "torchtitan: peak FLOPS of the device",
                setup->peak_line);
    if (setup->peak_line == 0)
        return;
    import_value(record, "peak_tflops", setup->peak_flops / 1e12);
    if (!(tflops > 0) && setup->peak_flops > 0) /* versions that print MFU alone */
        import_number_over(record, "metrics.achieved_tflops", mfu / 100 * setup->peak_flops / 1e12,
                           samples->mfu.first_line, samples->mfu.last_line);
}

/* Largest memory of each rank, if the log has all of them; false otherwise. */
static bool write_ranks(const struct import_torchtitan_run *run, struct import_record *record)
{
    double ranks;
    if (!import_given_number(record, "workload.world_size", &ranks) || ranks < 1 ||
        ranks > MOST_RANKS || ranks > (double)run->line_count)
        return false;
    size_t count = (size_t)ranks;
    double *peaks = import_take(run->import, count, sizeof *peaks);
    if (peaks == NULL)
        return false;
    for (size_t i = 0; i < count; i++)
        peaks[i] = NAN;
    for (size_t i = 0; i < run->line_count; i++) {
        const struct import_torchtitan_line *line = &run->lines[i];
        if (line->rank >= 0 && line->rank < ranks) /* fmax passes over the first NAN */
            peaks[(size_t)line->rank] =
                fmax(peaks[(size_t)line->rank], line->memory_gib * MIB_PER_GIB);
    }
    for (size_t i = 0; i < count; i++)
        if (isnan(peaks[i]))
            return false;
    import_numbers(record, "metrics.peak_memory_mb_per_rank", peaks, count, run->lines[0].line,
                   run->lines[run->line_count - 1].line);
    return true;
}

/* The allocator's reserved peak, which torchtitan takes anew after every line it logs: the largest
 * of them is the run's. */
static void write_memory(const struct import_torchtitan_run *run, struct import_record *record)
{
    const struct import_torchtitan_line *most = NULL;
    for (size_t i = 0; i < run->line_count; i++)
        if (!isnan(run->lines[i].memory_gib) &&
            (most == NULL || run->lines[i].memory_gib > most->memory_gib))
            most = &run->lines[i];
    double capacity = run->setup.capacity_gib.line != 0 ? run->setup.capacity_gib.value : NAN;
    if (most != NULL) {
        import_number(record, "metrics.peak_memory_mb", most->memory_gib * MIB_PER_GIB, most->line);
        import_text(record, "metrics.memory_kind", "reserved", most->line);
        import_value(record, "max_reserved_gib", most->memory_gib);
        if (isnan(capacity)) /* both have two decimals, and so has their quotient */
            capacity = round(1e4 * most->memory_gib / most->memory_percent) / 100;
        write_ranks(run, record);
    } else {
        import_warn(record, 0, "the log tells no memory");
    }
    if (isfinite(capacity))
        import_value(record, "capacity_gib", capacity);
}

/* On a pipeline stage without a loss torchtitan prints -1. */
static void write_losses(const struct import_torchtitan_run *run, struct import_record *record)
{
    struct import_losses losses = {0};
    for (size_t i = 0; i < run->step_count; i++) {
        const struct import_torchtitan_step *step = &run->steps[i];
        struct import_loss read = {step->step,     step->loss,     step->grad_norm,
                                   step->has_loss, step->has_norm, step->line};
        import_losses_add(run->import, &losses, &read);
    }
    import_losses_write(record, &losses);
}

static void write_end(const struct import_torchtitan_run *run, struct import_record *record)
{
    const struct import_torchtitan_step *last = &run->steps[run->step_count - 1];
    if (run->joined_line != 0)
        import_warn(record, run->joined_line,
                    "several ranks write their steps; of each step the slowest one's rate counts");
    if (run->back_line != 0)
        import_warn(record, run->back_line,
                    "the run was resumed here; losses are those of the steps run last");
    if (run->setup.total_steps.line != 0 && last->step < run->setup.total_steps.value &&
        run->failures.weight == 0)
        import_warn(record, last->line, "the log ends at step %.0f of %.0f", last->step,
                    run->setup.total_steps.value);
}

void import_torchtitan_record(struct import_torchtitan_run *run)
{
    struct import_record *record = import_begin(run->import);
    struct samples samples = {0};
    const char *strategy;
    import_torchtitan_setup_write(&run->setup, record);
    if (import_given_text(record, "strategy", &strategy))
        import_value_text(record, "strategy", strategy);
    import_torchtitan_steps(run);
    if (run->step_count > 0) {
        collect(run, record, &samples);
        import_value(record, "steps", (double)run->step_count);
        import_value(record, "median_tps_per_device",
                     import_sample_median(run->import, &samples.all_tps));
        write_rates(run, record, &samples);
        write_efficiency(run, record, &samples);
        write_memory(run, record);
        write_losses(run, record);
        write_end(run, record);
    }
    import_failures_finish(&run->failures, record);
}
