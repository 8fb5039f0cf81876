#include "folders.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Makes one folder, unless it is there. */
static int make(const char *path, char **first)
{
    struct stat about;
    if (mkdir(path, 0777) == 0) {
        if (*first == NULL)
            *first = strdup(path); /* without memory it stays, which harms nobody */
        return 0;
    }
    int error_number = errno;
    if (stat(path, &about) == 0)
        return S_ISDIR(about.st_mode) ? 0 : ENOTDIR;
    return error_number;
}

int folders_make(const char *path, char **first)
{
    char copy[PATH_MAX];
    *first = NULL;
    if (snprintf(copy, sizeof copy, "%s", path) >= (int)sizeof copy)
        return ENAMETOOLONG;
    for (char *at = copy + (copy[0] != '\0'); *at != '\0'; at++) {
        if (*at != '/' || at[-1] == '/')
            continue;
        *at = '\0';
        int error_number = make(copy, first);
        if (error_number != 0)
            return error_number;
        *at = '/';
    }
    return make(copy, first);
}

void folders_remove(const char *path, const char *first)
{
    char copy[PATH_MAX];
    if (first == NULL || snprintf(copy, sizeof copy, "%s", path) >= (int)sizeof copy)
        return;
    size_t length = strlen(copy);
    while (length >= strlen(first)) {
        while (length > 1 && copy[length - 1] == '/')
            length--;
        copy[length] = '\0';
        if (rmdir(copy) != 0)
            return;
        while (length > 0 && copy[length - 1] != '/')
            length--;
    }
}

int folders_probe(const char *path)
{
    char file[PATH_MAX];
    if (snprintf(file, sizeof file, "%s/.rankledger-%ld.tmp", path, (long)getpid()) >=
        (int)sizeof file)
        return ENAMETOOLONG;
    int descriptor = open(file, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (descriptor < 0)
        return errno;
    (void)close(descriptor);
    return unlink(file) == 0 ? 0 : errno;
}
