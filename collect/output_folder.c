#include "output_folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "folders.h"
#include "text.h"

#define NAME_CAPACITY 1024 /* of a path in a message; a longer one is cut */

static enum status refuse(const char *path, int error_number, struct diag *diag)
{
    char printed[NAME_CAPACITY];
    text_escape_into(printed, sizeof printed, path, strlen(path));
    return diag_set(diag, STATUS_ENVIRONMENT, "%s: cannot write: %s", printed,
                    diag_reason(error_number));
}

static enum status refuse_target(const char *path, const char *why, struct diag *diag)
{
    char printed[NAME_CAPACITY];
    text_escape_into(printed, sizeof printed, path, strlen(path));
    return diag_set(diag, STATUS_USAGE, "%s: %s", printed, why);
}

char *output_folder_path(const char *folder, const char *name)
{
    char *path = NULL;
    return asprintf(&path, "%s/%s", folder, name) < 0 ? NULL : path;
}

static char *without_slashes(const char *path)
{
    size_t length = strlen(path);
    while (length > 1 && path[length - 1] == '/')
        length--;
    return strndup(path, length);
}

static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash == NULL ? path : slash + 1;
}

/* The folder above; from the heap. */
static char *parent_of(const char *path)
{
    const char *name = last_part(path);
    if (name == path)
        return strdup(".");
    return strndup(path, name - path == 1 ? 1 : (size_t)(name - path) - 1);
}

static char *temporary_of(const char *target, pid_t pid)
{
    const char *name = last_part(target);
    char *path = NULL;
    if (asprintf(&path, "%.*s.%s.rankledger-%ld.tmp", (int)(name - target), target, name,
                 (long)pid) < 0)
        return NULL;
    return path;
}

/* Calls `visit` with every entry until it says no; false if it did, or the folder is unreadable. */
static bool each_entry(const char *path, bool (*visit)(void *context, const char *name),
                       void *context)
{
    DIR *folder = opendir(path);
    if (folder == NULL)
        return false;
    bool good = true;
    for (struct dirent *entry; good && (entry = readdir(folder)) != NULL;)
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            good = visit(context, entry->d_name);
    closedir(folder);
    return good;
}

struct entries {
    const char *path;
    bool (*is_ours)(const char *name);
};

static bool is_entry_ours(void *context, const char *name)
{
    const struct entries *entries = context;
    char *path = output_folder_path(entries->path, name);
    struct stat about;
    bool ours = path != NULL && entries->is_ours(name) && lstat(path, &about) == 0 &&
                S_ISREG(about.st_mode);
    free(path);
    return ours;
}

static bool remove_entry(void *context, const char *name)
{
    const struct entries *entries = context;
    if (!is_entry_ours(context, name))
        return true;
    char *path = output_folder_path(entries->path, name);
    if (path != NULL)
        unlink(path);
    free(path);
    return true;
}

/* Removes the files that are ours, then the folder if nothing else is in it. */
static void remove_folder(const char *path, bool (*is_ours)(const char *name))
{
    struct entries entries = {path, is_ours};
    struct stat about;
    if (lstat(path, &about) != 0 || !S_ISDIR(about.st_mode))
        return;
    (void)each_entry(path, remove_entry, &entries);
    rmdir(path);
}

enum status output_folder_check(const char *target, bool (*is_ours)(const char *name), bool force,
                                struct diag *diag)
{
    char *path = without_slashes(target);
    if (path == NULL)
        return diag_no_memory(diag);
    const char *name = last_part(path);
    struct entries entries = {path, is_ours};
    struct stat about;
    enum status status = STATUS_OK;
    if (*name == '\0' || strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
        status = refuse_target(target, "expected the name of a folder to make", diag);
    else if (lstat(path, &about) != 0)
        status = errno == ENOENT ? STATUS_OK : refuse(target, errno, diag);
    else if (!S_ISDIR(about.st_mode))
        status = refuse_target(target, "exists and is no folder; choose another name", diag);
    else if (!force)
        status = refuse_target(target, "exists already; --force replaces it", diag);
    else if (!each_entry(path, is_entry_ours, &entries))
        status = refuse_target(
            target, "holds more than a folder of this kind; it is not replaced, remove it yourself",
            diag);
    free(path);
    return status;
}

/* 0 or an errno value. The temporary name holds our process id: whoever left such a folder behind
 * is no more. */
static int make_temporary(struct output_folder *folder)
{
    remove_folder(folder->temporary, folder->is_ours);
    if (mkdir(folder->temporary, 0777) == 0)
        return 0;
    if (errno != ENOENT)
        return errno;
    char *parent = parent_of(folder->target);
    if (parent == NULL)
        return ENOMEM;
    int error_number = folders_make(parent, &folder->first);
    free(parent);
    if (error_number == 0 && mkdir(folder->temporary, 0777) != 0)
        error_number = errno;
    return error_number;
}

enum status output_folder_begin(struct output_folder *folder, const char *target,
                                bool (*is_ours)(const char *name), bool force, struct diag *diag)
{
    *folder = (struct output_folder){.is_ours = is_ours, .force = force};
    enum status status = output_folder_check(target, is_ours, force, diag);
    if (status != STATUS_OK)
        return status;
    folder->target = without_slashes(target);
    if (folder->target != NULL)
        folder->temporary = temporary_of(folder->target, getpid());
    if (folder->temporary == NULL) {
        output_folder_abandon(folder);
        return diag_no_memory(diag);
    }
    int error_number = make_temporary(folder);
    if (error_number == 0)
        return STATUS_OK;
    status = refuse(folder->target, error_number, diag);
    output_folder_abandon(folder);
    return status;
}

/* Waits until a folder's entries are on the disk; 0 or an errno value. */
static int sync_folder(const char *path)
{
    int descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor < 0)
        return errno;
    int error_number = fsync(descriptor) == 0 ? 0 : errno;
    close(descriptor);
    /* Some network file systems cannot do this with a folder. */
    return error_number == EINVAL ? 0 : error_number;
}

