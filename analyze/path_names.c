#include "path_names.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "document_text.h"

/* As the C library's own readdir takes at once. */
#define ENTRIES_BYTES ((size_t)32 << 10)

/* ---- order ---- */

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

static int compare_names(const void *left, const void *right, void *texts)
{
    const struct path_name *a = left;
    const struct path_name *b = right;
    if (a->begin != b->begin)
        return a->begin < b->begin ? -1 : 1;
    return strcmp((const char *)texts + a->offset, (const char *)texts + b->offset);
}

static void sort(struct path_names *names, const struct path_names_part *part)
{
    if (names->count - part->begin > 1)
        qsort_r(names->items + part->begin, names->count - part->begin, sizeof *names->items,
                compare_names, names->text.text + part->text);
}

/* ---- too many for one turn ---- */

static bool is_full(const struct path_names *names, const struct path_names_part *part)
{
    size_t bytes =
        names->text.length - part->text + (names->count - part->begin) * sizeof *names->items;
    return bytes > (names->limit != 0 ? names->limit : PATH_NAMES_LIMIT);
}

/* Keeps the lower half; the first name of the upper one is the border from now on. */
static bool drop_upper_half(struct path_names *names, struct path_names_part *part)
{
    sort(names, part);
    size_t kept = part->begin + (names->count - part->begin + 1) / 2;
    text_buffer_clear(&names->cutoff);
    text_buffer_puts(&names->cutoff, path_names_text(names, part, kept));
    struct text_buffer text = {0};
    for (size_t i = part->begin; i < kept; i++) {
        const char *name = path_names_text(names, part, i);
        names->items[i].offset = (uint32_t)text.length;
        text_buffer_append(&text, name, strlen(name) + 1);
    }
    names->text.length = part->text;
    if (!text.failed)
        text_buffer_append(&names->text, text.text, text.length);
    names->count = kept;
    part->more = true;
    bool done = !text.failed && !names->cutoff.failed && !names->text.failed;
    text_buffer_fini(&text);
    return done;
}

/* ---- reading ---- */

static unsigned char type_of(mode_t mode)
{
    return S_ISDIR(mode) ? DT_DIR : S_ISREG(mode) ? DT_REG : S_ISLNK(mode) ? DT_LNK : DT_UNKNOWN;
}

/* What an entry is; links are followed for files only. False: not for us. */
static bool classify(int directory, const struct dirent64 *found, enum path_name_kind *kind)
{
    struct stat about;
    unsigned char type = found->d_type;
    if (strcmp(found->d_name, ".") == 0 || strcmp(found->d_name, "..") == 0)
        return false;
    if (type == DT_UNKNOWN && fstatat(directory, found->d_name, &about, AT_SYMLINK_NOFOLLOW) == 0)
        type = type_of(about.st_mode);
    *kind = type == DT_DIR   ? PATH_NAME_DIRECTORY
            : type == DT_REG ? PATH_NAME_REGULAR
                             : PATH_NAME_OTHER;
    if (type == DT_LNK && fstatat(directory, found->d_name, &about, 0) == 0 &&
        S_ISDIR(about.st_mode))
        *kind = PATH_NAME_DIRECTORY_LINK;
    return *kind == PATH_NAME_DIRECTORY || *kind == PATH_NAME_DIRECTORY_LINK ||
           document_text_name(found->d_name) != DOCUMENT_TEXT_OTHER;
}

static bool reserve_item(struct path_names *names)
{
    if (names->count < names->capacity)
        return true;
    size_t capacity = names->capacity == 0 ? 64 : names->capacity * 2;
    struct path_name *items = capacity > SIZE_MAX / sizeof *items
                                  ? NULL
                                  : realloc(names->items, capacity * sizeof *items);
    if (items == NULL)
        return false;
    names->items = items;
    names->capacity = capacity;
    return true;
}

/* False: memory exhausted. */
static bool add_name(struct path_names *names, struct path_names_part *part, const char *name,
                     enum path_name_kind kind, const char *after)
{
    size_t begin = names->text.length;
    if (!reserve_item(names))
        return false;
    text_buffer_puts(&names->text, name);
    text_buffer_puts(&names->text, kind == PATH_NAME_DIRECTORY ? "/" : "");
    text_buffer_append(&names->text, "", 1);
    if (names->text.failed)
        return false;
    const char *text = names->text.text + begin;
    bool later = part->more && strcmp(text, names->cutoff.text) >= 0;
    if (later || strcmp(text, after) <= 0) {
        names->text.length = begin;
        return true;
    }
    names->items[names->count++] = (struct path_name){.begin = first_bytes(text),
                                                      .offset = (uint32_t)(begin - part->text),
                                                      .kind = (uint8_t)kind};
    return !is_full(names, part) || drop_upper_half(names, part);
}

static bool add_entries(struct path_names *names, struct path_names_part *part, int directory,
                        size_t size, const char *after)
{
    for (size_t at = 0; at < size;) {
        const struct dirent64 *found = (const void *)(names->entries + at);
        enum path_name_kind kind;
        if (classify(directory, found, &kind) && !add_name(names, part, found->d_name, kind, after))
            return false;
        at += found->d_reclen;
    }
    return true;
}

enum status path_names_push(struct path_names *names, int directory, const char *after,
                            struct path_names_part *part, struct diag *diag)
{
    *part = (struct path_names_part){.text = names->text.length, .begin = names->count};
    if (names->entries == NULL)
        names->entries = malloc(ENTRIES_BYTES);
    if (names->entries == NULL)
        return diag_no_memory(diag);
    for (;;) {
        ssize_t size = getdents64(directory, names->entries, ENTRIES_BYTES);
        if (size < 0)
            part->error_number = errno;
        if (size <= 0)
            break;
        if (!add_entries(names, part, directory, (size_t)size, after))
            return diag_no_memory(diag);
    }
    sort(names, part);
    part->end = names->count;
    return STATUS_OK;
}

void path_names_pop(struct path_names *names, const struct path_names_part *part)
{
    names->count = part->begin;
    names->text.length = part->text;
}

void path_names_fini(struct path_names *names)
{
    free(names->entries);
    free(names->items);
    text_buffer_fini(&names->text);
    text_buffer_fini(&names->cutoff);
}
