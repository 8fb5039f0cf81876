#include "launcher_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <inttypes.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "text.h"

/* The last writers may still be dying when the launcher is dead already. */
#define SWEEPS 20
static const struct timespec between_sweeps = {.tv_nsec = 50000000};

void launcher_folder_remove(const char *path)
{
    char copy[PATH_MAX];
    if (snprintf(copy, sizeof copy, "%s", path) >= (int)sizeof copy)
        return;
    char *const paths[] = {copy, NULL};
    FTS *walk = fts_open(paths, FTS_PHYSICAL | FTS_NOCHDIR | FTS_XDEV, NULL);
    if (walk == NULL)
        return;
    for (FTSENT *entry = fts_read(walk); entry != NULL; entry = fts_read(walk)) {
        if (entry->fts_info == FTS_D)
            continue; /* it comes again when it is empty */
        if (entry->fts_info == FTS_DP)
            (void)rmdir(entry->fts_accpath);
        else
            (void)unlink(entry->fts_accpath);
    }
    fts_close(walk);
}

/* ---- the sweeper ---- */

/* It must live on when the terminal sends its signals to all of us, and hold nothing of ours open:
 * a reader of our output would wait for it. */
static void detach(int lifeline)
{
    (void)setsid();
    (void)prctl(PR_SET_NAME, "rankledger-sweep");
    const int ignored[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE};
    for (size_t i = 0; i < sizeof ignored / sizeof ignored[0]; i++)
        (void)signal(ignored[i], SIG_IGN);
    sigset_t none;
    sigemptyset(&none);
    (void)sigprocmask(SIG_SETMASK, &none, NULL);
    if (dup2(lifeline, STDIN_FILENO) < 0)
        _exit(1);
    (void)close_range(STDERR_FILENO + 1, ~0U, 0);
    int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (nothing >= 0) {
        (void)dup2(nothing, STDOUT_FILENO);
        (void)dup2(nothing, STDERR_FILENO);
    }
}

static void sweep(const char *path, const struct launcher_leftovers *leftovers, int lifeline)
{
    char byte;
    ssize_t count;
    detach(lifeline);
    do
        count = read(STDIN_FILENO, &byte, 1);
    while (count > 0 || (count < 0 && errno == EINTR));
    launcher_leftovers_discard(leftovers, path);
    for (int i = 0; i < SWEEPS; i++) {
        launcher_folder_remove(path);
        if (access(path, F_OK) != 0)
            break;
        (void)nanosleep(&between_sweeps, NULL);
    }
    _exit(0);
}

static enum status start_sweeper(struct launcher_folder *folder,
                                 const struct launcher_leftovers *leftovers, struct diag *diag)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        return diag_set(diag, STATUS_ENVIRONMENT, "cannot make a pipe: %s", diag_reason(errno));
    (void)fflush(NULL); /* else the child would own a copy of what is not written yet */
    folder->sweeper = fork();
    if (folder->sweeper == 0) {
        (void)close(ends[1]);
        sweep(folder->path, leftovers, ends[0]);
    }
    (void)close(ends[0]);
    folder->lifeline = ends[1];
    if (folder->sweeper > 0)
        return STATUS_OK;
    (void)close(ends[1]);
    return diag_set(diag, STATUS_ENVIRONMENT, "cannot start a process: %s", diag_reason(errno));
}

/* ---- the folder ---- */

/* Makes a folder of a name of its own in `base` if there is room. */
static bool make_in(const char *base, uint64_t bytes, struct launcher_folder *folder)
{
    struct statvfs about;
    if (base == NULL || base[0] != '/' || statvfs(base, &about) != 0 ||
        (uint64_t)about.f_bavail * about.f_frsize < bytes)
        return false;
    int length = snprintf(folder->path, sizeof folder->path, "%s/rankledger-%ld-XXXXXX", base,
                          (long)getpid());
    return length < (int)sizeof folder->path && mkdtemp(folder->path) != NULL;
}

enum status launcher_folder_create(uint64_t bytes, const struct launcher_leftovers *leftovers,
                                   struct launcher_folder *folder, struct diag *diag)
{
    *folder = (struct launcher_folder){.lifeline = -1};
    const char *const bases[] = {"/dev/shm", getenv("TMPDIR"), "/tmp"};
    bool made = false;
    for (size_t i = 0; i < sizeof bases / sizeof bases[0] && !made; i++)
        made = make_in(bases[i], bytes, folder);
    if (!made)
        return diag_set(diag, STATUS_ENVIRONMENT,
                        "neither /dev/shm nor the folder for temporary files (TMPDIR, /tmp) has "
                        "room for %" PRIu64 " MiB that the ranks share",
                        bytes >> 20);
    enum status status = start_sweeper(folder, leftovers, diag);
    if (status != STATUS_OK)
        (void)rmdir(folder->path);
    return status;
}

void launcher_folder_fini(struct launcher_folder *folder)
{
    if (folder->sweeper <= 0)
        return;
    (void)close(folder->lifeline);
    while (waitpid(folder->sweeper, NULL, 0) < 0 && errno == EINTR)
        ;
    if (access(folder->path, F_OK) == 0) /* somebody killed the sweeper */
        launcher_folder_remove(folder->path);
    *folder = (struct launcher_folder){.lifeline = -1};
}
