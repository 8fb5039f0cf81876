#include "import_nccl_check.h"

#include <math.h>

/* A factor is told by bandwidths of two decimals; 2 % are more than they lose above 1 GB/s. */
#define FACTOR_TOLERANCE 0.02

static bool agrees(double a, double b)
{
    return fabs(a - b) <= FACTOR_TOLERANCE * fmax(fabs(a), fabs(b));
}

/* The ratio where it is told best: at the largest bandwidth, out of place if there is one. */
static double measured_factor(const struct import_nccl_run *run)
{
    double best = 0;
    double factor = NAN;
    for (int place = 0; place < IMPORT_NCCL_PLACES && isnan(factor); place++) {
        for (size_t i = 0; i < run->row_count; i++) {
            const struct import_nccl_rate *rate = &run->rows[i].place[place];
            if (!(rate->algbw > best) || !isfinite(rate->busbw))
                continue;
            best = rate->algbw;
            factor = rate->busbw / rate->algbw;
        }
    }
    return best >= 1 ? factor : NAN; /* GB/s; below, two decimals tell no ratio */
}

static void check_factor(struct import_nccl_check *check)
{
    const struct import_nccl_run *run = check->run;
    double measured = measured_factor(run);
    /* The all-gather of some versions takes the factor into algbw already; busbw counts. */
    if (!check->size_agrees && isfinite(measured) && isfinite(check->factor) &&
        !agrees(measured, check->factor))
        import_warn(check->record, run->ranks_line,
                    "busbw is %.4g times algbw, but for %s over %g ranks it should be %.4g: the "
                    "number of ranks or the collective may be another",
                    measured, check->collective->collective, run->ranks, check->factor);
    else if (isfinite(measured) && agrees(measured, check->factor))
        measured = check->factor; /* the same without the rounding of the table */
    if (isfinite(measured))
        import_value(check->record, "bus_over_alg", measured);
}

/*
 * busbw is factor * S / t in every version, S being the whole array. So a row shows whether its
 * size and its unit of time are what they seem; some old all-gathers tell the size of a part.
 */
static void check_size(struct import_nccl_check *check)
{
    const struct import_nccl_run *run = check->run;
    const struct import_nccl_row *best = NULL;
    const int place = IMPORT_NCCL_OUT_OF_PLACE;
    for (size_t i = 0; i < run->row_count; i++) {
        const struct import_nccl_row *row = &run->rows[i];
        if (row->bytes > 0 && row->place[place].ms > 0 && row->place[place].busbw >= 1 &&
            (best == NULL || row->place[place].busbw > best->place[place].busbw))
            best = row;
    }
    check->scale = 1;
    if (best == NULL || !(check->factor > 0))
        return;
    double computed = check->factor * best->bytes / best->place[place].ms / 1e6; /* GB/s */
    double ratio = best->place[place].busbw / computed;
    check->size_agrees = agrees(ratio, 1) || agrees(ratio, run->ranks);
    if (agrees(ratio, 1))
        return;
    if (agrees(ratio, run->ranks) && check->collective->factor == import_nccl_factor_of_parts) {
        check->scale = run->ranks;
        import_warn(check->record, best->line,
                    "the sizes are those of one rank's part: %g times as much is taken for the "
                    "whole array",
                    run->ranks);
        return;
    }
    import_warn(check->record, best->line,
                "size, time and busbw do not agree: busbw is %.4g GB/s, but %.4g by size and time "
                "for %s over %g ranks",
                best->place[place].busbw, computed, check->collective->collective, run->ranks);
}

/* The tool's average is over both columns of every row; what is missing shows here. */
static void check_average(struct import_nccl_check *check)
{
    const struct import_nccl_run *run = check->run;
    double sum = 0;
    size_t count = 0;
    for (size_t i = 0; i < run->row_count; i++) {
        for (int place = 0; place < IMPORT_NCCL_PLACES; place++) {
            if (!isfinite(run->rows[i].place[place].busbw))
                continue;
            sum += run->rows[i].place[place].busbw;
            count++;
        }
    }
    if (run->below_minimum)
        import_warn(check->record, run->average_line,
                    "the average is below what was demanded of it (NCCL_TESTS_MIN_BW)");
    if (count == 0 || isnan(run->average))
        return;
    double mean = sum / (double)count;
    /* Half a hundredth is what the table rounds away, of numbers above 1000 half a tenth; "%g"
     * has six digits. */
    if (fabs(mean - run->average) > 0.0051 + 1e-4 * fabs(run->average))
        import_warn(check->record, run->average_line,
                    "the rows' mean bus bandwidth is %.6g GB/s, not %.6g as is said here: rows may "
                    "be missing, or lines of several runs mixed",
                    mean, run->average);
}

static void name_collective(struct import_nccl_check *check)
{
    const struct import_nccl_run *run = check->run;
    check->collective = import_nccl_find(run->program);
    if (check->collective == NULL && run->program.length == 0) {
        check->collective = import_nccl_deduce(run);
        if (check->collective != NULL)
            import_warn(check->record, run->first_line,
                        "the program's name is not told; the columns and busbw / algbw can only be "
                        "those of %s",
                        check->collective->program);
        else
            import_warn(check->record, run->first_line,
                        "the program's name is not told, and the columns do not tell it: the links "
                        "have no collective; put the command (all_gather_perf ...) before the "
                        "table");
    } else if (check->collective == NULL) {
        import_warn(check->record, run->program_line,
                    "%.*s is no program whose collective is known: the links have none",
                    (int)run->program.length, run->program.text);
    }
    check->factor = NAN;
    if (check->collective != NULL && isfinite(run->ranks))
        check->factor = check->collective->factor(run->ranks);
}

void import_nccl_check_run(struct import_nccl_check *check)
{
    name_collective(check);
    check_size(check);
    check_factor(check);
    check_average(check);
}
