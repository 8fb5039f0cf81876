#include "staging.h"

#include <errno.h>
#include <ftw.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "text.h"
#include "text_buffer.h"

/* Descriptors that the removal of a folder may keep open. */
#define WALK_DESCRIPTORS 8

static enum status fail(struct diag *diag, const char *what, const char *path)
{
    char shown[512];
    int reason = errno;
    return diag_set(diag, STATUS_ENVIRONMENT, "cannot %s %s: %s", what,
                    text_escape_into(shown, sizeof shown, path, strlen(path)), strerror(reason));
}

/* FOLDER/NAME in memory of its own; NULL if there is none left. */
static char *join(const char *folder, const char *name)
{
    struct text_buffer path = {0};
    text_buffer_printf(&path, "%s/%s", folder, name);
    if (path.failed)
        text_buffer_fini(&path);
    return path.text;
}

/* ---- Folders ---- */

static bool is_folder(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

/* Creates a folder and its parents; *existing becomes the length of the part that was there. */
static enum status make_folders(char *path, size_t *existing, struct diag *diag)
{
    size_t length = strlen(path);
    *existing = 0;
    for (size_t end = 1; end <= length; end++) {
        if (end < length && path[end] != '/')
            continue;
        char separator = path[end];
        path[end] = '\0';
        int result = mkdir(path, 0777);
        bool there = result != 0 && errno == EEXIST && is_folder(path);
        if (result != 0 && errno == EEXIST)
            errno = ENOTDIR;
        enum status status = result == 0 || there ? STATUS_OK : fail(diag, "create", path);
        path[end] = separator;
        if (there)
            *existing = end;
        if (status != STATUS_OK)
            return status;
    }
    return STATUS_OK;
}

/* Removes the folders that were created, innermost first, as far as they are empty. */
static void remove_folders(char *path, size_t existing)
{
    for (size_t end = strlen(path); end > existing && end > 0; end--) {
        char separator = path[end];
        if (separator != '/' && separator != '\0')
            continue;
        path[end] = '\0';
        int result = rmdir(path);
        path[end] = separator;
        if (result != 0 && errno != ENOENT)
            return;
    }
}

static int remove_entry(const char *path, const struct stat *info, int type, struct FTW *place)
{
    (void)info;
    (void)type;
    (void)place;
    (void)remove(path);
    return 0;
}

static enum status make_own_folder(struct staging *staging, struct diag *diag)
{
    char *folder = join(staging->target, ".rankledger-XXXXXX");
    if (folder == NULL)
        return diag_no_memory(diag);
    if (mkdtemp(folder) == NULL) {
        enum status status = fail(diag, "create a folder in", staging->target);
        free(folder);
        return status;
    }
    staging->folder = folder;
    staging->kept = join(folder, "kept");
    if (staging->kept == NULL)
        return diag_no_memory(diag);
    return mkdir(staging->kept, 0777) == 0 ? STATUS_OK : fail(diag, "create", staging->kept);
}

enum status staging_begin(struct staging *staging, const char *target, struct diag *diag)
{
    struct staging made = {.target = strdup(target)};
    if (made.target == NULL)
        return diag_no_memory(diag);
    enum status status = make_folders(made.target, &made.created, diag);
    if (status == STATUS_OK)
        status = make_own_folder(&made, diag);
    if (status == STATUS_OK)
        *staging = made;
    else if (staging_end(&made, diag) != STATUS_OK)
        return status; /* the first fault is the one to tell */
    return status;
}

enum status staging_end(struct staging *staging, struct diag *diag)
{
    if (staging == NULL || staging->target == NULL)
        return STATUS_OK;
    enum status status = STATUS_OK;
    struct stat info;
    /* Twice, for what failed only once (a file system under strain). */
    for (int i = 0; i < 2 && staging->folder != NULL; i++)
        (void)nftw(staging->folder, remove_entry, WALK_DESCRIPTORS, FTW_DEPTH | FTW_PHYS);
    if (staging->folder != NULL && lstat(staging->folder, &info) == 0) {
        errno = ENOTEMPTY;
        status = fail(diag, "remove", staging->folder);
    }
    remove_folders(staging->target, staging->created);
    free(staging->kept);
    free(staging->folder);
    free(staging->target);
    *staging = (struct staging){0};
    return status;
}

/* ---- Moving into place ---- */

/* One file on its way: from the staging folder to its place, what was there to `kept`. */
struct move {
    char *from, *to, *kept;
    bool was_there;
};

static enum status plan_move(const struct staging *staging, const char *name, size_t index,
                             struct move *move, struct diag *diag)
{
    char number[32];
    snprintf(number, sizeof number, "%zu", index);
    move->from = join(staging->folder, name);
    move->to = join(staging->target, name);
    move->kept = join(staging->kept, number);
    return move->from == NULL || move->to == NULL || move->kept == NULL ? diag_no_memory(diag)
                                                                        : STATUS_OK;
}

/* Creates the folder of a file if it has one that is not there; true in *created if so. */
static enum status make_parent(const struct staging *staging, const char *path, bool *created,
                               struct diag *diag)
{
    const char *slash = strrchr(path, '/');
    size_t length = (size_t)(slash - path);
    if (length <= strlen(staging->target))
        return STATUS_OK;
    char *folder = strndup(path, length);
    if (folder == NULL)
        return diag_no_memory(diag);
    enum status status = STATUS_OK;
    if (mkdir(folder, 0777) == 0)
        *created = true;
    else if (errno != EEXIST || !is_folder(folder))
        status = fail(diag, "create", folder);
    free(folder);
    return status;
}

/* Keeps the old file under a second name, so that its own never stands for nothing; where a file
 * system has no links it is moved away. */
static enum status keep_old(struct move *move, struct diag *diag)
{
    if (link(move->to, move->kept) == 0) {
        move->was_there = true;
        return STATUS_OK;
    }
    if (errno == ENOENT)
        return STATUS_OK;
    if (rename(move->to, move->kept) != 0)
        return errno == ENOENT ? STATUS_OK : fail(diag, "replace", move->to);
    move->was_there = true;
    return STATUS_OK;
}

static enum status do_move(struct move *move, struct diag *diag)
{
    struct stat info;
    if (lstat(move->to, &info) == 0 && S_ISDIR(info.st_mode)) {
        errno = EISDIR;
        return fail(diag, "replace", move->to);
    }
    enum status status = keep_old(move, diag);
    if (status != STATUS_OK)
        return status;
    if (rename(move->from, move->to) == 0)
        return STATUS_OK;
    status = fail(diag, "write", move->to);
    if (move->was_there)
        (void)rename(move->kept, move->to);
    return status;
}

static void undo_moves(struct move *moves, size_t count)
{
    for (size_t i = count; i-- > 0;) {
        if (moves[i].was_there)
            (void)rename(moves[i].kept, moves[i].to);
        else
            (void)unlink(moves[i].to);
    }
}

static void free_moves(struct move *moves, size_t count)
{
    for (size_t i = 0; moves != NULL && i < count; i++) {
        free(moves[i].from);
        free(moves[i].to);
        free(moves[i].kept);
    }
    free(moves);
}

/* The first folder of `names` that was created, for taking it back. */
static void remove_created(const struct staging *staging, const char *name)
{
    char *path = join(staging->target, name);
    char *slash = path != NULL ? strrchr(path, '/') : NULL;
    if (slash != NULL) {
        *slash = '\0';
        (void)rmdir(path);
    }
    free(path);
}

enum status staging_commit(struct staging *staging, const char *const *names, size_t count,
                           struct diag *diag)
{
    struct move *moves = calloc(count + 1, sizeof *moves);
    const char *created_for = NULL;
    size_t done = 0;
    enum status status = moves == NULL ? diag_no_memory(diag) : STATUS_OK;
    for (size_t i = 0; i < count && status == STATUS_OK; i++)
        status = plan_move(staging, names[i], i, &moves[i], diag);
    while (done < count && status == STATUS_OK) {
        bool created = false;
        status = make_parent(staging, moves[done].to, &created, diag);
        if (created)
            created_for = names[done];
        if (status == STATUS_OK)
            status = do_move(&moves[done], diag);
        if (status == STATUS_OK)
            done++;
    }
    if (status != STATUS_OK) {
        undo_moves(moves, done);
        if (created_for != NULL)
            remove_created(staging, created_for);
    }
    free_moves(moves, count);
    return status;
}
