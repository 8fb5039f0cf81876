#include <math.h>
#include <stdio.h>

#include "import_count.h"
#include "import_megatron.h"

/* Beyond this part two statements of one number contradict each other (evidence contract). */
#define ALLOWED 0.02

/* Lines that count, and what is summed over them, weighted by the iterations that each covers. */
struct sums {
    struct import_sample ms;
    double iterations, time_ms, samples;
    double flops_time; /* TFLOP/s * ms, of the lines that have both */
    double tflops_ms;  /* ms of those */
    double token_time, tokens_ms;
};

/* The smallest difference, which restarts and lost lines only make larger; 1 for a single line. */
double import_megatron_interval(const struct import_megatron_run *run)
{
    double least = NAN;
    for (size_t i = 1; i < run->line_count; i++) {
        double covered = run->lines[i].iteration - run->lines[i - 1].iteration;
        if (covered > 0)
            least = fmin(least, covered); /* fmin passes over the first NAN */
    }
    return isnan(least) ? 1 : least;
}

/* A line is the mean over a whole interval, or over what there was since iteration 0. */
static void cover(struct import_megatron_run *run)
{
    double each = import_megatron_interval(run);
    for (size_t i = 0; i < run->line_count; i++) {
        struct import_megatron_line *line = &run->lines[i];
        line->covered = line->iteration > 0 ? fmin(each, line->iteration) : 1;
    }
}

/* The first iterations of a process, in a line whose start the log has or that covers the first. */
static bool is_warm_up(const struct import_megatron_run *run, size_t i)
{
    const struct import_megatron_line *line = &run->lines[i];
    return line->fresh || line->back || (i == 0 && line->iteration <= line->covered);
}

static bool is_counted(const struct import_megatron_run *run, struct import_record *record,
                       size_t i, double batch)
{
    const struct import_megatron_line *line = &run->lines[i];
    if (!import_count_plausible(line->ms)) {
        import_warn(record, line->line, "iteration %.0f has no usable time", line->iteration);
        return false;
    }
    if (is_warm_up(run, i)) {
        import_warn(record, line->line,
                    "iteration %.0f (%.1f ms) holds the first of its process and is not counted in "
                    "times",
                    line->iteration, line->ms);
        return false;
    }
    if (line->skipped >= line->covered) {
        import_warn(record, line->line,
                    "iteration %.0f (%.1f ms) had no step of the optimizer and is not counted in "
                    "times",
                    line->iteration, line->ms);
        return false;
    }
    if (line->batch != batch && !isnan(batch)) {
        import_warn(record, line->line,
                    "iteration %.0f has another global batch (%.0f, at the end %.0f) and is not "
                    "counted in times",
                    line->iteration, line->batch, batch);
        return false;
    }
    return true;
}

static void add(struct import_megatron_run *run, struct sums *sums,
                const struct import_megatron_line *line)
{
    double time = line->ms * line->covered;
    import_sample_add(run->import, &sums->ms, line->ms, line->line);
    sums->iterations += line->covered;
    sums->time_ms += time;
    sums->samples += line->batch * line->covered;
    if (import_count_plausible(line->tflops)) {
        sums->flops_time += line->tflops * time;
        sums->tflops_ms += time;
    }
    if (import_count_plausible(line->tokens)) {
        sums->token_time += line->tokens * time;
        sums->tokens_ms += time;
    }
}

/* The batch of the last line is the run's; what is printed as consumed must grow by it. */
static double last_batch(const struct import_megatron_run *run, struct import_record *record)
{
    const struct import_megatron_line *last = &run->lines[run->line_count - 1];
    if (!import_count_plausible(last->batch))
        return NAN;
    if (run->line_count > 1 && !last->back) {
        double consumed =
            (last->consumed - last[-1].consumed) / (last->iteration - last[-1].iteration);
        if (last->batch == last[-1].batch && import_sample_differ(consumed, last->batch, ALLOWED))
            import_warn(record, last->line,
                        "the global batch is %.0f, but %.1f samples were consumed per iteration",
                        last->batch, consumed);
    }
    return last->batch;
}

static void write_batch(const struct import_megatron_run *run, struct import_record *record,
                        double batch)
{
    const struct import_megatron_number *told = &run->setup.numbers[IMPORT_MEGATRON_GLOBAL_BATCH];
    const struct import_megatron_number *micro = &run->setup.numbers[IMPORT_MEGATRON_MICRO_BATCH];
    const struct import_megatron_number *data = &run->setup.numbers[IMPORT_MEGATRON_DATA];
    if (isnan(batch) && told->line != 0)
        batch = told->value;
    if (isnan(batch))
        import_ask(record, "workload.global_batch", "the log does not print it");
    else
        import_count_write(record, "workload.global_batch", batch,
                           run->line_count > 0 ? run->lines[run->line_count - 1].line : told->line);
    double steps = batch / (micro->value * data->value);
    if (micro->line != 0 && data->line != 0 && import_count_plausible(steps) &&
        steps == floor(steps))
        import_number(record, "workload.gradient_accumulation", steps, 0);
}

