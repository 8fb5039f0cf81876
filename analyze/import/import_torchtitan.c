#include "import_torchtitan.h"

#include <math.h>

#include "import_interleaved.h"

static void start(struct import_torchtitan_run *run)
{
    struct import *import = run->import;
    *run = (struct import_torchtitan_run){.import = import, .top = NAN, .below = NAN};
    import_torchtitan_setup_init(&run->setup);
}

/* What a run had so far becomes its record. */
static void finish(struct import_torchtitan_run *run)
{
    if (run->line_count > 0 || run->started || run->failures.weight > 0)
        import_torchtitan_record(run);
    start(run);
}

/* The start that was seen is another run's. */
static void next_run(struct import_torchtitan_run *run)
{
    struct import_torchtitan_setup setup = run->restart_setup;
    struct import_failures failures = run->failures_after;
    run->failures = run->failures_before;
    run->restarting = false;
    finish(run);
    run->setup = setup;
    run->failures = failures;
    run->started = true;
}

static void new_attempt(struct import_torchtitan_run *run, size_t line)
{
    run->attempt++;
    run->top = run->below = NAN;
    if (run->back_line == 0)
        run->back_line = line;
}

/* Whether the step belongs behind one that was logged before. Ranks that are interleaved are apart
 * by one logged step at most, because a collective joins them in every step. */
static bool goes_back(const struct import_torchtitan_run *run, double step)
{
    return run->several ? step < run->below : step < run->top;
}

static void place(struct import_torchtitan_run *run, const struct import_torchtitan_line *line)
{
    if (run->restarting && line->step <= 1) {
        next_run(run);
    } else if (run->restarting) { /* resumed from a checkpoint */
        run->restarting = false;
        new_attempt(run, line->line);
    } else if (goes_back(run, line->step)) {
        if (line->step <= 1)
            finish(run);
        else
            new_attempt(run, line->line);
    } else if (line->step == run->top || line->step == run->below) {
        run->several = true;
    }
}

static void add_line(struct import_torchtitan_run *run, const struct import_torchtitan_line *line)
{
    place(run, line);
    if (!(line->step <= run->top)) { /* a new step, not one that another rank has logged */
        run->below = run->top;
        run->top = line->step;
        import_failures_progress(&run->failures);
    }
    struct import_torchtitan_line *lines = import_sample_room(
        run->import, run->lines, run->line_count, &run->line_capacity, sizeof *lines);
    if (lines == NULL)
        return;
    run->lines = lines;
    run->lines[run->line_count] = *line;
    run->lines[run->line_count].attempt = run->attempt;
    run->lines[run->line_count++].event = run->event;
    run->event = (struct import_torchtitan_event){0};
}

/* A line of a start. After a step it may begin a resumed run or another. */
static void note_start(struct import_torchtitan_run *run)
{
    if (run->line_count == 0) {
        run->started = true;
        return;
    }
    if (run->completed) {
        finish(run);
        run->started = true;
    } else if (!run->restarting) {
        run->restarting = true;
        run->failures_before = run->failures;
        run->failures_after = (struct import_failures){0};
        import_torchtitan_setup_init(&run->restart_setup);
    }
}

static void read_setup(struct import_torchtitan_run *run, const struct import_line *line)
{
    if (import_torchtitan_setup_starts(line))
        note_start(run);
    if (run->restarting)
        import_torchtitan_setup_read(&run->restart_setup, line);
    else if (run->line_count == 0)
        import_torchtitan_setup_read(&run->setup, line);
}

/* What takes time from the step that is logged next. */
static void read_event(struct import_torchtitan_run *run, const struct import_line *line)
{
    static const struct {
        const char *words, *name;
    } events[] = {
        {"umping profiler traces", "a profiler dump"},
        {"umping memory snapshot", "a memory snapshot"},
        {"aving the checkpoint", "a checkpoint"},
        {"aving a full checkpoint", "a checkpoint"},
        {"aving a checkpoint", "a checkpoint"},
        {"aving a model only checkpoint", "a checkpoint"},
        {"validate step:", "a validation"},
        {"GC collection", "a garbage collection"},
    };
    for (size_t i = 0; i < sizeof events / sizeof events[0]; i++) {
        struct import_span rest = line->span;
        if (!import_scan_find(&rest, events[i].words))
            continue;
        if (run->event.name != events[i].name) /* its first line: it takes several */
            run->event = (struct import_torchtitan_event){events[i].name, line->number};
        return;
    }
    struct import_span rest = line->span;
    if (import_scan_find(&rest, "Training completed"))
        run->completed = true;
}

/* The steps of a line; false if there are none. */
static bool read_steps(struct import_torchtitan_run *run, struct import_line line)
{
    struct import_line part;
    struct import_torchtitan_line read;
    bool found = false;
    while (import_interleaved_next(&line, &part))
        if (import_torchtitan_line_read(&part, &read)) {
            add_line(run, &read);
            found = true;
        }
    return found;
}

static void read_log(struct import *import, const struct import_source *source)
{
    struct import_torchtitan_run run = {.import = import};
    struct import_cursor lines = {.source = source};
    struct import_line line;
    start(&run);
    while (import_goes_on(import) && import_scan_next(&lines, &line)) {
        if (read_steps(&run, line))
            continue;
        read_setup(&run, &line);
        import_failures_line(&run.failures, &line);
        import_failures_line(&run.failures_after, &line);
        read_event(&run, &line);
    }
    finish(&run);
}

/* A step's line is a sign of its own; so is the logger's name. */
static unsigned matches(const struct import_source *source)
{
    static const char *const signs[] = {"[titan] ",
                                        "torchtitan",
                                        "Peak FLOPS used for computing MFU",
                                        "-D device mesh with [",
                                        "device mesh with parallelism:",
                                        "Training starts at step",
                                        "Trainer is initialized with"};
    struct import_cursor lines = {.source = source};
    struct import_line line;
    struct import_torchtitan_line read;
    bool stepped = false;
    while (!stepped && import_scan_next(&lines, &line))
        stepped = import_torchtitan_line_read(&line, &read);
    unsigned found = stepped ? 3 : 0;
    for (size_t i = 0; i < sizeof signs / sizeof signs[0]; i++)
        found += import_scan_count(source, signs[i], 1);
    return found > 1 ? found : 0;
}

const struct import_format import_torchtitan = {
    .name = "torchtitan",
    .title = "torchtitan log",
    .sample = "[rank0]:[titan] 2025-06-16 22:31:18,934 - root - INFO - step: 220  loss:  6.0348  "
              "memory: 49.66GiB(52.28%)  tps: 5,868  tflops: 339.82  mfu: 34.36%",
    .matches = matches,
    .read = read_log,
};
