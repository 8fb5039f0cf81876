#include <math.h>
#include <stdio.h>
#include <string.h>

#include "import_nccl.h"
#include "json_write.h"

/* A factor is told by bandwidths of two decimals; 2 % are more than they lose above 1 GB/s. */
#define FACTOR_TOLERANCE 0.02

/* What is known of the run while its document is written. */
struct writing {
    struct import_nccl_run *run;
    struct import_record *record;
    const struct import_nccl_collective *collective; /* NULL: not known */
    double factor;                                   /* busbw over algbw by formula; NAN */
    json_t *links;                                   /* borrowed */
    double scale;     /* bytes of the whole array in what the rows call their size */
    bool size_agrees; /* with time and busbw, for these ranks */
    size_t wrong_rows;
};

/* ---- Devices ---- */

/* Ranks of a communicator: with NCCL_TESTS_SPLIT several groups measure at the same time. */
static double group_size(const struct import_nccl_run *run)
{
    size_t count = 0;
    for (size_t i = 0; i < run->device_count; i++)
        if (run->devices[i].group == run->devices[0].group)
            count++;
    return (double)count;
}

static bool same(struct import_span a, struct import_span b)
{
    return a.length == b.length && memcmp(a.text, b.text, a.length) == 0;
}

/* Hosts are numbers: how many, and how many ranks on each, in the order of the list. */
static void write_hosts(struct writing *writing)
{
    const struct import_nccl_run *run = writing->run;
    struct import_nccl_device *firsts = import_take(run->import, run->device_count, sizeof *firsts);
    double *ranks = import_take(run->import, run->device_count, sizeof *ranks);
    size_t hosts = 0;
    if (firsts == NULL || ranks == NULL)
        return;
    for (size_t i = 0; i < run->device_count; i++) {
        size_t host = 0;
        while (host < hosts && !same(firsts[host].host, run->devices[i].host))
            host++;
        if (host == hosts)
            firsts[hosts++] = run->devices[i];
        ranks[host]++;
    }
    import_number(writing->record, "hardware.hosts", (double)hosts, run->ranks_line);
    import_numbers(writing->record, "hardware.ranks_per_host", ranks, hosts, run->ranks_line,
                   run->ranks_line);
}

static void write_hardware(struct writing *writing)
{
    struct import_nccl_run *run = writing->run;
    struct import_record *record = writing->record;
    if (isfinite(run->ranks))
        import_number(record, "workload.world_size", run->ranks, run->ranks_line);
    if (run->nccl[0] != '\0')
        import_text(record, "environment.nccl", run->nccl, 0);
    if (run->device_count == 0)
        return;
    bool alike = true;
    for (size_t i = 1; i < run->device_count; i++)
        alike = alike && same(run->devices[i].name, run->devices[0].name);
    if (alike && run->devices[0].name.length > 0)
        import_text_span(record, "hardware.device", run->devices[0].name, run->ranks_line);
    else if (!alike)
        import_warn(record, run->ranks_line,
                    "the devices are of different models; the device is left out");
    if (isfinite(run->ranks))
        import_number(record, "hardware.device_count", run->ranks, run->ranks_line);
    if ((double)run->device_count == run->ranks)
        write_hosts(writing);
    if (group_size(run) < (double)run->device_count)
        import_warn(record, run->ranks_line,
                    "the ranks are split into groups of %g that were measured at the same time; "
                    "the rates are those of one group",
                    group_size(run));
}

/* ---- Rates ---- */

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

static void check_factor(struct writing *writing)
{
    struct import_nccl_run *run = writing->run;
    double measured = measured_factor(run);
    /* The all-gather of some versions takes the factor into algbw already; busbw counts. */
    if (!writing->size_agrees && isfinite(measured) && isfinite(writing->factor) &&
        !agrees(measured, writing->factor))
        import_warn(writing->record, run->ranks_line,
                    "busbw is %.4g times algbw, but for %s over %g ranks it should be %.4g: the "
                    "number of ranks or the collective may be another",
                    measured, writing->collective->collective, run->ranks, writing->factor);
    else if (isfinite(measured) && agrees(measured, writing->factor))
        measured = writing->factor; /* the same without the rounding of the table */
    if (isfinite(measured))
        import_value(writing->record, "bus_over_alg", measured);
}

/*
 * busbw is factor * S / t in every version, S being the whole array. So a row shows whether its
 * size and its unit of time are what they seem; some old all-gathers tell the size of a part.
 */
