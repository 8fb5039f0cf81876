#include "launcher.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "launcher_command.h"
#include "launcher_group.h"
#include "stopwatch.h"
#include "watchdog.h"

#define TICK_NS 50000000
/* What other ranks may still write when one has failed: failures of all ranks alike arrive within
 * one collective. */
#define GRACE_NS UINT64_C(300000000)

static const int interrupts[] = {SIGINT, SIGTERM, SIGHUP};

/* ---- opening ---- */

static enum status hold_signals(struct launcher *launcher, struct diag *diag)
{
    struct sigaction action = {.sa_handler = SIG_DFL};
    sigemptyset(&launcher->signals);
    sigaddset(&launcher->signals, SIGCHLD);
    for (size_t i = 0; i < sizeof interrupts / sizeof interrupts[0]; i++) {
        struct sigaction current;
        /* One that the caller's shell lets us ignore stays ignored. */
        if (sigaction(interrupts[i], NULL, &current) == 0 && current.sa_handler != SIG_IGN)
            sigaddset(&launcher->signals, interrupts[i]);
    }
    /* With SIGCHLD ignored a child would leave no status. */
    if (sigaction(SIGCHLD, &action, NULL) != 0 ||
        sigprocmask(SIG_BLOCK, &launcher->signals, &launcher->previous) != 0)
        return diag_set(diag, STATUS_ENVIRONMENT, "cannot hold back signals: %s",
                        diag_reason(errno));
    return STATUS_OK;
}

static enum status find_self(char path[PATH_MAX], struct diag *diag)
{
    ssize_t length = readlink("/proc/self/exe", path, PATH_MAX - 1);
    if (length < 0)
        return diag_set(diag, STATUS_ENVIRONMENT, "cannot find this program's own file: %s",
                        diag_reason(errno));
    path[length] = '\0';
    return STATUS_OK;
}

enum status launcher_open(uint64_t shared_bytes, const struct launcher_leftovers *leftovers,
                          struct launcher *launcher, struct diag *diag)
{
    *launcher = (struct launcher){.folder = {.lifeline = -1}};
    enum status status = find_self(launcher->executable, diag);
    if (status == STATUS_OK)
        status = launcher_find_mpirun(launcher->mpirun, diag);
    if (status == STATUS_OK)
        status = hold_signals(launcher, diag);
    if (status != STATUS_OK)
        return status;
    (void)prctl(PR_SET_CHILD_SUBREAPER, 1);
    status = launcher_folder_create(shared_bytes, leftovers, &launcher->folder, diag);
    if (status != STATUS_OK)
        (void)sigprocmask(SIG_SETMASK, &launcher->previous, NULL);
    return status;
}

void launcher_close(struct launcher *launcher)
{
    launcher_folder_fini(&launcher->folder);
    const struct timespec none = {0};
    while (sigtimedwait(&launcher->signals, NULL, &none) > 0)
        ;
    (void)sigprocmask(SIG_SETMASK, &launcher->previous, NULL);
}

/* ---- one run ---- */

/* A group while it runs. */
struct run {
    struct launcher *launcher;
    const struct launcher_job *job;
    const struct rank_board *board;
    struct launcher_group group;
    struct watchdog watchdog;
    struct launcher_end end;
    uint64_t failed_ns; /* when a rank's own failure was first seen; 0: none */
};

/* Waits for a signal or the next tick. */
static void pass_time(struct run *run)
{
    const struct timespec tick = {.tv_nsec = TICK_NS};
    int received = sigtimedwait(&run->launcher->signals, NULL, &tick);
    if (received > 0 && received != SIGCHLD && run->launcher->signal == 0)
        run->launcher->signal = received;
}

static bool has_failed(const struct rank_record *record)
{
    return __atomic_load_n(&record->failure.kind, __ATOMIC_ACQUIRE) != RANK_FAILURE_NONE;
}

/* Looks at every rank: whether one has noted a failure, or has died without a word. */
static void look_at_ranks(struct run *run, uint64_t now_ns)
{
    for (uint64_t rank = 0; rank < run->board->world_size; rank++) {
        const struct rank_record *record = rank_board_at(run->board, rank);
        /* Asked before the record is read: a rank writes its last word before it ends. */
        bool gone = record->pid > 0 && launcher_group_is_gone(record->pid);
        bool failed = has_failed(record);
        if (failed && run->failed_ns == 0)
            run->failed_ns = now_ns;
        if (gone && !failed && !__atomic_load_n(&record->complete, __ATOMIC_ACQUIRE) &&
            run->end.lost < 0)
            run->end.lost = (int64_t)rank;
    }
}

