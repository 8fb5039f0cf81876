#include "verify.h"

#include <stdlib.h>
#include <string.h>

#include "analysis.h"
#include "input.h"
#include "text.h"
#include "verify_compare.h"
#include "verify_sources.h"

#define SCHEMA "rankledger.summary/1"
#define SCHEMA_STEM "rankledger.summary/"
/* A summary repeats its sources, so that it may be larger than any of them. */
#define SIZE_LIMIT ((size_t)1 << 30)

struct verification {
    const char *path;
    const char *display; /* safe to print */
    struct input_buffer input;
    struct json_read_document stored, found;
    struct analysis_options options;
    struct verify_sources sources;
    struct analysis analysis;
    struct text_buffer text; /* the recomputed summary */
    struct verify_result *result;
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

static const char *text_member(struct verification *verification, uint32_t object, const char *name)
{
    return verify_sources_text(&verification->sources, object, name);
}

static enum status read_filters(struct verification *verification, uint32_t options,
                                struct diag *diag)
{
    const struct json_read_document *json = &verification->stored;
    uint32_t list = JSON_READ_NONE;
    enum status status = json_read_get_node(&verification->sources.summary, options, "group",
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
        if (verification->sources.out_of_memory)
            return diag_no_memory(diag);
        if (filters[count].key == NULL || filters[count].value == NULL)
            return json_read_refuse(&verification->sources.summary, node, diag,
                                    "expected an object with the texts key and value");
        count++;
    }
    verification->options.filters = filters;
    verification->options.filter_count = count;
    return STATUS_OK;
}

static enum status read_options(struct verification *verification, struct diag *diag)
{
    const struct json_read_source *source = &verification->sources.summary;
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
    if (status == STATUS_OK)
        status = verify_sources_read_choice(&verification->sources, options, diag);
    return status;
}

/* ---- the result ---- */

static int compare_records(const void *left, const void *right)
{
    const struct record *const *a = left;
    const struct record *const *b = right;
    return strcmp((*a)->path, (*b)->path);
}

/* The recomputed records by path: those of a file of lines stand by their numbers in the set. NULL:
 * memory exhausted. */
static const struct record **sorted_records(const struct evidence_set *set, struct arena *arena)
{
    const struct record **sorted = arena_take_array(arena, set->record_count + 1, sizeof *sorted);
    for (size_t i = 0; sorted != NULL && i < set->record_count; i++)
        sorted[i] = &set->records[i];
    if (sorted != NULL && set->record_count > 1)
        qsort(sorted, set->record_count, sizeof *sorted, compare_records);
    return sorted;
}

/* Sources whose digests differ, or that are not there any more: the reason of most other
 * differences. */
static enum status find_changed(struct verification *verification, struct diag *diag)
{
    struct verify_result *result = verification->result;
    const struct evidence_set *set = &verification->analysis.set;
    const struct json_read_document *json = &verification->stored;
    uint32_t array = json_read_member(json, 0, "sources");
    const struct record **sorted = sorted_records(set, &result->arena);
    const char **changed =
        arena_take_array(&result->arena, json_read_count(json, array), sizeof *changed);
    if (sorted == NULL || changed == NULL)
        return diag_no_memory(diag);
    for (uint32_t node = json_read_first(json, array); node != JSON_READ_NONE;
         node = json_read_next(json, array, node)) {
        const char *path = text_member(verification, node, "path");
        const char *sha256 = text_member(verification, node, "sha256");
        result->source_count++;
        if (path == NULL || sha256 == NULL)
            continue;
        const struct record wanted = {.path = path};
        const struct record *key = &wanted;
        const struct record **found =
            bsearch(&key, sorted, set->record_count, sizeof *sorted, compare_records);
        if (found == NULL || strcmp((*found)->sha256, sha256) != 0)
            changed[result->changed_count++] = path;
    }
    result->changed_sources = changed;
    return verification->sources.out_of_memory ? diag_no_memory(diag) : STATUS_OK;
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
    verification->options.listed = verification->sources.only != NULL;
    verification->options.only = verification->sources.only;
    verification->options.only_count = verification->sources.only_count;
    enum status status = analysis_run(&verification->analysis, &verification->sources.paths,
                                      verification->sources.base, &verification->options, diag);
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
    verification->sources.arena = arena;
    const char *slash = strrchr(verification->path, '/');
    struct text_buffer display = {0};
    text_escape(&display, verification->path, strlen(verification->path));
    verification->display = display.failed ? NULL : arena_copy(arena, display.text, display.length);
    text_buffer_fini(&display);
    if (slash == NULL)
        verification->sources.base = ".";
    else if (slash == verification->path)
        verification->sources.base = "/";
    else
        verification->sources.base =
            arena_copy(arena, verification->path, (size_t)(slash - verification->path));
    if (verification->display == NULL || verification->sources.base == NULL)
        return diag_no_memory(diag);
    verification->sources.summary =
        (struct json_read_source){&verification->stored, verification->display};
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
        status = verify_sources_find(&verification.sources, diag);
    if (status == STATUS_OK) {
        read_stored_decision(&verification);
        status = verification.sources.out_of_memory ? diag_no_memory(diag) : STATUS_OK;
    }
    if (status == STATUS_OK)
        status = recompute(&verification, diag);
    analysis_fini(&verification.analysis);
    verify_sources_fini(&verification.sources);
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
