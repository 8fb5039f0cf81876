#include "import_trainer_log.h"

#include "import_deepspeed.h"
#include "import_failures.h"
#include "import_hf.h"

struct run {
    struct import_deepspeed_config config;
    struct import_deepspeed_steps steps;
    struct import_deepspeed_memory memory;
    struct import_hf hf;
    struct import_failures failures;
    struct import_span version; /* of DeepSpeed */
    double rank;                /* whose lines tell the steps; -1: no launcher says */
    bool begun[2];              /* which of the lines that begin a run were seen */
    size_t other_ranks_line;    /* the first line of steps of another rank */
};

static const struct run new_run = {.rank = -1};

/* How many lines have told of steps so far. */
static size_t progress(const struct run *run)
{
    return run->steps.iterations.steps.count + run->steps.timers.steps.count +
           run->steps.timers.sums_ms.count + run->hf.history.losses.count + run->hf.report.count;
}

static bool measured(const struct run *run)
{
    return progress(run) > 0 || import_hf_measured(&run->hf);
}

/* ---- One run ---- */

/* What the Trainer's plan and the lines of steps tell of the configuration. */
static void complete_config(struct run *run)
{
    const struct import_hf_plan *plan = &run->hf.plan;
    struct import_deepspeed_config *config = &run->config;
    import_deepspeed_derive(config, &run->steps);
    if (plan->total_batch.line != 0)
        import_told_add(&config->train_batch, plan->total_batch.value, plan->total_batch.line);
    if (plan->per_device.line != 0 && plan->adjusted.line == 0)
        import_told_add(&config->micro_batch, plan->per_device.value, plan->per_device.line);
    if (plan->accumulation.line != 0)
        import_told_add(&config->accumulation, plan->accumulation.value, plan->accumulation.line);
    import_told_add(&config->data_parallel, import_hf_ranks(plan), plan->total_batch.line);
}

static void write_run(struct import *import, struct run *run)
{
    struct import_record *record = import_begin(import);
    complete_config(run);
    import_deepspeed_write_config(record, &run->config);
    import_deepspeed_write_steps(import, record, &run->steps);
    import_deepspeed_write_memory(record, &run->memory);
    if (import_hf_measured(&run->hf) || run->hf.plan.total_batch.line != 0)
        import_hf_write(import, record, &run->hf);
    if (run->version.length > 0)
        import_value_span(record, "deepspeed_version", run->version);
    if (run->other_ranks_line != 0)
        import_warn(record, run->other_ranks_line,
                    "several ranks tell their steps; those of rank %g count", run->rank);
    import_failures_finish(&run->failures, record);
    import_ask(record, "hardware.device", "the log does not tell the device");
}

static const char *const beginnings[2] = {"DeepSpeed info: version=",
                                          "***** Running training *****"};

/* Whether another run begins: after steps, or with the same words again after a failure. */
static bool begins_run(struct run *run, double rank, const struct import_line *line)
{
    if (rank >= 0 && run->rank >= 0 && rank != run->rank)
        return false; /* other ranks are where they are */
    for (size_t i = 0; i < 2; i++) {
        struct import_span rest = line->span;
        if (!import_scan_find(&rest, beginnings[i]))
            continue;
        if (measured(run) || (run->begun[i] && run->failures.weight > 0))
            return true;
        run->begun[i] = true;
    }
    return measured(run) &&
           (import_deepspeed_restarts(&run->steps, line) || import_hf_restarts(&run->hf, line));
}

static bool contains(const struct import_line *line, const char *word)
{
    struct import_span rest = line->span;
    return import_scan_find(&rest, word);
}

/* Whether the line's steps count: those of the first rank that tells any. */
static bool is_of_rank(struct run *run, double rank, const struct import_line *line)
{
    double steps = 0;
    bool tells = import_scan_labelled(&line->span, "SamplesPerSec=", &steps) ||
                 import_scan_labelled(&line->span, "elapsed time per iteration (ms):", &steps) ||
                 contains(line, "'epoch':") || contains(line, "'train_runtime':");
    if (!tells || rank < 0 || rank == run->rank)
        return true;
    if (run->rank < 0) {
        run->rank = rank;
        return true;
    }
    if (run->other_ranks_line == 0)
        run->other_ranks_line = line->number;
    return false;
}