static void check_size(struct writing *writing)
{
    struct import_nccl_run *run = writing->run;
    const struct import_nccl_row *best = NULL;
    const int place = IMPORT_NCCL_OUT_OF_PLACE;
    for (size_t i = 0; i < run->row_count; i++) {
        const struct import_nccl_row *row = &run->rows[i];
        if (row->bytes > 0 && row->place[place].ms > 0 && row->place[place].busbw >= 1 &&
            (best == NULL || row->place[place].busbw > best->place[place].busbw))
            best = row;
    }
    writing->scale = 1;
    if (best == NULL || !(writing->factor > 0))
        return;
    double computed = writing->factor * best->bytes / best->place[place].ms / 1e6; /* GB/s */
    double ratio = best->place[place].busbw / computed;
    writing->size_agrees = agrees(ratio, 1) || agrees(ratio, run->ranks);
    if (agrees(ratio, 1))
        return;
    if (agrees(ratio, run->ranks) && writing->collective->factor == import_nccl_factor_of_parts) {
        writing->scale = run->ranks;
        import_warn(writing->record, best->line,
                    "the sizes are those of one rank's part: %g times as much is taken for the "
                    "whole array",
                    run->ranks);
        return;
    }
    import_warn(writing->record, best->line,
                "size, time and busbw do not agree: busbw is %.4g GB/s, but %.4g by size and time "
                "for %s over %g ranks",
                best->place[place].busbw, computed, writing->collective->collective, run->ranks);
}

/*
 * The table prints two decimals, so that a small message's bandwidth reads 0.00: then it is
 * computed as the tool does it, from size and time.
 */
static double bus_of(const struct writing *writing, const struct import_nccl_row *row,
                     const struct import_nccl_rate *rate)
{
    if (rate->busbw != 0 || !(row->bytes > 0)) /* NAN is not told */
        return rate->busbw;
    return rate->ms > 0 && writing->factor > 0
               ? writing->factor * writing->scale * row->bytes / rate->ms / 1e6
               : NAN;
}

static void set_number(struct json_write *writer, json_t *object, const char *name, double value)
{
    if (isfinite(value))
        json_write_set(writer, object, name, json_write_real(writer, value));
}

static void set_text(struct json_write *writer, json_t *object, const char *name,
                     struct import_span text)
{
    if (text.length > 0)
        json_write_set(writer, object, name, json_write_string_n(writer, text.text, text.length));
}

/* Out of place is what training does; where only the other was measured, the link says so. */
static void append_link(struct json_write *writer, struct writing *writing,
                        const struct import_nccl_row *row)
{
    const struct import_nccl_rate *out = &row->place[IMPORT_NCCL_OUT_OF_PLACE];
    const struct import_nccl_rate *in = &row->place[IMPORT_NCCL_IN_PLACE];
    bool in_alone = !isfinite(out->ms) && !isfinite(out->busbw);
    const struct import_nccl_rate *main = in_alone ? in : out;
    json_t *link = json_write_object(writer);
    if (writing->collective != NULL)
        json_write_set(writer, link, "collective",
                       json_write_string(writer, writing->collective->collective));
    set_number(writer, link, "payload_bytes", row->bytes * writing->scale);
    set_number(writer, link, "ms", main->ms);
    set_number(writer, link, "bus_gb_per_s", bus_of(writing, row, main));
    json_write_set(writer, link, "placement",
                   json_write_string(writer, in_alone ? "in_place" : "out_of_place"));
    if (!in_alone) {
        set_number(writer, link, "in_place_ms", in->ms);
        set_number(writer, link, "in_place_bus_gb_per_s", bus_of(writing, row, in));
    }
    set_text(writer, link, "type", row->type);
    if (!import_scan_is(&row->redop, "none"))
        set_text(writer, link, "reduction", row->redop);
    if (row->root >= 0)
        set_number(writer, link, "root", row->root);
    json_write_append(writer, writing->links, link);
}

static double wrong_of(const struct import_nccl_row *row)
{
    double out = row->place[IMPORT_NCCL_OUT_OF_PLACE].wrong;
    double in = row->place[IMPORT_NCCL_IN_PLACE].wrong;
    return fmax(isfinite(out) ? out : 0, isfinite(in) ? in : 0);
}

static bool is_measured(const struct import_nccl_row *row)
{
    bool any = false;
    for (int place = 0; place < IMPORT_NCCL_PLACES; place++)
        any = any || isfinite(row->place[place].ms) || isfinite(row->place[place].busbw);
    return any;
}

static void write_links(struct writing *writing)
{
    struct import_nccl_run *run = writing->run;
    struct json_write writer = {0};
    writing->links = json_write_array(&writer);
    for (size_t i = 0; i < run->row_count; i++) {
        const struct import_nccl_row *row = &run->rows[i];
        if (wrong_of(row) > 0) {
            writing->wrong_rows++;
            import_warn(writing->record, row->line,
                        "%g values came out wrong: the rate of this row is left out",
                        wrong_of(row));
        } else if (is_measured(row)) {
            append_link(&writer, writing, row);
        } else {
            import_warn(writing->record, row->line, "this row tells no time and no bandwidth");
        }
    }
    if (writer.status != STATUS_OK) {
        json_decref(writing->links);
        writing->links = NULL;
        import_refuse(run->import, 0, "its links cannot be written: memory is exhausted");
        return;
    }
    import_json(writing->record, "calibration.links", writing->links,
                run->row_count > 0 ? run->rows[0].line : 0,
                run->row_count > 0 ? run->rows[run->row_count - 1].line : 0);
}

/* ---- The whole ---- */

