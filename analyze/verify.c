#include "verify.h"

#include <string.h>
#include <unistd.h>

#include "analysis.h"
#include "input.h"
#include "text.h"
#include "verify_compare.h"

#define SCHEMA "rankledger.summary/1"
#define SCHEMA_STEM "rankledger.summary/"
/* A summary repeats its sources, so that it may be larger than any of them. */
#define SIZE_LIMIT ((size_t)1 << 30)
#define MAX_NAMED 5

struct verification {
    const char *path;
    const char *display; /* safe to print */
    const char *base;    /* the summary's directory */
    struct input_buffer input;
    struct json_read_document stored, found;
    struct json_read_source source;
    struct analysis_options options;
    struct path_list paths;
    struct analysis analysis;
    struct text_buffer text; /* the recomputed summary */
    struct verify_result *result;
    bool out_of_memory; /* set by text_member */
};

/* ---- reading the summary ---- */

static enum status parse(struct verification *verification, struct json_read_document *document,
                         const char *text, size_t size, struct diag *diag)
{
    struct json_read_fault fault;
    enum status status = json_read_parse(document, text, size, &fault, diag);
    if (status != STATUS_INPUT)
        return status;
    size_t line = 1;
    size_t column = 1;
    json_read_position(document, fault.offset, &line, &column);
    return diag_set(diag, STATUS_INPUT, "%s:%zu:%zu: error: %s", verification->display, line,
                    column, fault.message);
}

static enum status check_schema(const struct verification *verification, struct diag *diag)
{
    const struct json_read_document *json = &verification->stored;
    uint32_t schema = json_read_member(
        json, json_read_is(json, 0, JSON_READ_OBJECT) ? 0 : JSON_READ_NONE, "schema");
    char text[64] = "";
    if (json_read_is(json, schema, JSON_READ_STRING))
        json_read_string(json, schema, text, sizeof text);
    if (strcmp(text, SCHEMA) == 0) {
        uint8_t faults = JSON_READ_DUPLICATE_KEY | JSON_READ_NUL_IN_STRING |
                         JSON_READ_LONE_SURROGATE | JSON_READ_NUMBER_OUT_OF_RANGE;
        if ((json->flags & faults) == 0)
            return STATUS_OK;
        return diag_set(diag, STATUS_INPUT,
                        "%s: not a sound summary: it repeats a key or holds a text or number that "
                        "cannot be; rankledger validate says where",
                        verification->display);
    }
    if (strncmp(text, SCHEMA_STEM, strlen(SCHEMA_STEM)) == 0) {
        char shown[80];
        text_escape_into(shown, sizeof shown, text, strlen(text));
        return diag_set(diag, STATUS_INPUT,
                        "%s: written in the format %s by another edition of the program; this one "
                        "(" RANKLEDGER_VERSION ") knows " SCHEMA,
                        verification->display, shown);
    }
    return diag_set(diag, STATUS_INPUT,
                    "%s: not a summary of rankledger analyze (its schema is not " SCHEMA ")",
                    verification->display);
}

/* A string member as text in the result's arena; NULL if it is absent or memory is exhausted. */
static const char *text_member(struct verification *verification, uint32_t object, const char *name)
{
    const struct json_read_document *json = &verification->stored;
    uint32_t node = json_read_is(json, object, JSON_READ_OBJECT)
                        ? json_read_member(json, object, name)
                        : JSON_READ_NONE;
    if (!json_read_is(json, node, JSON_READ_STRING))
        return NULL;
    size_t capacity = (size_t)json->nodes[node].length + 1;
    char *text = arena_take(&verification->result->arena, capacity);
    if (text != NULL)
        json_read_string(json, node, text, capacity);
    else
        verification->out_of_memory = true;
    return text;
}

static enum status read_filters(struct verification *verification, uint32_t options,
                                struct diag *diag)
{
    const struct json_read_document *json = &verification->stored;
    uint32_t list = JSON_READ_NONE;
    enum status status = json_read_get_node(&verification->source, options, "group",
                                            JSON_READ_ARRAY, JSON_READ_REQUIRED, &list, diag);
    if (status != STATUS_OK)
        return status;
    struct group_filter *filters = arena_take_array(&verification->result->arena,
                                                    json_read_count(json, list), sizeof *filters);
    size_t count = 0;
    if (filters == NULL)
        return diag_no_memory(diag);
    for (uint32_t node = json_read_first(json, list); node != JSON_READ_NONE;
         node = json_read_next(json, list, node)) {
        filters[count].key = text_member(verification, node, "key");
        filters[count].value = text_member(verification, node, "value");
        if (verification->out_of_memory)
            return diag_no_memory(diag);
        if (filters[count].key == NULL || filters[count].value == NULL)
            return json_read_refuse(&verification->source, node, diag,
                                    "expected an object with the texts key and value");
        count++;
    }
    verification->options.filters = filters;
    verification->options.filter_count = count;
    return STATUS_OK;
}

