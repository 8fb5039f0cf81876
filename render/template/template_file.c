#include "template_file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "embedded.h"
#include "text.h"

/* Far above any file of a template; the built-in ones have a few KB. */
#define FILE_LIMIT ((size_t)1 << 20)

/* ---- Reading ---- */

static enum status read_builtin(struct template_file *file, const char *name, struct diag *diag)
{
    const struct embedded_file *builtin = embedded_find(name);
    if (builtin == NULL)
        return diag_set(diag, STATUS_BUG, "no file templates/%s was built in", name);
    snprintf(file->shown, sizeof file->shown, "templates/%s", name);
    return json_read_parse_strict(&file->document, file->shown, (const char *)builtin->text,
                                  builtin->size, diag);
}

static enum status read_own(struct template_file *file, const char *path, bool *found,
                            struct diag *diag)
{
    struct stat info;
    *found = stat(path, &info) == 0 || (errno != ENOENT && errno != ENOTDIR);
    if (!*found)
        return STATUS_OK;
    enum input_fault fault = INPUT_FAULT_NONE;
    enum status status = input_read_file(&file->input, path, FILE_LIMIT, &fault, diag);
    text_escape_into(file->shown, sizeof file->shown, path, strlen(path));
    if (status == STATUS_OK)
        status = json_read_parse_strict(&file->document, file->shown, file->input.data,
                                        file->input.size, diag);
    return status;
}

enum status template_file_read(struct template_file *file, const char *folder, const char *name,
                               bool *found, struct diag *diag)
{
    file->source = (struct json_read_source){&file->document, file->shown};
    *found = true;
    if (folder == NULL)
        return read_builtin(file, name, diag);
    struct text_buffer path = {0};
    text_buffer_printf(&path, "%s/%s", folder, name);
    enum status status =
        path.failed ? diag_no_memory(diag) : read_own(file, path.text, found, diag);
    text_buffer_fini(&path);
    return status;
}

void template_file_fini(struct template_file *file)
{
    json_read_fini(&file->document);
    input_fini(&file->input);
}

/* ---- Refusing ---- */

enum status template_file_refuse(const struct template_file *file, uint32_t node,
                                 const char *expected, struct diag *diag)
{
    const struct json_read_node *value = &file->document.nodes[node];
    const char *text = file->document.text + value->offset;
    char shown[96];
    if (value->type == JSON_READ_STRING || value->type == JSON_READ_NUMBER)
        return json_read_refuse(&file->source, node, diag, "expected %s, found %s%s%s", expected,
                                value->type == JSON_READ_STRING ? "\"" : "",
                                text_escape_into(shown, sizeof shown, text, value->length),
                                value->type == JSON_READ_STRING ? "\"" : "");
    return json_read_refuse(&file->source, node, diag, "expected %s, found %s", expected,
                            json_read_type_name((enum json_read_type)value->type));
}

enum status template_file_expect(const struct template_file *file, uint32_t node,
                                 enum json_read_type type, const char *expected, struct diag *diag)
{
    return json_read_is(&file->document, node, type)
               ? STATUS_OK
               : template_file_refuse(file, node, expected, diag);
}

/* The name nearest to a word, or NULL if none is near. */
static const char *nearest(const char *word, const struct template_file_names *names)
{
    const char *best = NULL;
    size_t least = 4; /* as in a policy: more than three edits are another word */
    for (size_t i = 0; i < names->count; i++) {
        const char *name = names->name(i);
        size_t distance = text_distance(word, strlen(word), name, strlen(name));
        if (distance < least && distance < strlen(name)) {
            best = name;
            least = distance;
        }
    }
    return best;
}

