#include "import_failures_read.h"

#include <string.h>

/* ---- NCCL's watchdog (PyTorch, ProcessGroupNCCL.cpp, 1.9 to 2.8) ---- */

/* The rank in "[Rank 2] " or "[PG ID 0 PG GUID 0(default_pg) Rank 7] ", which is one of a group;
 * the launcher's prefix, where there is one, names the job's. */
static void read_group_rank(struct import_span before, struct import_failure *failure)
{
    double rank = 0;
    struct import_span after;
    while (import_scan_find(&before, "Rank ")) {
        after = before;
        if (import_scan_count_of(&after, &rank) && import_scan_begins(&after, "]") &&
            failure->rank < 0)
            failure->rank = rank;
    }
}

/* "WorkNCCL(SeqNum=120049, OpType=_ALLGATHER_BASE, NumelIn=16384000, NumelOut=131072000,
 * Timeout(ms)=1800000) ran for 1800065 milliseconds before timing out." */
static void read_work(const struct import_span *work, struct import_failure *failure)
{
    struct import_span rest = *work;
    if (import_scan_find(&rest, "OpType=")) {
        size_t length = strcspn(rest.text, ",)\r\n");
        if (length < rest.length)
            failure->operation = (struct import_span){rest.text, length, false};
    }
    import_scan_labelled(work, "Timeout(ms)=", &failure->timeout_ms);
    import_scan_labelled(work, "ran for ", &failure->elapsed_ms);
}

/* "Received a dump signal due to a collective timeout from  rank 2 and we will try our best to dump
 * the debug info.": another rank's time-out, which that rank's own words tell better. */
static bool read_dump_signal(const struct import_span *line, struct import_failures_found *found)
{
    struct import_span rest = *line;
    double rank = -1;
    if (!import_scan_find(&rest, "dump signal due to a collective timeout from "))
        return false;
    if (!import_scan_skip(&rest, "rank ") || !import_scan_count_of(&rest, &rank))
        rank = -1; /* "this local rank", and which one is told before */
    found->failure.rank = rank;
    if (rank < 0)
        read_group_rank(*line, &found->failure);
    found->failure.kind = "timeout";
    found->failure.reason = *line;
    found->weight = IMPORT_FAILURES_STUCK;
    return true;
}

/* The watchdog's other words, which follow from the time-out or from an error of another rank. */
static bool read_aftermath(const struct import_span *line, struct import_failures_found *found)
{
    static const char *const signs[] = {
        "Some NCCL operations have failed or timed out",
        "Exception (either an error or timeout) detected by watchdog",
        "watchdog thread terminated with exception", "due to ProcessGroupNCCL watchdog hang"};
    bool seen = false;
    for (size_t i = 0; i < sizeof signs / sizeof signs[0]; i++)
        seen = seen || import_failures_has(line, signs[i]);
    if (!seen)
        return false;
    read_group_rank(*line, &found->failure);
    found->failure.kind = import_failures_has(line, "CUDA error")      ? "exception"
                          : import_failures_has(line, "watchdog hang") ? "timeout"
                                                                       : "communication";
    found->failure.reason = *line;
    found->weight = IMPORT_FAILURES_AFTERMATH;
    return true;
}

static bool read_watchdog(const struct import_span *line, struct import_failures_found *found)
{
    struct import_span rest = *line;
    struct import_failure *failure = &found->failure;
    if (import_scan_find(&rest, "aught collective operation timeout")) {
        read_work(&rest, failure);
        found->weight = IMPORT_FAILURES_TIMEOUT;
    } else if (import_scan_find(&rest, "watchdog got stuck for ")) {
        double seconds = 0;
        if (import_scan_number(&rest, &seconds))
            failure->elapsed_ms = seconds * 1e3;
        found->weight = IMPORT_FAILURES_STUCK;
    } else {
        return false;
    }
    struct import_span before = {line->text, (size_t)(rest.text - line->text), false};
    read_group_rank(before, failure);
    failure->kind = "timeout";
    failure->reason = *line;
    return true;
}

/* ---- Memory ---- */

static void read_size(const struct import_span *line, const char *label, double *bytes)
{
    struct import_span rest = *line;
    if (import_scan_find(&rest, label))
        import_scan_size(&rest, IMPORT_SCAN_BINARY, bytes);
}

