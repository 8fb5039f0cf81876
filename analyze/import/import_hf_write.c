#include <math.h>

#include "import_deepspeed.h"
#include "import_hf.h"

#define MIB 1048576.0

/* The Trainer rounds rates to three decimals. */
#define RATE_HALF_UNIT 0.0005

static double usable_or_nan(const struct import_hf_number *number)
{
    return number->line != 0 && import_told_usable(number->value) ? number->value : NAN;
}

/* ---- The plan ---- */

double import_hf_ranks(const struct import_hf_plan *plan)
{
    if (plan->adjusted.line != 0 || !import_told_once(&plan->total_batch) ||
        !import_told_once(&plan->per_device) || !import_told_once(&plan->accumulation))
        return NAN;
    double ranks = plan->total_batch.value / (plan->per_device.value * plan->accumulation.value);
    return ranks >= 1 && ranks == floor(ranks) ? ranks : NAN;
}

static void write_plan(struct import_record *record, const struct import_hf *run)
{
    const struct import_hf_plan *plan = &run->plan;
    if (plan->adjusted.line != 0)
        import_warn(record, plan->adjusted.line,
                    "one process drives several devices (torch's DataParallel, not DDP): neither "
                    "ranks nor strategy are taken from this log");
    if (import_told_once(&plan->trainable)) /* with adapters, not all there are */
        import_value(record, "trainable_parameters", plan->trainable.value);
    import_told_write(record, "workload.parameters", &plan->parameters);
    import_ask(record, "workload.parameters", "only those that are trained are told");
    if (usable_or_nan(&run->micro_batch) > 0 && plan->per_device.line == 0) {
        import_number(record, "workload.micro_batch", run->micro_batch.value,
                      run->micro_batch.line);
        import_warn(record, run->micro_batch.line,
                    "train_batch_size is that of one device, without accumulation: it is "
                    "workload.micro_batch; the batch of a step is not told");
    }
}

/* ---- Rates ---- */

/* Steps that the rates count: all of max_steps, also those before a checkpoint from which this
 * session went on, and those after an early stop. */
static double steps_counted(const struct import_hf *run)
{
    return run->plan.steps.line != 0 ? run->plan.steps.value : usable_or_nan(&run->max_steps);
}

/* Those that this session trained, as far as the output tells. */
static double steps_trained(const struct import_hf *run)
{
    double all = steps_counted(run);
    double done = run->global_step.line != 0 ? usable_or_nan(&run->global_step) : all;
    double trained = run->plan.resumed_from.line != 0 ? done - run->plan.resumed_from.value : done;
    return trained > 0 && trained < all ? trained : all;
}

/* Versions before 4.6 call steps/s train_samples_per_second, and have no train_steps_per_second. */
static bool counts_steps(const struct import_hf_report *report)
{
    return report->samples_per_s.line != 0 && report->steps_per_s.line == 0;
}

/* Compares what the rates have counted with what else the file says of it. */
static void check_counts(struct import_record *record, const struct import_hf *run, double counted,
                         double slack)
{
    const struct import_hf_report *report = &run->report;
    double runtime = usable_or_nan(&report->runtime_s);
    double epochs = usable_or_nan(&report->epoch);
    double samples = usable_or_nan(&report->train_samples);
    double steps = usable_or_nan(&report->steps_per_s) * runtime;
    double told = steps_counted(run);
    if (fabs(samples * epochs - counted) > slack + 0.01 * samples)
        import_warn(record, report->train_samples.line,
                    "the rate is that of %.1f samples in %g s, although train_samples is %g in %g "
                    "epochs: it counts max_steps times the batch, not the data set",
                    counted, runtime, samples, epochs);
    if (fabs(steps - told) <= RATE_HALF_UNIT * runtime + 1 && told > 0)
        import_value(record, "mean_step_ms", runtime * 1000 / steps_trained(run));
    if (fabs(steps - told) > RATE_HALF_UNIT * runtime + 1)
        import_warn(
            record, report->steps_per_s.line,
            "the rate is that of %.1f steps in %g s, but max_steps is %g: the report is not "
            "of these steps",
            steps, runtime, told);
}

