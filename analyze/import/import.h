#ifndef RANKLEDGER_IMPORT_H
#define RANKLEDGER_IMPORT_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "import_scan.h"

/*
 * Evidence from another tool's output. One file a tool: import_<tool>.c with a row for
 * import_table.c, which recognises that tool's text and reads it into records:
 *
 *     static void read_log(struct import *import, const struct import_source *source)
 *     {
 *         struct import_record *record = import_begin(import);
 *         struct import_cursor lines = {.source = source};
 *         struct import_line line;
 *         double ms = 0;
 *         while (import_scan_next(&lines, &line))
 *             if (import_scan_labelled(&line.span, "step time (ms):", &ms))
 *                 import_number(record, "metrics.step_time_ms", ms, line.number);
 *         import_ask(record, "workload.world_size", "the log tells no number of ranks");
 *     }
 *
 * The core does the rest: it puts what --set gives into every new record, compares what the log
 * says with it, fills `import` (tool, source with digest, lines, values, asked, warnings),
 * validates the record, and prints warnings and what to type.
 *
 * Rules. Nothing is guessed: what the log does not say stays absent, and is asked for. Units become
 * the contract's (MiB of 2^20, ms, throughput over all ranks), from what the tool means and not
 * from what it prints. What was left out (warm-up, a step after a checkpoint) is said by
 * import_warn. Host names, user names, environment and command lines are not copied.
 *
 * Errors stick: after one (memory, a contradiction, import_refuse) every call does nothing, and
 * the caller of the importer reports it. No function returns NULL.
 */

struct import;        /* one source being imported */
struct import_record; /* one record of it; lives as long */

struct import_format {
    const char *name;   /* for --from and import.tool: "deepspeed" */
    const char *title;  /* for people and import.format: "DeepSpeed training log" */
    const char *sample; /* what a line of it looks like, for messages */
    /* How many of its signs are in the text, 0: none. The format with most reads it, so a tool on
     * top of another (Megatron-DeepSpeed) must count more than the one below it alone. */
    unsigned (*matches)(const struct import_source *source);
    bool last_resort; /* its signs stand in any tool's log: asked only where no other has any */
    /* Its lines belong into the logs of the other tools that have this, too: they train with one
     * another, and each reads what it needs of the rest. */
    bool joins;
    void (*read)(struct import *import, const struct import_source *source);
};

/*
 * A new record of evidence: level imported_log, decision imported, no failure, empty workload,
 * hardware and metrics, and what --set gives. A log that holds several runs begins several.
 */
struct import_record *import_begin(struct import *import);

/* A new calibration document (rankledger.calibration/1) instead: rates of links, no training. */
struct import_record *import_begin_calibration(struct import *import);

/*
 * Fields by dotted path ("strategy", "workload.world_size", "metrics.peak_memory_mb"). `line` is
 * where the log says so; 0: nowhere, it follows from other fields. A field set again is replaced.
 * One that --set gave must agree. A number that is not finite is a bug: leave the field out, and
 * warn.
 */
void import_number(struct import_record *record, const char *field, double value, size_t line);
/* For a value made of several lines. */
void import_number_over(struct import_record *record, const char *field, double value,
                        size_t first_line, size_t last_line);
/* Users' names in paths are left out, control characters escaped. */
void import_text(struct import_record *record, const char *field, const char *text, size_t line);
void import_text_span(struct import_record *record, const char *field, struct import_span text,
                      size_t line);
void import_flag(struct import_record *record, const char *field, bool value, size_t line);
/* An array; NAN becomes null. */
void import_numbers(struct import_record *record, const char *field, const double *values,
                    size_t count, size_t first_line, size_t last_line);
/* Anything else; takes `value` (NULL: memory exhausted). Build strings in it with json_write_*. */
void import_json(struct import_record *record, const char *field, json_t *value, size_t first_line,
                 size_t last_line);

/* The field as the log or --set gave it so far; false if it did not (or it is another type). */
bool import_given_number(const struct import_record *record, const char *field, double *value);
bool import_given_text(const struct import_record *record, const char *field, const char **text);

/* import.values: converted numbers under a name of their own, units in the name; NAN is null. */
void import_value(struct import_record *record, const char *name, double value);
void import_value_text(struct import_record *record, const char *name, const char *text);
void import_value_span(struct import_record *record, const char *name, struct import_span text);

/* import.samples: a raw sample that is no [rank][step]: end-to-end times of one rank. NAN is null.
 */
void import_samples(struct import_record *record, const char *name, const double *values,
                    size_t count, size_t first_line, size_t last_line);

/* What the reader of the record must know. `line` 0: of the whole. What comes from the file needs
 * no escaping. After the first hundred they are only counted. */
void import_warn(struct import_record *record, size_t line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* A field (strategy, workload.*, hardware.*, strategy_options.*) that the log may not have told,
 * and why; it is asked for if it is absent in the end. `strategy` is asked for without a call. */
void import_ask(struct import_record *record, const char *field, const char *why);

/* Why a run failed. The texts may be anything; they are copied. Zeroed says nothing: fill what is
 * told, with -1 for a rank, step or exit code that is not. */
struct import_failure {
    const char *kind; /* out_of_memory, timeout, communication, rank_lost, non_finite, launch,
                         interrupted, exception */
    struct import_span reason; /* in the file's words, */
    char words[96];            /* or in ours; "": the kind says it */
    const char *phase;         /* NULL: not told */
    struct import_span operation;
    double rank, step, exit_code, signal;
    double timeout_ms, elapsed_ms; /* 0: not told, as below */
    double asked_bytes, in_use_bytes, limit_bytes;
    double allocated_bytes, reserved_bytes; /* of PyTorch's allocator */
    size_t line;
};
#define IMPORT_FAILURE_NONE                                                                        \
    ((struct import_failure){.rank = -1, .step = -1, .exit_code = -1, .signal = -1})

/* Makes the record one of a failed run; metrics that are there stay. The first one stays. */
void import_fail(struct import_record *record, const struct import_failure *failure);

/* The source cannot be imported: "PATH:LINE: ..." and exit code 3. */
void import_refuse(struct import *import, size_t line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Memory for an importer's own lists, released with the source; NULL: exhausted, and the import
 * has failed. */
void *import_take(struct import *import, size_t count, size_t size);

/* For an importer that ran out of memory elsewhere: the import has failed. */
void import_no_memory(struct import *import);

/* False after an error: a loop may end. */
bool import_goes_on(const struct import *import);

#endif