/* A size that stands before its label: "(GPU 0; 79.15 GiB total capacity; 71.9 GiB already ...". */
static void read_size_before(const struct import_span *line, const char *label, double *bytes)
{
    struct import_span rest = *line;
    if (!import_scan_find(&rest, label))
        return;
    const char *end = rest.text - strlen(label);
    const char *begin = end;
    while (begin > line->text && begin[-1] != ';' && begin[-1] != '(')
        begin--;
    struct import_span size = {begin, (size_t)(end - begin), false};
    import_scan_size(&size, IMPORT_SCAN_BINARY, bytes);
}

/* What PyTorch's allocator had given out, and what it held: it tells either all that it reserved,
 * or beside what it gave out what it had left. */
static void read_allocator(const struct import_span *line, struct import_failure *failure)
{
    double left = 0;
    read_size_before(line, " already allocated", &failure->allocated_bytes);
    read_size_before(line, " reserved in total by PyTorch", &failure->reserved_bytes);
    read_size(line, "Of the allocated memory ", &failure->allocated_bytes);
    read_size(line, "is allocated by PyTorch, and ", &left);
    read_size(line, "(e.g., CUDA Graphs), and ",
              &left);                          /* what private pools hold stands between */
    read_size_before(line, " cached)", &left); /* before 1.4 */
    if (left > 0 && failure->allocated_bytes > 0)
        failure->reserved_bytes = failure->allocated_bytes + left;
    if (failure->reserved_bytes > failure->in_use_bytes && failure->in_use_bytes > 0)
        failure->in_use_bytes = failure->reserved_bytes;
}

static bool read_out_of_memory(const struct import_span *line, struct import_failures_found *found)
{
    static const char *const signs[] = {"CUDA out of memory",        "OutOfMemoryError",
                                        "CUDA error: out of memory", "HIP out of memory",
                                        "CUDA_ERROR_OUT_OF_MEMORY",  "cudaErrorMemoryAllocation"};
    struct import_failure *failure = &found->failure;
    bool seen = false;
    for (size_t i = 0; i < sizeof signs / sizeof signs[0]; i++)
        seen = seen || import_failures_has(line, signs[i]);
    if (!seen)
        return false;
    failure->kind = "out_of_memory";
    failure->reason = *line;
    read_size(line, "Tried to allocate ", &failure->asked_bytes);
    read_size(line, "has a total capacity of ", &failure->limit_bytes); /* 2.2 and later */
    read_size(line, "has a total capacty of ", &failure->limit_bytes);  /* 2.1 */
    read_size_before(line, " total capacity", &failure->limit_bytes);   /* before */
    read_size_before(line, " already allocated", &failure->in_use_bytes);
    read_size_before(line, " reserved in total by PyTorch", &failure->in_use_bytes);
    read_size(line, "this process has ", &failure->in_use_bytes);
    read_allocator(line, failure);
    found->weight = IMPORT_FAILURES_OUT_OF_MEMORY;
    return true;
}

/* ---- Exceptions ---- */

static bool is_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '.';
}

/* "RuntimeError: ...", "torch.distributed.DistBackendError: ...", "KeyboardInterrupt": what ends a
 * traceback, at the beginning of a line. */
static bool is_exception(const struct import_span *line)
{
    static const char *const endings[] = {"Error", "Exception", "Interrupt", "Exit", "Timeout"};
    size_t length = 0;
    while (length < line->length && is_name(line->text[length]))
        length++;
    if (length == 0 || (length < line->length && line->text[length] != ':'))
        return false;
    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++) {
        size_t size = strlen(endings[i]);
        if (length >= size && memcmp(line->text + length - size, endings[i], size) == 0)
            return true;
    }
    return false;
}

/* The exception in a line, also behind the blank of "[rank0]: " or a host ("worker-1: "). */
static bool find_exception(struct import_span *line)
{
    struct import_span text = *line;
    struct import_span word;
    if (text.length > 1 && text.text[0] == ' ' && text.text[1] != ' ')
        text = import_scan_trim(text);
    struct import_span rest = text;
    if (!is_exception(&text) && import_scan_word(&rest, &word) && word.text[word.length - 1] == ':')
        text = import_scan_trim(rest);
    if (!is_exception(&text))
        return false;
    *line = text;
    return true;
}

/* Whether one of the texts, of which NULL is the last, is in the line. */
static bool has_any(const struct import_span *line, const char *const *texts)
{
    for (; *texts != NULL; texts++)
        if (import_failures_has(line, *texts))
            return true;
    return false;
}

