#include <math.h>
#include <string.h>

#include "import_nccl.h"

/* src/util.cu writes booleans as the texts "true" and "false", the root as "    -1", a number that
 * is not one as "nan", and the whole environment, which is not looked at. */

static uint32_t member(const struct import_source *source, uint32_t object, const char *name)
{
    return json_read_member(source->json, object, name);
}

/* A text as it stands in the document; one with escapes is left out (names have none). */
static struct import_span text_of(const struct import_source *source, uint32_t node)
{
    const struct json_read_document *json = source->json;
    if (!json_read_is(json, node, JSON_READ_STRING) ||
        (json->nodes[node].flags & JSON_READ_ESCAPED) != 0)
        return (struct import_span){"", 0, false};
    return (struct import_span){json->text + json->nodes[node].offset, json->nodes[node].length,
                                false};
}

/* A number, also where it stands in a text; NAN: there is none. */
static double number_of(const struct import_source *source, uint32_t node)
{
    double value = NAN;
    struct import_span text = text_of(source, node);
    if (!import_scan_json_number(source->json, node, &value) &&
        (!import_scan_number(&text, &value) || import_scan_trim(text).length > 0))
        return NAN;
    return value;
}

static double finite_of(const struct import_source *source, uint32_t object, const char *name)
{
    double value = number_of(source, member(source, object, name));
    return isfinite(value) ? value : NAN;
}

static struct import_nccl_rate read_rate(struct import_nccl_run *run,
                                         const struct import_source *source, uint32_t object)
{
    struct import_nccl_rate rate = {.ms = finite_of(source, object, "time") / 1e3, /* us */
                                    .algbw = finite_of(source, object, "alg_bw"),
                                    .busbw = finite_of(source, object, "bus_bw"),
                                    .wrong = finite_of(source, object, "nwrong")};
    if (member(source, object, "cpu_time") != JSON_READ_NONE)
        run->cpu_time = true;
    return rate;
}

static void read_results(struct import_nccl_run *run, const struct import_source *source)
{
    uint32_t results = member(source, 0, "results");
    size_t line = import_scan_json_line(source->json, results);
    for (uint32_t at = json_read_first(source->json, results); at != JSON_READ_NONE;
         at = json_read_next(source->json, results, at)) {
        struct import_nccl_row *row = import_nccl_add_row(run);
        if (row == NULL)
            return;
        row->bytes = finite_of(source, at, "size");
        row->type = text_of(source, member(source, at, "type"));
        row->redop = text_of(source, member(source, at, "redop"));
        row->root = finite_of(source, at, "root");
        row->place[IMPORT_NCCL_OUT_OF_PLACE] =
            read_rate(run, source, member(source, at, "out_of_place"));
        row->place[IMPORT_NCCL_IN_PLACE] = read_rate(run, source, member(source, at, "in_place"));
        row->line = line; /* the tool writes one line */
    }
}

static void read_devices(struct import_nccl_run *run, const struct import_source *source)
{
    uint32_t config = member(source, 0, "config");
    uint32_t devices = member(source, config, "devices");
    for (uint32_t at = json_read_first(source->json, devices); at != JSON_READ_NONE;
         at = json_read_next(source->json, devices, at)) {
        struct import_nccl_device *device = import_nccl_add_device(run);
        if (device == NULL)
            return;
        device->rank = finite_of(source, at, "rank");
        device->group = finite_of(source, at, "group");
        device->host = text_of(source, member(source, at, "hostname"));
        device->name = text_of(source, member(source, at, "device_info"));
        run->ranks_line = import_scan_json_line(source->json, at);
    }
}

/*
 * `devices` has the first device of every process, whatever it has besides (parseRankInfo reads one
 * line): the ranks are processes times threads times GPUs. Should all be listed one day, their
 * numbers follow one another.
 */
static double count_ranks(const struct import_nccl_run *run, const struct import_source *source)
{
    uint32_t config = member(source, 0, "config");
    double each = finite_of(source, config, "nthreads") * finite_of(source, config, "ngpus");
    size_t processes = 0;
    for (size_t i = 0; i < run->device_count; i++)
        if (run->devices[i].group == run->devices[0].group || isnan(run->devices[0].group))
            processes++;
    if (processes == 0 || isnan(each))
        return NAN;
    bool all = processes > 1 && run->devices[1].rank - run->devices[0].rank == 1;
    return (double)processes * (all ? 1 : each);
}

/* The program is the last part of the first word of its command line; the rest is not looked at. */
static struct import_span program_of(const struct import_source *source)
{
    uint32_t arguments = member(source, 0, "args");
    uint32_t first = json_read_first(source->json, arguments);
    if (!json_read_is(source->json, first, JSON_READ_STRING))
        return (struct import_span){"", 0, false};
    const struct json_read_node *node = &source->json->nodes[first];
    const char *text = source->json->text + node->offset; /* a slash is escaped, a name has none */
    size_t begin = node->length;
    while (begin > 0 && text[begin - 1] != '/')
        begin--;
    return (struct import_span){text + begin, node->length - begin, false};
}

static void read_errors(struct import_nccl_run *run, const struct import_source *source)
{
    uint32_t errors = member(source, 0, "errors");
    for (uint32_t at = json_read_first(source->json, errors); at != JSON_READ_NONE;
         at = json_read_next(source->json, errors, at)) {
        if (!json_read_is(source->json, at, JSON_READ_STRING) ||
            source->json->nodes[at].length == 0 || run->error.length > 0)
            continue;
        run->error = (struct import_span){source->json->text + source->json->nodes[at].offset,
                                          source->json->nodes[at].length, false};
        struct import_span test = run->error; /* "host: Test NCCL failure ...": without the host */
        if (import_scan_find(&test, "Test "))
            run->error = (struct import_span){test.text - strlen("Test "),
                                              test.length + strlen("Test "), false};
        run->error_line = import_scan_json_line(source->json, at);
    }
}

void import_nccl_read_json(struct import *import, const struct import_source *source)
{
    struct import_nccl_run run;
    import_nccl_init(&run, import, 1);
    uint32_t average = member(source, 0, "average_bus_bandwidth");
    uint32_t bounds = member(source, 0, "out_of_bounds");
    run.program = program_of(source);
    run.program_line = import_scan_json_line(source->json, member(source, 0, "args"));
    import_nccl_version(&run, number_of(source, member(source, 0, "nccl_version")));
    read_devices(&run, source);
    run.ranks = count_ranks(&run, source);
    read_results(&run, source);
    run.average = finite_of(source, average, "bandwidth");
    run.average_line = import_scan_json_line(source->json, average);
    run.below_minimum = json_read_equals(source->json, member(source, average, "okay"), "false");
    run.out_of_bounds = finite_of(source, bounds, "count");
    run.out_of_bounds_line = import_scan_json_line(source->json, bounds);
    read_errors(&run, source);
    if (import_nccl_has_content(&run))
        import_nccl_write(&run);
}
