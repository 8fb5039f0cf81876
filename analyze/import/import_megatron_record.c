#include <math.h>

#include "import_count.h"
#include "import_losses.h"
#include "import_megatron.h"

/* Whether a line without a loss had one that Megatron does not print. Not so in another training,
 * whose loss has a name of its own. */
static bool hides_losses(const struct import_megatron_run *run)
{
    bool named = false;
    for (size_t i = 0; i < run->line_count; i++) {
        if (!isnan(run->lines[i].loss))
            return true;
        named = named || run->lines[i].names_loss;
    }
    return !named;
}

/* What is not finite is counted by Megatron itself, or not printed: write_bad, write_absent. */
static void write_losses(const struct import_megatron_run *run, struct import_record *record)
{
    struct import_losses losses = {.hidden = hides_losses(run)};
    for (size_t i = 0; i < run->line_count; i++) {
        const struct import_megatron_line *line = &run->lines[i];
        struct import_loss read = {.step = line->iteration,
                                   .loss = line->loss,
                                   .norm = line->norm,
                                   .has_loss = isfinite(line->loss),
                                   .has_norm = isfinite(line->norm),
                                   .line = line->line};
        import_losses_add(run->import, &losses, &read);
    }
    import_losses_write(record, &losses);
}

/* Megatron prints a loss only above 0, which NaN is not: where iterations were trained and none is
 * printed, it was not finite. */
static void write_absent(const struct import_megatron_run *run, struct import_record *record)
{
    size_t count = 0;
    size_t first = 0;
    for (size_t i = 0; i < run->line_count; i++) {
        const struct import_megatron_line *line = &run->lines[i];
        if (!isnan(line->loss) || line->skipped >= line->covered || line->bad > 0)
            continue;
        if (count++ == 0)
            first = line->line;
    }
    if (count == 0 || !hides_losses(run))
        return;
    import_value(record, "lines_without_loss", (double)count);
    import_warn(
        record, first,
        "%zu lines of iterations have no loss; Megatron leaves out one that is not above 0, "
        "as NaN is",
        count);
}

/* Iterations that trained nothing, and those whose loss was no number. */
static void write_bad(const struct import_megatron_run *run, struct import_record *record)
{
    double skipped = 0;
    double bad = 0;
    size_t skipped_line = 0;
    size_t bad_line = 0;
    for (size_t i = 0; i < run->line_count; i++) {
        const struct import_megatron_line *line = &run->lines[i];
        double not_finite = line->bad > 0 ? line->bad : 0;
        if (not_finite == 0 && (isinf(line->loss) || isinf(line->norm)))
            not_finite = 1;
        if (line->skipped > 0 && skipped_line == 0)
            skipped_line = line->line;
        if (not_finite > 0 && bad_line == 0)
            bad_line = line->line;
        skipped += line->skipped > 0 && isfinite(line->skipped) ? line->skipped : 0;
        bad += isfinite(not_finite) ? not_finite : 0;
    }
    import_value(record, "skipped_iterations", skipped);
    import_value(record, "nan_iterations", bad);
    if (skipped_line != 0)
        import_warn(record, skipped_line,
                    "%.0f iterations had no step of the optimizer (skipped, as a rule for an "
                    "overflow under the loss scale)",
                    skipped);
    if (bad_line != 0)
        import_warn(record, bad_line, "the loss of %.0f iterations is not a finite number", bad);
}

static void write_bad_norms(const struct import_megatron_run *run, struct import_record *record)
{
    size_t count = 0;
    size_t first = 0;
    for (size_t i = 0; i < run->line_count; i++)
        if (run->lines[i].bad_norm && count++ == 0)
            first = run->lines[i].line;
    if (count > 0)
        import_warn(record, first,
                    "the gradient norm of %zu lines is not a finite number, first here", count);
}

static void write_course(const struct import_megatron_run *run, struct import_record *record)
{
    for (size_t i = 0; i < run->line_count; i++) {
        if (!run->lines[i].back)
            continue;
        import_warn(record, run->lines[i].line,
                    "the run was resumed at iteration %.0f; losses are those of the iterations run "
                    "last",
                    run->lines[i].iteration);
    }
    if (run->repeated_line != 0)
        import_warn(record, run->repeated_line,
                    "iterations are printed more than once; the first line of each counts");
}

/* A sequence length that is printed beside the iterations (Megatron-DeepSpeed). */
static void write_printed_length(const struct import_megatron_run *run,
                                 struct import_record *record)
{
    if (run->line_count == 0)
        return;
    const struct import_megatron_line *last = &run->lines[run->line_count - 1];
    if (run->setup.numbers[IMPORT_MEGATRON_SEQ_LEN].line == 0 && !isnan(last->seq_len))
        import_count_write(record, "workload.seq_len", last->seq_len, last->line);
}

void import_megatron_record(struct import_megatron_run *run)
{
    struct import_record *record = import_begin(run->import);
    const char *strategy;
    import_megatron_setup_write(&run->setup, record);
    if (import_given_text(record, "strategy", &strategy))
        import_value_text(record, "strategy", strategy);
    write_printed_length(run, record);
    import_megatron_rates(run, record);
    import_megatron_memory_write(run, record);
    if (run->line_count > 0) {
        import_value(record, "steps", (double)run->line_count);
        write_bad(run, record);
        write_absent(run, record);
        write_bad_norms(run, record);
        write_losses(run, record);
        write_course(run, record);
    }
    import_failures_finish(&run->failures, record);
}
