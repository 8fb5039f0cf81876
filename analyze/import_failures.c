#include "import_failures.h"

#include <string.h>

/*
 * One failure makes many lines: the rank that runs out of memory, the others that wait for it until
 * NCCL's watchdog ends them, the launcher that reports exit codes. The heaviest is the cause, and
 * of equal ones the first.
 */
enum weight { WEIGHT_NONE, WEIGHT_TIMEOUT = 50 };

static void keep(struct import_failures *failures, const struct import_failure *failure, int weight)
{
    if (weight <= failures->weight)
        return;
    failures->best = *failure;
    failures->weight = weight;
}

/*
 * "[Rank 2] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=120049,
 * OpType=_ALLGATHER_BASE, ..., Timeout(ms)=1800000) ran for 1800065 milliseconds before timing
 * out." (PyTorch, ProcessGroupNCCL.cpp.)
 */
static bool read_watchdog(const struct import_line *line, struct import_failure *failure)
{
    struct import_span rest = line->span;
    struct import_span before = line->span;
    if (!import_scan_find(&rest, "Watchdog caught collective operation timeout: WorkNCCL("))
        return false;
    *failure = IMPORT_FAILURE_NONE;
    failure->kind = "timeout";
    failure->line = line->number;
    before.length = (size_t)(rest.text - before.text);
    import_scan_labelled(&before, "Rank ", &failure->rank);
    if (import_scan_find(&before, "] [Rank ") || import_scan_find(&before, "[Rank "))
        import_scan_count_of(&before, &failure->rank);
    failure->reason = (struct import_span){line->span.text, line->span.length, false};
    struct import_span operation = rest;
    if (import_scan_find(&operation, "OpType=")) {
        const char *end = memchr(operation.text, ',', operation.length);
        failure->operation = (struct import_span){
            operation.text, end != NULL ? (size_t)(end - operation.text) : 0, false};
    }
    import_scan_labelled(&rest, "Timeout(ms)=", &failure->timeout_ms);
    import_scan_labelled(&rest, "ran for ", &failure->elapsed_ms);
    return true;
}

void import_failures_line(struct import_failures *failures, const struct import_line *line)
{
    struct import_failure failure;
    if (read_watchdog(line, &failure))
        keep(failures, &failure, WEIGHT_TIMEOUT);
}

void import_failures_finish(const struct import_failures *failures, struct import_record *record)
{
    if (failures->weight == WEIGHT_NONE)
        return;
    const struct import_failure *failure = &failures->best;
    import_fail(record, failure);
    if (failure->timeout_ms > 0)
        import_value(record, "timeout_ms", failure->timeout_ms);
    if (failure->rank >= 0)
        import_value(record, "rank", failure->rank);
    if (failure->operation.length > 0)
        import_value_span(record, "op", failure->operation);
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