static void write_throughput(struct import_record *record, const struct import_hf *run, double rate,
                             size_t line)
{
    double trained = steps_trained(run);
    double counted = steps_counted(run);
    double told = 0;
    if (!(rate > 0)) {
        import_warn(record, line, "a rate of 0 says nothing; throughput is left out");
        return;
    }
    if (RATE_HALF_UNIT / rate > 0.01)
        import_warn(record, line, "the rate is rounded to three decimals: it may be off by %.1f %%",
                    RATE_HALF_UNIT / rate * 100);
    if (import_given_number(record, "metrics.throughput", &told))
        return; /* the log times single steps */
    if (trained < counted)
        import_warn(record, line,
                    "this rate counts %g steps, of which this session trained %g; throughput is "
                    "that of the steps that were trained",
                    counted, trained);
    import_number(record, "metrics.throughput", trained < counted ? rate * trained / counted : rate,
                  line);
    import_text(record, "metrics.throughput_unit", "samples/s", 0);
    import_warn(record, line,
                "train_runtime spans all of training%s: throughput is lower than that of its steps",
                run->history.evaluation_line != 0 ? ", with the evaluations in between"
                                                  : ", evaluations and checkpoints too");
}

/* Steps/s under the name of samples/s, times the batch. */
static void write_step_rate(struct import_record *record, const struct import_hf *run)
{
    const struct import_hf_number *rate = &run->report.samples_per_s;
    double batch = 0;
    import_value(record, "steps_per_s", usable_or_nan(rate));
    import_warn(record, rate->line,
                "without train_steps_per_second this is a version that counts steps, not samples, "
                "in train_samples_per_second");
    if (import_given_number(record, "workload.global_batch", &batch))
        write_throughput(record, run, batch * rate->value, rate->line);
    else
        import_ask(record, "workload.global_batch", "samples/s follow from steps/s times it");
}

static void write_samples(struct import_record *record, const struct import_hf *run)
{
    const struct import_hf_report *report = &run->report;
    double rate = usable_or_nan(&report->samples_per_s);
    double runtime = usable_or_nan(&report->runtime_s);
    double slack = RATE_HALF_UNIT * runtime + 0.0001 * rate;
    double steps = steps_counted(run);
    if (isnan(rate))
        return;
    import_value(record, "samples_per_s", rate);
    if (isfinite(runtime)) {
        double counted = rate * runtime;
        double whole = import_told_whole(counted, slack);
        double batch = import_told_whole(counted / steps, slack / steps);
        import_value(record, "samples_counted", isnan(whole) ? round(counted) : whole);
        if (isfinite(batch))
            import_value(record, "global_batch_from_rate", batch);
        check_counts(record, run, counted, slack);
    }
    write_throughput(record, run, rate, report->samples_per_s.line);
}

/* Tokens: what was seen over the run's time. The Trainer's own rate counts one process's loader,
 * or leaves accumulation out, according to its version. */
static void write_tokens(struct import_record *record, const struct import_hf *run)
{
    const struct import_hf_report *report = &run->report;
    double seen = usable_or_nan(&report->tokens_seen);
    double runtime = usable_or_nan(&report->runtime_s);
    double told = usable_or_nan(&report->tokens_per_s);
    if (isfinite(told))
        import_value(record, "told_tokens_per_s", told);
    if (!(seen > 0)) {
        if (told > 0)
            import_warn(record, report->tokens_per_s.line,
                        "train_tokens_per_second counts one process's data loader, and with "
                        "accumulation not all of it; it is no metric of the run");
        return;
    }
    import_value(record, "tokens_seen", seen);
    if (!(runtime > 0) || run->plan.resumed_from.line != 0)
        return; /* earlier sessions' tokens are in it */
    import_value(record, "tokens_per_s", seen / runtime);
    if (fabs(told - seen / runtime) > 0.02 * seen / runtime)
        import_warn(record, report->tokens_per_s.line,
                    "train_tokens_per_second is %g, but num_input_tokens_seen over train_runtime "
                    "is %g: the first leaves out ranks or accumulation",
                    told, seen / runtime);
}

