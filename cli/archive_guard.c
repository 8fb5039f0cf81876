#include "archive_guard.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "archive_name.h"
#include "input.h"
#include "text.h"

#define MAX_OLDER_SHOWN 3
/* A summary repeats its sources, so that it may be larger than any of them. */
#define SIZE_LIMIT ((size_t)1 << 30)

static const char *const index_names[] = {"index.csv", "index.json", "index.xlsx"};

/* FOLDER/NAME; false if memory is exhausted. */
static bool join(struct text_buffer *path, const char *folder, const char *name)
{
    text_buffer_clear(path);
    text_buffer_printf(path, "%s/%s", folder, name);
    return !path->failed;
}

static bool text_is(const struct json_read_document *json, uint32_t node, const char *wanted)
{
    return json_read_is(json, node, JSON_READ_STRING) && json_read_equals(json, node, wanted);
}

/* Whether a text is JSON of that schema, and if `listed` a summary whose options say which sources
 * are its own. */
static enum status is_of_schema(const struct input_buffer *input, const char *schema, bool listed,
                                bool *is, struct diag *diag)
{
    struct json_read_document json = {0};
    struct json_read_fault fault;
    enum status status = json_read_parse(&json, input->data, input->size, &fault, diag);
    *is = status == STATUS_OK && text_is(&json, json_read_member(&json, 0, "schema"), schema);
    if (*is && listed) {
        uint32_t options = json_read_member(&json, 0, "options");
        *is = text_is(&json, json_read_member(&json, options, "records"), ANALYSIS_LISTED);
    }
    json_read_fini(&json);
    return status == STATUS_INPUT ? STATUS_OK : status;
}

/* What cannot be looked at is not replaced. */
static enum status refuse_unknown(const char *path, const char *reason, struct diag *diag)
{
    char shown[512];
    return diag_set(diag, STATUS_ENVIRONMENT, "%s: cannot tell whether it may be replaced: %s",
                    text_escape_into(shown, sizeof shown, path, strlen(path)), reason);
}

/* The first of the index's files that is there, or NULL; whether index.json is. */
static enum status find_index(const char *output, struct text_buffer *path, const char **found,
                              bool *has_json, struct diag *diag)
{
    struct stat info;
    for (size_t i = 0; i < sizeof index_names / sizeof index_names[0]; i++) {
        if (!join(path, output, index_names[i]))
            return diag_no_memory(diag);
        bool there = lstat(path->text, &info) == 0;
        if (!there && errno != ENOENT && errno != ENOTDIR)
            return refuse_unknown(path->text, diag_reason(errno), diag);
        if (there && *found == NULL)
            *found = index_names[i];
        *has_json = *has_json || (there && strcmp(index_names[i], "index.json") == 0);
    }
    return STATUS_OK;
}

static enum status is_our_index(const char *output, struct text_buffer *path, bool *ours,
                                struct diag *diag)
{
    struct input_buffer input = {0};
    struct diag unread = {0};
    enum input_fault fault;
    if (!join(path, output, "index.json"))
        return diag_no_memory(diag);
    enum status status = input_read_file(&input, path->text, SIZE_LIMIT, &fault, &unread);
    if (status != STATUS_OK)
        status = refuse_unknown(path->text, unread.text, diag);
    else
        status = is_of_schema(&input, "rankledger.index/1", false, ours, diag);
    input_fini(&input);
    return status;
}

enum status archive_guard_index(const char *output, struct diag *diag)
{
    struct text_buffer path = {0};
    const char *found = NULL;
    bool has_json = false;
    bool ours = false;
    char shown[512];
    enum status status = find_index(output, &path, &found, &has_json, diag);
    if (status == STATUS_OK && has_json)
        status = is_our_index(output, &path, &ours, diag);
    text_buffer_fini(&path);
    if (status != STATUS_OK || found == NULL || ours)
        return status;
    return diag_set(diag, STATUS_USAGE,
                    "%s/%s is there and belongs to no index of rankledger analyze: name another "
                    "folder with --output-dir, or move it away",
                    text_escape_into(shown, sizeof shown, output, strlen(output)), found);
}

/* ---- Inputs ---- */

struct file {
    dev_t device;
    ino_t inode;
    const char *name;
};

static int compare_files(const void *left, const void *right)
{
    const struct file *a = left;
    const struct file *b = right;
    if (a->device != b->device)
        return a->device < b->device ? -1 : 1;
    return (a->inode > b->inode) - (a->inode < b->inode);
}

/* The outputs that exist already, sorted; names live as long as the index. */
struct targets {
    struct file *files;
    size_t count;
};

static void add_target(struct targets *targets, struct text_buffer *path, const char *output,
                       const char *name)
{
    struct stat info;
    if (join(path, output, name) && stat(path->text, &info) == 0)
        targets->files[targets->count++] = (struct file){info.st_dev, info.st_ino, name};
}

static enum status find_targets(const struct archive_index *index, const char *output,
                                struct targets *targets, struct diag *diag)
{
    struct text_buffer path = {0};
    size_t others = sizeof index_names / sizeof index_names[0];
    targets->files = calloc(index->count + others, sizeof *targets->files);
    if (targets->files == NULL)
        return diag_no_memory(diag);
    for (size_t i = 0; i < index->count; i++)
        add_target(targets, &path, output, index->rows[i].summary);
    for (size_t i = 0; i < others; i++)
        add_target(targets, &path, output, index_names[i]);
    bool failed = path.failed;
    text_buffer_fini(&path);
    if (targets->count > 1)
        qsort(targets->files, targets->count, sizeof *targets->files, compare_files);
    return failed ? diag_no_memory(diag) : STATUS_OK;
}