/* The tool's average is over both columns of every row; what is missing shows here. */
static void check_average(struct writing *writing)
{
    struct import_nccl_run *run = writing->run;
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
    if (count == 0 || isnan(run->average))
        return;
    double mean = sum / (double)count;
    /* Half a hundredth is what the table rounds away; 1e-5 what "%g" does. */
    if (fabs(mean - run->average) > 0.0051 + 1e-5 * fabs(run->average))
        import_warn(writing->record, run->average_line,
                    "the rows' mean bus bandwidth is %.6g GB/s, not %.6g as is said here: rows may "
                    "be missing, or lines of several runs mixed",
                    mean, run->average);
}

static void write_values(struct writing *writing)
{
    struct import_nccl_run *run = writing->run;
    struct import_record *record = writing->record;
    double most[IMPORT_NCCL_PLACES] = {NAN, NAN};
    for (size_t i = 0; i < run->row_count; i++)
        for (int place = 0; place < IMPORT_NCCL_PLACES; place++)
            most[place] = fmax(most[place], run->rows[i].place[place].busbw);
    import_value(record, "rows", (double)run->row_count);
    if (isfinite(run->ranks))
        import_value(record, "ranks", run->ranks);
    if (isfinite(run->average))
        import_value(record, "avg_bus_bw", run->average);
    if (isfinite(most[IMPORT_NCCL_OUT_OF_PLACE]))
        import_value(record, "max_out_of_place_bus_bw", most[IMPORT_NCCL_OUT_OF_PLACE]);
    if (isfinite(most[IMPORT_NCCL_IN_PLACE]))
        import_value(record, "max_in_place_bus_bw", most[IMPORT_NCCL_IN_PLACE]);
    if (isfinite(run->out_of_bounds))
        import_value(record, "out_of_bounds", run->out_of_bounds);
}

static void write_failure(struct writing *writing)
{
    struct import_nccl_run *run = writing->run;
    struct import_failure failure = IMPORT_FAILURE_NONE;
    char reason[128];
    failure.kind = "communication";
    if (run->error.length > 0) {
        failure.reason = run->error;
        failure.line = run->error_line;
    } else if (run->out_of_bounds > 0 || writing->wrong_rows > 0) {
        if (run->out_of_bounds > 0)
            snprintf(reason, sizeof reason, "data was wrong: %g out of bounds", run->out_of_bounds);
        else
            snprintf(reason, sizeof reason, "data was wrong in %zu rows", writing->wrong_rows);
        failure.kind = "wrong_values";
        failure.reason = (struct import_span){reason, strlen(reason), false};
        failure.line = run->out_of_bounds_line;
    } else {
        return;
    }
    import_fail(writing->record, &failure);
    import_warn(writing->record, failure.line, "the test failed: %.*s",
                (int)(failure.reason.length < 300 ? failure.reason.length : 300),
                failure.reason.text);
}

static void name_collective(struct writing *writing)
{
    struct import_nccl_run *run = writing->run;
    writing->collective = import_nccl_find(run->program);
    if (writing->collective == NULL && run->program.length == 0) {
        writing->collective = import_nccl_deduce(run);
        if (writing->collective != NULL)
            import_warn(writing->record, run->first_line,
                        "the program's name is not told; the columns and busbw / algbw can only be "
                        "those of %s",
                        writing->collective->program);
        else
            import_warn(writing->record, run->first_line,
                        "the program's name is not told, and the columns do not tell it: the links "
                        "have no collective; put the command (all_gather_perf ...) before the "
                        "table");
    } else if (writing->collective == NULL) {
        import_warn(writing->record, run->program_line,
                    "%.*s is no program whose collective is known: the links have none",
                    (int)run->program.length, run->program.text);
    }
    writing->factor = NAN;
    if (writing->collective != NULL && isfinite(run->ranks))
        writing->factor = writing->collective->factor(run->ranks);
}

void import_nccl_write(struct import_nccl_run *run)
{
    struct import_record *record = import_begin_calibration(run->import);
    struct writing writing = {.run = run, .record = record};
    if (isnan(run->ranks) && run->device_count > 0)
        run->ranks = group_size(run);
    write_hardware(&writing);
    import_given_number(record, "workload.world_size", &run->ranks);
    name_collective(&writing);
    if (run->cpu_time)
        import_warn(record, run->first_line,
                    "the times are what the calls took on the CPU (-C 1), not the operations: they "
                    "are left out");
    check_size(&writing);
    write_links(&writing);
    write_values(&writing);
    check_factor(&writing);
    check_average(&writing);
    write_failure(&writing);
    if (run->incomplete > 0)
        import_warn(record, run->incomplete_line,
                    "%zu rows are not complete and were not read, this one first: another line was "
                    "printed into them, or the file was cut",
                    run->incomplete);
    if (run->ranks == 1)
        import_warn(record, run->ranks_line,
                    "one rank: nothing was sent over a link; with mpirun the programs must be "
                    "built with MPI=1, or each is alone");
    if (isnan(run->average) && run->error.length == 0 && run->row_count > 0)
        import_warn(record, run->rows[run->row_count - 1].line,
                    "there is no \"Avg bus bandwidth\" after the last row: the run did not end, or "
                    "the file was cut");
    import_ask(record, "workload.world_size", "there is no list of devices");
}