/* Where the file system cannot exchange two names: the old one steps aside, and back if the new one
 * cannot take its place. */
static int replace_in_two_steps(const struct output_folder *folder)
{
    char *aside = NULL;
    if (asprintf(&aside, "%s.old", folder->temporary) < 0)
        return ENOMEM;
    int error_number = rename(folder->target, aside) == 0 ? 0 : errno;
    if (error_number == 0 && rename(folder->temporary, folder->target) != 0) {
        error_number = errno;
        (void)rename(aside, folder->target);
    }
    if (error_number == 0)
        remove_folder(aside, folder->is_ours);
    free(aside);
    return error_number;
}

static bool is_unsupported(int error_number)
{
    return error_number == EINVAL || error_number == ENOSYS || error_number == EOPNOTSUPP;
}

/* Gives the temporary folder the target's name; 0 or an errno value. */
static int put_in_place(const struct output_folder *folder)
{
    const char *from = folder->temporary, *to = folder->target;
    if (renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) == 0)
        return 0;
    /* rename(2) replaces an empty folder at most. */
    if (is_unsupported(errno) && rename(from, to) == 0)
        return 0;
    if ((errno != EEXIST && errno != ENOTEMPTY) || !folder->force)
        return errno;
    if (renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_EXCHANGE) == 0)
        return 0; /* the old one bears the temporary name now, and is removed under it */
    return is_unsupported(errno) ? replace_in_two_steps(folder) : errno;
}

enum status output_folder_commit(struct output_folder *folder, struct diag *diag)
{
    enum status status = STATUS_OK;
    int error_number = sync_folder(folder->temporary);
    if (error_number != 0)
        status = refuse(folder->target, error_number, diag);
    /* Once more: hours may have passed since the first time. */
    if (status == STATUS_OK)
        status = output_folder_check(folder->target, folder->is_ours, folder->force, diag);
    char *parent = parent_of(folder->target);
    if (status == STATUS_OK && parent == NULL)
        status = diag_no_memory(diag);
    if (status == STATUS_OK) {
        error_number = put_in_place(folder);
        if (error_number == 0)
            error_number = sync_folder(parent);
        if (error_number != 0)
            status = refuse(folder->target, error_number, diag);
    }
    free(parent);
    output_folder_abandon(folder);
    return status;
}

void output_folder_abandon(struct output_folder *folder)
{
    if (folder == NULL || folder->is_ours == NULL)
        return;
    if (folder->temporary != NULL)
        remove_folder(folder->temporary, folder->is_ours);
    char *parent = folder->first != NULL ? parent_of(folder->target) : NULL;
    if (parent != NULL)
        folders_remove(parent, folder->first);
    free(parent);
    free(folder->first);
    free(folder->temporary);
    free(folder->target);
    *folder = (struct output_folder){0};
}

/* If its owner ended between the two steps of a replacement, the old folder has not come back. */
static void discard_aside(const char *target, const char *temporary,
                          bool (*is_ours)(const char *name))
{
    char *aside = NULL;
    if (asprintf(&aside, "%s.old", temporary) < 0)
        return;
    if (renameat2(AT_FDCWD, aside, AT_FDCWD, target, RENAME_NOREPLACE) != 0 &&
        (!is_unsupported(errno) || rename(aside, target) != 0))
        remove_folder(aside, is_ours);
    free(aside);
}

void output_folder_discard(const char *target, pid_t pid, bool (*is_ours)(const char *name))
{
    char *path = without_slashes(target);
    char *temporary = path == NULL ? NULL : temporary_of(path, pid);
    if (temporary != NULL) {
        remove_folder(temporary, is_ours);
        discard_aside(path, temporary, is_ours);
    }
    free(temporary);
    free(path);
}
