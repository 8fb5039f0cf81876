#include "archive_files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze_print.h"
#include "archive_guard.h"
#include "archive_index.h"
#include "archive_print.h"
#include "archive_workbook.h"
#include "input.h"
#include "output.h"
#include "source_date.h"
#include "staging.h"
#include "supervise.h"
#include "text.h"

/* Findings of so many refused sources go to standard error; the index has all. */
#define MAX_REJECTED_SHOWN 20
#define MAX_RESULT ((size_t)1 << 30)

/* What the child works on. It hands its results back as files: the outputs, and one with the names
 * and what is to be printed. */
struct job {
    const struct archive_files *files;
    const char *folder; /* of the outputs */
    const char *result; /* a file */
    int64_t created;
};

/* ---- In the child ---- */

static enum status take_summary(void *context, const char *name, const char *text, size_t size,
                                struct diag *diag)
{
    const struct job *job = context;
    struct text_buffer path = {0};
    bool exists = false;
    text_buffer_printf(&path, "%s/%s", job->folder, name);
    enum status status = path.failed ? diag_no_memory(diag)
                                     : output_write_new_file(path.text, text, size, &exists, diag);
    text_buffer_fini(&path);
    return status;
}

static enum status write_tables(struct job *job, const struct archive_index *index,
                                struct diag *diag)
{
    static const struct {
        const char *name;
        enum status (*write)(const struct archive_index *index, struct text_buffer *out,
                             struct diag *diag);
    } tables[] = {{"index.csv", archive_index_csv}, {"index.json", archive_index_json}};
    struct text_buffer text = {0};
    enum status status = STATUS_OK;
    for (size_t i = 0; i < sizeof tables / sizeof tables[0] && status == STATUS_OK; i++) {
        text_buffer_clear(&text);
        status = tables[i].write(index, &text, diag);
        if (status == STATUS_OK)
            status = take_summary(job, tables[i].name, text.text, text.length, diag);
    }
    text_buffer_fini(&text);
    return status == STATUS_OK ? archive_workbook_write(index, job->folder, job->created, diag)
                               : status;
}

/* What the run came to as exit code. */
static enum status conclude(const struct archive_files *files, const struct archive_index *index)
{
    if (index->set.rejected_count > 0)
        return files->exit_code ? STATUS_INVALID_INPUT : STATUS_NEGATIVE;
    if (!files->exit_code || index->verdicts[VERDICT_ACCEPT] == index->count)
        return STATUS_OK;
    return index->verdicts[VERDICT_REJECT] > 0 ? STATUS_NEGATIVE : STATUS_TUNE;
}

/* The outcome, the names in the order in which they are moved into place (the index last, so that
 * it never names what is not there), an empty line, what is to be printed. */
static enum status write_result(const struct job *job, const struct archive_index *index,
                                struct diag *diag)
{
    struct text_buffer text = {0};
    text_buffer_printf(&text, "%d\n", (int)conclude(job->files, index));
    for (size_t i = 0; i < index->count; i++)
        text_buffer_printf(&text, "%s\n", index->rows[i].summary);
    text_buffer_puts(&text, "index.csv\nindex.xlsx\nindex.json\n\n");
    enum status status = archive_print(index, job->files->output, &text, diag);
    if (status == STATUS_OK)
        status = output_write_file(job->result, text.text, text.length, diag);
    text_buffer_fini(&text);
    return status;
}

static void work(void *context, struct supervise_reply *reply)
{
    struct job *job = context;
    const struct archive_files *files = job->files;
    const struct archive_index_sink sink = {take_summary, job};
    struct diag *diag = &reply->diag;
    struct archive_index index = {0};
    enum status status =
        archive_index_make(&index, files->paths, files->output, files->options, &sink, diag);
    if (status == STATUS_OK)
        status = analyze_print_rejected(&index.set, MAX_REJECTED_SHOWN, diag);
    if (status == STATUS_OK)
        status = analyze_print_require_named(&index.set, diag);
    if (status == STATUS_OK)
        status = archive_guard_inputs(&index, files->output, diag);
    if (status == STATUS_OK)
        status = write_tables(job, &index, diag);
    if (status == STATUS_OK)
        status = write_result(job, &index, diag);
    archive_index_fini(&index);
    reply->status = status;
}

