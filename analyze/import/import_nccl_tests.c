#include <math.h>
#include <string.h>

#include "import_nccl_table.h"

/* The text of nccl-tests: comments with "#" around a table. Other lines may stand between. */

struct reading {
    struct import *import;
    struct import_nccl_run run;
    struct import_nccl_table table;
    struct import_span next_program; /* named after the rows: the next run's */
    size_t next_program_line;
};

/* ---- Comments ---- */

/* "#  Rank  0 Group  0 Pid   1000 on     node-a device  0 [0000:18:00] NVIDIA H100 80GB HBM3" */
static bool read_device(struct reading *reading, const struct import_line *line)
{
    struct import_span rest = line->span;
    double rank = 0;
    double group = 0;
    struct import_span host = {"", 0, false};
    struct import_span device;
    import_scan_rank(&rest, &rank);
    import_scan_skip(&rest, "#");
    if (!import_scan_skip(&rest, "Rank ") && !import_scan_skip(&rest, "Device "))
        return false;
    if (!import_scan_count_of(&rest, &rank))
        return false;
    struct import_span named = rest;
    if (import_scan_skip(&named, "Group"))
        import_scan_count_of(&named, &group);
    if (import_scan_find(&named, " on "))
        import_scan_word(&named, &host);
    if (!import_scan_find(&rest, "["))
        return false;
    device = rest;
    if (!import_scan_find(&device, "] ") || device.cut)
        return false;
    struct import_nccl_device *entry = import_nccl_add_device(&reading->run);
    if (entry != NULL)
        *entry = (struct import_nccl_device){rank, group, host, import_scan_trim(device)};
    reading->run.ranks_line = line->number;
    return true;
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || c == '_' || (c >= '0' && c <= '9');
}

/* A word that ends in _perf: of "Collective test concluded: all_reduce_perf", or of the command
 * that was typed before. */
static void read_program(struct reading *reading, const struct import_line *line)
{
    struct import_span rest = line->span;
    if (!import_scan_find(&rest, "_perf"))
        return;
    size_t length = strlen("_perf");
    while (rest.text - length > line->span.text && is_letter(rest.text[-(long)length - 1]))
        length++;
    if (rest.text - length == line->span.text + 1 && is_letter(line->span.text[0]))
        length++;
    struct import_span program = {rest.text - length, length, false};
    rest = line->span;
    if (import_scan_find(&rest, "concluded") || reading->run.row_count == 0) {
        reading->run.program = program;
        reading->run.program_line = line->number;
    } else {
        reading->next_program = program;
        reading->next_program_line = line->number;
    }
}

static void read_version(struct reading *reading, const struct import_line *line)
{
    struct import_span rest = line->span;
    struct import_span word;
    double code = 0;
    if (import_scan_find(&rest, "nccl-library=")) {
        if (import_scan_count_of(&rest, &code))
            import_nccl_version(&reading->run, code);
        return;
    }
    if (!import_scan_find(&rest, "NCCL version ") || !import_scan_word(&rest, &word))
        return;
    const char *plus = memchr(word.text, '+', word.length); /* 2.18.3+cuda12.2 */
    size_t length = plus != NULL ? (size_t)(plus - word.text) : word.length;
    if (length > 0 && length < sizeof reading->run.nccl && word.text[0] >= '0' &&
        word.text[0] <= '9') {
        memcpy(reading->run.nccl, word.text, length);
        reading->run.nccl[length] = '\0';
    }
}

/* "Test NCCL failure all_reduce.cu:44 'unhandled system error'", "Test CUDA failure", "Test
 * timeout". */
static void read_error(struct reading *reading, const struct import_line *line)
{
    static const char *const signs[] = {"Test NCCL failure", "Test CUDA failure", "Test timeout",
                                        "Test failure", "# error: "};
    for (size_t i = 0; i < sizeof signs / sizeof signs[0]; i++) {
        struct import_span rest = line->span;
        if (reading->run.error.length > 0 || !import_scan_find(&rest, signs[i]))
            continue;
        size_t back = i + 1 < sizeof signs / sizeof signs[0] ? strlen(signs[i]) : 0;
        reading->run.error =
            (struct import_span){rest.text - back, rest.length + back, false}; /* no host name */
        reading->run.error_line = line->number;
    }
}

