#include <stdlib.h>
#include <string.h>

#include "summary_parts.h"

/* Members of a source that are the summary's own; a record's members of these names move aside. */
static const char *const own_members[] = {"path",     "sha256",   "group",
                                          "warnings", "original", "file"};

static bool is_own_member(const char *name)
{
    for (size_t i = 0; i < sizeof own_members / sizeof own_members[0]; i++)
        if (strcmp(own_members[i], name) == 0)
            return true;
    return false;
}

/* Every member of the record as it was written, digits kept, whether the program knows it or not.
 * Those whose names the summary uses itself stand under "original". */
static void copy_members(struct summary_parts *parts, const struct record *record, json_t *object)
{
    struct json_write *writer = &parts->writer;
    const struct json_read_document *json = record->json;
    json_t *original = NULL;
    for (uint32_t key = json_read_first(json, record->node); key != JSON_READ_NONE;
         key = json_read_next(json, record->node, key)) {
        size_t capacity = (size_t)json->nodes[key].length + 1;
        char *name = arena_take(parts->arena, capacity);
        if (name == NULL) {
            parts->status = diag_no_memory(parts->diag);
            break;
        }
        json_read_string(json, key, name, capacity);
        bool own = is_own_member(name);
        if (own && original == NULL)
            original = json_write_object(writer);
        json_write_set(writer, own ? original : object, name,
                       json_write_copy(writer, json, key + 1));
    }
    if (original != NULL)
        json_write_set(writer, object, "original", original);
}

static json_t *warnings_of(struct summary_parts *parts, const struct record *record)
{
    json_t *array = json_write_array(&parts->writer);
    for (size_t i = 0; i < record->warning_count; i++)
        json_write_append(&parts->writer, array,
                          json_write_string(&parts->writer, record->warnings[i]));
    return array;
}

/* The group of each record; heap, -1 where it is in none. NULL: memory exhausted. */
static long *groups_of_records(const struct analysis *analysis)
{
    size_t count = analysis->set.record_count;
    long *groups = malloc((count + 1) * sizeof *groups);
    for (size_t i = 0; groups != NULL && i < count; i++)
        groups[i] = -1;
    for (size_t g = 0; groups != NULL && g < analysis->groups.count; g++) {
        const struct group *group = &analysis->groups.items[g];
        for (size_t c = 0; c < group->candidate_count; c++)
            for (size_t r = 0; r < group->candidates[c].record_count; r++)
                groups[group->candidates[c].records[r] - analysis->set.records] = (long)g;
    }
    return groups;
}

json_t *summary_parts_sources(struct summary_parts *parts)
{
    const struct evidence_set *set = &parts->analysis->set;
    struct json_write *writer = &parts->writer;
    json_t *array = json_write_array(writer);
    long *groups = groups_of_records(parts->analysis);
    if (groups == NULL)
        parts->status = diag_no_memory(parts->diag);
    for (size_t i = 0; groups != NULL && i < set->record_count; i++) {
        const struct record *record = &set->records[i];
        json_t *object = json_write_object(writer);
        copy_members(parts, record, object);
        summary_parts_put_text(parts, object, "path", record->path);
        summary_parts_put_text(parts, object, "sha256", record->sha256);
        json_write_set(writer, object, "group",
                       groups[i] < 0 ? json_write_null(writer)
                                     : json_write_integer(writer, groups[i]));
        json_write_set(writer, object, "warnings", warnings_of(parts, record));
        json_write_append(writer, array, object);
    }
    free(groups);
    return array;
}

static json_t *errors_of(struct summary_parts *parts, const struct finding_list *findings)
{
    struct json_write *writer = &parts->writer;
    json_t *array = json_write_array(writer);
    for (size_t i = 0; i < findings->count; i++) {
        const struct finding *finding = &findings->items[i];
        json_t *object = json_write_object(writer);
        json_write_set(writer, object, "line",
                       finding->line == 0 ? json_write_null(writer)
                                          : json_write_integer(writer, (int64_t)finding->line));
        json_write_set(writer, object, "column",
                       finding->line == 0 ? json_write_null(writer)
                                          : json_write_integer(writer, (int64_t)finding->column));
        summary_parts_put_text(parts, object, "pointer", finding->pointer);
        summary_parts_put_text(parts, object, "severity",
                               finding->severity == FINDING_ERROR ? "error" : "warning");
        summary_parts_put_text(parts, object, "rule", finding->rule);
        summary_parts_put_text(parts, object, "message", finding->message);
        json_write_append(writer, array, object);
    }
    return array;
}

json_t *summary_parts_rejected(struct summary_parts *parts)
{
    const struct evidence_set *set = &parts->analysis->set;
    struct json_write *writer = &parts->writer;
    json_t *array = json_write_array(writer);
    for (size_t i = 0; i < set->rejected_count; i++) {
        const struct rejected_source *rejected = &set->rejected[i];
        json_t *object = json_write_object(writer);
        summary_parts_put_text(parts, object, "path", rejected->path);
        json_write_set(writer, object, "sha256", json_write_string(writer, rejected->sha256));
        json_write_set(writer, object, "errors", errors_of(parts, &rejected->findings));
        json_write_append(writer, array, object);
    }
    return array;
}

/* Without our own documents: the second run meets the first one's, and must write the same bytes.
 */
json_t *summary_parts_skipped(struct summary_parts *parts)
{
    const struct evidence_set *set = &parts->analysis->set;
    struct json_write *writer = &parts->writer;
    json_t *array = json_write_array(writer);
    for (size_t i = 0; i < set->skipped_count; i++) {
        if (set->skipped[i].own)
            continue;
        json_t *object = json_write_object(writer);
        summary_parts_put_text(parts, object, "path", set->skipped[i].path);
        summary_parts_put_text(parts, object, "why", set->skipped[i].why);
        json_write_append(writer, array, object);
    }
    return array;
}
