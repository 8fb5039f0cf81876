#include "texts.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "embedded.h"
#include "input.h"
#include "json_read.h"
#include "sentence.h"
#include "text.h"
#include "texts_private.h"

/* A language file of a user: far above any real one (the built-in ones have some 30 KB). */
#define TEXTS_FILE_LIMIT ((size_t)4 << 20)
/* So many ids of missing texts are named. */
#define NAMED_GAPS 12

/* True if every placeholder of `text` is one of `reference`'s. */
static bool placeholders_within(const char *text, const char *reference)
{
    const char *end;
    for (const char *open = sentence_next_blank(text, &end); open != NULL;
         open = sentence_next_blank(end, &end)) {
        size_t length = sentence_name_length(open, end);
        bool found = false;
        const char *other_end;
        for (const char *other = sentence_next_blank(reference, &other_end);
             other != NULL && !found; other = sentence_next_blank(other_end, &other_end))
            found = sentence_name_length(other, other_end) == length &&
                    memcmp(other + 1, open + 1, length) == 0;
        if (!found)
            return false;
    }
    return true;
}

static bool same_placeholders(const char *a, const char *b)
{
    return placeholders_within(a, b) && placeholders_within(b, a);
}

/* ---- Loading ---- */

static char *take_string(struct arena *arena, const struct json_read_document *document,
                         uint32_t node)
{
    size_t capacity = (size_t)document->nodes[node].length + 1;
    char *text = arena_take(arena, capacity);
    if (text != NULL)
        (void)json_read_string(document, node, text, capacity);
    return text;
}

/* Where an entry of a file stands, for messages about it after sorting. */
struct file_entry {
    struct texts_entry entry; /* first, so that one comparison sorts both kinds */
    uint32_t node;
};

struct texts_file {
    struct json_read_document document;
    struct json_read_source source;
    struct file_entry *entries; /* in the arena, sorted by id */
    size_t count;
};

static enum status read_members(struct texts_file *file, struct arena *arena, struct diag *diag)
{
    const struct json_read_document *document = &file->document;
    if (!json_read_is(document, 0, JSON_READ_OBJECT))
        return json_read_refuse(&file->source, 0, diag, "expected one object of texts, found %s",
                                json_read_type_name((enum json_read_type)document->nodes[0].type));
    file->entries =
        arena_take_array(arena, (size_t)json_read_count(document, 0) + 1, sizeof *file->entries);
    if (file->entries == NULL)
        return diag_no_memory(diag);
    for (uint32_t key = json_read_first(document, 0); key != JSON_READ_NONE;
         key = json_read_next(document, 0, key)) {
        uint32_t value = key + 1;
        if (document->nodes[key].flags & JSON_READ_DUPLICATE_KEY)
            return json_read_refuse(&file->source, key, diag, "this id stands here a second time");
        if (!json_read_is(document, value, JSON_READ_STRING))
            return json_read_refuse(
                &file->source, value, diag, "expected a text, found %s",
                json_read_type_name((enum json_read_type)document->nodes[value].type));
        struct file_entry *entry = &file->entries[file->count];
        entry->entry.id = take_string(arena, document, key);
        entry->entry.text = take_string(arena, document, value);
        entry->node = value;
        if (entry->entry.id == NULL || entry->entry.text == NULL)
            return diag_no_memory(diag);
        file->count++;
    }
    qsort(file->entries, file->count, sizeof *file->entries, texts_compare);
    return STATUS_OK;
}

/* Reads the texts of `size` bytes; the strings go to `arena`. */
static enum status read_file(struct texts_file *file, const char *text, size_t size,
                             struct arena *arena, struct diag *diag)
{
    struct json_read_fault fault = {0};
    file->source.document = &file->document;
    enum status status = json_read_parse(&file->document, text, size, &fault, diag);
    if (status == STATUS_INPUT) {
        size_t line = 0;
        size_t column = 0;
        struct json_read_document whole = {.text = text, .size = size};
        json_read_position(&whole, fault.offset, &line, &column);
        return diag_set(diag, status, "%s:%zu:%zu: error: %s", file->source.path, line, column,
                        fault.message);
    }
    return status != STATUS_OK ? status : read_members(file, arena, diag);
}

static enum status load_builtin(const struct embedded_file *language, struct texts *texts,
                                struct diag *diag)
{
    struct texts_file file = {.source = {.path = language->name}};
    const char *bytes = (const char *)language->text;
    enum status status = read_file(&file, bytes, language->size, &texts->arena, diag);
    struct texts_entry *entries = NULL;
    if (status == STATUS_OK) {
        entries = arena_take_array(&texts->arena, file.count + 1, sizeof *entries);
        status = entries == NULL ? diag_no_memory(diag) : STATUS_OK;
    }
    for (size_t i = 0; status == STATUS_OK && i < file.count; i++)
        entries[i] = file.entries[i].entry;
    if (status == STATUS_OK) {
        texts->entries = entries;
        texts->count = file.count;
    }
    json_read_fini(&file.document);
    return status;
}

/* Names the ids that a language lacks, as many as fit a message. */
static enum status refuse_gaps(const struct texts *texts, const struct texts_file *file,
                               struct diag *diag)
{
    struct text_buffer list = {0};
    size_t missing = 0;
    for (size_t i = 0; i < texts->count; i++) {
        const struct file_entry key = {.entry = texts->entries[i]};
        if (bsearch(&key, file->entries, file->count, sizeof key, texts_compare) != NULL)
            continue;
        if (missing++ < NAMED_GAPS)
            text_buffer_printf(&list, "%s%s", missing > 1 ? ", " : "", texts->entries[i].id);
    }
    char more[64] = "";
    if (missing > NAMED_GAPS)
        snprintf(more, sizeof more, " and %zu more", missing - NAMED_GAPS);
    enum status status = STATUS_OK;
    if (list.failed)
        status = diag_no_memory(diag);
    else if (missing > 0)
        status = json_read_refuse(&file->source, 0, diag,
                                  "a language that is not built in must have every text: %zu %s "
                                  "missing: %s%s",
                                  missing, missing == 1 ? "is" : "are", list.text, more);
    text_buffer_fini(&list);
    return status;
}

