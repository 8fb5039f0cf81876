#include "import_output.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "output.h"
#include "text.h"

/* ---- Text ---- */

/* The same document on one line: a string holds no line feed, so every one is layout. */
static void append_line(struct text_buffer *out, const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        if (text[i] != '\n') {
            text_buffer_append(out, text + i, 1);
            continue;
        }
        while (i + 1 < length && text[i + 1] == ' ')
            i++;
    }
    text_buffer_puts(out, "\n");
}

static enum status append_document(struct text_buffer *out, const json_t *root, bool line,
                                   struct diag *diag)
{
    struct json_write writer = {0};
    struct text_buffer text = {0};
    enum status status = json_write_text(&writer, root, line ? &text : out, diag);
    if (status == STATUS_OK && line)
        append_line(out, text.text, text.length);
    if (status == STATUS_OK && out->failed)
        status = diag_no_memory(diag);
    text_buffer_fini(&text);
    return status;
}

/* ---- What must not be lost ---- */

/* Whether what is there was imported of the same log, by its path or by its content. */
static bool is_of_source(const struct import_load *load, uint32_t section, const json_t *root)
{
    const json_t *source = json_object_get(json_object_get(root, "import"), "source");
    uint32_t before = json_read_member(&load->json, section, "source");
    const char *const names[] = {"path", "sha256"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const char *now = json_string_value(json_object_get(source, names[i]));
        if (now != NULL &&
            json_read_equals(&load->json, json_read_member(&load->json, before, names[i]), now))
            return true;
    }
    return false;
}

enum owner { OWNER_OTHER, OWNER_IMPORT, OWNER_SAME_LOG };

/* Whose a document, or the first line of a .jsonl, is; `root` is what would replace it. */
static enum status find_owner(struct import_load *load, const char *path, const json_t *root,
                              enum owner *owner, struct diag *diag)
{
    enum input_fault fault = INPUT_FAULT_NONE;
    struct json_read_fault parse_fault;
    struct diag ignored = {0};
    *owner = OWNER_OTHER;
    enum status status = input_read_file(&load->input, path, (size_t)1 << 30, &fault, &ignored);
    if (status == STATUS_ENVIRONMENT)
        return diag_no_memory(diag);
    if (status != STATUS_OK)
        return STATUS_OK;
    const char *text = load->input.data;
    size_t size = load->input.size;
    status = json_read_parse(&load->json, text, size, &parse_fault, &ignored);
    const char *line_feed = size > 0 ? memchr(text, '\n', size) : NULL;
    if (status == STATUS_INPUT && line_feed != NULL)
        status =
            json_read_parse(&load->json, text, (size_t)(line_feed - text), &parse_fault, &ignored);
    if (status == STATUS_ENVIRONMENT)
        return diag_no_memory(diag);
    if (status == STATUS_OK) {
        uint32_t section = json_read_member(&load->json, 0, "import");
        if (json_read_is(&load->json, json_read_member(&load->json, section, "tool"),
                         JSON_READ_STRING))
            *owner = is_of_source(load, section, root) ? OWNER_SAME_LOG : OWNER_IMPORT;
    }
    return STATUS_OK;
}

/*
 * An earlier import may be replaced; anything else that is there is somebody's. Under a name that
 * was not typed (`chosen`) it must be an import of the same log: many are called train.log.
 */
static enum status spare(const char *path, const json_t *root, bool chosen, struct diag *diag)
{
    struct stat about;
    struct import_load load = {0};
    enum owner owner = OWNER_SAME_LOG;
    char shown[512];
    if (stat(path, &about) != 0 || !S_ISREG(about.st_mode) || about.st_size == 0)
        return STATUS_OK;
    enum status status = find_owner(&load, path, root, &owner, diag);
    import_load_fini(&load);
    if (status != STATUS_OK || owner == OWNER_SAME_LOG || (owner == OWNER_IMPORT && !chosen))
        return status;
    text_escape_into(shown, sizeof shown, path, strlen(path));
    if (owner == OWNER_IMPORT)
        return diag_set(diag, STATUS_USAGE,
                        "%s is there, imported of another log; choose another folder, or name the "
                        "file with --output",
                        shown);
    return diag_set(diag, STATUS_USAGE,
                    "%s is there, and was not written by import; choose another name", shown);
}

