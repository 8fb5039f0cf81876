#include <math.h>
#include <string.h>

#include "import_deepspeed.h"

/*
 * Metrics from the lines of steps. A log may time a step three ways: end to end (the training
 * loop's line), from the start of forward to the end of step (DeepSpeed's throughput timer, without
 * what lies between), and by the sum of three timers. Each one is a value of its own; the metrics
 * are the first of them that is there.
 */

/* How far printed rates may be off: "%.3f" samples/s. */
#define RATE_HALF_UNIT 0.0005

/* ---- End to end ---- */

/* The sample without its first value. */
static struct import_sample without_first(const struct import_sample *sample)
{
    struct import_sample rest = *sample;
    rest.values++;
    rest.count--;
    return rest;
}

/* The first iteration compiles, allocates and warms up: not a step like the others. */
static struct import_deepspeed_iterations measured(struct import_record *record,
                                                   const struct import_deepspeed_iterations *taken)
{
    struct import_deepspeed_iterations kept = *taken;
    size_t count = taken->steps.count;
    bool from_start =
        taken->steps.values[0] == 1 ||
        (count > 1 && taken->steps.values[0] == taken->steps.values[1] - taken->steps.values[0]);
    if (!from_start)
        return kept;
    if (count == 1) {
        import_warn(record, taken->steps.first_line,
                    "the one line of iterations includes the first iteration, which is slower than "
                    "the others");
        return kept;
    }
    import_warn(record, taken->steps.first_line,
                "left out of the times: this line includes the first iteration");
    kept.steps = without_first(&taken->steps);
    kept.times_ms = without_first(&taken->times_ms);
    kept.rates = without_first(&taken->rates);
    return kept;
}

/* The samples of a step that rate and time imply; NAN where they are too coarse to tell. */
static double batch_of(double rate, double ms, double half_unit_ms)
{
    double slack = RATE_HALF_UNIT * ms / 1000 + half_unit_ms * rate / 1000;
    return import_told_whole(rate * ms / 1000, slack);
}

static void write_batch(struct import_record *record,
                        const struct import_deepspeed_iterations *kept, double rate, double ms)
{
    double batch = isfinite(rate) ? batch_of(rate, ms, kept->half_unit_ms) : NAN;
    double given = 0;
    if (isfinite(rate))
        import_value(record, "global_batch_from_rate", isnan(batch) ? rate * ms / 1000 : batch);
    if (isnan(batch))
        return;
    if (!import_given_number(record, "workload.global_batch", &given))
        import_number_over(record, "workload.global_batch", batch, kept->rates.first_line,
                           kept->rates.last_line);
    else if (given != batch)
        import_warn(record, kept->rates.first_line,
                    "rate and time of this line are those of %g samples a step, but "
                    "workload.global_batch is %g",
                    batch, given);
}

static void warn_of_means(struct import_record *record, const struct import_sample *steps)
{
    double apart = steps->count > 1 ? steps->values[1] - steps->values[0] : 1;
    if (apart > 1)
        import_warn(record, steps->first_line,
                    "each time is the mean of %g iterations; single steps are not told", apart);
}

static void write_end_to_end(struct import *import, struct import_record *record,
                             const struct import_deepspeed_iterations *taken)
{
    struct import_deepspeed_iterations kept = measured(record, taken);
    double ms = import_sample_median(import, &kept.times_ms);
    double rate = import_sample_median(import, &kept.rates);
    double batch = NAN;
    if (isnan(ms))
        return;
    import_number_over(record, "metrics.step_time_ms", ms, kept.times_ms.first_line,
                       kept.times_ms.last_line);
    import_value(record, "step_ms_end_to_end", ms);
    warn_of_means(record, &taken->steps);
    import_sample_keep(record, "step_ms_end_to_end", &kept.times_ms);
    write_batch(record, &kept, rate, ms);
    if (!import_given_number(record, "workload.global_batch", &batch) && isnan(rate))
        return;
    double throughput = isnan(rate) ? batch / ms * 1000 : rate;
    import_value(record, "samples_per_s_end_to_end", throughput);
    if (!(throughput > 0))
        return;
    import_number_over(record, "metrics.throughput", throughput, kept.times_ms.first_line,
                       kept.times_ms.last_line);
    import_text(record, "metrics.throughput_unit", "samples/s", 0);
}

/* ---- DeepSpeed's throughput timer ---- */

/* Samples/s of the timer's lines as one number: the median of single steps, or the running average
 * where the version's current rate is that of a micro-step. */
