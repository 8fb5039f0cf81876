#include "verify_sources.h"

#include <stdlib.h>
#include <string.h>

#include "analysis.h"
#include "input_path.h"
#include "text.h"

#define MAX_NAMED 5

const char *verify_sources_text(struct verify_sources *sources, uint32_t object, const char *name)
{
    const struct json_read_document *json = sources->summary.document;
    uint32_t node = json_read_is(json, object, JSON_READ_OBJECT)
                        ? json_read_member(json, object, name)
                        : JSON_READ_NONE;
    if (!json_read_is(json, node, JSON_READ_STRING))
        return NULL;
    size_t capacity = (size_t)json->nodes[node].length + 1;
    char *text = arena_take(sources->arena, capacity);
    if (text != NULL)
        json_read_string(json, node, text, capacity);
    else
        sources->out_of_memory = true;
    return text;
}

enum status verify_sources_read_choice(struct verify_sources *sources, uint32_t options,
                                       struct diag *diag)
{
    const struct json_read_document *json = sources->summary.document;
    uint32_t node = json_read_member(json, options, "records");
    if (node == JSON_READ_NONE)
        return STATUS_OK;
    if (!json_read_is(json, node, JSON_READ_STRING) ||
        !json_read_equals(json, node, ANALYSIS_LISTED))
        return json_read_refuse(&sources->summary, node, diag, "expected \"" ANALYSIS_LISTED "\"");
    size_t count = json_read_count(json, json_read_member(json, 0, "sources")) +
                   json_read_count(json, json_read_member(json, 0, "rejected_sources"));
    sources->only = arena_take_array(sources->arena, count + 1, sizeof *sources->only);
    return sources->only == NULL ? diag_no_memory(diag) : STATUS_OK;
}

static int compare_names(const void *left, const void *right)
{
    return strcmp(*(const char *const *)left, *(const char *const *)right);
}

/* The length of the file's part of a source's path: "a.jsonl:3" and "s.json#/sources/2" name parts
 * of a file. Whether a file holds lines may be told by its content alone, so that any name may be
 * followed by a number. */
static size_t file_length(const char *path)
{
    const char *fragment = strstr(path, "#/sources/");
    size_t length = fragment != NULL ? (size_t)(fragment - path) : strlen(path);
    size_t digits = length;
    while (digits > 0 && path[digits - 1] >= '0' && path[digits - 1] <= '9')
        digits--;
    bool numbered = digits < length && digits > 1 && path[digits - 1] == ':';
    return numbered ? digits - 1 : length;
}

static const char *from_here(const struct verify_sources *sources, const char *path, size_t length)
{
    bool as_is = path[0] == '/' || strcmp(sources->base, ".") == 0;
    return arena_printf(sources->arena, "%s%s%.*s", as_is ? "" : sources->base, as_is ? "" : "/",
                        (int)length, path);
}

static bool is_there(const char *path)
{
    struct stat about;
    return input_path_stat(path, &about) == 0;
}

/* The file of a source, as it is opened from here. A file may be named like a part of another: one
 * that is there under the whole name is meant. */
static const char *locate(const struct verify_sources *sources, const char *path)
{
    size_t length = file_length(path);
    const char *whole = from_here(sources, path, strlen(path));
    if (whole == NULL || path[length] == '\0' || is_there(whole))
        return whole;
    return from_here(sources, path, length);
}

struct missing {
    struct text_buffer names;
    size_t count;
};

/* Adds the files of one list of sources; a file of several records once, for they stand together.
 */
static enum status add_files(struct verify_sources *sources, const char *list,
                             struct missing *missing, struct diag *diag)
{
    const struct json_read_document *json = sources->summary.document;
    uint32_t array;
    const char *before = "";
    enum status status = json_read_get_node(&sources->summary, 0, list, JSON_READ_ARRAY,
                                            JSON_READ_REQUIRED, &array, diag);
    if (status != STATUS_OK)
        return status;
    for (uint32_t node = json_read_first(json, array); node != JSON_READ_NONE;
         node = json_read_next(json, array, node)) {
        const char *path = verify_sources_text(sources, node, "path");
        if (sources->out_of_memory)
            return diag_no_memory(diag);
        if (path == NULL)
            return json_read_refuse(&sources->summary, node, diag,
                                    "expected a source with the text path");
        if (sources->only != NULL && strcmp(list, "skipped_sources") != 0)
            sources->only[sources->only_count++] = path;
        const char *file = locate(sources, path);
        if (file == NULL)
            return diag_no_memory(diag);
        if (strcmp(file, before) == 0)
            continue;
        before = file;
        if (!is_there(file)) {
            if (missing->count++ < MAX_NAMED)
                text_buffer_printf(&missing->names, "%s%s", missing->count > 1 ? ", " : "", path);
            continue;
        }
        status = path_list_add(&sources->paths, file, diag);
        if (status != STATUS_OK)
            return status;
    }
    return STATUS_OK;
}

enum status verify_sources_find(struct verify_sources *sources, struct diag *diag)
{
    struct missing missing = {0};
    enum status status = add_files(sources, "sources", &missing, diag);
    if (status == STATUS_OK)
        status = add_files(sources, "rejected_sources", &missing, diag);
    if (status == STATUS_OK)
        status = add_files(sources, "skipped_sources", &missing, diag);
    if (status == STATUS_OK && missing.names.failed)
        status = diag_no_memory(diag);
    if (sources->only_count > 1)
        qsort(sources->only, sources->only_count, sizeof *sources->only, compare_names);
    if (status == STATUS_OK && missing.count > 0) {
        char shown[1024];
        text_escape_into(shown, sizeof shown, missing.names.length > 0 ? missing.names.text : "",
                         missing.names.length);
        status =
            diag_set(diag, STATUS_INPUT, "%s: %zu source%s missing: %s%s", sources->summary.path,
                     missing.count, missing.count == 1 ? " is" : "s are", shown,
                     missing.count > MAX_NAMED ? ", ..." : "");
    }
    text_buffer_fini(&missing.names);
    return status;
}

void verify_sources_fini(struct verify_sources *sources)
{
    path_list_fini(&sources->paths);
}
