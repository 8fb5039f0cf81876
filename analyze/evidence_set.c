#include "evidence_set.h"

#include <stdlib.h>
#include <string.h>

#include "evidence_key.h"
#include "evidence_loader.h"
#include "evidence_paths.h"
#include "sha256.h"
#include "text.h"

/* ---- growing lists, all in the set's arena ---- */

void *evidence_loader_grow(struct arena *arena, void *items, size_t count, size_t *capacity,
                           size_t size)
{
    if (count < *capacity)
        return items;
    size_t larger = *capacity == 0 ? 8 : *capacity * 2;
    void *copy = arena_take_array(arena, larger, size);
    if (copy == NULL)
        return NULL;
    if (count > 0)
        memcpy(copy, items, count * size);
    *capacity = larger;
    return copy;
}

static struct record *add_record(struct evidence_set *set)
{
    struct record *items = evidence_loader_grow(&set->arena, set->records, set->record_count,
                                                &set->record_capacity, sizeof *items);
    if (items == NULL)
        return NULL;
    set->records = items;
    return &items[set->record_count++];
}

static struct rejected_source *add_rejected(struct evidence_set *set)
{
    struct rejected_source *items = evidence_loader_grow(
        &set->arena, set->rejected, set->rejected_count, &set->rejected_capacity, sizeof *items);
    if (items == NULL)
        return NULL;
    set->rejected = items;
    return &items[set->rejected_count++];
}

enum status evidence_loader_skip(struct evidence_loader *loader, const char *name, const char *why,
                                 struct diag *diag)
{
    struct evidence_set *set = loader->set;
    struct skipped_source *items = evidence_loader_grow(
        &set->arena, set->skipped, set->skipped_count, &set->skipped_capacity, sizeof *items);
    if (items == NULL)
        return diag_no_memory(diag);
    set->skipped = items;
    items[set->skipped_count++] =
        (struct skipped_source){.path = name, .why = why, .file = loader->file};
    return STATUS_OK;
}

/* ---- keeping a document ---- */

/* What the reader has parsed is not parsed again: nodes hold offsets into the text. They take more
 * room than the text, so that groups looked at one by one get theirs when it is their turn. */
enum status evidence_loader_keep(struct evidence_loader *loader,
                                 const struct json_read_document *json,
                                 const struct json_read_document **kept, struct diag *diag)
{
    struct evidence_set *set = loader->set;
    size_t node_bytes = loader->choice->apart ? 0 : json->count * sizeof *json->nodes;
    struct json_read_document **documents =
        evidence_loader_grow(&set->arena, set->documents, set->document_count,
                             &set->document_capacity, sizeof *documents);
    struct json_read_document *document =
        documents == NULL ? NULL : malloc(sizeof *document + node_bytes + json->size + 1);
    if (document == NULL)
        return diag_no_memory(diag);
    struct json_read_node *nodes = (struct json_read_node *)(document + 1);
    char *text = (char *)nodes + node_bytes;
    if (node_bytes > 0)
        memcpy(nodes, json->nodes, node_bytes);
    memcpy(text, json->text, json->size);
    text[json->size] = '\0';
    *document = *json;
    document->text = text;
    document->nodes = node_bytes > 0 ? nodes : NULL;
    document->count = document->capacity = node_bytes > 0 ? json->count : 0;
    document->scratch = NULL;
    document->scratch_capacity = 0;
    set->documents = documents;
    documents[set->document_count++] = document;
    *kept = document;
    return STATUS_OK;
}

/* False: memory exhausted. */
static bool add_digests(struct evidence_loader *loader, const struct document *document,
                        struct evidence_source *source)
{
    char digest[65];
    const char *text = document->json.text; /* an empty file has none, and a digest */
    struct arena *arena = &loader->set->arena;
    sha256_hex(text == NULL ? "" : text, document->json.size, digest);
    source->text_sha256 = arena_copy(arena, digest, 64);
    source->sha256 = document->file_sha256 == NULL ? source->text_sha256
                                                   : arena_copy(arena, document->file_sha256, 64);
    return source->text_sha256 != NULL && source->sha256 != NULL;
}

/* ---- one document ---- */

/* "LINE:COLUMN: /pointer: message [rule]" for each warning. */
static enum status add_warnings(struct evidence_loader *loader, const struct finding_list *findings,
                                struct record *record, struct diag *diag)
{
    struct arena *arena = &loader->set->arena;
    const char **warnings = arena_take_array(arena, findings->warnings + 1, sizeof *warnings);
    if (warnings == NULL)
        return diag_no_memory(diag);
    size_t count = 0;
    for (size_t i = 0; i < findings->count; i++) {
        const struct finding *finding = &findings->items[i];
        if (finding->severity != FINDING_WARNING || count == findings->warnings)
            continue;
        warnings[count] = arena_printf(
            arena, "%zu:%zu: %s%s%s [%s]", finding->line, finding->column, finding->pointer,
            finding->pointer[0] != '\0' ? ": " : "", finding->message, finding->rule);
        if (warnings[count++] == NULL)
            return diag_no_memory(diag);
    }
    record->warnings = warnings;
    record->warning_count = count;
    return STATUS_OK;
}

