#include "archive_index.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "archive_name.h"
#include "archive_place.h"
#include "archive_row.h"
#include "partition.h"
#include "validate_paths.h"

/* What the threads share. Everything but the last three is read only while they run. */
struct archive {
    struct archive_index *index;
    const struct archive_index_sink *sink;
    struct group_list groups;
    struct partition partition;
    struct archive_place place;
    bool *left; /* by group: the filters leave it */
    pthread_mutex_t lock;
    size_t next;         /* group to be taken */
    size_t failed_group; /* the first in order that failed, so that the message is the same */
    enum status status;
    struct diag diag;
};

struct worker {
    struct archive *archive;
    struct arena *arena;     /* of what stays */
    struct text_buffer text; /* reused, as the documents */
    struct json_read_document *documents;
    size_t document_count;
    pthread_t thread;
};

/* ---- One group ---- */

static size_t part_size(const struct archive *archive, size_t group)
{
    return archive->partition.starts[group + 1] - archive->partition.starts[group];
}

/* The reason of the first of the incomplete summaries that the records stand in; `first` is the
 * smallest place seen. */
static void note_incomplete(size_t place, size_t *first)
{
    if (place > 0 && (*first == 0 || place < *first))
        *first = place;
}

/* A parsed document at `place`; NULL: memory exhausted. */
static struct json_read_document *take_document(struct worker *worker, size_t place)
{
    if (place < worker->document_count)
        return &worker->documents[place];
    size_t count = place < 8 ? 16 : 2 * place;
    struct json_read_document *larger = realloc(worker->documents, count * sizeof *larger);
    if (larger == NULL)
        return NULL;
    memset(larger + worker->document_count, 0, (count - worker->document_count) * sizeof *larger);
    worker->documents = larger;
    worker->document_count = count;
    return &larger[place];
}

/* Parses the texts of the view's records; those of one summary share theirs. */
static enum status parse_view(struct worker *worker, struct evidence_set *view, struct diag *diag)
{
    size_t used = 0;
    for (size_t i = 0; i < view->record_count; i++) {
        const struct json_read_document *kept = view->records[i].json;
        if (i > 0 && kept->text == worker->documents[used - 1].text)
            continue;
        struct json_read_document *document = take_document(worker, used++);
        struct json_read_fault fault;
        if (document == NULL)
            return diag_no_memory(diag);
        enum status status = json_read_parse(document, kept->text, kept->size, &fault, diag);
        if (status == STATUS_INPUT)
            return diag_set(diag, STATUS_BUG, "a document that was read cannot be read again");
        if (status != STATUS_OK)
            return status;
    }
    used = 0; /* the list of documents stays where it is from here on */
    for (size_t i = 0; i < view->record_count; i++) {
        used += i == 0 || view->records[i].json->text != worker->documents[used - 1].text;
        view->records[i].json = &worker->documents[used - 1];
    }
    return STATUS_OK;
}

/*
 * The group's records and refused sources as a set of their own: what loading the group's sources
 * alone would give, so that the summary is verified like any other.
 */
static enum status make_view(const struct archive *archive, size_t group, struct evidence_set *view,
                             struct diag *diag)
{
    const struct evidence_set *all = &archive->index->set;
    const struct partition *partition = &archive->partition;
    const struct archive_place *place = &archive->place;
    size_t incomplete = 0;
    view->record_count = part_size(archive, group);
    view->rejected_count = place->starts[group + 1] - place->starts[group];
    view->records = arena_take_array(&view->arena, view->record_count, sizeof *view->records);
    view->rejected =
        arena_take_array(&view->arena, view->rejected_count + 1, sizeof *view->rejected);
    if (view->records == NULL || view->rejected == NULL)
        return diag_no_memory(diag);
    for (size_t i = 0; i < view->record_count; i++) {
        view->records[i] = all->records[partition->order[partition->starts[group] + i]];
        note_incomplete(view->records[i].incomplete, &incomplete);
    }
    for (size_t i = 0; i < view->rejected_count; i++) {
        view->rejected[i] = all->rejected[place->order[place->starts[group] + i]];
        note_incomplete(view->rejected[i].incomplete, &incomplete);
    }
    if (incomplete > 0)
        view->incomplete = all->incomplete_sources[incomplete - 1].reason;
    return evidence_set_note_copies(view, diag);
}