static enum status read_options(struct verification *verification, struct diag *diag)
{
    const struct json_read_source *source = &verification->source;
    uint32_t policy, options;
    enum status status = json_read_get_node(source, 0, "policy", JSON_READ_OBJECT,
                                            JSON_READ_REQUIRED, &policy, diag);
    policy_init(&verification->options.policy);
    if (status == STATUS_OK)
        status = policy_read(source, policy, &verification->result->arena,
                             &verification->options.policy, diag);
    if (status == STATUS_OK)
        status = json_read_get_node(source, 0, "options", JSON_READ_OBJECT, JSON_READ_REQUIRED,
                                    &options, diag);
    if (status == STATUS_OK)
        status = json_read_get_bool(source, options, "allow_invalid", JSON_READ_REQUIRED,
                                    &verification->options.allow_invalid, diag);
    if (status == STATUS_OK)
        status = read_filters(verification, options, diag);
    return status;
}

/* ---- finding the sources again ---- */

/* The length of the file's part of a source's path: "a.jsonl:3" and "s.json#/sources/2" name parts
 * of a file. */
static size_t file_length(const char *path)
{
    const char *fragment = strstr(path, "#/sources/");
    size_t length = fragment != NULL ? (size_t)(fragment - path) : strlen(path);
    size_t digits = length;
    while (digits > 0 && path[digits - 1] >= '0' && path[digits - 1] <= '9')
        digits--;
    if (digits == length || digits == 0 || path[digits - 1] != ':')
        return length;
    size_t stem = digits - 1;
    bool lines = (stem > 6 && strncmp(path + stem - 6, ".jsonl", 6) == 0) ||
                 (stem > 7 && strncmp(path + stem - 7, ".ndjson", 7) == 0);
    return lines ? stem : length;
}

static const char *from_here(const struct verification *verification, const char *path,
                             size_t length)
{
    bool as_is = path[0] == '/' || strcmp(verification->base, ".") == 0;
    return arena_printf(&verification->result->arena, "%s%s%.*s", as_is ? "" : verification->base,
                        as_is ? "" : "/", (int)length, path);
}

/* The file of a source, as it is opened from here. A file may be named like a part of another: one
 * that is there under the whole name is meant. */
static const char *locate(const struct verification *verification, const char *path)
{
    size_t length = file_length(path);
    const char *whole = from_here(verification, path, strlen(path));
    if (whole == NULL || path[length] == '\0' || access(whole, F_OK) == 0)
        return whole;
    return from_here(verification, path, length);
}

struct missing {
    struct text_buffer names;
    size_t count;
};

/* Adds the files of one list of sources; a file of several records once, for they stand together.
 */
static enum status add_files(struct verification *verification, const char *list,
                             struct missing *missing, struct diag *diag)
{
    const struct json_read_document *json = &verification->stored;
    uint32_t array;
    const char *before = "";
    enum status status = json_read_get_node(&verification->source, 0, list, JSON_READ_ARRAY,
                                            JSON_READ_REQUIRED, &array, diag);
    if (status != STATUS_OK)
        return status;
    for (uint32_t node = json_read_first(json, array); node != JSON_READ_NONE;
         node = json_read_next(json, array, node)) {
        const char *path = text_member(verification, node, "path");
        if (verification->out_of_memory)
            return diag_no_memory(diag);
        if (path == NULL)
            return json_read_refuse(&verification->source, node, diag,
                                    "expected a source with the text path");
        const char *file = locate(verification, path);
        if (file == NULL)
            return diag_no_memory(diag);
        if (strcmp(file, before) == 0)
            continue;
        before = file;
        if (access(file, F_OK) != 0) {
            if (missing->count++ < MAX_NAMED)
                text_buffer_printf(&missing->names, "%s%s", missing->count > 1 ? ", " : "", path);
            continue;
        }
        status = path_list_add(&verification->paths, file, diag);
        if (status != STATUS_OK)
            return status;
    }
    return STATUS_OK;
}

static enum status find_sources(struct verification *verification, struct diag *diag)
{
    struct missing missing = {0};
    enum status status = add_files(verification, "sources", &missing, diag);
    if (status == STATUS_OK)
        status = add_files(verification, "rejected_sources", &missing, diag);
    if (status == STATUS_OK)
        status = add_files(verification, "skipped_sources", &missing, diag);
    if (status == STATUS_OK && missing.names.failed)
        status = diag_no_memory(diag);
    if (status == STATUS_OK && missing.count > 0) {
        char shown[1024];
        text_escape_into(shown, sizeof shown, missing.names.length > 0 ? missing.names.text : "",
                         missing.names.length);
        status =
            diag_set(diag, STATUS_INPUT, "%s: %zu source%s missing: %s%s", verification->display,
                     missing.count, missing.count == 1 ? " is" : "s are", shown,
                     missing.count > MAX_NAMED ? ", ..." : "");
    }
    text_buffer_fini(&missing.names);
    return status;
}

