#include "cmd_validate.h"

#include <stdio.h>
#include <string.h>

#include "options.h"
#include "validate_output.h"
#include "validate_paths.h"
#include "walk_note.h"

struct settings {
    int format;
    const char *output;
    bool strict;
    int64_t jobs;
    int64_t limit_mib;
    struct options_list files_from;
    bool nul_separated;
};

static const struct validate_format *const formats[] = {
    &validate_format_text, &validate_format_json, &validate_format_junit, &validate_format_sarif,
    &validate_format_github};
static const char *const format_names[] = {"text", "json", "junit", "sarif", "github", NULL};

#define ROW_COUNT 7

static void fill_rows(struct settings *settings, struct options_row rows[ROW_COUNT])
{
    const struct options_row all[ROW_COUNT] = {
        {"format", OPTIONS_CHOICE, "text|json|junit|sarif|github", "form of the output (text)",
         &settings->format, NULL, 0, 0, format_names},
        {"output", OPTIONS_TEXT, "FILE", "write to FILE, whole or not at all", &settings->output,
         NULL, 0, 0, NULL},
        {"strict", OPTIONS_FLAG, NULL, "warnings make a file invalid too", &settings->strict, NULL,
         0, 0, NULL},
        {"jobs", OPTIONS_COUNT, "N", "threads (one a processor, at most 16)", &settings->jobs, NULL,
         1, 256, NULL},
        {"files-from", OPTIONS_LIST, "FILE", "read more paths from FILE (- : standard input)",
         &settings->files_from, NULL, 0, 0, NULL},
        {"0", OPTIONS_FLAG, NULL, "paths in that FILE are separated by NUL bytes",
         &settings->nul_separated, NULL, 0, 0, NULL},
        {"size-limit", OPTIONS_COUNT, "MIB", "largest document, decompressed (64)",
         &settings->limit_mib, NULL, 1, 4095, NULL},
    };
    memcpy(rows, all, sizeof all);
}

/* Adds operands and lists; a path at fault is remembered in `first` and the others go on. */
static enum status add_paths(const struct settings *settings, const struct options_list *operands,
                             struct validate_run *run, struct diag *first, struct diag *diag)
{
    size_t lists = settings->files_from.count;
    for (size_t i = 0; i < lists + operands->count; i++) {
        struct diag fault = {0};
        enum status status =
            i < lists
                ? path_walk_list(settings->files_from.values[i], settings->nul_separated,
                                 validate_paths_add, run, &fault)
                : path_walk_operand(operands->values[i - lists], validate_paths_add, run, &fault);
        if (status == STATUS_INPUT && first->status == STATUS_OK)
            *first = fault;
        else if (status != STATUS_OK && status != STATUS_INPUT)
            return diag_set(diag, status, "%s", fault.text);
    }
    return STATUS_OK;
}

/* What the run came to; a path that could not be read weighs more than an invalid file. */
static enum status conclude(const struct validate_totals *totals, const struct diag *first,
                            struct diag *diag)
{
    if (first->status != STATUS_OK)
        return diag_set(diag, first->status, "%s", first->text);
    if (totals->named_unreadable > 0)
        return diag_set(diag, STATUS_INPUT, "%zu of the named paths could not be read",
                        totals->named_unreadable);
    if (totals->documents == 0)
        return diag_set(diag, STATUS_INPUT, "%s",
                        totals->skipped > 0
                            ? "nothing matched: there are only summaries of this program"
                            : "nothing matched: no *.json, *.jsonl or *.ndjson file was found, "
                              "nor one with .gz behind");
    return totals->invalid > 0 ? STATUS_NEGATIVE : STATUS_OK;
}

/* Checks all paths; `totals` and `first` say what came of it. */
static enum status check(struct validate_job *job, const struct settings *settings,
                         const struct options_list *operands, struct validate_totals *totals,
                         struct diag *first, struct diag *diag)
{
    struct validate_run *run = NULL;
    job->progress = progress_line_create();
    enum status added = STATUS_OK;
    enum status status = validate_paths_begin(job, &run, diag);
    if (status == STATUS_OK) {
        added = add_paths(settings, operands, run, first, diag);
        status = validate_paths_end(run, totals, diag);
    }
    progress_line_destroy(job->progress);
    return status == STATUS_OK ? added : status;
}

static enum status validate(void *context, const struct options_list *operands, struct diag *diag)
{
    const struct settings *settings = context;
    if (operands->count + settings->files_from.count == 0)
        return diag_set(diag, STATUS_USAGE,
                        "validate: no path given; type rankledger validate PATH... (a file, a "
                        "directory or -)");
    if (settings->nul_separated && settings->files_from.count == 0)
        return diag_set(diag, STATUS_USAGE, "validate: -0 needs --files-from FILE");
    struct validate_output output = {.spool = -1};
    struct validate_totals totals = {0};
    struct diag first = {0};
    struct diag conclusion = {0};
    struct validate_job job = {.format = formats[settings->format],
                               .strict = settings->strict,
                               .threads = settings->jobs > 0 ? (unsigned)settings->jobs
                                                             : validate_paths_default_threads(),
                               .size_limit = (size_t)settings->limit_mib << 20,
                               .sink = {validate_output_write, &output}};
    enum status status = validate_output_open(&output, job.format, settings->output, diag);
    if (status == STATUS_OK)
        status = check(&job, settings, operands, &totals, &first, diag);
    if (status == STATUS_OK) {
        enum status concluded = conclude(&totals, &first, &conclusion);
        totals.problem = concluded == STATUS_INPUT ? conclusion.text : NULL;
        status = validate_output_close(&output, &totals, diag);
        walk_note_print(totals.directory_links);
        if (status == STATUS_OK && concluded == STATUS_INPUT)
            status = diag_set(diag, concluded, "%s", conclusion.text);
        else if (status == STATUS_OK)
            status = concluded;
    }
    validate_output_fini(&output);
    return status;
}

enum status cmd_validate(int argc, char **argv, struct diag *diag)
{
    struct settings settings = {.limit_mib = 64};
    struct options_row rows[ROW_COUNT];
    fill_rows(&settings, rows);
    const struct options_command command = {
        .program = "rankledger",
        .name = "validate",
        .operands = "PATH...",
        .summary = "Checks evidence files against the contract and reports every fault.",
        .notes =
            "A PATH is a file, a directory (searched for *.json, *.jsonl, *.ndjson, also with\n"
            ".gz behind) or - for standard input. gzip data are told by their first bytes. A\n"
            ".jsonl file holds one record a line and may be larger than memory.\n"
            "exit codes: 0 all valid, 1 some invalid, 2 usage, 3 a named path unreadable or\n"
            "nothing matched, 4 output not writable",
        .rows = rows,
        .row_count = ROW_COUNT,
        .act = validate,
        .context = &settings,
    };
    return options_run(&command, argc, argv, diag);
}