enum status evidence_loader_add_record(struct evidence_loader *loader,
                                       const struct evidence_source *source, struct diag *diag)
{
    struct record read = {0};
    enum status status = record_read(source->json, source->node, &loader->set->arena, &read, diag);
    if (status == STATUS_OK)
        status = add_warnings(loader, source->findings, &read, diag);
    if (status != STATUS_OK)
        return status;
    read.json = source->kept;
    read.path = source->name;
    read.file = loader->file;
    read.sha256 = source->sha256;
    read.text_sha256 = source->text_sha256;
    read.incomplete = source->incomplete;
    struct record *record = add_record(loader->set);
    if (record == NULL)
        return diag_no_memory(diag);
    *record = read;
    return STATUS_OK;
}

bool evidence_loader_is_full(const struct evidence_loader *loader)
{
    return loader->rejected_in_file > EVIDENCE_SET_MAX_REJECTED;
}

enum status evidence_loader_reject(struct evidence_loader *loader,
                                   const struct evidence_source *source, struct diag *diag)
{
    if (evidence_loader_is_full(loader))
        return STATUS_OK;
    const struct finding_list *findings = source->findings;
    struct arena *arena = &loader->set->arena;
    struct finding more = {.severity = FINDING_ERROR,
                           .rule = "more_findings",
                           .pointer = "",
                           .message = "from here on the file's invalid records are not listed"};
    const struct finding_list closing = {.items = &more, .count = 1, .errors = 1};
    bool closes = loader->rejected_in_file++ == EVIDENCE_SET_MAX_REJECTED;
    if (closes)
        findings = &closing;
    struct rejected_source *rejected = add_rejected(loader->set);
    if (rejected == NULL)
        return diag_no_memory(diag);
    *rejected = (struct rejected_source){.path = source->name,
                                         .sha256 = source->sha256,
                                         .file = loader->file,
                                         .named = !loader->walked,
                                         .incomplete = source->incomplete};
    for (size_t i = 0; i < findings->count; i++)
        if (!finding_add(&rejected->findings, arena, &findings->items[i]))
            return diag_no_memory(diag);
    if (!loader->choice->apart || closes || source->json == NULL)
        return STATUS_OK;
    return evidence_key_read(source->json, source->node, arena, &rejected->key, diag);
}

/* Our own summary repeats evidence and adds none; a policy or a checkpoint is none. They are passed
 * over, whether found by walking or named by a shell's *.json, so that a second run sees the
 * evidence that the first one saw. */
static enum status pass_over_own(struct evidence_loader *loader, const char *name,
                                 enum document_kind kind, struct diag *diag)
{
    static const char *const reasons[] = {
        [DOCUMENT_OWN_SUMMARY] =
            "a summary of rankledger is no evidence (report and verify take it)",
        [DOCUMENT_OWN_POLICY] = "a policy is no evidence (--policy takes it)",
        [DOCUMENT_OWN_CHECKPOINT] = "the index of a checkpoint is no evidence",
        [DOCUMENT_OWN_INDEX] = "an index of summaries is no evidence",
        [DOCUMENT_OWN_CALIBRATION] =
            "the rates of links are no evidence (import --calibration takes them)",
    };
    enum status status = evidence_loader_skip(loader, name, reasons[kind], diag);
    if (status == STATUS_OK)
        loader->set->skipped[loader->set->skipped_count - 1].own = true;
    return status;
}

/* A path as text that is safe to print; NULL: memory exhausted. */
static const char *printable(struct arena *arena, const char *path)
{
    struct text_buffer text = {0};
    if (strcmp(path, "-") == 0)
        return "<stdin>";
    text_escape(&text, path, strlen(path));
    const char *copy = text.failed ? NULL : arena_copy(arena, text.text, text.length);
    text_buffer_fini(&text);
    return copy;
}

static bool takes(const struct evidence_loader *loader, const struct document *document,
                  const char *name, bool usable)
{
    if (usable && document->kind == DOCUMENT_FOREIGN_SUMMARY)
        return evidence_loader_takes_summary(loader, name);
    return evidence_loader_takes(loader, name);
}