static enum status is_left(const struct archive *archive, const struct group *group, bool *left,
                           struct diag *diag)
{
    const struct analysis_options *options = &archive->index->options;
    *left = true;
    for (size_t i = 0; i < options->filter_count && *left; i++) {
        enum status status = group_matches(group, &options->filters[i], left, diag);
        if (status != STATUS_OK)
            return status;
    }
    return STATUS_OK;
}

static enum status write_summary(struct worker *worker, const struct analysis *analysis,
                                 const char *name, struct diag *diag)
{
    const struct archive_index_sink *sink = worker->archive->sink;
    text_buffer_clear(&worker->text);
    enum status status = analysis_write_summary(analysis, &worker->text, diag);
    if (status == STATUS_OK)
        status = sink->take(sink->context, name, worker->text.text, worker->text.length, diag);
    return status;
}

static enum status judge_group(struct worker *worker, size_t group, struct diag *diag)
{
    struct archive *archive = worker->archive;
    struct archive_index_row *row = &archive->index->rows[group];
    struct analysis analysis = {.options = archive->index->options, .picked = -1};
    analysis.options.filters = NULL;
    analysis.options.filter_count = 0;
    analysis.options.listed = true;
    enum status status = make_view(archive, group, &analysis.set, diag);
    if (status == STATUS_OK)
        status = parse_view(worker, &analysis.set, diag);
    if (status == STATUS_OK)
        status = analysis_judge(&analysis, diag);
    if (status == STATUS_OK)
        status = archive_row_fill(&analysis, worker->arena, row, diag);
    if (status == STATUS_OK)
        status = is_left(archive, &analysis.groups.items[0], &archive->left[group], diag);
    if (status == STATUS_OK && archive->left[group])
        status = write_summary(worker, &analysis, row->summary, diag);
    analysis_fini(&analysis);
    return status;
}

/* ---- Threads ---- */

static void note_failure(struct archive *archive, size_t group, enum status status,
                         const struct diag *diag)
{
    if (archive->status != STATUS_OK && archive->failed_group < group)
        return;
    archive->status = status;
    archive->failed_group = group;
    archive->diag = *diag;
}

static void *work(void *argument)
{
    struct worker *worker = argument;
    struct archive *archive = worker->archive;
    pthread_mutex_lock(&archive->lock);
    while (archive->status == STATUS_OK && archive->next < archive->groups.count) {
        size_t group = archive->next++;
        struct diag diag = {0};
        pthread_mutex_unlock(&archive->lock);
        enum status status = judge_group(worker, group, &diag);
        pthread_mutex_lock(&archive->lock);
        if (status != STATUS_OK)
            note_failure(archive, group, status, &diag);
    }
    pthread_mutex_unlock(&archive->lock);
    for (size_t i = 0; i < worker->document_count; i++)
        json_read_fini(&worker->documents[i]);
    free(worker->documents);
    text_buffer_fini(&worker->text);
    return NULL;
}

/* The caller works, too; a thread that cannot be had is done without. */
static enum status judge_all(struct archive *archive, struct diag *diag)
{
    struct archive_index *index = archive->index;
    size_t count = validate_paths_default_threads();
    count = count > archive->groups.count ? archive->groups.count : count;
    count = count == 0 ? 1 : count;
    struct worker *workers = arena_take_array(&index->arena, count, sizeof *workers);
    index->workers = arena_take_array(&index->arena, count, sizeof *index->workers);
    if (workers == NULL || index->workers == NULL)
        return diag_no_memory(diag);
    index->worker_count = count;
    for (size_t i = 0; i < count; i++)
        workers[i] = (struct worker){.archive = archive, .arena = &index->workers[i]};
    pthread_mutex_init(&archive->lock, NULL);
    size_t started = 1;
    while (started < count &&
           pthread_create(&workers[started].thread, NULL, work, &workers[started]) == 0)
        started++;
    work(&workers[0]);
    for (size_t i = 1; i < started; i++)
        pthread_join(workers[i].thread, NULL);
    pthread_mutex_destroy(&archive->lock);
    if (archive->status != STATUS_OK)
        return diag_set(diag, archive->status, "%s", archive->diag.text);
    return STATUS_OK;
}