/* True while the group may go on. */
static bool goes_on(struct run *run)
{
    uint64_t now_ns = stopwatch_ns();
    run->end.signal = run->launcher->signal;
    run->end.exited = launcher_group_has_ended(&run->group, &run->end.status);
    look_at_ranks(run, now_ns);
    if (run->end.signal != 0 || run->end.exited || run->end.lost >= 0)
        return false;
    if (run->failed_ns != 0)
        return now_ns - run->failed_ns < GRACE_NS;
    if (watchdog_check(&run->watchdog, run->board, now_ns)) {
        run->end.timed_out = true;
        run->end.allowed_s = watchdog_allowed_s(&run->watchdog);
        run->end.culprit = watchdog_culprit(run->board, watchdog_is_stopped);
        return false;
    }
    if (run->job->look != NULL)
        run->job->look(run->job->context, run->board);
    return true;
}

static enum status make_board(const struct run *run, const struct launcher_marker *marker,
                              struct rank_board *board, struct diag *diag)
{
    char path[PATH_MAX];
    launcher_marker_board(marker, path);
    return rank_board_create(path, run->job->ranks, run->job->step_capacity, board, diag);
}

static enum status make_command(const struct launcher *launcher, const struct launcher_job *job,
                                const struct launcher_marker *marker, struct arena *arena,
                                struct launcher_command *command, struct diag *diag)
{
    const struct launcher_command_request request = {
        .mpirun = launcher->mpirun,
        .executable = launcher->executable,
        .arguments = job->arguments,
        .ranks = job->ranks,
        .threads = job->threads,
        .bind = job->bind,
        .oversubscribed = job->oversubscribed,
        .kernels = job->kernels,
        .marker = marker,
    };
    return launcher_command_make(&request, environ, arena, command, diag);
}

static struct launcher_marker marker_of(const struct launcher *launcher,
                                        const struct launcher_job *job)
{
    struct launcher_marker marker = {
        .strategy = job->strategy, .round = job->round, .threads = job->threads};
    snprintf(marker.folder, sizeof marker.folder, "%s", launcher->folder.path);
    return marker;
}

enum status launcher_environment(const struct launcher *launcher, const struct launcher_job *job,
                                 struct arena *arena, char ***environment, struct diag *diag)
{
    struct launcher_command command;
    struct launcher_marker marker = marker_of(launcher, job);
    enum status status = make_command(launcher, job, &marker, arena, &command, diag);
    if (status == STATUS_OK)
        *environment = command.environment;
    return status;
}

static enum status start(struct run *run, const struct launcher_marker *marker, struct diag *diag)
{
    struct arena arena = {0};
    struct launcher_command command;
    enum status status = make_command(run->launcher, run->job, marker, &arena, &command, diag);
    if (status == STATUS_OK)
        status =
            launcher_group_start(&command, marker, &run->launcher->previous, &run->group, diag);
    arena_fini(&arena);
    return status;
}

enum status launcher_run(struct launcher *launcher, const struct launcher_job *job,
                         struct rank_board *board, struct rank_failure *failure,
                         struct text_buffer *said, struct diag *diag)
{
    struct run run = {.launcher = launcher, .job = job, .end = {.lost = -1, .culprit = -1}};
    struct launcher_marker marker = marker_of(launcher, job);
    enum status status = make_board(&run, &marker, board, diag);
    if (status != STATUS_OK)
        return status;
    run.board = board;
    status = start(&run, &marker, diag);
    if (status != STATUS_OK) {
        rank_board_fini(board);
        return status;
    }
    watchdog_start(&run.watchdog, job->timeout_s, stopwatch_ns());
    while (goes_on(&run))
        pass_time(&run);
    launcher_group_end(&run.group, board, run.end.lost >= 0);
    launcher_group_said(&run.group, said);
    run.end.said = said->text != NULL ? said->text : "";
    launcher_verdict(board, &run.end, failure);
    return STATUS_OK;
}
