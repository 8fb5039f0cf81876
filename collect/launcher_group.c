#include "launcher_group.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MOST_SAID 65536
/* Processes that were killed are gone within milliseconds; one that is stuck in the kernel (a dead
 * network disk) must not hold us for ever. */
#define MOST_WAITS 1000
/* mpirun says which rank it lost, and by which signal, a second after it lost it
 * (odls_base_sigkill_timeout). */
#define PATIENCE 750
static const struct timespec between_waits = {.tv_nsec = 2000000};

static void output_path(const struct launcher_marker *marker, char path[PATH_MAX])
{
    snprintf(path, PATH_MAX, "%s/said-%" PRIu64 "-%" PRIu64, marker->folder, marker->strategy,
             marker->round);
}

/* ---- starting ---- */

/* Decimal, with leading zeros, into the place that the environment has for it. No printf: between
 * fork and exec only calls that a signal handler may make are safe. */
static void write_number(char *digits, long number)
{
    for (int i = LAUNCHER_COMMAND_DIGITS - 1; i >= 0; i--) {
        digits[i] = (char)('0' + number % 10);
        number /= 10;
    }
}

/* mpirun has pipes and sockets for every rank, and with too few descriptors it waits for ever.
 * Measured with Open MPI 4.1.4: 28 and 4 a rank. As many as may be had of twice that; no more,
 * because programs close all that could be open. */
static void allow_descriptors(uint64_t ranks)
{
    struct rlimit limit;
    const rlim_t wanted = 128 + 8 * (rlim_t)ranks;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= wanted)
        return;
    limit.rlim_cur = limit.rlim_max < wanted ? limit.rlim_max : wanted;
    (void)setrlimit(RLIMIT_NOFILE, &limit);
}

/* The child: ends with its parent, speaks into the file, reads nothing. */
static void become_mpirun(const struct launcher_command *command, const sigset_t *mask,
                          pid_t parent, int output)
{
    int nothing = open("/dev/null", O_RDONLY);
    (void)setsid();
    if (nothing < 0 || dup2(nothing, STDIN_FILENO) < 0 || dup2(output, STDOUT_FILENO) < 0 ||
        dup2(output, STDERR_FILENO) < 0 || prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 ||
        sigprocmask(SIG_SETMASK, mask, NULL) != 0)
        _exit(127);
    if (getppid() != parent)
        _exit(127); /* it died before the line above */
    write_number(command->parent, (long)getpid());
    allow_descriptors(command->ranks);
    (void)execve(command->arguments[0], command->arguments, command->environment);
    static const char words[] = "cannot execute mpirun\n";
    ssize_t ignored = write(STDERR_FILENO, words, sizeof words - 1);
    (void)ignored;
    _exit(127);
}

enum status launcher_group_start(const struct launcher_command *command,
                                 const struct launcher_marker *marker, const sigset_t *mask,
                                 struct launcher_group *group, struct diag *diag)
{
    char path[PATH_MAX];
    *group = (struct launcher_group){.marker = *marker};
    output_path(marker, path);
    int output = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (output < 0)
        return diag_set(diag, STATUS_ENVIRONMENT, "%s: cannot create: %s", path,
                        diag_reason(errno));
    pid_t self = getpid();
    (void)fflush(NULL);
    group->mpirun = fork();
    if (group->mpirun == 0)
        become_mpirun(command, mask, self, output);
    int error_number = errno;
    (void)close(output);
    if (group->mpirun > 0)
        return STATUS_OK;
    return diag_set(diag, STATUS_ENVIRONMENT, "cannot start a process: %s",
                    diag_reason(error_number));
}

/* ---- ending ---- */

bool launcher_group_has_ended(struct launcher_group *group, int *status)
{
    if (!group->ended && waitpid(group->mpirun, &group->status, WNOHANG) == group->mpirun)
        group->ended = true;
    if (group->ended)
        *status = group->status;
    return group->ended;
}

bool launcher_group_is_gone(int64_t pid)
{
    return kill((pid_t)pid, 0) != 0 && errno == ESRCH;
}

/* True if the process is of this group: its number may have passed to another one long ago. */
static bool is_ours(const struct launcher_group *group, int64_t pid)
{
    char path[64];
    char value[LAUNCHER_MARKER_SIZE];
    char entry[sizeof value + sizeof LAUNCHER_MARKER_NAME + 1];
    char part[sizeof entry + 1];
    snprintf(path, sizeof path, "/proc/%" PRId64 "/environ", pid);
    launcher_marker_format(&group->marker, value);
    snprintf(entry, sizeof entry, "%s=%s", LAUNCHER_MARKER_NAME, value);
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return false;
    bool found = false;
    size_t length = 0;
    for (int c = getc(file); c != EOF && !found; c = getc(file)) {
        if (length < sizeof part - 1)
            part[length++] = (char)c;
        if (c != '\0')
            continue;
        part[length] = '\0';
        found = strcmp(part, entry) == 0;
        length = 0;
    }
    fclose(file);
    return found;
}

static bool all_gone(const struct rank_board *board)
{
    for (uint64_t rank = 0; rank < board->world_size; rank++) {
        int64_t pid = rank_board_at(board, rank)->pid;
        if (pid > 0 && !launcher_group_is_gone(pid))
            return false;
    }
    return true;
}

void launcher_group_end(struct launcher_group *group, const struct rank_board *board, bool listen)
{
    const int patience = listen ? PATIENCE : 0;
    int status;
    /* Ranks first: they die with mpirun as well, but for one that had not come that far. */
    for (uint64_t rank = 0; rank < board->world_size; rank++) {
        int64_t pid = rank_board_at(board, rank)->pid;
        if (pid > 0 && is_ours(group, pid))
            (void)kill((pid_t)pid, SIGKILL);
    }
    for (int i = 0; i < MOST_WAITS; i++) {
        if (i == patience && !group->ended)
            (void)kill(group->mpirun, SIGKILL);
        bool ended = launcher_group_has_ended(group, &status);
        /* Orphans of mpirun are our children now; its session is its own, and theirs. */
        while (ended && waitpid(-1, NULL, WNOHANG) > 0)
            ;
        if (ended && all_gone(board))
            return;
        (void)nanosleep(&between_waits, NULL);
    }
}

void launcher_group_said(const struct launcher_group *group, struct text_buffer *said)
{
    char path[PATH_MAX];
    char part[4096];
    output_path(&group->marker, path);
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return;
    if (fseek(file, -MOST_SAID, SEEK_END) != 0)
        rewind(file);
    for (size_t count = 1; count > 0;) {
        count = fread(part, 1, sizeof part, file);
        text_buffer_append(said, part, count);
    }
    fclose(file);
}
