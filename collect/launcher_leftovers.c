#include "launcher_leftovers.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "rank_record.h"

/* One that is stuck in the kernel must not hold the sweeper for ever. */
#define MOST_WAITS 200
static const struct timespec between_waits = {.tv_nsec = 10000000};

/* Rank 0's process, from the records of a group; 0: it had not started. */
static int64_t first_rank(const char *path)
{
    int64_t pid = 0;
    int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0)
        return 0;
    if (pread(descriptor, &pid, sizeof pid, offsetof(struct rank_record, pid)) != sizeof pid)
        pid = 0;
    (void)close(descriptor);
    return pid;
}

static void wait_for_end(int64_t pid)
{
    for (int i = 0; i < MOST_WAITS && (kill((pid_t)pid, 0) == 0 || errno != ESRCH); i++)
        (void)nanosleep(&between_waits, NULL);
}

void launcher_leftovers_discard(const struct launcher_leftovers *leftovers, const char *folder)
{
    DIR *entries = leftovers != NULL ? opendir(folder) : NULL;
    if (entries == NULL)
        return;
    for (struct dirent *entry = readdir(entries); entry != NULL; entry = readdir(entries)) {
        char path[PATH_MAX];
        uint64_t strategy;
        uint64_t round;
        if (sscanf(entry->d_name, "board-%" SCNu64 "-%" SCNu64, &strategy, &round) != 2 ||
            snprintf(path, sizeof path, "%s/%s", folder, entry->d_name) >= (int)sizeof path)
            continue;
        int64_t pid = first_rank(path);
        if (pid <= 0)
            continue;
        wait_for_end(pid);
        leftovers->discard(leftovers->context, strategy, (pid_t)pid);
    }
    closedir(entries);
}
