#include "output.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "text.h"

#define NAME_CAPACITY 1024 /* of a path in a message; a longer one is cut */
#define MAX_LINKS 40       /* as the kernel's own limit, path_resolution(7) */
#define MAX_TEMPORARIES 1000

static enum status refuse_writing(struct diag *diag, const char *name, int error_number)
{
    return diag_set(diag, STATUS_ENVIRONMENT, "%s: cannot write: %s%s", name,
                    diag_reason(error_number),
                    error_number == ENOENT ? " (its folder does not exist)" : "");
}

/* Writes all bytes; 0 or an errno value. Waits where somebody made the descriptor non-blocking. */
static int write_all(int descriptor, const char *data, size_t size)
{
    size_t written = 0;
    while (written < size) {
        ssize_t count = write(descriptor, data + written, size - written);
        if (count >= 0) {
            written += (size_t)count;
        } else if (errno == EAGAIN) {
            struct pollfd waiting = {.fd = descriptor, .events = POLLOUT};
            if (poll(&waiting, 1, -1) < 0 && errno != EINTR)
                return errno;
        } else if (errno != EINTR) {
            return errno;
        }
    }
    return 0;
}

/* What is to be written: bytes in memory, or, where `data` is NULL, of another file. */
struct content {
    const char *data;
    size_t size;
    int source;
    off_t offset;
};

/* As write_all. */
static int copy_all(int descriptor, const struct content *content)
{
    char buffer[64 << 10];
    off_t at = content->offset;
    for (size_t left = content->size; left > 0;) {
        ssize_t count =
            pread(content->source, buffer, left < sizeof buffer ? left : sizeof buffer, at);
        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0)
            return count < 0 ? errno : EIO; /* it had more when it was written */
        int error_number = write_all(descriptor, buffer, (size_t)count);
        if (error_number != 0)
            return error_number;
        at += count;
        left -= (size_t)count;
    }
    return 0;
}

static int write_content(int descriptor, const struct content *content)
{
    return content->data != NULL || content->size == 0
               ? write_all(descriptor, content->data, content->size)
               : copy_all(descriptor, content);
}

enum status output_write_descriptor(int descriptor, const char *name, const char *data, size_t size,
                                    struct diag *diag)
{
    int error_number = write_all(descriptor, data, size);
    if (error_number == 0)
        return STATUS_OK;
    char printed[NAME_CAPACITY];
    text_escape_into(printed, sizeof printed, name, strlen(name));
    return refuse_writing(diag, printed, error_number);
}

/* Follows symbolic links by hand, so that the file is replaced and a link to it stays, also one
 * whose target does not exist yet. 0 or an errno value. */
static int resolve_links(const char *path, char resolved[PATH_MAX])
{
    if (strlen(path) >= PATH_MAX)
        return ENAMETOOLONG;
    memcpy(resolved, path, strlen(path) + 1);
    for (int links = 0; links < MAX_LINKS; links++) {
        char target[PATH_MAX];
        ssize_t count = readlink(resolved, target, sizeof target - 1);
        if (count < 0)
            return errno == EINVAL || errno == ENOENT ? 0 : errno; /* no link */
        target[count] = '\0';
        const char *slash = strrchr(resolved, '/');
        size_t folder = slash != NULL && target[0] != '/' ? (size_t)(slash - resolved) + 1 : 0;
        if (folder + (size_t)count >= PATH_MAX)
            return ENAMETOOLONG;
        memcpy(resolved + folder, target, (size_t)count + 1);
    }
    return ELOOP;
}

/*
 * Creates a file of our own in the target's folder; its name does not contain the target's, which
 * may already be as long as a name can be. open(2) applies the umask, which a program with threads
 * cannot read. A descriptor, or -1 with errno.
 */
static int create_temporary(const char *target, mode_t mode, char temporary[PATH_MAX])
{
    const char *slash = strrchr(target, '/');
    int folder = slash != NULL ? (int)(slash - target) + 1 : 0;
    for (int i = 0; i < MAX_TEMPORARIES; i++) {
        int length = snprintf(temporary, PATH_MAX, "%.*s.rankledger-%ld-%d.tmp", folder, target,
                              (long)getpid(), i);
        if (length >= PATH_MAX) {
            errno = ENAMETOOLONG;
            return -1;
        }
        int descriptor =
            open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode);
        if (descriptor >= 0 || (errno != EEXIST && errno != EINTR))
            return descriptor;
    }
    return -1;
}

/* Moves the file to its place unless something is there already; 0 or an errno value. */
static int publish_new(const char *temporary, const char *target)
{
    if (renameat2(AT_FDCWD, temporary, AT_FDCWD, target, RENAME_NOREPLACE) == 0)
        return 0;
    if (errno != EINVAL && errno != ENOSYS)
        return errno;
    /* A file system without it (NFS) has hard links. */
    if (link(temporary, target) != 0)
        return errno;
    unlink(temporary);
    return 0;
}