static double timer_rate(struct import *import, const struct import_deepspeed_timers *taken)
{
    double current = import_sample_median(import, &taken->current);
    return taken->accumulates && isfinite(current)
               ? current
               : taken->running.values[taken->running.count - 1];
}

static void write_timer_metrics(struct import *import, struct import_record *record,
                                const struct import_deepspeed_timers *taken)
{
    double rate = timer_rate(import, taken);
    double batch = 0;
    import_number_over(record, "metrics.throughput", rate, taken->steps.first_line,
                       taken->steps.last_line);
    import_text(record, "metrics.throughput_unit", "samples/s", 0);
    import_warn(record, taken->steps.first_line,
                "DeepSpeed's samples/s are of all ranks, from the start of forward to the end of "
                "step: what lies between steps (data, evaluation, logging) is not in them");
    if (!taken->accumulates) {
        import_warn(record, taken->steps.last_line,
                    "this version's rate is a running average from the third micro-step on; single "
                    "steps are not told");
    } else if (import_given_number(record, "workload.global_batch", &batch) && batch > 0) {
        import_number_over(record, "metrics.step_time_ms", batch / rate * 1000,
                           taken->steps.first_line, taken->steps.last_line);
    }
}

/* By the time stamps of the first and the last line: coarse, but everything is in it. */
static void write_clock(struct import_record *record, const struct import_deepspeed_timers *taken)
{
    size_t last = taken->clock_ms.count - 1;
    double steps = taken->steps.values[last] - taken->steps.values[0];
    double ms = taken->clock_ms.values[last] - taken->clock_ms.values[0];
    if (steps > 0 && ms > 0)
        import_value(record,
                     taken->accumulates ? "step_ms_between_lines" : "micro_step_ms_between_lines",
                     ms / steps);
}

static void write_timer(struct import *import, struct import_record *record,
                        const struct import_deepspeed_timers *taken)
{
    size_t last = taken->steps.count - 1;
    import_value(record, "samples", (double)taken->steps.count);
    import_value(record, "last_samples_per_s", taken->running.values[last]);
    import_value(record, "last_step", taken->steps.values[last]);
    if (isfinite(taken->current.values[last])) {
        import_value(record, "last_current_samples_per_s", taken->current.values[last]);
        import_value(record, "median_current_samples_per_s",
                     import_sample_median(import, &taken->current));
        import_sample_keep(record, "current_samples_per_s", &taken->current);
    }
    import_sample_keep(record, "running_samples_per_s", &taken->running);
    write_clock(record, taken);
}

static void write_skipped(struct import_record *record, const struct import_deepspeed_timers *taken,
                          const struct import_deepspeed_iterations *iterations)
{
    if (taken->skipped_line != 0 || taken->overflows > 0)
        import_value(record, "skipped_steps",
                     taken->skipped_line != 0 ? taken->skipped : taken->overflows);
    if (taken->skipped > 0)
        import_warn(record, taken->skipped_line,
                    "%g of %g steps changed nothing: their gradients overflowed and the optimizer "
                    "was skipped%s",
                    taken->skipped, taken->step,
                    taken->skipped >= taken->step ? "; nothing was trained" : "");
    else if (taken->skipped_line == 0 && taken->overflows > 0)
        import_warn(record, taken->overflow_line,
                    "%g steps changed nothing, from this line on: their gradients overflowed and "
                    "the optimizer was skipped",
                    taken->overflows);
    else if (iterations->skipped > 0)
        import_warn(record, iterations->skipped_line,
                    "%g iterations changed nothing: they were "
                    "skipped, from this line on",
                    iterations->skipped);
    if (iterations->nans > 0)
        import_warn(record, iterations->nan_line,
                    "%g iterations had a loss that is not a number, from this line on",
                    iterations->nans);
}

/* ---- DeepSpeed's wall-clock breakdown ---- */

static void write_breakdown(struct import *import, struct import_record *record,
                            const struct import_deepspeed_timers *taken, bool end_to_end)
{
    double ms = import_sample_median(import, &taken->sums_ms);
    double share = import_sample_median(import, &taken->shares);
    double told = 0;
    import_value(record, "step_ms_timers", ms);
    import_sample_keep(record, "step_ms_timers", &taken->sums_ms);
    if (isfinite(share))
        import_value(record, "allreduce_share_of_timers", share);
    double rate = import_sample_median(import, &taken->current);
    if (taken->accumulates && isfinite(rate) && !end_to_end)
        import_value(record, "global_batch_from_rate", rate * ms / 1000);
    if (import_given_number(record, "metrics.step_time_ms", &told))
        return;
    import_number_over(record, "metrics.step_time_ms", ms, taken->sums_ms.first_line,
                       taken->sums_ms.last_line);
    import_warn(record, taken->sums_ms.first_line,
                "the step time is forward + backward + step, as DeepSpeed timed them: a whole step "
                "takes longer");
}

