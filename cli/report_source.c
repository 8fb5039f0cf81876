#include "report_source.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "analyze_print.h"
#include "changes.h"
#include "input.h"
#include "json_read.h"
#include "text.h"

/* A summary with the samples of a thousand candidates has some 100 MB. */
#define SUMMARY_LIMIT ((size_t)1 << 30)

/* ---- A summary or a comparison ---- */

enum kind { IS_OTHER, IS_FOLDER, IS_SUMMARY, IS_COMPARISON };

/* By the schema, of any edition: the loaders say which ones they know. */
static enum kind kind_of(const char *schema)
{
    static const struct {
        const char *stem;
        enum kind kind;
    } rows[] = {{"rankledger.summary/", IS_SUMMARY}, {"rankledger.comparison/", IS_COMPARISON}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (strncmp(schema, rows[i].stem, strlen(rows[i].stem)) == 0)
            return rows[i].kind;
    return IS_OTHER;
}

static enum status find_kind(const struct input_buffer *input, enum kind *kind, struct diag *diag)
{
    struct json_read_document document = {0};
    struct json_read_fault fault;
    enum status status = json_read_parse(&document, input->data, input->size, &fault, diag);
    *kind = IS_OTHER;
    if (status == STATUS_OK && json_read_is(&document, 0, JSON_READ_OBJECT)) {
        uint32_t schema = json_read_member(&document, 0, "schema");
        char text[64] = "";
        if (json_read_is(&document, schema, JSON_READ_STRING))
            json_read_string(&document, schema, text, sizeof text);
        *kind = kind_of(text);
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

static enum status read_document(const struct report_source *source, const char *path,
                                 const struct input_buffer *input, enum kind kind,
                                 struct summary *summary, struct diag *diag)
{
    char shown[1024];
    if (has_evidence_options(source->arguments))
        return diag_set(diag, STATUS_USAGE,
                        "a %s is decided already: give the evidence to decide it anew with "
                        "other limits",
                        kind == IS_SUMMARY ? "summary" : "comparison");
    text_escape_into(shown, sizeof shown, path, strlen(path));
    const struct summary_document document = {shown, input->data, input->size};
    return kind == IS_SUMMARY ? summary_load_in(&document, source->texts, summary, diag)
                              : changes_load(&document, source->texts, summary, diag);
}

/* What a file is; what cannot be read is other, and is told later. */
static enum status kind_of_file(const char *path, enum kind *kind, struct diag *diag)
{
    struct input_buffer input = {0};
    enum input_fault fault = INPUT_FAULT_NONE;
    struct stat info;
    enum status status = STATUS_OK;
    bool there = strcmp(path, "-") != 0 && stat(path, &info) == 0;
    *kind = there && S_ISDIR(info.st_mode) ? IS_FOLDER : IS_OTHER;
    if (!there || !S_ISREG(info.st_mode))
        return STATUS_OK;
    struct diag ignored = {0};
    if (input_read_file(&input, path, SUMMARY_LIMIT, &fault, &ignored) == STATUS_OK)
        status = find_kind(&input, kind, diag);
    input_fini(&input);
    return status;
}

static enum status refuse_summaries(const struct options_list *operands, struct diag *diag)
{
    char first[512];
    char second[512];
    return diag_set(
        diag, STATUS_USAGE,
        "%zu summaries given, and a report is made of one: type 'rankledger compare "
        "--format json --output comparison.json %s %s' and then 'rankledger report "
        "comparison.json' for what changed, or give the evidence",
        operands->count,
        text_escape_into(first, sizeof first, operands->values[0], strlen(operands->values[0])),
        text_escape_into(second, sizeof second, operands->values[1], strlen(operands->values[1])));
}

static enum status refuse_comparison(const char *path, struct diag *diag)
{
    char shown[1024];
    return diag_set(diag, STATUS_USAGE,
                    "%s is a comparison, of which a report is made alone: name it without other "
                    "paths",
                    text_escape_into(shown, sizeof shown, path, strlen(path)));
}

/* A report is made of one summary, or of one comparison. Evidence may be thousands of files, which
 * are not read for this: it ends at the first. */
static enum status refuse_several(const struct report_source *source, struct diag *diag)
{
    const struct options_list *operands = source->operands;
    bool summaries = operands->count > 1;
    bool evidence = operands->count < 2;
    for (size_t i = 0; i < operands->count && !evidence; i++) {
        enum kind kind = IS_FOLDER;
        enum status status = kind_of_file(operands->values[i], &kind, diag);
        if (status == STATUS_OK && kind == IS_COMPARISON)
            status = refuse_comparison(operands->values[i], diag);
        if (status != STATUS_OK)
            return status;
        summaries = summaries && kind == IS_SUMMARY;
        evidence = kind == IS_OTHER;
    }
    return summaries ? refuse_summaries(operands, diag) : STATUS_OK;
}

/* *done: the operand was one. A pipe can be no evidence: it cannot be read a second time. */
static enum status try_document(const struct report_source *source, struct summary *summary,
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
    enum kind kind = IS_OTHER;
    if (status == STATUS_OK)
        status = find_kind(&input, &kind, diag);
    if (status == STATUS_OK && piped && kind == IS_OTHER)
        status = diag_set(diag, STATUS_INPUT,
                          "standard input: no summary of rankledger analyze and no comparison of "
                          "rankledger compare --format json; evidence is read from files and "
                          "folders: name them");
    if (status == STATUS_OK && kind != IS_OTHER) {
        *done = true;
        status = read_document(source, path, &input, kind, summary, diag);
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

/* A policy beside the evidence is not applied, nor is a summary read: whoever named it may think
 * so. */
#define PASSED_OVER_MOST 4
static void warn_of_passed_over(const struct evidence_set *set)
{
    size_t said = 0;
    for (size_t i = 0; i < set->skipped_count && said < PASSED_OVER_MOST; i++) {
        const struct skipped_source *source = &set->skipped[i];
        char shown[1024];
        if (!source->own)
            continue;
        text_escape_into(shown, sizeof shown, source->path, strlen(source->path));
        fprintf(stderr, "rankledger: warning: %s is passed over: %s\n", shown, source->why);
        said++;
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
        warn_of_passed_over(&analysis.set);
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
    enum status status = refuse_several(source, diag);
    if (status == STATUS_OK)
        status = try_document(source, summary, &done, diag);
    if (status == STATUS_OK && !done)
        status = analyze(source, summary, diag);
    return status;
}
