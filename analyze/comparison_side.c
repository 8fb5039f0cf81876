#include "comparison_side.h"

#include <math.h>
#include <string.h>
#include <sys/stat.h>

#include "comparison_candidate.h"
#include "text.h"

static const char *escaped(struct arena *arena, const char *text)
{
    struct text_buffer safe = {0};
    text_redact(&safe, text, strlen(text));
    const char *copy = safe.failed ? NULL : arena_copy(arena, safe.text, safe.length);
    text_buffer_fini(&safe);
    return copy;
}

static bool is_directory(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

/* ---- opening ---- */

static enum status take_readers(struct comparison_side *side, size_t count, struct diag *diag)
{
    side->readers = arena_take_array(&side->arena, count, sizeof *side->readers);
    return side->readers == NULL ? diag_no_memory(diag) : STATUS_OK;
}

static struct summary_reader *add_reader(struct comparison_side *side, struct diag *diag)
{
    struct summary_reader *reader = &side->readers[side->reader_count++];
    *reader = (struct summary_reader){.fields = {.arena = &side->arena, .diag = diag}};
    return reader;
}

enum status comparison_side_open(struct comparison_side *side, const char *path, bool *found,
                                 struct diag *diag)
{
    *side = (struct comparison_side){.kind = "summary"};
    *found = false;
    side->path = escaped(&side->arena, path);
    if (side->path == NULL)
        return diag_no_memory(diag);
    side->directory = is_directory(path);
    if (side->directory)
        return STATUS_OK;
    enum status status = take_readers(side, 1, diag);
    if (status == STATUS_OK)
        status = summary_reader_open(add_reader(side, diag), path, found);
    if (!*found && side->reader_count > 0)
        side->broken = side->readers[side->reader_count - 1].broken;
    if (!*found && side->reader_count > 0)
        summary_reader_fini(&side->readers[--side->reader_count]);
    return status;
}

/* The summaries of ours that a walk passed over. */
static enum status open_summaries(struct comparison_side *side, const struct evidence_set *set,
                                  struct diag *diag)
{
    enum status status = take_readers(side, set->skipped_count + 1, diag);
    for (size_t i = 0; i < set->skipped_count && status == STATUS_OK; i++) {
        bool found = false;
        if (!set->skipped[i].own)
            continue;
        struct summary_reader *reader = add_reader(side, diag);
        status = summary_reader_open(reader, set->skipped[i].file, &found);
        if (status == STATUS_OK && !found) {
            summary_reader_fini(reader);
            side->reader_count--;
        }
    }
    return status;
}

static enum status take_summary(struct comparison_side *side, const struct analysis *analysis,
                                struct diag *diag)
{
    struct text_buffer text = {0};
    enum status status = analysis_write_summary(analysis, &text, diag);
    if (status == STATUS_OK)
        status = take_readers(side, 1, diag);
    if (status == STATUS_OK)
        status = summary_reader_take(add_reader(side, diag), side->path, &text);
    text_buffer_fini(&text);
    return status;
}

/* For comparison_side_holds, once a file. */
static enum status keep_files(struct comparison_side *side, const struct evidence_set *set,
                              struct diag *diag)
{
    size_t count = set->record_count + set->rejected_count;
    const char **files = arena_take_array(&side->arena, count, sizeof *files);
    if (files == NULL)
        return diag_no_memory(diag);
    for (size_t i = 0; i < count; i++) {
        const char *file = i < set->record_count ? set->records[i].file
                                                 : set->rejected[i - set->record_count].file;
        if (side->file_count > 0 && strcmp(files[side->file_count - 1], file) == 0)
            continue;
        files[side->file_count] = arena_copy(&side->arena, file, strlen(file));
        if (files[side->file_count++] == NULL)
            return diag_no_memory(diag);
    }
    side->files = files;
    return STATUS_OK;
}

bool comparison_side_holds(const struct comparison_side *side, const char *path)
{
    struct stat target, source;
    if (stat(path, &target) != 0)
        return false;
    for (size_t i = 0; i < side->file_count; i++)
        if (stat(side->files[i], &source) == 0 && source.st_dev == target.st_dev &&
            source.st_ino == target.st_ino)
            return true;
    return false;
}

enum status comparison_side_analyze(struct comparison_side *side, const char *path,
                                    const struct analysis_options *options, struct diag *diag)
{
    struct path_list paths = {0};
    struct analysis analysis = {.picked = -1};
    struct diag own = {0}; /* "no evidence" may not be the last word */
    side->kind = side->directory ? "archive" : "evidence";
    enum status status = path_list_add(&paths, path, &own);
    if (status == STATUS_OK)
        status = analysis_run(&analysis, &paths, ".", options, &own);
    if (status == STATUS_OK) {
        status = take_summary(side, &analysis, &own);
        if (status == STATUS_OK)
            status = keep_files(side, &analysis.set, &own);
    } else if (status == STATUS_INPUT && analysis.set.skipped_count > 0) {
        enum status opened = open_summaries(side, &analysis.set, diag);
        side->kind = "summaries";
        if (opened != STATUS_OK || side->reader_count > 0)
            status = opened;
    }
    bool named = strncmp(own.text, "no evidence", 11) != 0; /* by the message itself */
    if (status != STATUS_OK && own.text[0] != '\0')
        diag_set(diag, status, "%s%s%s", named ? "" : side->path, named ? "" : ": ", own.text);
    analysis_fini(&analysis);
    path_list_fini(&paths);
    return status;
}

/* ---- reading ---- */

/* The JSON of a value without the white space between its parts. */
static const char *compact(struct summary_reader *reader, uint32_t node)
{
    const struct json_read_node *value = &reader->json.nodes[node];
    bool quoted = value->type == JSON_READ_STRING;
    const char *text = reader->json.text + value->offset;
    char *copy = arena_take(reader->fields.arena, (size_t)value->length + 3);
    size_t length = 0;
    bool inside = quoted;
    if (copy == NULL) {
        json_fields_no_memory(&reader->fields);
        return "";
    }
    if (quoted)
        copy[length++] = '"';
    for (size_t i = 0; i < value->length; i++) {
        if (text[i] == '"')
            inside = !inside;
        if (inside && text[i] == '\\' && i + 1 < value->length)
            copy[length++] = text[i++];
        if (inside || strchr(" \t\r\n", text[i]) == NULL)
            copy[length++] = text[i];
    }
    if (quoted)
        copy[length++] = '"';
    copy[length] = '\0';
    return copy;
}

static void read_key(struct summary_reader *reader, uint32_t node, struct comparison_members *group)
{
    uint32_t key = summary_reader_need(reader, node, "key", JSON_READ_OBJECT);
    group->json = &reader->json;
    group->node = node;
    group->key_node = key;
    for (int field = 0; field < COMPARABILITY_FIELD_COUNT && reader->fields.status == STATUS_OK;
         field++) {
        uint32_t value = json_read_member(&reader->json, key,
                                          comparability_name((enum comparability_field)field));
        if (value != JSON_READ_NONE && !json_read_is(&reader->json, value, JSON_READ_NULL))
            group->key[field] = compact(reader, value);
    }
}

static void read_choice(struct summary_reader *reader, uint32_t node,
                        struct comparison_members *group)
{
    uint32_t selection = summary_reader_need(reader, node, "selection", JSON_READ_OBJECT);
    uint32_t decision = summary_reader_need(reader, node, "decision", JSON_READ_OBJECT);
    group->decision_node = decision;
    uint32_t gain = json_fields_member(&reader->fields, decision, "gain", JSON_READ_OBJECT);
    group->choice = (struct comparison_choice){
        .decision = summary_reader_need_text(reader, decision, "decision"),
        .rule = summary_reader_text(reader, decision, "rule"),
        .reason = summary_reader_text(reader, decision, "reason"),
        .strategy = summary_reader_text(reader, selection, "strategy"),
        .selection_reason = summary_reader_text(reader, selection, "reason"),
        .gain = json_fields_number(&reader->fields, gain, "value")};
}

/* A word that is none of the three cannot be told better or worse than another. */
static void check_decision(struct summary_reader *reader, const struct comparison_members *group)
{
    static const char *const known[] = {"accept", "tune", "reject"};
    for (size_t i = 0; i < sizeof known / sizeof known[0] && reader->fields.status == STATUS_OK;
         i++)
        if (strcmp(group->choice.decision, known[i]) == 0)
            return;
    if (reader->fields.status == STATUS_OK)
        reader->fields.status =
            json_read_refuse(&reader->fields.source,
                             json_read_member(&reader->json, group->decision_node, "decision"),
                             reader->fields.diag, "expected accept, tune or reject");
}

/* Who counts as equally fast as the fastest. */
static void read_ties(struct summary_reader *reader, uint32_t node,
                      struct comparison_members *group)
{
    uint32_t selection = json_fields_member(&reader->fields, node, "selection", JSON_READ_OBJECT);
    size_t count = group->candidate_count;
    long fastest = json_fields_index(&reader->fields, selection, "fastest", count);
    struct series tied = summary_reader_series(
        reader, json_fields_member(&reader->fields, selection, "tied", JSON_READ_ARRAY));
    bool *flags = json_fields_take(&reader->fields, count, sizeof *flags);
    if (flags == NULL)
        return;
    for (size_t i = 0; i < tied.count; i++)
        if (tied.values[i] >= 0 && tied.values[i] < (double)count)
            flags[(size_t)tied.values[i]] = true;
    group->fastest = fastest < 0 ? NULL : group->candidates[fastest].label;
    group->tied = flags;
}

static void read_group(struct summary_reader *reader, uint32_t node,
                       struct comparison_members *group)
{
    size_t count;
    const uint32_t *nodes = summary_reader_objects(
        reader, summary_reader_need(reader, node, "candidates", JSON_READ_ARRAY), &count);
    struct comparison_candidate *candidates =
        json_fields_take(&reader->fields, count, sizeof *candidates);
    group->label = summary_reader_need_text(reader, node, "label");
    group->level = summary_reader_text(reader, node, "evidence_level");
    group->times_count = json_fields_flag(&reader->fields, node, "times_count");
    read_key(reader, node, group);
    read_choice(reader, node, group);
    check_decision(reader, group);
    for (size_t i = 0; i < count && reader->fields.status == STATUS_OK; i++)
        comparison_candidate_read(reader, nodes[i], &candidates[i]);
    group->candidates = candidates;
    group->candidate_count = count;
    read_ties(reader, node, group);
}

/* What a summary left out, unless its maker allowed for that. */
static size_t read_rejected(struct summary_reader *reader, struct comparison_rejected *rejected)
{
    size_t count, errors;
    const uint32_t *nodes = summary_reader_objects(
        reader, json_fields_member(&reader->fields, 0, "rejected_sources", JSON_READ_ARRAY),
        &count);
    uint32_t options = json_fields_member(&reader->fields, 0, "options", JSON_READ_OBJECT);
    if (json_fields_flag(&reader->fields, options, "allow_invalid"))
        return 0;
    for (size_t i = 0; i < count && rejected != NULL; i++) {
        const uint32_t *error = summary_reader_objects(
            reader, json_fields_member(&reader->fields, nodes[i], "errors", JSON_READ_ARRAY),
            &errors);
        rejected[i].path = summary_reader_text(reader, nodes[i], "path");
        rejected[i].error = errors > 0 ? summary_reader_text(reader, error[0], "message") : NULL;
        if (rejected[i].error == NULL)
            rejected[i].error = "could not be used";
    }
    return count;
}

static void read_policy(struct comparison_side *side, struct summary_reader *reader)
{
    const struct json_read_document *json = &reader->json;
    uint32_t policy = summary_reader_need(reader, 0, "policy", JSON_READ_OBJECT);
    size_t count = policy == JSON_READ_NONE ? 0 : json_read_count(json, policy);
    const char **names = arena_take_array(&side->arena, count, sizeof *names);
    const char **values = arena_take_array(&side->arena, count, sizeof *values);
    policy_init(&side->policy);
    if (names == NULL || values == NULL)
        json_fields_no_memory(&reader->fields);
    if (reader->fields.status == STATUS_OK)
        reader->fields.status = policy_read(&reader->fields.source, policy, &side->arena,
                                            &side->policy, reader->fields.diag);
    for (uint32_t key = json_fields_first(&reader->fields, policy); key != JSON_READ_NONE;
         key = json_fields_next(&reader->fields, policy, key)) {
        char *name = arena_take(&side->arena, (size_t)json->nodes[key].length + 1);
        if (name == NULL) {
            json_fields_no_memory(&reader->fields);
            return;
        }
        json_read_string(json, key, name, (size_t)json->nodes[key].length + 1);
        names[side->policy_count] = name;
        values[side->policy_count++] = compact(reader, key + 1);
    }
    side->policy_fields = names;
    side->policy_values = values;
}

/* Counts first, so that groups and rejected sources of all summaries stand in one array each. */
static enum status count_parts(struct comparison_side *side, size_t *groups, size_t *rejected)
{
    for (size_t i = 0; i < side->reader_count; i++) {
        struct summary_reader *reader = &side->readers[i];
        uint32_t list = summary_reader_need(reader, 0, "groups", JSON_READ_ARRAY);
        uint32_t sources = summary_reader_need(reader, 0, "sources", JSON_READ_ARRAY);
        if (reader->fields.status != STATUS_OK)
            return reader->fields.status;
        *groups += json_read_count(&reader->json, list);
        side->source_count += json_read_count(&reader->json, sources);
        *rejected += read_rejected(reader, NULL);
    }
    return STATUS_OK;
}

enum status comparison_side_read(struct comparison_side *side, struct diag *diag)
{
    size_t groups = 0;
    size_t rejected = 0;
    for (size_t i = 0; i < side->reader_count; i++) /* what they were opened with may be gone */
        side->readers[i].fields.diag = diag;
    enum status status = count_parts(side, &groups, &rejected);
    if (status != STATUS_OK)
        return status;
    struct comparison_members *members = arena_take_array(&side->arena, groups, sizeof *members);
    struct comparison_rejected *left_out =
        arena_take_array(&side->arena, rejected, sizeof *left_out);
    if (members == NULL || left_out == NULL)
        return diag_no_memory(diag);
    for (size_t i = 0; i < side->reader_count && status == STATUS_OK; i++) {
        struct summary_reader *reader = &side->readers[i];
        size_t count;
        const uint32_t *nodes = summary_reader_objects(
            reader, summary_reader_need(reader, 0, "groups", JSON_READ_ARRAY), &count);
        if (i == 0)
            read_policy(side, reader);
        for (size_t g = 0; g < count && reader->fields.status == STATUS_OK; g++) {
            members[side->group_count].index = g;
            read_group(reader, nodes[g], &members[side->group_count++]);
        }
        side->rejected_count += read_rejected(reader, left_out + side->rejected_count);
        status = reader->fields.status;
    }
    side->groups = members;
    side->rejected = left_out;
    return status;
}

void comparison_side_fini(struct comparison_side *side)
{
    if (side == NULL)
        return;
    for (size_t i = 0; i < side->reader_count; i++)
        summary_reader_fini(&side->readers[i]);
    arena_fini(&side->arena);
    *side = (struct comparison_side){0};
}