/* ---- Losses ---- */

/* Whether the lines are of the steps 1, 2, 3, ...: then they are all there are. */
static bool every_step(const struct import_sample *steps)
{
    for (size_t i = 0; i < steps->count; i++)
        if (steps->values[i] != (double)(i + 1))
            return false;
    return steps->count > 0;
}

static size_t missing_in(const struct import_sample *sample)
{
    size_t missing = 0;
    for (size_t i = 0; i < sample->count; i++)
        missing += isnan(sample->values[i]) ? 1 : 0;
    return missing;
}

void import_deepspeed_write_series(struct import_record *record, const char *name,
                                   const struct import_sample *steps,
                                   const struct import_sample *series)
{
    char field[64] = "metrics.";
    bool negative = false;
    for (size_t i = 0; i < series->count; i++)
        negative = negative || series->values[i] < 0; /* the contract knows no such loss */
    if (series->count == 0)
        return;
    strncat(field, name, sizeof field - strlen(field) - 1);
    if (every_step(steps) && !negative) {
        import_sample_write(record, field, series);
    } else {
        import_sample_keep(record, name, series);
        if (missing_in(steps) < steps->count)
            import_sample_keep(record, "steps", steps);
    }
}

static void write_losses(struct import_record *record,
                         const struct import_deepspeed_iterations *taken)
{
    size_t missing = missing_in(&taken->losses);
    /* Megatron prints no loss that is no number: where none of any name stands beside such norms,
     * all were. */
    bool told = missing < taken->losses.count || taken->nans > 0 ||
                (!taken->names_loss && taken->bad_norms > 0);
    if (told)
        import_deepspeed_write_series(record, "losses", &taken->steps, &taken->losses);
    if (missing_in(&taken->norms) < taken->norms.count)
        import_deepspeed_write_series(record, "grad_norms", &taken->steps, &taken->norms);
    if (told)
        import_value(record, "loss_last", taken->losses.values[taken->losses.count - 1]);
    if (taken->bad_norms > 0)
        import_warn(record, taken->bad_norm_line,
                    "the gradient norm of %zu lines is not a finite number, first here",
                    taken->bad_norms);
    if (missing > 0 && told)
        import_warn(record, 0,
                    "%zu lines of iterations have no loss: it was not a number, or every iteration "
                    "was skipped; it is null there",
                    missing);
}

/* The profiler's rate is of one micro-step and every rank, model-parallel ones too: no metric. */
static void write_profile(struct import_record *record, const struct import_deepspeed_timers *taken)
{
    if (taken->profiler_line == 0)
        return;
    if (taken->profiled_ms > 0)
        import_value(record, "profiled_step_ms", taken->profiled_ms);
    if (taken->profiled_rate > 0)
        import_value(record, "profiled_samples_per_s", taken->profiled_rate);
    import_warn(record, taken->profiler_line,
                "the FLOPS profiler ran here; the step that it measured is slower than the others, "
                "and no metric is taken from it");
}

void import_deepspeed_write_steps(struct import *import, struct import_record *record,
                                  const struct import_deepspeed_steps *steps)
{
    const struct import_deepspeed_timers *timers = &steps->timers;
    const struct import_deepspeed_iterations *iterations = &steps->iterations;
    double told = 0;
    if (iterations->steps.count > 0) {
        write_end_to_end(import, record, iterations);
        write_losses(record, iterations);
    }
    if (timers->steps.count > 0) {
        write_timer(import, record, timers);
        if (!import_given_number(record, "metrics.throughput", &told))
            write_timer_metrics(import, record, timers);
    }
    if (timers->sums_ms.count > 0)
        write_breakdown(import, record, timers, iterations->steps.count > 0);
    write_skipped(record, timers, iterations);
    if (timers->useless_line != 0)
        import_warn(record, timers->useless_line, "a rate that is no positive number is left out");
    write_profile(record, timers);
    if (timers->micro_line != 0 && timers->sums_ms.count == 0)
        import_warn(record, timers->micro_line,
                    "only times of micro-steps are told, and not how many make a step");
}
