#include "report_source.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "analyze_print.h"
#include "input.h"
#include "json_read.h"
#include "text.h"

/* A summary with the samples of a thousand candidates has some 100 MB. */
#define SUMMARY_LIMIT ((size_t)1 << 30)
/* Of any edition: summary_load says which ones it knows. */
#define SUMMARY_SCHEMA "rankledger.summary/"

/* ---- A summary ---- */

static enum status find_summary(const struct input_buffer *input, bool *found, struct diag *diag)
{
    struct json_read_document document = {0};
    struct json_read_fault fault;
    enum status status = json_read_parse(&document, input->data, input->size, &fault, diag);
    *found = false;
    if (status == STATUS_OK && json_read_is(&document, 0, JSON_READ_OBJECT)) {
        uint32_t schema = json_read_member(&document, 0, "schema");
        char text[64] = "";
        if (json_read_is(&document, schema, JSON_READ_STRING))
            json_read_string(&document, schema, text, sizeof text);
        *found = strncmp(text, SUMMARY_SCHEMA, strlen(SUMMARY_SCHEMA)) == 0;
    }
    json_read_fini(&document);
    /* What is no JSON is no summary; reading it as evidence will say what is wrong. */
    return status == STATUS_INPUT ? STATUS_OK : status;
}

static bool has_evidence_options(const struct analysis_arguments *arguments)
{
    return arguments->policy != NULL || arguments->memory_limit != NULL ||
           arguments->min_throughput != NULL || arguments->memory_limit_mb_given ||
           arguments->max_communication_ratio_given || arguments->memory_kind_given ||
           arguments->baseline_given || arguments->group.count > 0 || arguments->allow_invalid;
}

/* The one operand if it may be a summary: standard input or anything but a directory. */
static const char *single_operand(const struct report_source *source)
{
    struct stat info;
    if (source->operands->count != 1 || source->arguments->files_from.count > 0)
        return NULL;
    const char *path = source->operands->values[0];
    bool is_directory = strcmp(path, "-") != 0 && stat(path, &info) == 0 && S_ISDIR(info.st_mode);
    return is_directory ? NULL : path;
}

static enum status read_summary(const struct report_source *source, const char *path,
                                const struct input_buffer *input, struct summary *summary,
                                struct diag *diag)
{
    char shown[1024];
    if (has_evidence_options(source->arguments))
        return diag_set(diag, STATUS_USAGE,
                        "a summary is decided already: give the evidence to decide it anew with "
                        "other limits");
    text_escape_into(shown, sizeof shown, path, strlen(path));
    const struct summary_document document = {shown, input->data, input->size};
    return summary_load_in(&document, source->texts, summary, diag);
}

/* *done: the operand was a summary. A pipe can be no evidence: it cannot be read a second time. */
static enum status try_summary(const struct report_source *source, struct summary *summary,
                               bool *done, struct diag *diag)
{
    struct input_buffer input = {0};
    enum input_fault fault = INPUT_FAULT_NONE;
    const char *path = single_operand(source);
    *done = false;
    if (path == NULL)
        return STATUS_OK;
    bool piped = strcmp(path, "-") == 0;
    enum status status = input_read_file(&input, path, SUMMARY_LIMIT, &fault, diag);
    bool found = false;
    if (status == STATUS_OK)
        status = find_summary(&input, &found, diag);
    if (status == STATUS_OK && piped && !found)
        status = diag_set(diag, STATUS_INPUT,
                          "standard input: no summary of rankledger analyze; evidence is read from "
                          "files and folders: name them");
    if (status == STATUS_OK && found) {
        *done = true;
        status = read_summary(source, path, &input, summary, diag);
    }
    input_fini(&input);
    return status;
}

/* ---- Evidence ---- */

static void judge(struct report_source *source, const struct evidence_set *set)
{
    source->outcome = set->rejected_count > 0 ? STATUS_NEGATIVE : STATUS_OK;
    for (size_t i = 0; i < set->rejected_count && source->outcome != STATUS_INPUT; i++)
        if (set->rejected[i].named && set->rejected[i].sha256 == NULL) {
            source->outcome = STATUS_INPUT;
            snprintf(source->unreadable, sizeof source->unreadable, "%s", set->rejected[i].path);
        }
}

static enum status summarise(const struct analysis *analysis, const struct texts *texts,
                             struct summary *summary, struct diag *diag)
{
    struct text_buffer text = {0};
    enum status status = analysis_write_summary(analysis, &text, diag);
    const struct summary_document document = {"the summary in memory", text.text, text.length};
    if (status == STATUS_OK)
        status = summary_load_in(&document, texts, summary, diag);
    if (status == STATUS_INPUT) /* what we wrote ourselves is not the user's fault */
        status = STATUS_BUG;
    text_buffer_fini(&text);
    return status;
}

static enum status analyze(struct report_source *source, struct summary *summary, struct diag *diag)
{
    struct arena arena = {0};
    struct path_list paths = {0};
    struct analysis analysis = {.picked = -1};
    struct analysis_options options;
    enum status status = analysis_options_resolve(source->arguments, &arena, &options, diag);
    if (status == STATUS_OK)
        status = analysis_options_paths(source->arguments, source->operands, &paths, diag);
    if (status == STATUS_OK)
        status = analysis_run(&analysis, &paths, ".", &options, diag);
    if (status == STATUS_OK)
        status = analyze_print_rejected(&analysis.set, SIZE_MAX, diag);
    if (status == STATUS_OK) {
        judge(source, &analysis.set);
        status = summarise(&analysis, source->texts, summary, diag);
    }
    analysis_fini(&analysis);
    path_list_fini(&paths);
    arena_fini(&arena);
    return status;
}

enum status report_source_load(struct report_source *source, struct summary *summary,
                               struct diag *diag)
{
    bool done = false;
    source->outcome = STATUS_OK;
    enum status status = try_summary(source, summary, &done, diag);
    if (status == STATUS_OK && !done)
        status = analyze(source, summary, diag);
    return status;
}
