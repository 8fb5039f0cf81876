#include "input_path.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

/* Where a path ends that the system takes, and the rest begins; NULL: one name is too long. */
static const char *last_slash(const char *path)
{
    const char *slash = memrchr(path, '/', PATH_MAX - 1);
    return slash == path ? NULL : slash;
}

/* Opens the directories of a long path; *rest is what is left of it. */
static int enter_directories(const char *path, const char **rest)
{
    char part[PATH_MAX];
    int directory = AT_FDCWD;
    while (strlen(path) >= PATH_MAX) {
        const char *slash = last_slash(path);
        int next = -1;
        if (slash == NULL) {
            errno = ENAMETOOLONG;
        } else {
            memcpy(part, path, (size_t)(slash - path));
            part[slash - path] = '\0';
            next = openat(directory, part, O_PATH | O_DIRECTORY | O_CLOEXEC);
        }
        int error_number = errno;
        if (directory != AT_FDCWD)
            close(directory);
        errno = error_number;
        if (next < 0)
            return -1;
        directory = next;
        while (*slash == '/')
            slash++;
        path = slash;
    }
    *rest = *path == '\0' ? "." : path;
    return directory;
}

/* Closes and keeps errno. */
static void leave_directories(int directory)
{
    int error_number = errno;
    close(directory);
    errno = error_number;
}

int input_path_open(const char *path, int flags)
{
    int descriptor = open(path, flags);
    if (descriptor >= 0 || errno != ENAMETOOLONG || strlen(path) < PATH_MAX)
        return descriptor;
    const char *rest;
    int directory = enter_directories(path, &rest);
    if (directory < 0)
        return -1;
    descriptor = openat(directory, rest, flags);
    leave_directories(directory);
    return descriptor;
}

int input_path_stat(const char *path, struct stat *about)
{
    int result = stat(path, about);
    if (result == 0 || errno != ENAMETOOLONG || strlen(path) < PATH_MAX)
        return result;
    const char *rest;
    int directory = enter_directories(path, &rest);
    if (directory < 0)
        return -1;
    result = fstatat(directory, rest, about, 0);
    leave_directories(directory);
    return result;
}