static enum status refuse_name(const struct template_file *file, uint32_t node,
                               const struct template_file_names *names, struct diag *diag)
{
    char word[64], shown[4 * sizeof word];
    struct text_buffer list = {0};
    (void)json_read_string(&file->document, node, word, sizeof word);
    text_escape_into(shown, sizeof shown, word, strlen(word));
    for (size_t i = 0; i < names->count; i++)
        text_buffer_printf(&list, "%s%s", i == 0 ? "" : ", ", names->name(i));
    const char *close = nearest(word, names);
    enum status status = STATUS_OK;
    if (list.failed)
        status = diag_no_memory(diag);
    else if (close != NULL)
        status = json_read_refuse(&file->source, node, diag,
                                  "no %s is called \"%s\", did you mean \"%s\"? Known are %s",
                                  names->what, shown, close, list.text);
    else
        status = json_read_refuse(&file->source, node, diag, "no %s is called \"%s\"; known are %s",
                                  names->what, shown, list.text);
    text_buffer_fini(&list);
    return status;
}

/* ---- Values ---- */

enum status template_file_choose(const struct template_file *file, uint32_t node,
                                 const struct template_file_names *names, size_t *index,
                                 struct diag *diag)
{
    if (!json_read_is(&file->document, node, JSON_READ_STRING)) {
        char expected[64];
        snprintf(expected, sizeof expected, "the name of a %s", names->what);
        return template_file_refuse(file, node, expected, diag);
    }
    for (size_t i = 0; i < names->count; i++)
        if (json_read_equals(&file->document, node, names->name(i))) {
            *index = i;
            return STATUS_OK;
        }
    return refuse_name(file, node, names, diag);
}

enum status template_file_members(const struct template_file *file, uint32_t object,
                                  const struct template_file_names *names, uint32_t *values,
                                  struct diag *diag)
{
    const struct json_read_document *json = &file->document;
    for (size_t i = 0; i < names->count; i++)
        values[i] = JSON_READ_NONE;
    if (object == JSON_READ_NONE)
        return STATUS_OK;
    enum status status = template_file_expect(file, object, JSON_READ_OBJECT, "an object", diag);
    for (uint32_t key = status == STATUS_OK ? json_read_first(json, object) : JSON_READ_NONE;
         key != JSON_READ_NONE && status == STATUS_OK; key = json_read_next(json, object, key)) {
        size_t index = 0;
        status = template_file_choose(file, key, names, &index, diag);
        if (status == STATUS_OK)
            values[index] = key + 1;
    }
    return status;
}

enum status template_file_number(const struct template_file *file, uint32_t node,
                                 const double range[2], double *value, struct diag *diag)
{
    double found = 0;
    if (node == JSON_READ_NONE)
        return STATUS_OK;
    if (json_read_is(&file->document, node, JSON_READ_NUMBER) &&
        json_read_double(&file->document, node, &found) && found >= range[0] && found <= range[1]) {
        *value = found;
        return STATUS_OK;
    }
    char expected[64];
    snprintf(expected, sizeof expected, "a number from %g to %g", range[0], range[1]);
    return template_file_refuse(file, node, expected, diag);
}

enum status template_file_text(const struct template_file *file, uint32_t node, size_t longest,
                               struct arena *arena, const char **text, struct diag *diag)
{
    char expected[96];
    snprintf(expected, sizeof expected, "a text of one line and at most %zu bytes", longest);
    enum status status = template_file_expect(file, node, JSON_READ_STRING, expected, diag);
    if (status != STATUS_OK)
        return status;
    size_t capacity = (size_t)file->document.nodes[node].length + 1;
    char *copy = arena_take(arena, capacity);
    if (copy == NULL)
        return diag_no_memory(diag);
    size_t length = json_read_string(&file->document, node, copy, capacity);
    struct text_buffer safe = {0};
    text_escape(&safe, copy, length);
    bool plain = !safe.failed && safe.length == length && length > 0 && length <= longest &&
                 copy[strspn(copy, " ")] != '\0';
    bool failed = safe.failed;
    text_buffer_fini(&safe);
    if (failed)
        return diag_no_memory(diag);
    if (!plain)
        return template_file_refuse(file, node, expected, diag);
    *text = copy;
    return STATUS_OK;
}