/* What an exception is about, by words in it; the first that fits. */
static const struct {
    const char *kind;
    enum import_failures_weight weight;
    const char *words[8];
} classes[] = {
    {"interrupted", IMPORT_FAILURES_CANCELLED, {"KeyboardInterrupt", "SignalException"}},
    {"launch",
     IMPORT_FAILURES_COMMUNICATION,
     {"DistStoreError", "clients joined", "RendezvousTimeout"}},
    {"communication",
     IMPORT_FAILURES_COMMUNICATION,
     {"NCCL", "DistBackendError", "gloo", "ProcessGroup", "Connection closed by peer",
      "DistNetworkError", "monitoredBarrier"}},
    {"non_finite",
     IMPORT_FAILURES_NON_FINITE,
     {"FloatingPointError", "NaN", "non-finite", "not finite", "loss scale already at minimum",
      " is nan", "nan loss"}},
    {"out_of_memory",
     IMPORT_FAILURES_HOST_MEMORY,
     {"DefaultCPUAllocator: not enough memory", "DefaultCPUAllocator: can't allocate memory"}},
    {"exception", IMPORT_FAILURES_EXCEPTION, {""}}, /* any */
};

static void classify(const struct import_span *line, struct import_failures_found *found)
{
    static const char *const timeouts[] = {"timed out", "Timed out",        "Timeout(ms)",
                                           "timeout",   "monitoredBarrier", NULL};
    size_t class = 0;
    while (!has_any(line, classes[class].words))
        class ++;
    found->failure.kind = classes[class].kind;
    found->weight = classes[class].weight;
    if (strcmp(found->failure.kind, "communication") == 0 && has_any(line, timeouts)) {
        found->failure.kind = "timeout";
        found->weight = IMPORT_FAILURES_STUCK;
        import_scan_labelled(line, "Timed out waiting ", &found->failure.timeout_ms); /* gloo */
    }
}

/*
 * Whether an exception is one that ends a run, told without its traceback, as excerpts and loggers
 * do: of the rest many are caught and only reported.
 */
static bool ends_run(const struct import_span *line)
{
    static const char *const words[] = {"NCCL error",
                                        "NCCL communicator was aborted",
                                        "DistBackendError",
                                        "DistNetworkError",
                                        "CUDA error:",
                                        "SignalException",
                                        NULL};
    struct import_span text = *line;
    return find_exception(&text) && has_any(&text, words);
}

static bool read_exception(struct import_failures *failures, const struct import_span *line,
                           struct import_failures_found *found)
{
    if (import_failures_has(line, "Exception ignored in"))
        failures->ignored = true;
    if (import_failures_has(line, "Traceback (most recent call last):")) {
        failures->traceback = true;
        return false;
    }
    struct import_span text = *line;
    if ((!failures->traceback && !ends_run(line)) || !find_exception(&text))
        return false;
    failures->traceback = false;
    bool ignored = failures->ignored;
    failures->ignored = false;
    /* torchrun's own error says only that a child failed; its report follows. */
    if (ignored || import_failures_has(&text, "ChildFailedError") ||
        import_scan_begins(&text, "SystemExit"))
        return false;
    found->failure.reason = text;
    classify(&text, found);
    return true;
}

/* llm.c and others: "[CUDA ERROR] at file train_gpt2.cu:1234:", then the reason on a line of its
 * own. */
static bool read_cuda_error(struct import_failures *failures, const struct import_span *line,
                            struct import_failures_found *found)
{
    bool before = failures->cuda_error;
    failures->cuda_error = import_scan_begins(line, "[CUDA ERROR] at file");
    if (!before || failures->cuda_error || line->length == 0)
        return false;
    bool memory = import_failures_has(line, "out of memory");
    found->failure.kind = memory ? "out_of_memory" : "exception";
    found->failure.reason = *line;
    found->weight = memory ? IMPORT_FAILURES_OUT_OF_MEMORY : IMPORT_FAILURES_EXCEPTION;
    return true;
}

bool import_failures_read(struct import_failures *failures, const struct import_span *line,
                          struct import_failures_found *found)
{
    if (read_watchdog(line, found) || read_dump_signal(line, found) || read_aftermath(line, found))
        return true;
    if (read_out_of_memory(line, found)) {
        failures->traceback = false;
        return true;
    }
    return read_exception(failures, line, found) || read_cuda_error(failures, line, found) ||
           import_failures_read_exit(failures, line, found);
}