static enum status visit(void *context, const struct document *document, struct diag *diag)
{
    struct evidence_loader *loader = context;
    progress_line_show(loader->progress, "%zu of %zu files read, %zu records", loader->file_number,
                       loader->file_count, loader->set->record_count);
    bool usable = document->kind == DOCUMENT_FOREIGN_SUMMARY
                      ? evidence_loader_usable(&document->findings)
                      : document->findings.errors == 0;
    if (!usable && !document_is_own(document->kind) && evidence_loader_is_full(loader))
        return STATUS_OK; /* before its name and digest take memory */
    /* A line of a .jsonl file is named PATH:LINE. */
    const char *line = document->name + strlen(loader->file);
    const char *name = arena_printf(&loader->set->arena, "%s%s", loader->name, line);
    if (name == NULL)
        return diag_no_memory(diag);
    if (!takes(loader, document, name, usable))
        return STATUS_OK;
    struct evidence_source source = {.name = name,
                                     .json = document->json.count > 0 ? &document->json : NULL,
                                     .first_line = document->first_line,
                                     .findings = &document->findings};
    if (document->input_fault == INPUT_FAULT_NONE && !add_digests(loader, document, &source))
        return diag_no_memory(diag);
    if (document_is_own(document->kind))
        return pass_over_own(loader, name, document->kind, diag);
    if (!usable)
        return evidence_loader_reject(loader, &source, diag);
    enum status status = evidence_loader_keep(loader, &document->json, &source.kept, diag);
    if (status != STATUS_OK)
        return status;
    if (document->kind == DOCUMENT_FOREIGN_SUMMARY)
        return evidence_loader_add_summary(loader, &source, diag);
    return evidence_loader_add_record(loader, &source, diag);
}

/* ---- copies ---- */

struct digest {
    const char *sha256;
    size_t index;
};

static int compare_digests(const void *left, const void *right)
{
    const struct digest *a = left;
    const struct digest *b = right;
    int order = strcmp(a->sha256, b->sha256);
    return order != 0 ? order : (a->index > b->index) - (a->index < b->index);
}

static bool add_copy_warning(struct arena *arena, struct record *record, const char *of)
{
    const char **warnings = arena_take_array(arena, record->warning_count + 1, sizeof *warnings);
    const char *text = arena_printf(arena,
                                    "1:1: the same bytes as %s: a copy, counted as a run of "
                                    "its own [copied_evidence]",
                                    of);
    if (warnings == NULL || text == NULL)
        return false;
    if (record->warning_count > 0)
        memcpy(warnings, record->warnings, record->warning_count * sizeof *warnings);
    warnings[record->warning_count] = text;
    record->warnings = warnings;
    record->warning_count++;
    return true;
}

/* Two files (or lines) with the same bytes are hardly two runs. Sources of one summary share its
 * digest and are no copies. */
enum status evidence_set_note_copies(struct evidence_set *set, struct diag *diag)
{
    struct digest *digests = arena_take_array(&set->arena, set->record_count + 1, sizeof *digests);
    if (digests == NULL)
        return diag_no_memory(diag);
    size_t count = 0;
    for (size_t i = 0; i < set->record_count; i++)
        if (set->records[i].node == 0)
            digests[count++] = (struct digest){set->records[i].text_sha256, i};
    if (count > 1)
        qsort(digests, count, sizeof *digests, compare_digests);
    for (size_t i = 1; i < count; i++) {
        const struct record *before = &set->records[digests[i - 1].index];
        if (strcmp(digests[i - 1].sha256, digests[i].sha256) == 0 &&
            !add_copy_warning(&set->arena, &set->records[digests[i].index], before->path))
            return diag_no_memory(diag);
    }
    return STATUS_OK;
}

/* ---- the whole ---- */

enum status evidence_set_load_chosen(struct evidence_set *set, const struct path_list *paths,
                                     const char *base, const struct evidence_choice *choice,
                                     struct diag *diag)
{
    struct evidence_loader loader = {.set = set, .choice = choice, .reader.wants_digest = true};
    struct evidence_path *files = NULL;
    size_t count = 0;
    enum status status = evidence_paths_resolve(paths, base, &set->arena, &files, &count, diag);
    loader.progress = paths->progress;
    loader.file_count = count;
    for (size_t i = 0; status == STATUS_OK && i < count; i++) {
        loader.file_number = i;
        loader.file = arena_copy(&set->arena, files[i].entry.path, strlen(files[i].entry.path));
        loader.name = printable(&set->arena, files[i].name);
        loader.walked = files[i].entry.walked;
        loader.rejected_in_file = 0;
        if (loader.file == NULL || loader.name == NULL)
            status = diag_no_memory(diag);
        else
            status = document_check_entry(&loader.reader, &files[i].entry, visit, &loader, diag);
    }
    document_reader_fini(&loader.reader);
    progress_line_end(paths->progress);
    if (status == STATUS_OK && !choice->apart)
        status = evidence_set_note_copies(set, diag);
    return status;
}

enum status evidence_set_load(struct evidence_set *set, const struct path_list *paths,
                              const char *base, struct diag *diag)
{
    const struct evidence_choice everything = {0};
    return evidence_set_load_chosen(set, paths, base, &everything, diag);
}

void evidence_set_fini(struct evidence_set *set)
{
    if (set == NULL)
        return;
    for (size_t i = 0; i < set->document_count; i++)
        free(set->documents[i]);
    arena_fini(&set->arena);
    *set = (struct evidence_set){0};
}