static int publish(const char *temporary, const char *target, bool new_only)
{
    if (new_only)
        return publish_new(temporary, target);
    return rename(temporary, target) == 0 ? 0 : errno;
}

/* What is written where. */
struct writing {
    const char *target;
    const struct stat *existing; /* whose mode is kept; NULL: none */
    bool new_only;
    const struct content *content;
};

/*
 * Writes and renames; 0 or an errno value. No fsync: the promise is about readers and about
 * failures that the system reports (close(2) included, where network file systems do), not about a
 * power cut, and a report of a dozen files would wait for the disk a dozen times.
 */
static int write_beside(const struct writing *writing)
{
    char temporary[PATH_MAX];
    mode_t mode = writing->existing != NULL ? writing->existing->st_mode & 07777 : 0666;
    int descriptor = create_temporary(writing->target, mode & 0777, temporary);
    if (descriptor < 0)
        return errno;
    int error_number = write_content(descriptor, writing->content);
    if (error_number == 0 && writing->existing != NULL && fchmod(descriptor, mode) != 0)
        error_number = errno;
    if (close(descriptor) != 0 && error_number == 0 && errno != EINTR)
        error_number = errno;
    if (error_number == 0)
        error_number = publish(temporary, writing->target, writing->new_only);
    if (error_number != 0)
        unlink(temporary);
    return error_number;
}

/* An interrupt waits until the temporary file is renamed or removed: the data are in memory, so
 * that this is short. */
static int write_undisturbed(const struct writing *writing)
{
    sigset_t held;
    sigset_t before;
    sigemptyset(&held);
    sigaddset(&held, SIGHUP);
    sigaddset(&held, SIGINT);
    sigaddset(&held, SIGTERM);
    int error_number = pthread_sigmask(SIG_BLOCK, &held, &before);
    if (error_number != 0)
        return error_number;
    error_number = write_beside(writing);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return error_number;
}

static int write_in_place(const char *path, const struct content *content)
{
    int descriptor = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
    if (descriptor < 0)
        return errno;
    int error_number = write_content(descriptor, content);
    if (close(descriptor) != 0 && error_number == 0 && errno != EINTR)
        error_number = errno;
    return error_number;
}

/* True if `about` is the very file that standard output writes (/dev/stdout and the like, also
 * redirected to a file): renaming over it would lose what was printed before and after. */
static bool is_standard_output(const struct stat *about)
{
    struct stat standard;
    return fstat(STDOUT_FILENO, &standard) == 0 && standard.st_dev == about->st_dev &&
           standard.st_ino == about->st_ino;
}

static int write_path(const char *path, const struct content *content)
{
    struct stat about;
    bool exists = stat(path, &about) == 0;
    if (!exists && errno != ENOENT)
        return errno;
    if (exists && is_standard_output(&about)) {
        if (fflush(stdout) != 0)
            return errno;
        return write_content(STDOUT_FILENO, content);
    }
    if (exists && S_ISDIR(about.st_mode))
        return EISDIR;
    if (exists && !S_ISREG(about.st_mode))
        return write_in_place(path, content);
    /* Replacing a file asks for rights in its folder only; one that is write-protected shall stay.
     */
    if (exists && faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) != 0)
        return errno;
    char target[PATH_MAX];
    int error_number = resolve_links(path, target);
    if (error_number != 0)
        return error_number;
    struct writing writing = {target, exists ? &about : NULL, false, content};
    return write_undisturbed(&writing);
}

static enum status write_named(const char *path, const struct content *content, struct diag *diag)
{
    char name[NAME_CAPACITY] = "standard output";
    int error_number;
    if (path == NULL || strcmp(path, "-") == 0) {
        error_number = fflush(stdout) != 0 ? errno : write_content(STDOUT_FILENO, content);
    } else {
        error_number = write_path(path, content);
        text_escape_into(name, sizeof name, path, strlen(path));
    }
    return error_number == 0 ? STATUS_OK : refuse_writing(diag, name, error_number);
}

enum status output_write_file(const char *path, const char *data, size_t size, struct diag *diag)
{
    const struct content content = {.data = data, .size = size};
    return write_named(path, &content, diag);
}

enum status output_copy_file(const char *path, int source, off_t offset, size_t size,
                             struct diag *diag)
{
    const struct content content = {.size = size, .source = source, .offset = offset};
    return write_named(path, &content, diag);
}

enum status output_write_new_file(const char *path, const char *data, size_t size, bool *exists,
                                  struct diag *diag)
{
    const struct content content = {.data = data, .size = size};
    struct writing writing = {path, NULL, true, &content};
    int error_number = strlen(path) < PATH_MAX ? write_undisturbed(&writing) : ENAMETOOLONG;
    *exists = error_number == EEXIST;
    if (error_number == 0)
        return STATUS_OK;
    char name[NAME_CAPACITY];
    text_escape_into(name, sizeof name, path, strlen(path));
    if (*exists)
        return diag_set(diag, STATUS_ENVIRONMENT,
                        "%s: it appeared while this program ran, and is left as it is", name);
    return refuse_writing(diag, name, error_number);
}