/* ---- In the parent ---- */

struct result {
    struct input_buffer text; /* lines cut in place */
    enum status outcome;
    const char **names;
    size_t count;
    const char *printed;
};

/* The next line of the result, NUL-terminated; the rest in *at. */
static const char *take_line(char **at)
{
    char *line = *at;
    char *end = strchr(line, '\n');
    if (end == NULL)
        return "";
    *end = '\0';
    *at = end + 1;
    return line;
}

static enum status read_result(const char *path, struct arena *arena, struct result *result,
                               struct diag *diag)
{
    enum input_fault fault;
    enum status status = input_read_file(&result->text, path, MAX_RESULT, &fault, diag);
    if (status != STATUS_OK)
        return STATUS_ENVIRONMENT;
    /* One name a line, so that there are fewer names than lines. */
    size_t lines = 1;
    for (size_t i = 0; i < result->text.size; i++)
        lines += result->text.data[i] == '\n';
    char *text = arena_copy(arena, result->text.data, result->text.size);
    result->names = arena_take_array(arena, lines, sizeof *result->names);
    if (text == NULL || result->names == NULL)
        return diag_no_memory(diag);
    result->outcome = (enum status)atoi(take_line(&text));
    for (const char *name = take_line(&text); name[0] != '\0'; name = take_line(&text))
        result->names[result->count++] = name;
    result->printed = text;
    return STATUS_OK;
}

static enum status commit(const struct archive_files *files, struct staging *staging,
                          const char *path, enum status *outcome, struct diag *diag)
{
    struct arena arena = {0};
    struct result result = {0};
    enum status status = read_result(path, &arena, &result, diag);
    if (status == STATUS_OK)
        status = staging_commit(staging, result.names, result.count, diag);
    if (status == STATUS_OK) {
        *outcome = result.outcome;
        fputs(result.printed, stdout);
        status = archive_guard_older(files->output, result.names, result.count, diag);
    }
    input_fini(&result.text);
    arena_fini(&arena);
    return status;
}

static enum status run(const struct archive_files *files, const struct supervise *supervise,
                       struct staging *staging, int64_t created, enum status *outcome,
                       struct diag *diag)
{
    char shown[512];
    char what[600];
    bool flag = false;
    struct text_buffer result = {0};
    text_buffer_printf(&result, "%s/result", staging->kept);
    if (result.failed)
        return diag_no_memory(diag);
    struct job job = {files, staging->folder, result.text, created};
    snprintf(what, sizeof what, "writing the summaries in %s",
             text_escape_into(shown, sizeof shown, files->output, strlen(files->output)));
    enum status status = supervise_run(supervise, what, work, &job, &flag, diag);
    if (status == STATUS_OK)
        status = commit(files, staging, result.text, outcome, diag);
    text_buffer_fini(&result);
    return status;
}

enum status archive_files_write(const struct archive_files *files, struct diag *diag)
{
    struct staging staging = {0};
    struct supervise supervise;
    int64_t created = 0;
    enum status outcome = STATUS_OK;
    enum status status = source_date_read(&created, diag);
    if (status == STATUS_OK)
        status = archive_guard_index(files->output, diag);
    if (status == STATUS_OK)
        status = supervise_begin(&supervise, diag);
    if (status != STATUS_OK)
        return status;
    status = staging_begin(&staging, files->output, diag);
    if (status == STATUS_OK)
        status = run(files, &supervise, &staging, created, &outcome, diag);
    enum status ended = staging_end(&staging, diag);
    supervise_end(&supervise);
    status = status == STATUS_OK ? ended : status;
    return status == STATUS_OK ? outcome : status;
}