/* ---- The whole ---- */

typedef const char *archive_key[COMPARABILITY_FIELD_COUNT];

/* The comparability texts of every group's shared values; NULL: memory exhausted. */
static archive_key *read_keys(const struct group_list *groups, struct arena *arena)
{
    archive_key *keys = arena_take_array(arena, groups->count + 1, sizeof *keys);
    for (size_t g = 0; keys != NULL && g < groups->count; g++)
        for (int field = 0; field < COMPARABILITY_FIELD_COUNT; field++)
            if (!comparability_text(groups->items[g].first, (enum comparability_field)field, arena,
                                    &keys[g][field]))
                return NULL;
    return keys;
}

static enum status outline(struct archive *archive, struct diag *diag)
{
    struct archive_index *index = archive->index;
    struct arena *arena = &index->arena;
    const struct policy *policy = &index->options.policy;
    bool freed[COMPARABILITY_FIELD_COUNT];
    comparability_freed(policy, freed);
    enum status status =
        group_outline(&index->set, policy, arena, &archive->groups, &archive->partition, diag);
    if (status != STATUS_OK)
        return status;
    size_t count = archive->groups.count;
    archive_key *keys = read_keys(&archive->groups, arena);
    const char **names = arena_take_array(arena, count + 1, sizeof *names);
    index->rows = arena_take_array(arena, count + 1, sizeof *index->rows);
    archive->left = arena_take_array(arena, count + 1, sizeof *archive->left);
    if (keys == NULL || names == NULL || index->rows == NULL || archive->left == NULL)
        return diag_no_memory(diag);
    status = archive_name_all(&archive->groups, keys, freed, arena, names, diag);
    if (status == STATUS_OK)
        status = archive_place_make(&index->set, keys, count, freed, arena, &archive->place, diag);
    if (status != STATUS_OK)
        return status;
    for (size_t g = 0; g < count; g++) {
        index->rows[g].label = archive->groups.items[g].label;
        index->rows[g].summary = names[g];
        memcpy(index->rows[g].key, keys[g], sizeof keys[g]);
    }
    index->group_count = count;
    index->unplaced_count = archive->place.unplaced;
    return STATUS_OK;
}

/* Keeps the rows that the filters leave, sorted, and counts them. */
static enum status finish(const struct archive *archive, struct diag *diag)
{
    struct archive_index *index = archive->index;
    for (size_t g = 0; g < archive->groups.count; g++) {
        if (!archive->left[g])
            continue;
        index->rows[index->count++] = index->rows[g];
        index->verdicts[index->rows[g].verdict]++;
    }
    if (index->count == 0 && archive->groups.count > 0)
        return analysis_no_group(&index->options, diag);
    if (index->count > 1)
        qsort(index->rows, index->count, sizeof *index->rows, archive_row_compare);
    return STATUS_OK;
}

enum status archive_index_make(struct archive_index *index, const struct path_list *paths,
                               const char *base, const struct analysis_options *options,
                               const struct archive_index_sink *sink, struct diag *diag)
{
    const struct evidence_choice choice = {.apart = true};
    struct archive archive = {.index = index, .sink = sink};
    *index = (struct archive_index){.options = *options};
    enum status status = evidence_set_load_chosen(&index->set, paths, base, &choice, diag);
    if (status == STATUS_OK && index->set.record_count + index->set.rejected_count == 0)
        return analysis_no_evidence(&index->set, diag);
    if (status == STATUS_OK)
        status = outline(&archive, diag);
    if (status == STATUS_OK)
        status = judge_all(&archive, diag);
    if (status == STATUS_OK)
        status = finish(&archive, diag);
    return status;
}

void archive_index_fini(struct archive_index *index)
{
    if (index == NULL)
        return;
    for (size_t i = 0; i < index->worker_count; i++)
        arena_fini(&index->workers[i]);
    evidence_set_fini(&index->set);
    arena_fini(&index->arena);
    *index = (struct archive_index){0};
}
