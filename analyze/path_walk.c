#include "path_walk.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "input.h"
#include "input_path.h"
#include "path_names.h"
#include "text.h"

/* So many of the innermost directories stay open; one further out is opened again by its path when
 * it has more. A process may have 1024 files open, unless told otherwise. */
#define OPEN_DIRECTORIES 64

/* A directory that the walk is in. */
struct level {
    struct path_folder *folder; /* NULL: closed for now */
    size_t path_length;         /* of its path, "/" included */
    size_t next;                /* item of its part that comes next */
    struct path_names_part part;
};

/* What one walk carries along. */
struct walk {
    path_walk_visit *visit;
    void *context;
    struct text_buffer path; /* of what is being looked at */
    struct path_names names;
    struct level *levels;
    size_t depth, capacity;
    int operand_error; /* why the operand itself could not be listed, or 0 */
    struct diag *diag;
};

static enum status visit_entry(const struct walk *walk, const struct path_entry *entry)
{
    return walk->visit(walk->context, entry, walk->diag);
}

/* A directory that cannot be listed. One that was named is an operand at fault, not a find. */
static enum status visit_unlisted(struct walk *walk, int error_number)
{
    bool named = walk->depth <= 1;
    if (named)
        walk->operand_error = error_number;
    const struct path_entry entry = {
        .path = walk->path.text, .walked = !named, .error_number = error_number};
    return visit_entry(walk, &entry);
}

static void set_path(struct walk *walk, size_t length)
{
    walk->path.length = length;
    walk->path.text[length] = '\0';
}

/* ---- levels ---- */

static bool reserve_level(struct walk *walk)
{
    if (walk->depth < walk->capacity)
        return true;
    size_t capacity = walk->capacity == 0 ? 16 : walk->capacity * 2;
    struct level *levels = capacity > SIZE_MAX / sizeof *levels
                               ? NULL
                               : realloc(walk->levels, capacity * sizeof *levels);
    if (levels == NULL)
        return false;
    walk->levels = levels;
    walk->capacity = capacity;
    return true;
}

static void close_level(struct level *level)
{
    path_folder_release(level->folder);
    level->folder = NULL;
}

/* The names that follow those that were visited. */
static enum status list_level(struct walk *walk, struct level *level, const char *after)
{
    enum status status =
        path_names_push(&walk->names, level->folder->descriptor, after, &level->part, walk->diag);
    level->next = level->part.begin;
    if (status == STATUS_OK && level->part.error_number != 0)
        status = visit_unlisted(walk, level->part.error_number);
    return status;
}

/* Enters the directory at `path`, which is `name` in its parent's directory. */
static enum status enter(struct walk *walk, int parent, const char *name)
{
    const int flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NONBLOCK;
    if (!reserve_level(walk))
        return diag_no_memory(walk->diag);
    struct level *level = &walk->levels[walk->depth++];
    /* A link may have taken a directory's place: it is not followed. */
    *level = (struct level){.path_length = walk->path.length};
    int descriptor = walk->depth == 1 ? input_path_open(walk->path.text, flags)
                                      : openat(parent, name, flags | O_NOFOLLOW);
    if (descriptor < 0) {
        enum status status = visit_unlisted(walk, errno);
        walk->depth--;
        return status;
    }
    level->folder = path_folder_create(descriptor);
    if (level->folder == NULL)
        return diag_no_memory(walk->diag);
    if (walk->depth > OPEN_DIRECTORIES)
        close_level(&walk->levels[walk->depth - 1 - OPEN_DIRECTORIES]);
    return list_level(walk, level, "");
}

static void leave(struct walk *walk)
{
    struct level *level = &walk->levels[--walk->depth];
    close_level(level);
    path_names_pop(&walk->names, &level->part);
}

/* Opens the innermost directory again if it was closed; false if that fails: then it is said, or
 * memory is exhausted. */
static bool reopen(struct walk *walk, struct level *level, enum status *status)
{
    if (level->folder != NULL)
        return true;
    set_path(walk, level->path_length);
    int descriptor = input_path_open(walk->path.text, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor < 0) {
        *status = visit_unlisted(walk, errno);
        return false;
    }
    level->folder = path_folder_create(descriptor);
    if (level->folder == NULL)
        *status = diag_no_memory(walk->diag);
    return level->folder != NULL;
}

/* ---- the walk ---- */