enum status import_output_file(const struct import_batch *batch, const char *path,
                               struct diag *diag)
{
    struct text_buffer text = {0};
    bool to_file = path != NULL && strcmp(path, "-") != 0;
    enum status status = to_file ? spare(path, NULL, false, diag) : STATUS_OK;
    for (size_t i = 0; i < batch->count && status == STATUS_OK; i++)
        status = append_document(&text, batch->documents[i].root, batch->count > 1, diag);
    if (status == STATUS_OK)
        status = output_write_file(path, text.text, text.length, diag);
    text_buffer_fini(&text);
    return status;
}

/* ---- A folder ---- */

/* The last part of a path without its ending; "stdin" for standard input. */
static void stem_of(const char *path, char *stem, size_t capacity)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash != NULL && slash[1] != '\0' ? slash + 1 : path;
    if (strcmp(path, "-") == 0)
        name = "stdin";
    const char *dot = strrchr(name, '.');
    size_t length = dot != NULL && dot != name ? (size_t)(dot - name) : strlen(name);
    snprintf(stem, capacity, "%.*s", (int)(length < 200 ? length : 200), name);
}

/* The file of one document; `names` are those taken before. */
static char *choose_name(const char *folder, const char *path, char *const *names, size_t count)
{
    char stem[256];
    stem_of(path, stem, sizeof stem);
    for (size_t number = 1;; number++) {
        struct text_buffer name = {0};
        text_buffer_printf(&name, "%s/%s", folder, stem);
        if (number > 1)
            text_buffer_printf(&name, "-%zu", number);
        text_buffer_puts(&name, ".json");
        bool taken = false;
        for (size_t i = 0; i < count && !name.failed && !taken; i++)
            taken = strcmp(names[i], name.text) == 0;
        if (!taken)
            return name.failed ? NULL : name.text;
        text_buffer_fini(&name);
    }
}

static enum status choose_names(const struct import_batch *batch, const char *folder, char **names,
                                struct diag *diag)
{
    enum status status = STATUS_OK;
    for (size_t i = 0; i < batch->count && status == STATUS_OK; i++) {
        names[i] = choose_name(folder, batch->documents[i].path, names, i);
        status = names[i] == NULL ? diag_no_memory(diag)
                                  : spare(names[i], batch->documents[i].root, true, diag);
    }
    return status;
}

static enum status write_one(const json_t *root, const char *path, struct diag *diag)
{
    struct text_buffer text = {0};
    struct text_buffer shown = {0};
    enum status status = append_document(&text, root, false, diag);
    if (status == STATUS_OK)
        status = output_write_file(path, text.text, text.length, diag);
    text_escape(&shown, path, strlen(path));
    if (status == STATUS_OK)
        status = shown.failed ? diag_no_memory(diag) : STATUS_OK;
    if (status == STATUS_OK)
        printf("%s\n", shown.text);
    text_buffer_fini(&shown);
    text_buffer_fini(&text);
    return status;
}

enum status import_output_folder(const struct import_batch *batch, const char *folder,
                                 struct diag *diag)
{
    char shown[512];
    char **names = calloc(batch->count > 0 ? batch->count : 1, sizeof *names);
    if (names == NULL)
        return diag_no_memory(diag);
    enum status status = choose_names(batch, folder, names, diag);
    if (status == STATUS_OK && mkdir(folder, 0777) != 0 && errno != EEXIST) {
        text_escape_into(shown, sizeof shown, folder, strlen(folder));
        status = diag_set(diag, STATUS_ENVIRONMENT, "%s: cannot make the folder: %s", shown,
                          diag_reason(errno));
    }
    for (size_t i = 0; i < batch->count && status == STATUS_OK; i++)
        status = write_one(batch->documents[i].root, names[i], diag);
    for (size_t i = 0; i < batch->count; i++)
        free(names[i]);
    free(names);
    return status;
}