/* Tokens per second: of the sequence length, or of what forks print for one GPU. */
static double token_rate(const struct import_record *record, const struct sums *sums,
                         double samples_per_s)
{
    double seq_len;
    double ranks;
    if (import_given_number(record, "workload.seq_len", &seq_len) &&
        import_count_plausible(seq_len))
        return samples_per_s * seq_len;
    if (sums->tokens_ms > 0 && import_given_number(record, "workload.world_size", &ranks))
        return sums->token_time / sums->tokens_ms * ranks;
    return NAN;
}

/* What the tokens/s would be: the sequence length is what the line of iterations lacks. */
static void write_conditional(struct import_record *record, double samples_per_s)
{
    double seq_len;
    static const double usual[] = {1024, 2048, 4096, 8192};
    char name[64];
    if (import_given_number(record, "workload.seq_len", &seq_len) &&
        import_count_plausible(seq_len)) {
        snprintf(name, sizeof name, "tokens_per_s_if_seq_%.0f", seq_len);
        import_value(record, name, samples_per_s * seq_len);
        return;
    }
    for (size_t i = 0; i < sizeof usual / sizeof usual[0]; i++) {
        snprintf(name, sizeof name, "tokens_per_s_if_seq_%.0f", usual[i]);
        import_value(record, name, samples_per_s * usual[i]);
    }
}

static void write_throughput(const struct import_megatron_run *run, struct import_record *record,
                             const struct sums *sums)
{
    double samples_per_s = sums->samples / sums->time_ms * 1e3;
    double tokens = token_rate(record, sums, samples_per_s);
    double ranks;
    if (sums->tokens_ms > 0)
        import_value(record, "tokens_per_s_per_gpu", sums->token_time / sums->tokens_ms);
    bool has_samples = import_count_plausible(samples_per_s);
    bool has_tokens = import_count_plausible(tokens);
    if (has_samples) {
        import_value(record, "samples_per_s", samples_per_s);
        write_conditional(record, samples_per_s);
    }
    if (has_tokens)
        import_value(record, "tokens_per_s", tokens);
    if (!has_tokens && !has_samples)
        return;
    import_number_over(record, "metrics.throughput", has_tokens ? tokens : samples_per_s,
                       sums->ms.first_line, sums->ms.last_line);
    import_text(record, "metrics.throughput_unit", has_tokens ? "tokens/s" : "samples/s", 0);
    if (sums->tokens_ms > 0 && import_given_number(record, "workload.world_size", &ranks) &&
        import_sample_differ(sums->token_time / sums->tokens_ms * ranks, tokens, ALLOWED))
        import_warn(record, run->lines[run->line_count - 1].line,
                    "%.0f tokens/s are printed of a GPU, which makes %.0f of %.0f, but batch, "
                    "sequence length and time make %.0f, which is taken",
                    sums->token_time / sums->tokens_ms, sums->token_time / sums->tokens_ms * ranks,
                    ranks, tokens);
}

/*
 * Every line is a mean over its iterations, so the mean over the lines is exact and a median of
 * them would be none of steps: the step time is the mean, and the throughput its inverse.
 */
static void write_times(struct import_megatron_run *run, struct import_record *record,
                        const struct sums *sums)
{
    double mean = sums->time_ms / sums->iterations;
    double median = import_sample_median(run->import, &sums->ms);
    double ranks;
    import_value(record, "mean_step_ms", mean);
    import_value(record, "median_step_ms", median);
    import_number_over(record, "metrics.step_time_ms", mean, sums->ms.first_line,
                       sums->ms.last_line);
    if (import_sample_differ(mean, median, ALLOWED))
        import_warn(record, sums->ms.first_line,
                    "the mean of the iteration times is %.1f ms and their median %.1f ms: some of "
                    "them are far slower; the mean is taken",
                    mean, median);
    if (import_given_number(record, "workload.world_size", &ranks) && ranks == 1 &&
        sums->iterations == (double)sums->ms.count)
        import_sample_ranks(record, &sums->ms);
    else
        import_sample_keep(record, "step_times_ms", &sums->ms);
    if (sums->tflops_ms > 0) {
        import_value(record, "mean_tflops_per_gpu", sums->flops_time / sums->tflops_ms);
        import_number_over(record, "metrics.achieved_tflops", sums->flops_time / sums->tflops_ms,
                           sums->ms.first_line, sums->ms.last_line);
        import_text(record, "metrics.flop_model", "Megatron-LM", 0);
    }
}

void import_megatron_rates(struct import_megatron_run *run, struct import_record *record)
{
    struct sums sums = {0};
    double batch = NAN;
    if (run->line_count > 0) {
        cover(run);
        batch = last_batch(run, record);
    }
    write_batch(run, record, batch);
    for (size_t i = 0; i < run->line_count; i++)
        if (is_counted(run, record, i, batch))
            add(run, &sums, &run->lines[i]);
    if (run->line_count > 0 && sums.ms.count == 0)
        import_warn(record, run->lines[0].line, "no iteration is left after the warm-up: no times");
    if (sums.ms.count == 0)
        return;
    write_times(run, record, &sums);
    write_throughput(run, record, &sums);
}
