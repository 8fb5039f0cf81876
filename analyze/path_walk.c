#include "path_walk.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "arena.h"
#include "document_text.h"
#include "input.h"
#include "text.h"

/* A directory's entry; sorting compares a directory as if its name ended in "/", so that a walk in
 * this order visits whole paths in bytewise order. */
struct name {
    uint64_t begin; /* the first eight bytes, most significant first: decides most comparisons */
    const char *text;
    bool directory;
    bool regular;
};

/* What one walk carries along. */
struct walk {
    path_walk_visit *visit;
    void *context;
    struct text_buffer path; /* of the directory being walked, ending in "/" */
    bool named_unreadable;   /* the operand itself could not be read */
    struct diag *diag;
};

struct name_list {
    struct name *items;
    size_t count, capacity;
    struct arena arena;
};

static uint64_t first_bytes(const char *text)
{
    uint64_t value = 0;
    for (int i = 0; i < 8; i++) {
        value = value << 8 | (unsigned char)*text;
        if (*text != '\0')
            text++;
    }
    return value;
}

static int compare_names(const void *left, const void *right)
{
    const struct name *a = left;
    const struct name *b = right;
    if (a->begin != b->begin)
        return a->begin < b->begin ? -1 : 1;
    return strcmp(a->text, b->text);
}

static bool add_name(struct name_list *names, const struct name *name)
{
    if (names->count == names->capacity) {
        size_t capacity = names->capacity == 0 ? 64 : names->capacity * 2;
        struct name *items = capacity > SIZE_MAX / sizeof *items
                                 ? NULL
                                 : realloc(names->items, capacity * sizeof *items);
        if (items == NULL)
            return false;
        names->items = items;
        names->capacity = capacity;
    }
    /* Room for the "/" that makes a directory's name sort as its paths do. */
    size_t length = strlen(name->text);
    char *text = arena_take(&names->arena, length + 2);
    if (text == NULL)
        return false;
    memcpy(text, name->text, length);
    if (name->directory)
        text[length] = '/';
    names->items[names->count] = *name;
    names->items[names->count].text = text;
    names->items[names->count++].begin = first_bytes(text);
    return true;
}

/* What an entry is; links are followed for files only. False: not for us. */
static bool classify(DIR *directory, const struct dirent *found, struct name *name)
{
    *name = (struct name){.text = found->d_name};
    if (strcmp(found->d_name, ".") == 0 || strcmp(found->d_name, "..") == 0)
        return false;
    struct stat about;
    unsigned char type = found->d_type;
    if (type == DT_UNKNOWN &&
        fstatat(dirfd(directory), found->d_name, &about, AT_SYMLINK_NOFOLLOW) == 0)
        type = S_ISDIR(about.st_mode)   ? DT_DIR
               : S_ISREG(about.st_mode) ? DT_REG
               : S_ISLNK(about.st_mode) ? DT_LNK
                                        : DT_UNKNOWN;
    name->directory = type == DT_DIR;
    name->regular = type == DT_REG;
    if (name->directory)
        return true;
    if (document_text_name(found->d_name) == DOCUMENT_TEXT_OTHER)
        return false;
    return type != DT_LNK || fstatat(dirfd(directory), found->d_name, &about, 0) != 0 ||
           !S_ISDIR(about.st_mode);
}

/* Reads all names of a directory; *unreadable if the system refuses. */
static enum status read_names(const char *path, struct name_list *names, bool *unreadable,
                              struct diag *diag)
{
    DIR *directory = opendir(path);
    *unreadable = directory == NULL;
    if (directory == NULL)
        return errno == ENOMEM ? diag_no_memory(diag) : STATUS_OK;
    enum status status = STATUS_OK;
    for (;;) {
        errno = 0;
        const struct dirent *found = readdir(directory);
        if (found == NULL) {
            *unreadable = errno != 0;
            break;
        }
        struct name name;
        if (classify(directory, found, &name) && !add_name(names, &name)) {
            status = diag_no_memory(diag);
            break;
        }
    }
    closedir(directory);
    if (status == STATUS_OK && names->count > 1)
        qsort(names->items, names->count, sizeof names->items[0], compare_names);
    return status;
}

static enum status visit_path(const struct walk *walk, bool walked, bool regular)
{
    struct path_entry entry = {.path = walk->path.text, .walked = walked, .regular = regular};
    return walk->visit(walk->context, &entry, walk->diag);
}

/* The path grows by each name and shrinks again. The depth of the recursion is limited by PATH_MAX:
 * the system refuses to open longer paths. A directory that was named is an operand at fault if it
 * cannot be read, not a find. */
static enum status walk_directory(struct walk *walk, bool named)
{
    struct name_list names = {0};
    bool unreadable = false;
    struct text_buffer *path = &walk->path;
    size_t length = path->length;
    enum status status = read_names(path->text, &names, &unreadable, walk->diag);
    if (status == STATUS_OK && unreadable) {
        walk->named_unreadable = named;
        status = visit_path(walk, !named, false);
    }
    for (size_t i = 0; i < names.count && status == STATUS_OK; i++) {
        text_buffer_puts(path, names.items[i].text);
        if (path->failed)
            status = diag_no_memory(walk->diag);
        else if (names.items[i].directory)
            status = walk_directory(walk, false);
        else
            status = visit_path(walk, true, names.items[i].regular);
        if (!path->failed) {
            path->length = length;
            path->text[length] = '\0';
        }
    }
    free(names.items);
    arena_fini(&names.arena);
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
    enum status status = path->failed ? diag_no_memory(walk->diag) : walk_directory(walk, true);
    if (status == STATUS_OK && walk->named_unreadable)
        status = refuse_operand(operand, EACCES, walk->diag);
    text_buffer_fini(path);
    return status;
}

enum status path_walk_operand(const char *operand, path_walk_visit *visit, void *context,
                              struct diag *diag)
{
    struct stat about;
    int error_number = 0;
    struct path_entry entry = {.path = operand};
    if (strcmp(operand, "-") != 0 && stat(operand, &about) != 0) {
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
