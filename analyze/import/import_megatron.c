#include "import_megatron.h"

#include <math.h>

#include "import_interleaved.h"

/* A start that follows iterations is read into a run of its own, until its first iteration tells
 * whether it resumes the earlier one. */
struct reader {
    struct import_megatron_run run;
    struct import_megatron_run earlier;
    bool has_earlier;
    struct import_failures joined; /* of both, should it be resumed */
};

static void begin(struct import_megatron_run *run, struct import *import)
{
    *run = (struct import_megatron_run){.import = import};
}

/* What a run had becomes its record. */
static void finish(struct import_megatron_run *run)
{
    if (run->line_count > 0 || run->rank_count > 0 || run->starting || run->failures.weight > 0)
        import_megatron_record(run);
    begin(run, run->import);
}

static void note_start(struct reader *reader)
{
    if (reader->run.line_count > 0) {
        reader->earlier = reader->run;
        reader->has_earlier = true;
        reader->joined = reader->earlier.failures;
        begin(&reader->run, reader->earlier.import);
    }
    reader->run.starting = true;
}

/* The new start goes on where the earlier one had been: its arguments hold, its lines follow. */
static void resume(struct reader *reader)
{
    struct import_megatron_run *run = &reader->run;
    struct import_megatron_run *earlier = &reader->earlier;
    import_megatron_setup_join(&run->setup, &earlier->setup);
    import_megatron_memory_join(run, earlier);
    run->lines = earlier->lines;
    run->line_count = earlier->line_count;
    run->line_capacity = earlier->line_capacity;
    run->repeated_line = earlier->repeated_line;
    run->failures = reader->joined;
    if (run->theoretical_mib.line == 0)
        run->theoretical_mib = earlier->theoretical_mib;
    reader->has_earlier = false;
}

/* Resumed: a checkpoint was read, or the iterations go on from within the earlier ones. */
static bool is_resumed(const struct reader *reader, const struct import_megatron_line *line)
{
    const struct import_megatron_run *earlier = &reader->earlier;
    double each = import_megatron_interval(earlier);
    double last = earlier->lines[earlier->line_count - 1].iteration;
    if (earlier->line_count == 1)
        each = fmax(each, earlier->lines[0].iteration);
    if (earlier->completed && line->iteration <= each)
        return false;
    return reader->run.loaded || (line->iteration > each && line->iteration <= last + each);
}

static void settle(struct reader *reader, const struct import_megatron_line *line)
{
    if (!reader->has_earlier)
        return;
    if (is_resumed(reader, line)) {
        resume(reader);
        return;
    }
    struct import_megatron_run run = reader->run;
    finish(&reader->earlier);
    reader->run = run;
    reader->has_earlier = false;
}

static void add_line(struct reader *reader, const struct import_megatron_line *line)
{
    settle(reader, line);
    struct import_megatron_run *run = &reader->run;
    const struct import_megatron_line *last =
        run->line_count > 0 ? &run->lines[run->line_count - 1] : NULL;
    bool back = last != NULL && (run->starting || line->iteration < last->iteration);
    if (last != NULL && line->iteration == last->iteration && !run->starting) {
        if (run->repeated_line == 0) /* another rank, or the log twice in one file */
            run->repeated_line = line->line;
        return;
    }
    struct import_megatron_line *lines = import_sample_room(
        run->import, run->lines, run->line_count, &run->line_capacity, sizeof *lines);
    if (lines == NULL)
        return;
    run->lines = lines;
    lines[run->line_count] = *line;
    lines[run->line_count].fresh = run->starting;
    lines[run->line_count++].back = back;
    run->starting = false;
}

static void read_other(struct reader *reader, const struct import_line *line)
{
    struct import_megatron_run *run = &reader->run;
    struct import_span rest = line->span;
    double iteration;
    if (import_scan_find(&rest, "successfully loaded checkpoint from") &&
        import_scan_find(&rest, "at iteration") && import_scan_count_of(&rest, &iteration) &&
        iteration > 0)
        run->loaded = true;
    rest = line->span;
    if (import_scan_find(&rest, "[after training is done]"))
        run->completed = true;
    if (run->line_count == 0 || run->starting)
        import_megatron_setup_read(&run->setup, line);
}

/* The iterations of a line; false if there are none. */
static bool read_iterations(struct reader *reader, struct import_line line)
{
    struct import_line part;
    struct import_megatron_line read;
    bool found = false;
    while (import_interleaved_next(&line, &part))
        if (import_megatron_line_read(&part, &read)) {
            add_line(reader, &read);
            import_failures_progress(&reader->run.failures);
            found = true;
        }
    return found;
}

/* The ranks' memory of a line; false if there is none. */
static bool read_memory(struct import_megatron_run *run, struct import_line line)
{
    struct import_line part;
    bool found = false;
    while (import_interleaved_next(&line, &part))
        found = import_megatron_memory_read(run, &part) || found;
    return found;
}

/* A start without an iteration: the earlier run's, resumed in vain, unless that had ended. */
static void end(struct reader *reader)
{
    if (reader->has_earlier && reader->earlier.completed) {
        finish(&reader->earlier);
    } else if (reader->has_earlier) {
        resume(reader);
    }
    finish(&reader->run);
}

static void read_log(struct import *import, const struct import_source *source)
{
    struct reader reader = {.run = {.import = import}};
    struct import_cursor lines = {.source = source};
    struct import_line line;
    while (import_goes_on(import) && import_scan_next(&lines, &line)) {
        if (read_iterations(&reader, line))
            continue;
        if (import_megatron_setup_starts(&line) && !reader.run.starting)
            note_start(&reader);
        import_failures_line(&reader.run.failures, &line);
        import_failures_line(&reader.joined, &line);
        if (!read_memory(&reader.run, line))
            read_other(&reader, &line);
    }
    end(&reader);
}

/* The line of iterations is Megatron's own, and so are most others. */
static unsigned matches(const struct import_source *source)
{
    static const char *const signs[] = {"elapsed time per iteration (",
                                        "consumed samples:",
                                        "number of skipped iterations:",
                                        "number of nan iterations:",
                                        "Theoretical memory footprints:",
                                        "iterations) memory (MB) | allocated:",
                                        "using world size:",
                                        "[before the start of training step]",
                                        "megatron is initialized",
                                        "megatron"};
    unsigned found = 0;
    for (size_t i = 0; i < sizeof signs / sizeof signs[0]; i++)
        found += import_scan_count(source, signs[i], 1);
    /* One line of iterations is enough: no other tool has one. */
    return import_scan_count(source, signs[0], 1) > 0 ? found + 3 : found > 1 ? found : 0;
}

const struct import_format import_megatron = {
    .name = "megatron",
    .title = "Megatron-LM log",
    .sample =
        " [2024-04-06 03:02:12] iteration       71/     100 | consumed samples:         9088 | "
        "elapsed time per iteration (ms): 5361.6 | global batch size:   128 | lm loss: "
        "1.818812E+00 |",
    .matches = matches,
    .joins = true,
    .read = read_log,
};