/* Pages and pictures are made of texts that nothing has to be escaped in. */
static bool is_printable(const char *text)
{
    struct text_buffer out = {0};
    text_escape(&out, text, strlen(text));
    bool same = out.failed || out.length == 0 || strcmp(out.text, text) == 0;
    text_buffer_fini(&out);
    return same;
}

/* Puts the file's texts over those of `texts`, of which it may have all or some. */
static enum status override(struct texts *texts, const struct texts_file *file, struct diag *diag)
{
    struct texts_entry *entries =
        arena_take_array(&texts->arena, texts->count + 1, sizeof *entries);
    if (entries == NULL)
        return diag_no_memory(diag);
    size_t next = 0;
    for (size_t i = 0; i < texts->count; i++) {
        const struct texts_entry *own = &texts->entries[i];
        const struct file_entry *other = next < file->count ? &file->entries[next] : NULL;
        int order = other != NULL ? strcmp(other->entry.id, own->id) : 1;
        if (order < 0)
            break;
        entries[i] = *own;
        if (order > 0)
            continue;
        if (!same_placeholders(other->entry.text, own->text))
            return json_read_refuse(&file->source, other->node, diag,
                                    "the placeholders differ from those of the built-in text: %s",
                                    own->text);
        if (!is_printable(other->entry.text))
            return json_read_refuse(&file->source, other->node, diag,
                                    "a text of a report is one line without characters that "
                                    "control, reorder or are none");
        entries[i].text = other->entry.text;
        next++;
    }
    if (next < file->count)
        return json_read_refuse(&file->source, file->entries[next].node, diag,
                                "no text of a report has this id");
    texts->entries = entries;
    return STATUS_OK;
}

static enum status load_folder(struct texts *texts, const char *folder, bool complete,
                               struct diag *diag)
{
    struct text_buffer path = {0};
    struct text_buffer shown = {0};
    struct input_buffer input = {0};
    struct texts_file file = {0};
    enum input_fault fault = INPUT_FAULT_NONE;
    text_buffer_printf(&path, "%s/language/%s.json", folder, texts->language);
    if (!path.failed)
        text_escape(&shown, path.text, path.length);
    struct stat info;
    enum status status = STATUS_OK;
    if (path.failed || shown.failed)
        status = diag_no_memory(diag);
    else if (!complete && stat(path.text, &info) != 0 && errno == ENOENT)
        goto cleanup; /* the template leaves this language as it is */
    if (status == STATUS_OK)
        status = input_read_file(&input, path.text, TEXTS_FILE_LIMIT, &fault, diag);
    if (status == STATUS_OK) {
        file.source.path = shown.text;
        status = read_file(&file, input.data, input.size, &texts->arena, diag);
    }
    if (status == STATUS_OK)
        status = override(texts, &file, diag);
    if (status == STATUS_OK && complete)
        status = refuse_gaps(texts, &file, diag);
cleanup:
    json_read_fini(&file.document);
    input_fini(&input);
    text_buffer_fini(&shown);
    text_buffer_fini(&path);
    return status;
}

static const struct embedded_file *find_language(const char *code)
{
    char name[64];
    snprintf(name, sizeof name, "language/%s.json", code);
    return embedded_find(name);
}

/* A code becomes part of a file's name: letters, digits, '-' and '_' only. */
static bool is_code(const char *code)
{
    size_t length =
        strspn(code, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_");
    return length > 0 && code[length] == '\0' && length < sizeof((struct texts *)0)->language;
}

static enum status refuse_code(const char *code, struct diag *diag)
{
    char shown[64];
    struct text_buffer list = {0};
    for (size_t i = 0; embedded_languages[i] != NULL; i++)
        text_buffer_printf(&list, "%s%s", i > 0 ? ", " : "", embedded_languages[i]);
    enum status status =
        list.failed
            ? diag_no_memory(diag)
            : diag_set(diag, STATUS_USAGE, "unknown language '%s': type one of %s",
                       text_escape_into(shown, sizeof shown, code, strlen(code)), list.text);
    text_buffer_fini(&list);
    return status;
}

enum status texts_load(const char *code, const char *template_dir, struct texts *texts,
                       struct diag *diag)
{
    const struct embedded_file *language = find_language(code);
    if (!is_code(code) || (language == NULL && template_dir == NULL))
        return refuse_code(code, diag);
    bool builtin = language != NULL;
    if (!builtin)
        language = find_language("en");
    struct texts loaded = {0};
    memcpy(loaded.language, code, strlen(code) + 1);
    enum status status = load_builtin(language, &loaded, diag);
    if (status == STATUS_OK && template_dir != NULL)
        status = load_folder(&loaded, template_dir, !builtin, diag);
    if (status != STATUS_OK) {
        texts_fini(&loaded);
        return status;
    }
    *texts = loaded;
    return STATUS_OK;
}

void texts_fini(struct texts *texts)
{
    if (texts == NULL)
        return;
    arena_fini(&texts->arena);
    *texts = (struct texts){0};
}

const char *const *texts_languages(void)
{
    return embedded_languages;
}