/* `line`: without what launchers put before it. */
static void take_line(struct import *import, struct run *run, double rank,
                      const struct import_line *line)
{
    struct import_span rest = line->span;
    size_t before = progress(run);
    if (import_scan_find(&rest, beginnings[0]) && import_scan_word(&rest, &run->version) &&
        run->version.text[run->version.length - 1] == ',')
        run->version.length--;
    (void)import_deepspeed_take_config(import, &run->config, line);
    (void)import_deepspeed_take_memory(&run->memory, rank, line);
    if (!is_of_rank(run, rank, line))
        return;
    (void)import_deepspeed_take_steps(import, &run->steps, line);
    import_hf_take_line(import, &run->hf, line);
    if (progress(run) > before)
        import_failures_progress(&run->failures);
}

void import_trainer_log_read(struct import *import, const struct import_source *source)
{
    struct import_cursor lines = {.source = source};
    struct import_line line;
    struct run *run = import_take(import, 1, sizeof *run);
    size_t written = 0;
    if (run == NULL)
        return;
    *run = new_run;
    while (import_goes_on(import) && import_scan_next(&lines, &line)) {
        struct import_line bare = line;
        double rank = -1;
        while (import_scan_rank(&bare.span, &rank))
            continue; /* mpirun's and torchrun's may both be there */
        if (begins_run(run, rank, &bare)) {
            write_run(import, run);
            written++;
            *run = new_run;
            (void)begins_run(run, rank, &bare);
        }
        import_failures_line(&run->failures, &line);
        take_line(import, run, rank, &bare);
    }
    bool any = written > 0 || import_trainer_log_deepspeed_signs(source) > 0 ||
               import_trainer_log_hf_signs(source) > 0;
    if (measured(run) || run->failures.weight > 0 || (written == 0 && any))
        write_run(import, run);
}

/* ---- Recognition ---- */

static unsigned signs_of(const struct import_source *source, const char *const words[],
                         size_t count)
{
    unsigned signs = 0;
    for (size_t i = 0; i < count; i++)
        signs += import_scan_count(source, words[i], 1000);
    return signs;
}

unsigned import_trainer_log_deepspeed_signs(const struct import_source *source)
{
    static const char *const own[] = {"SamplesPerSec=",      ":log_dist]",
                                      ":see_memory_usage]",  "[deepspeed]",
                                      "DeepSpeed info:",     "_microstep:",
                                      "ZeRO stage ",         "[launch.py:",
                                      ":print_user_config]", "DeepSpeed Flops Profiler ---"};
    static const char *const above[] = {
        "elapsed time per iteration (ms):", "elapsed_time_per_iteration_ms=", "time (ms) |"};
    unsigned signs = signs_of(source, own, sizeof own / sizeof own[0]);
    unsigned steps = signs_of(source, above, sizeof above / sizeof above[0]);
    if (steps > 0) /* GPT-NeoX; others write samples/sec, too, but not with these */
        signs += import_scan_count(source, "samples/sec: ", 1000);
    if (signs == 0)
        return 0;
    /* DeepSpeed under a training loop that is known by itself: more than all of that one's signs.
     */
    return 1 + 2 * (signs + steps) + (steps > 0 ? 50 : 0);
}

unsigned import_trainer_log_hf_signs(const struct import_source *source)
{
    static const char *const own[] = {"'train_runtime':", "{'loss':", "***** train metrics *****",
                                      "Total train batch size (w. parallel"};
    unsigned signs = signs_of(source, own, sizeof own / sizeof own[0]);
    return signs == 0 ? 0 : 1 + 2 * signs + import_trainer_log_deepspeed_signs(source);
}
