#include "import_failures.h"

#include <string.h>

#include "import_failures_read.h"

static void keep(struct import_failures *failures, const struct import_failures_found *found)
{
    if (found->weight <= failures->weight)
        return;
    failures->cause = found->failure;
    failures->weight = found->weight;
}

void import_failures_line(struct import_failures *failures, const struct import_line *line)
{
    struct import_failures_found found = {.failure = IMPORT_FAILURE_NONE};
    struct import_line bare = *line;
    double rank = -1;
    found.failure.line = line->number;
    /* What a launcher puts before the line is no part of it; mpirun's and torchrun's may both be
     * there, the inner one names the rank of the job. */
    while (import_scan_rank(&bare.span, &rank))
        continue;
    found.failure.rank = rank;
    if (import_failures_read(failures, &bare.span, &found))
        keep(failures, &found);
}

void import_failures_progress(struct import_failures *failures)
{
    if (failures->weight > failures->survived_weight) {
        failures->survived = failures->cause;
        failures->survived_weight = failures->weight;
    }
    failures->weight = 0;
    failures->traceback = false;
}

static void note_values(const struct import_failure *failure, struct import_record *record)
{
    if (failure->timeout_ms > 0)
        import_value(record, "timeout_ms", failure->timeout_ms);
    if (failure->rank >= 0)
        import_value(record, "rank", failure->rank);
    const struct {
        const char *name;
        double bytes;
    } sizes[] = {{"asked_gib", failure->asked_bytes},
                 {"allocated_gib", failure->allocated_bytes},
                 {"reserved_gib", failure->reserved_bytes},
                 {"in_use_gib", failure->in_use_bytes},
                 {"capacity_gib", failure->limit_bytes}};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        if (sizes[i].bytes > 0)
            import_value(record, sizes[i].name, sizes[i].bytes / 0x1p30);
    if (failure->operation.length > 0)
        import_value_span(record, "op", failure->operation);
}

void import_failures_finish(const struct import_failures *failures, struct import_record *record)
{
    const struct import_failure *survived = &failures->survived;
    if (failures->weight == 0 && failures->survived_weight > 0) {
        size_t length = survived->reason.length < 300 ? survived->reason.length : 300;
        bool quoted = length > 0;
        import_warn(record, survived->line, "training went on after this: %.*s",
                    quoted ? (int)length : (int)strlen(survived->words),
                    quoted ? survived->reason.text : survived->words);
        return;
    }
    if (failures->weight == 0)
        return;
    /* Another rank's step may stand between the cause and what followed from it. */
    bool earlier = failures->survived_weight > failures->weight;
    const struct import_failure *cause = earlier ? survived : &failures->cause;
    import_fail(record, cause);
    note_values(cause, record);
}

void import_failures_scan(struct import_record *record, const struct import_source *source)
{
    struct import_failures failures = {0};
    struct import_cursor lines = {.source = source};
    struct import_line line;
    while (import_scan_next(&lines, &line))
        import_failures_line(&failures, &line);
    import_failures_finish(&failures, record);
}

unsigned import_failures_count(const struct import_source *source, unsigned most)
{
    struct import_cursor lines = {.source = source};
    struct import_line line;
    unsigned count = 0;
    struct import_failures failures = {0};
    while (count < most && import_scan_next(&lines, &line)) {
        import_failures_line(&failures, &line);
        count += failures.weight > 0;
        failures.weight = 0;
    }
    return count;
}
