#include "evidence_paths.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "text_buffer.h"

/* Absolute names of directories; files of one directory come one after the other. */
struct resolver {
    char *base;           /* absolute; NULL: names stay as given */
    char *directory;      /* as given, of the file before */
    char *real_directory; /* absolute; NULL: it cannot be resolved */
    struct arena *arena;
};

/* Appends `target` as seen from the directory `base`; both absolute. */
static void append_relative(struct text_buffer *out, const char *base, const char *target)
{
    size_t common = 0; /* bytes up to and with the last shared "/" */
    size_t i = 0;
    while (base[i] != '\0' && base[i] == target[i]) {
        i++;
        if (base[i - 1] == '/')
            common = i;
    }
    if (base[i] == '\0' && target[i] == '/')
        common = i + 1;
    const char *rest = base[i] == '\0' && target[i] == '/' ? "" : base + common;
    while (*rest != '\0') {
        const char *slash = strchr(rest, '/');
        text_buffer_puts(out, "../");
        rest = slash == NULL ? "" : slash + 1;
    }
    text_buffer_puts(out, target + common);
}

static bool enter_directory(struct resolver *resolver, const char *path, size_t length)
{
    if (resolver->directory != NULL && strlen(resolver->directory) == length &&
        memcmp(resolver->directory, path, length) == 0)
        return true;
    free(resolver->directory);
    free(resolver->real_directory);
    resolver->real_directory = NULL;
    resolver->directory = strndup(path, length);
    if (resolver->directory == NULL)
        return false;
    resolver->real_directory = realpath(length == 0 ? "." : resolver->directory, NULL);
    return resolver->real_directory != NULL || errno != ENOMEM;
}

/* NULL: memory exhausted. */
static const char *name_of(struct resolver *resolver, const char *path)
{
    if (resolver->base == NULL || strcmp(path, "-") == 0)
        return arena_copy(resolver->arena, path, strlen(path));
    const char *slash = strrchr(path, '/');
    const char *file = slash == NULL ? path : slash + 1;
    size_t length = slash == NULL ? 0 : slash == path ? 1 : (size_t)(slash - path);
    if (!enter_directory(resolver, path, length))
        return NULL;
    if (resolver->real_directory == NULL)
        return arena_copy(resolver->arena, path, strlen(path));
    struct text_buffer full = {0};
    struct text_buffer relative = {0};
    text_buffer_printf(&full, "%s%s%s", resolver->real_directory,
                       strcmp(resolver->real_directory, "/") == 0 ? "" : "/", file);
    if (!full.failed)
        append_relative(&relative, resolver->base, full.text);
    const char *name = full.failed || relative.failed
                           ? NULL
                           : arena_copy(resolver->arena, relative.text, relative.length);
    text_buffer_fini(&full);
    text_buffer_fini(&relative);
    return name;
}

static int compare_files(const void *left, const void *right)
{
    const struct evidence_path *a = left;
    const struct evidence_path *b = right;
    if (a->known != b->known)
        return a->known ? -1 : 1;
    if (a->known && a->device != b->device)
        return a->device < b->device ? -1 : 1;
    if (a->known && a->inode != b->inode)
        return a->inode < b->inode ? -1 : 1;
    return strcmp(a->name, b->name);
}

static int compare_names(const void *left, const void *right)
{
    const struct evidence_path *a = left;
    const struct evidence_path *b = right;
    return strcmp(a->name, b->name);
}

static bool same_file(const struct evidence_path *a, const struct evidence_path *b)
{
    if (a->known && b->known)
        return a->device == b->device && a->inode == b->inode;
    return a->known == b->known && strcmp(a->name, b->name) == 0;
}

/* Keeps the first of the names of each file; returns the number of files. */
static size_t keep_each_once(struct evidence_path *files, size_t count)
{
    size_t kept = 0;
    if (count > 1)
        qsort(files, count, sizeof *files, compare_files);
    for (size_t i = 0; i < count; i++) {
        if (kept > 0 && same_file(&files[kept - 1], &files[i])) {
            files[kept - 1].entry.walked = files[kept - 1].entry.walked && files[i].entry.walked;
            continue;
        }
        files[kept++] = files[i];
    }
    return kept;
}

static enum status resolve(struct resolver *resolver, const struct path_list *paths,
                           struct evidence_path *files, struct diag *diag)
{
    for (size_t i = 0; i < paths->count; i++) {
        struct evidence_path *file = &files[i];
        struct stat info;
        file->entry = paths->entries[i];
        /* Records keep it longer than the list of paths lives. */
        file->entry.path = arena_copy(resolver->arena, file->entry.path, strlen(file->entry.path));
        file->name = file->entry.path == NULL ? NULL : name_of(resolver, file->entry.path);
        if (file->name == NULL)
            return diag_no_memory(diag);
        if (strcmp(file->entry.path, "-") == 0 || stat(file->entry.path, &info) != 0)
            continue;
        file->known = true;
        file->device = (unsigned long long)info.st_dev;
        file->inode = (unsigned long long)info.st_ino;
    }
    return STATUS_OK;
}

enum status evidence_paths_resolve(const struct path_list *paths, const char *base,
                                   struct arena *arena, struct evidence_path **resolved,
                                   size_t *count, struct diag *diag)
{
    struct resolver resolver = {.arena = arena};
    struct evidence_path *files = arena_take_array(arena, paths->count + 1, sizeof *files);
    if (files == NULL)
        return diag_no_memory(diag);
    /* A base that does not exist yet has no files below it: names stay as given. */
    if (base != NULL)
        resolver.base = realpath(base[0] == '\0' ? "." : base, NULL);
    if (base != NULL && resolver.base == NULL && errno == ENOMEM)
        return diag_no_memory(diag);
    enum status status = resolve(&resolver, paths, files, diag);
    free(resolver.base);
    free(resolver.directory);
    free(resolver.real_directory);
    if (status != STATUS_OK)
        return status;
    *count = keep_each_once(files, paths->count);
    if (*count > 1)
        qsort(files, *count, sizeof *files, compare_names);
    *resolved = files;
    return STATUS_OK;
}
