#include <math.h>
#include <stdio.h>
#include <string.h>

#include "import_nccl_check.h"
#include "json_write.h"

/* What is known of the run while its document is written. */
struct writing {
    struct import_nccl_run *run;
    struct import_record *record;
    struct import_nccl_check check;
    json_t *links; /* borrowed */
    double scale;  /* bytes of the whole array in what the rows call their size */
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

/* More than any cluster has: who lists more has no hosts in the list, and would wait for long. */
#define MOST_HOSTS 8192

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
        if (host == MOST_HOSTS)
            return;
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

/*
 * The table prints two decimals, so that a small message's bandwidth reads 0.00: then it is
 * computed as the tool does it, from size and time.
 */
static double bus_of(const struct writing *writing, const struct import_nccl_row *row,
                     const struct import_nccl_rate *rate)
{
    if (rate->busbw != 0 || !(row->bytes > 0)) /* NAN is not told */
        return rate->busbw;
    return rate->ms > 0 && writing->check.factor > 0
               ? writing->check.factor * writing->check.scale * row->bytes / rate->ms / 1e6
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
    if (writing->check.collective != NULL)
        json_write_set(writer, link, "collective",
                       json_write_string(writer, writing->check.collective->collective));
    set_number(writer, link, "payload_bytes", row->bytes * writing->check.scale);
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

/* "Test CUDA failure common.cu:303 'out of memory'", "Test timeout (20s)". */
static const char *kind_of(const struct import_span *error)
{
    struct import_span memory = *error;
    struct import_span timeout = *error;
    if (import_scan_find(&memory, "out of memory"))
        return "out_of_memory";
    return import_scan_find(&timeout, "Test timeout") ? "timeout" : "communication";
}

static void write_failure(struct writing *writing)
{
    struct import_nccl_run *run = writing->run;
    struct import_failure failure = IMPORT_FAILURE_NONE;
    char reason[128];
    if (run->error.length > 0) {
        failure.kind = kind_of(&run->error);
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

void import_nccl_write(struct import_nccl_run *run)
{
    struct import_record *record = import_begin_calibration(run->import);
    struct writing writing = {
        .run = run, .record = record, .check = {.run = run, .record = record}};
    if (isnan(run->ranks) && run->device_count > 0)
        run->ranks = group_size(run);
    write_hardware(&writing);
    import_given_number(record, "workload.world_size", &run->ranks);
    if (run->cpu_time)
        import_warn(record, run->first_line,
                    "the times are what the calls took on the CPU (-C 1), not the operations: they "
                    "are left out");
    import_nccl_check_run(&writing.check);
    write_links(&writing);
    write_values(&writing);
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