/* ---- the result ---- */

/* Sources in both whose digests differ: the reason of most other differences. */
static enum status find_changed(struct verification *verification, struct diag *diag)
{
    struct verify_result *result = verification->result;
    const struct evidence_set *set = &verification->analysis.set;
    const struct json_read_document *json = &verification->stored;
    uint32_t array = json_read_member(json, 0, "sources");
    const char **changed =
        arena_take_array(&result->arena, json_read_count(json, array), sizeof *changed);
    size_t at = 0;
    if (changed == NULL)
        return diag_no_memory(diag);
    for (uint32_t node = json_read_first(json, array); node != JSON_READ_NONE;
         node = json_read_next(json, array, node)) {
        const char *path = text_member(verification, node, "path");
        const char *sha256 = text_member(verification, node, "sha256");
        result->source_count++;
        if (path == NULL || sha256 == NULL)
            continue;
        while (at < set->record_count && strcmp(set->records[at].path, path) < 0)
            at++; /* both are sorted by path */
        bool same = at < set->record_count && strcmp(set->records[at].path, path) == 0 &&
                    strcmp(set->records[at].sha256, sha256) == 0;
        if (!same)
            changed[result->changed_count++] = path;
    }
    result->changed_sources = changed;
    return verification->out_of_memory ? diag_no_memory(diag) : STATUS_OK;
}

static void read_stored_decision(struct verification *verification)
{
    const struct json_read_document *json = &verification->stored;
    uint32_t decision = json_read_member(json, 0, "decision");
    verification->result->decision = text_member(verification, decision, "decision");
    verification->result->strategy = text_member(verification, decision, "strategy");
    const char *version =
        text_member(verification, json_read_member(json, 0, "program"), "version");
    if (version == NULL || strcmp(version, RANKLEDGER_VERSION) == 0)
        return;
    char shown[80];
    text_escape_into(shown, sizeof shown, version, strlen(version));
    verification->result->other_version =
        arena_copy(&verification->result->arena, shown, strlen(shown));
}

static enum status recompute(struct verification *verification, struct diag *diag)
{
    enum status status = analysis_run(&verification->analysis, &verification->paths,
                                      verification->base, &verification->options, diag);
    if (status == STATUS_OK)
        status = analysis_write_summary(&verification->analysis, &verification->text, diag);
    if (status == STATUS_OK)
        status = parse(verification, &verification->found, verification->text.text,
                       verification->text.length, diag);
    if (status == STATUS_OK)
        status = find_changed(verification, diag);
    if (status == STATUS_OK)
        status =
            verify_compare(&verification->stored, &verification->found, verification->result, diag);
    return status;
}

static enum status prepare(struct verification *verification, struct diag *diag)
{
    struct arena *arena = &verification->result->arena;
    const char *slash = strrchr(verification->path, '/');
    struct text_buffer display = {0};
    text_escape(&display, verification->path, strlen(verification->path));
    verification->display = display.failed ? NULL : arena_copy(arena, display.text, display.length);
    text_buffer_fini(&display);
    if (slash == NULL)
        verification->base = ".";
    else if (slash == verification->path)
        verification->base = "/";
    else
        verification->base =
            arena_copy(arena, verification->path, (size_t)(slash - verification->path));
    if (verification->display == NULL || verification->base == NULL)
        return diag_no_memory(diag);
    verification->source = (struct json_read_source){&verification->stored, verification->display};
    return STATUS_OK;
}

enum status verify_summary(const char *path, struct verify_result *result, struct diag *diag)
{
    struct verification verification = {.path = path, .result = result};
    enum input_fault fault;
    *result = (struct verify_result){0};
    enum status status = prepare(&verification, diag);
    if (status == STATUS_OK)
        status = input_read_file(&verification.input, path, SIZE_LIMIT, &fault, diag);
    if (status == STATUS_OK)
        status = parse(&verification, &verification.stored, verification.input.data,
                       verification.input.size, diag);
    if (status == STATUS_OK)
        status = check_schema(&verification, diag);
    if (status == STATUS_OK)
        status = read_options(&verification, diag);
    if (status == STATUS_OK)
        status = find_sources(&verification, diag);
    if (status == STATUS_OK) {
        read_stored_decision(&verification);
        status = verification.out_of_memory ? diag_no_memory(diag) : STATUS_OK;
    }
    if (status == STATUS_OK)
        status = recompute(&verification, diag);
    analysis_fini(&verification.analysis);
    path_list_fini(&verification.paths);
    text_buffer_fini(&verification.text);
    json_read_fini(&verification.found);
    json_read_fini(&verification.stored);
    input_fini(&verification.input);
    return status;
}

void verify_fini(struct verify_result *result)
{
    if (result == NULL)
        return;
    arena_fini(&result->arena);
    *result = (struct verify_result){0};
}