static void write_report(struct import_record *record, const struct import_hf *run)
{
    const struct import_hf_report *report = &run->report;
    double runtime = usable_or_nan(&report->runtime_s);
    if (isfinite(runtime))
        import_value(record, "runtime_s", runtime);
    if (report->loss.line != 0)
        import_value(record, "train_loss", usable_or_nan(&report->loss));
    if (report->count > 1)
        import_warn(record, report->runtime_s.line,
                    "%zu reports of training are in this file; the last one counts", report->count);
    if (counts_steps(report)) {
        write_step_rate(record, run);
    } else {
        if (report->steps_per_s.line != 0)
            import_value(record, "steps_per_s", usable_or_nan(&report->steps_per_s));
        write_samples(record, run);
    }
    write_tokens(record, run);
}

/* ---- History and memory ---- */

/* Steps 1, 2, 3, ... where the console tells no steps but has an entry for each of them. */
static struct import_sample numbered(struct import *import, const struct import_hf *run)
{
    struct import_sample steps = run->history.steps;
    if (run->plan.steps.line == 0 || run->plan.resumed_from.line != 0 || steps.count == 0 ||
        run->plan.steps.value != (double)steps.count || !isnan(steps.values[0]))
        return steps;
    struct import_sample counted = {0};
    for (size_t i = 0; i < steps.count; i++)
        import_sample_add(import, &counted, (double)(i + 1), steps.first_line);
    return counted;
}

static void write_history(struct import *import, struct import_record *record,
                          const struct import_hf *run)
{
    const struct import_hf_history *history = &run->history;
    struct import_sample steps = numbered(import, run);
    if (history->losses.count == 0)
        return;
    import_deepspeed_write_series(record, "losses", &steps, &history->losses);
    if (history->has_norms)
        import_deepspeed_write_series(record, "grad_norms", &steps, &history->norms);
    import_value(record, "loss_last", history->losses.values[history->losses.count - 1]);
    if (history->hidden_line != 0)
        import_warn(record, history->hidden_line,
                    "a loss of 0 beside a gradient norm that is not a number: the Trainer hides a "
                    "loss that is none behind it; it is null");
    if (history->bad_loss_line != 0)
        import_warn(record, history->bad_loss_line,
                    "the loss is not a number here: training diverged");
    if (history->bad_norm_line != 0)
        import_warn(record, history->bad_norm_line,
                    "the gradient norm is not a number here: the step was skipped or training "
                    "diverged");
}

static void write_memory(struct import_record *record, const struct import_hf_report *report)
{
    double kept = usable_or_nan(&report->training_kept);
    double peaked = usable_or_nan(&report->training_peaked);
    double before = usable_or_nan(&report->before_init) + usable_or_nan(&report->init_kept);
    double told = 0;
    if (isnan(kept) || isnan(peaked))
        return;
    import_value(record, "training_kept_mib", kept / MIB);
    import_value(record, "training_peak_above_start_mib", (kept + peaked) / MIB);
    if (!(before + kept + peaked > 0)) {
        import_warn(record, report->training_peaked.line,
                    "memory is told as differences, and not from where (before_init_mem_gpu): no "
                    "peak follows");
        return;
    }
    if (import_given_number(record, "metrics.peak_memory_mb", &told))
        return;
    import_number(record, "metrics.peak_memory_mb", (before + kept + peaked) / MIB,
                  report->training_peaked.line);
    import_text(record, "metrics.memory_kind", "allocated", 0);
    import_warn(
        record, report->training_peaked.line,
        "the peak is the sum of the Trainer's four counters, of rank 0 on its first device; "
        "another rank's may be higher");
}

void import_hf_write(struct import *import, struct import_record *record,
                     const struct import_hf *run)
{
    write_plan(record, run);
    write_report(record, run);
    write_history(import, record, run);
    write_memory(record, &run->report);
    if (run->report.runtime_s.line == 0 && run->report.samples_per_s.line == 0)
        import_warn(record, 0,
                    "no report of training: the run had not ended when this was written");
    import_ask(record, "workload.world_size", "the Trainer does not tell the number of ranks here");
    import_ask(record, "workload.global_batch", "the batch of a step is not told");
}