static void read_summary(struct reading *reading, const struct import_line *line)
{
    struct import_nccl_run *run = &reading->run;
    struct import_span rest = line->span;
    double value = 0;
    if (import_scan_find(&rest, "Out of bounds values") && import_scan_skip(&rest, ":") &&
        import_scan_count_of(&rest, &value)) {
        run->out_of_bounds = value;
        run->out_of_bounds_line = line->number;
    }
    rest = line->span;
    if (import_scan_find(&rest, "Avg bus bandwidth") && import_scan_skip(&rest, ":") &&
        import_scan_number(&rest, &value) && isfinite(value)) {
        run->average = value;
        run->below_minimum = import_scan_skip(&rest, "FAILED");
        run->average_line = line->number;
    }
}

/* ---- Runs ---- */

static void end_run(struct reading *reading, size_t next_line)
{
    import_nccl_table_finish(&reading->table);
    bool used = import_nccl_has_content(&reading->run);
    if (used)
        import_nccl_write(&reading->run);
    struct import_span program = used ? reading->next_program : reading->run.program;
    size_t program_line = used ? reading->next_program_line : reading->run.program_line;
    char version[sizeof reading->run.nccl] = "";
    if (!used) /* newer programs tell it before anything else */
        memcpy(version, reading->run.nccl, sizeof version);
    import_nccl_init(&reading->run, reading->import, next_line);
    import_nccl_table_init(&reading->table, &reading->run);
    memcpy(reading->run.nccl, version, sizeof version);
    reading->run.program = program;
    reading->run.program_line = program_line;
    reading->next_program = (struct import_span){"", 0, false};
}

/* What stands once at the beginning of a run, or belongs to the next one. */
static bool begins_run(const struct reading *reading, const struct import_line *line)
{
    struct import_span rest = line->span;
    if (import_scan_find(&rest, "nThread ") && import_scan_find(&rest, "nGpus "))
        return true;
    rest = line->span;
    if (reading->run.row_count > 0 && import_scan_find(&rest, "# nccl-tests version "))
        return true;
    return reading->run.row_count > 0 && import_nccl_table_is_header(line);
}

static void read_line(struct reading *reading, const struct import_line *line)
{
    if (begins_run(reading, line))
        end_run(reading, line->number);
    if (import_nccl_table_line(&reading->table, line) || read_device(reading, line))
        return;
    read_program(reading, line);
    read_version(reading, line);
    read_summary(reading, line);
    read_error(reading, line);
}

static void read_source(struct import *import, const struct import_source *source)
{
    struct reading reading = {.import = import};
    struct import_cursor lines = {.source = source};
    struct import_line line;
    if (source->json_fault != NULL) {
        import_refuse(import, 0, "%s", source->json_fault);
        return;
    }
    if (source->json != NULL) {
        import_nccl_read_json(import, source);
        return;
    }
    end_run(&reading, 1);
    while (import_goes_on(import) && import_scan_next(&lines, &line))
        read_line(&reading, &line);
    end_run(&reading, line.number);
}

static unsigned count_signs(const struct import_source *source)
{
    if (source->json != NULL) {
        uint32_t results = json_read_member(source->json, 0, "results");
        uint32_t config = json_read_member(source->json, 0, "config");
        uint32_t version = json_read_member(source->json, 0, "nccl_version");
        return results != JSON_READ_NONE && config != JSON_READ_NONE && version != JSON_READ_NONE
                   ? 4
                   : 0;
    }
    unsigned table = import_scan_count(source, "algbw", 2) + import_scan_count(source, "busbw", 2);
    unsigned run = import_scan_count(source, "# nThread ", 2);
    /* An excerpt may have the last rows and the end alone. */
    unsigned end = import_scan_count(source, "Out of bounds values", 1) +
                   import_scan_count(source, "Avg bus bandwidth", 1);
    unsigned signs = table + run + end;
    return signs >= 2 ? signs : 0;
}

const struct import_format import_nccl_tests = {
    .name = "nccl-tests",
    .title = "output of an nccl-tests program",
    .sample =
        "#       size         count      type   redop    root     time   algbw   busbw #wrong",
    .matches = count_signs,
    .read = read_source,
};