/* The target that is the file, or NULL; `before` is the file looked at last: records of one file
 * stand together. */
static const char *target_hit(const struct targets *targets, const char *file, const char **before)
{
    struct stat info;
    if (file == *before || (*before != NULL && strcmp(file, *before) == 0))
        return NULL;
    *before = file;
    if (stat(file, &info) != 0)
        return NULL;
    const struct file wanted = {info.st_dev, info.st_ino, NULL};
    const struct file *found =
        bsearch(&wanted, targets->files, targets->count, sizeof *targets->files, compare_files);
    return found == NULL ? NULL : found->name;
}

enum status archive_guard_inputs(const struct archive_index *index, const char *output,
                                 struct diag *diag)
{
    const struct evidence_set *set = &index->set;
    struct targets targets = {0};
    const char *before = NULL;
    const char *hit = NULL;
    enum status status = find_targets(index, output, &targets, diag);
    if (status == STATUS_OK && targets.count > 0) {
        for (size_t i = 0; i < set->record_count && hit == NULL; i++)
            hit = target_hit(&targets, set->records[i].file, &before);
        for (size_t i = 0; i < set->rejected_count && hit == NULL; i++)
            hit = target_hit(&targets, set->rejected[i].file, &before);
        for (size_t i = 0; i < set->skipped_count && hit == NULL; i++)
            if (!set->skipped[i].own)
                hit = target_hit(&targets, set->skipped[i].file, &before);
    }
    free(targets.files);
    char shown[512];
    if (status != STATUS_OK || hit == NULL)
        return status;
    return diag_set(diag, STATUS_USAGE,
                    "%s/%s is one of the input files: name another folder with --output-dir",
                    text_escape_into(shown, sizeof shown, output, strlen(output)), hit);
}

/* ---- Older summaries ---- */

static int compare_names(const void *left, const void *right)
{
    return strcmp(*(const char *const *)left, *(const char *const *)right);
}

struct older {
    const char **written; /* sorted */
    size_t written_count;
    struct arena arena;
    const char *first[MAX_OLDER_SHOWN]; /* bytewise the first ones, sorted */
    size_t count;
};

/* One that cannot be read is none that anybody could take for a summary of this index. */
static bool is_summary(const char *path)
{
    struct input_buffer input = {0};
    struct diag unread = {0};
    enum input_fault fault;
    bool is = false;
    if (input_read_file(&input, path, SIZE_LIMIT, &fault, &unread) == STATUS_OK &&
        is_of_schema(&input, "rankledger.summary/1", true, &is, &unread) != STATUS_OK)
        is = false;
    input_fini(&input);
    return is;
}

static bool is_older(const struct older *older, const char *output, const char *name,
                     struct text_buffer *path)
{
    return archive_name_is_one(name) &&
           bsearch(&name, older->written, older->written_count, sizeof *older->written,
                   compare_names) == NULL &&
           join(path, output, name) && is_summary(path->text);
}

/* Keeps the first names in order. */
static bool add_older(struct older *older, const char *name)
{
    const char *copy = arena_copy(&older->arena, name, strlen(name));
    older->count++;
    for (size_t i = 0; copy != NULL && i < MAX_OLDER_SHOWN; i++) {
        const char *there = older->first[i];
        if (there != NULL && strcmp(there, copy) < 0)
            continue;
        older->first[i] = copy;
        copy = there;
        if (there == NULL)
            return true;
    }
    return copy != NULL;
}

static void warn(const struct older *older, const char *output)
{
    char shown[512];
    fprintf(stderr,
            "rankledger: warning: %s still holds %zu summar%s of earlier runs that the index does "
            "not name:",
            text_escape_into(shown, sizeof shown, output, strlen(output)), older->count,
            older->count == 1 ? "y" : "ies");
    for (size_t i = 0; i < MAX_OLDER_SHOWN && i < older->count; i++)
        fprintf(stderr, "%s %s", i > 0 ? "," : "", older->first[i]);
    fputs(older->count > MAX_OLDER_SHOWN ? ", ...\n" : "\n", stderr);
}

enum status archive_guard_older(const char *output, const char *const *names, size_t count,
                                struct diag *diag)
{
    struct older older = {.written_count = count};
    struct text_buffer path = {0};
    bool good = true;
    DIR *folder = opendir(output);
    older.written = arena_take_array(&older.arena, count + 1, sizeof *older.written);
    good = older.written != NULL;
    if (good && count > 0) {
        memcpy(older.written, names, count * sizeof *names);
        qsort(older.written, count, sizeof *older.written, compare_names);
    }
    for (struct dirent *entry = folder == NULL || !good ? NULL : readdir(folder);
         good && entry != NULL; entry = readdir(folder))
        if (is_older(&older, output, entry->d_name, &path))
            good = add_older(&older, entry->d_name);
    if (folder != NULL)
        closedir(folder);
    if (good && older.count > 0)
        warn(&older, output);
    good = good && !path.failed;
    text_buffer_fini(&path);
    arena_fini(&older.arena);
    return good ? STATUS_OK : diag_no_memory(diag);
}