/* A directory with more names than are kept at once is read again. */
static enum status next_turn(struct walk *walk, struct level *level)
{
    enum status status = STATUS_OK;
    char *after = strdup(path_names_text(&walk->names, &level->part, level->part.end - 1));
    if (after == NULL)
        return diag_no_memory(walk->diag);
    path_names_pop(&walk->names, &level->part);
    level->next = level->part.end = level->part.begin;
    level->part.more = false;
    if (reopen(walk, level, &status)) {
        if (lseek(level->folder->descriptor, 0, SEEK_SET) != 0)
            status = visit_unlisted(walk, errno);
        else
            status = list_level(walk, level, after);
    }
    free(after);
    return status;
}

static enum status visit_item(struct walk *walk, struct level *level)
{
    size_t item = level->next++;
    enum path_name_kind kind = walk->names.items[item].kind;
    enum status status = STATUS_OK;
    if (kind == PATH_NAME_DIRECTORY && !reopen(walk, level, &status)) {
        level->next = level->part.end; /* what is below it cannot be listed either */
        level->part.more = false;
        return status;
    }
    const char *name = path_names_text(&walk->names, &level->part, item);
    set_path(walk, level->path_length);
    text_buffer_puts(&walk->path, name);
    if (walk->path.failed)
        return diag_no_memory(walk->diag);
    if (kind == PATH_NAME_DIRECTORY)
        return enter(walk, level->folder->descriptor, name);
    const struct path_entry entry = {.path = walk->path.text,
                                     .folder = level->folder,
                                     .name = level->path_length,
                                     .walked = true,
                                     .regular = kind == PATH_NAME_REGULAR,
                                     .directory_link = kind == PATH_NAME_DIRECTORY_LINK};
    return visit_entry(walk, &entry);
}

static enum status walk_levels(struct walk *walk)
{
    enum status status = enter(walk, AT_FDCWD, NULL);
    while (status == STATUS_OK && walk->depth > 0) {
        struct level *level = &walk->levels[walk->depth - 1];
        if (level->next < level->part.end)
            status = visit_item(walk, level);
        else if (level->part.more)
            status = next_turn(walk, level);
        else
            leave(walk);
    }
    while (walk->depth > 0)
        leave(walk);
    return status;
}

static enum status refuse_operand(const char *operand, int error_number, struct diag *diag)
{
    char name[1024];
    text_escape_into(name, sizeof name, operand, strlen(operand));
    return diag_set(diag, STATUS_INPUT, "%s: cannot read: %s", name, diag_reason(error_number));
}

static enum status walk_operand(const char *operand, struct walk *walk)
{
    struct text_buffer *path = &walk->path;
    text_buffer_puts(path, operand);
    if (path->length > 0 && path->text[path->length - 1] != '/')
        text_buffer_puts(path, "/");
    enum status status = path->failed ? diag_no_memory(walk->diag) : walk_levels(walk);
    if (status == STATUS_OK && walk->operand_error != 0)
        status = refuse_operand(operand, walk->operand_error, walk->diag);
    text_buffer_fini(path);
    path_names_fini(&walk->names);
    free(walk->levels);
    return status;
}

enum status path_walk_operand(const char *operand, path_walk_visit *visit, void *context,
                              struct diag *diag)
{
    struct stat about;
    int error_number = 0;
    struct path_entry entry = {.path = operand};
    if (strcmp(operand, "-") != 0 && input_path_stat(operand, &about) != 0) {
        error_number = errno;
    } else if (strcmp(operand, "-") != 0) {
        struct walk walk = {.visit = visit, .context = context, .diag = diag};
        if (S_ISDIR(about.st_mode))
            return walk_operand(operand, &walk);
        entry.regular = S_ISREG(about.st_mode);
    }
    enum status status = visit(context, &entry, diag);
    if (status == STATUS_OK && error_number != 0)
        status = refuse_operand(operand, error_number, diag);
    return status;
}

enum status path_walk_list(const char *path, bool nul_separated, path_walk_visit *visit,
                           void *context, struct diag *diag)
{
    struct input_buffer input = {0};
    enum input_fault fault;
    enum status worst = STATUS_OK;
    enum status status = input_read_file(&input, path, INPUT_DEFAULT_LIMIT, &fault, diag);
    char separator = nul_separated ? '\0' : '\n';
    for (size_t begin = 0; begin < input.size && status == STATUS_OK;) {
        char *end = memchr(input.data + begin, separator, input.size - begin);
        size_t length = end != NULL ? (size_t)(end - input.data) - begin : input.size - begin;
        input.data[begin + length] = '\0'; /* the buffer has room for one behind its end */
        if (length > 0)
            status = path_walk_operand(input.data + begin, visit, context, diag);
        if (status == STATUS_INPUT) {
            worst = status;
            status = STATUS_OK;
        }
        begin += length + 1;
    }
    input_fini(&input);
    return status != STATUS_OK ? status : worst;
}
