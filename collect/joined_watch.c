#include "joined_watch.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "launcher_verdict.h"
#include "stopwatch.h"

#define TICK_NS 50000000
/* What may still come when something is wrong: another rank's word of what was wrong first. mpirun
 * kills one second after its first signal. */
#define GRACE_NS UINT64_C(400000000)

void joined_watch_signals(sigset_t *signals)
{
    sigemptyset(signals);
    sigaddset(signals, SIGTERM);
    sigaddset(signals, SIGINT);
    sigaddset(signals, SIGHUP);
}

/* ---- what is told ---- */

/* What is told of a rank that is ended from outside. */
static void tell_signal(const struct joined_watch *watch, struct rank_failure *failure)
{
    snprintf(
        failure->detail, sizeof failure->detail,
        "ended from outside by signal %d (%s), as mpirun and srun do when they are interrupted "
        "or another rank is lost",
        watch->signal, strsignal(watch->signal));
}

static void tell_alone(const struct joined_watch *watch, struct rank_failure *failure)
{
    *failure = (struct rank_failure){.kind = RANK_FAILURE_TIMEOUT,
                                     .phase = watch->own->phase,
                                     .rank = -1,
                                     .step = watch->own->step};
    snprintf(failure->detail, sizeof failure->detail,
             "rank 0 completed no step or other part of its work within %g s; it may wait for "
             "another, which cannot be told: rank 0 does not hear every rank over the network",
             watchdog_allowed_s(&watch->watchdog));
}

/* A rank of which nothing was heard for half the time, the longest of them; -1: none. Its process
 * is stopped, or its host is gone. */
static int64_t silent_rank(const struct joined_watch *watch, double *silent_s)
{
    const uint64_t now_ns = stopwatch_ns();
    int64_t silent = -1;
    *silent_s = watchdog_allowed_s(&watch->watchdog) / 2;
    for (uint64_t rank = 1; rank < watch->link.world_size; rank++) {
        double passed_s = (double)(now_ns - watch->link.heard_ns[rank]) / 1e9;
        if (passed_s > *silent_s) {
            silent = (int64_t)rank;
            *silent_s = passed_s;
        }
    }
    return silent;
}

static void tell_hung(struct joined_watch *watch, struct rank_failure *failure)
{
    double silent_s;
    if (!joined_link_is_whole(&watch->link)) {
        tell_alone(watch, failure);
        return;
    }
    const int64_t silent = silent_rank(watch, &silent_s);
    const struct launcher_end end = {
        .timed_out = true,
        .allowed_s = watchdog_allowed_s(&watch->watchdog),
        .culprit = silent >= 0 ? silent : watchdog_culprit(&watch->board, NULL),
        .lost = -1,
        .said = "",
    };
    launcher_verdict(&watch->board, &end, failure);
    if (silent >= 0 && failure->kind == RANK_FAILURE_TIMEOUT)
        snprintf(
            failure->detail, sizeof failure->detail,
            "no sign of life for %.1f s: its process is stopped, or its host cannot be reached",
            silent_s);
}

/* A lost rank was last heard a moment before its end. It had come at least as far as rank 0, which
 * waits for it. */
static void tell_lost(const struct joined_watch *watch, struct rank_failure *failure)
{
    const struct joined_link *link = &watch->link;
    if (watch->own->step > failure->step) {
        failure->step = watch->own->step;
        failure->phase = watch->own->phase;
    }
    if (link->lost < 0)
        snprintf(failure->detail, sizeof failure->detail, "ended from outside by signal %d (%s)",
                 link->left_signal, strsignal(link->left_signal));
}

static void tell_failed(struct joined_watch *watch, struct rank_failure *failure)
{
    const struct joined_link *link = &watch->link;
    /* A rank that was lost is why the others are ended; one that is ended is lost where nobody
     * ended this one. */
    const bool is_ended = link->lost < 0 && watch->signal != 0;
    const struct launcher_end end = {
        .signal = is_ended ? watch->signal : 0,
        .culprit = -1,
        .lost = link->lost >= 0 ? link->lost : link->left,
        .said = "",
    };
    /* The turn is not over, whatever the records say: not all of them have come. */
    rank_board_at(&watch->board, 0)->complete = false;
    launcher_verdict(&watch->board, &end, failure);
    if (failure->kind == RANK_FAILURE_INTERRUPTED)
        tell_signal(watch, failure);
    else if (failure->kind == RANK_FAILURE_RANK_LOST && end.lost >= 0)
        tell_lost(watch, failure);
}

/* ---- the watch ---- */

static bool any_failed(const struct rank_board *board)
{
    for (uint64_t rank = 0; rank < board->world_size; rank++)
        if (rank_board_at(board, rank)->failure.kind != RANK_FAILURE_NONE)
            return true;
    return false;
}

/* Rank 0's own record to the board. Its samples come at the end: they are long. */
static void copy_own(struct joined_watch *watch, bool with_samples)
{
    struct rank_record *record = rank_board_at(&watch->board, 0);
    enum rank_failure_kind kind = __atomic_load_n(&watch->own->failure.kind, __ATOMIC_ACQUIRE);
    uint64_t count = __atomic_load_n(&watch->own->step_count, __ATOMIC_ACQUIRE);
    *record = *watch->own;
    record->failure.kind = kind;
    record->step_count = count;
    if (with_samples)
        memcpy(record->steps, watch->own->steps, count * sizeof *record->steps);
}

/* Ranks that are not heard would look as if they hung: then rank 0 watches itself alone. */
static bool is_late(struct joined_watch *watch)
{
    struct rank_board board = watch->board;
    if (!joined_link_is_whole(&watch->link))
        board.world_size = 1;
    return watchdog_check(&watch->watchdog, &board, stopwatch_ns());
}

static void look(struct joined_watch *watch)
{
    struct rank_failure failure;
    const uint64_t now_ns = stopwatch_ns();
    copy_own(watch, false);
    const bool is_wrong = watch->signal != 0 || watch->link.lost >= 0 || watch->link.left >= 0 ||
                          any_failed(&watch->board);
    if (is_wrong && watch->failed_ns == 0)
        watch->failed_ns = now_ns;
    if (watch->failed_ns != 0) {
        if (now_ns - watch->failed_ns < GRACE_NS)
            return;
        copy_own(watch, true);
        tell_failed(watch, &failure);
    } else if (is_late(watch)) {
        copy_own(watch, true);
        tell_hung(watch, &failure);
    } else {
        return;
    }
    watch->end(watch->context, &failure);
}

static void *watch_thread(void *argument)
{
    struct joined_watch *watch = argument;
    const struct timespec tick = {.tv_nsec = TICK_NS};
    sigset_t signals;
    joined_watch_signals(&signals);
    while (!atomic_load(&watch->stop)) {
        int number = sigtimedwait(&signals, NULL, &tick);
        pthread_mutex_lock(&watch->lock);
        if (number > 0 && watch->signal == 0)
            watch->signal = number;
        joined_link_receive(&watch->link, watch->own != NULL ? &watch->board : NULL, watch->turn);
        if (watch->own != NULL)
            look(watch);
        pthread_mutex_unlock(&watch->lock);
    }
    return NULL;
}

enum status joined_watch_start(struct joined_watch *watch, uint64_t world_size, struct diag *diag)
{
    sigset_t signals;
    enum status status = joined_link_open(&watch->link, world_size, diag);
    if (status != STATUS_OK)
        return status;
    joined_watch_signals(&signals);
    int error_number = pthread_mutex_init(&watch->lock, NULL);
    if (error_number == 0)
        error_number = pthread_sigmask(SIG_BLOCK, &signals, NULL);
    if (error_number == 0)
        error_number = pthread_create(&watch->thread, NULL, watch_thread, watch);
    if (error_number != 0)
        return diag_set(diag, STATUS_ENVIRONMENT, "cannot start a thread: %s",
                        diag_reason(error_number));
    watch->running = true;
    return STATUS_OK;
}

void joined_watch_begin(struct joined_watch *watch, const struct rank_record *own,
                        const struct rank_board *board)
{
    pthread_mutex_lock(&watch->lock);
    watch->board = *board;
    watch->own = own;
    watch->turn++;
    watchdog_start(&watch->watchdog, watch->timeout_s, stopwatch_ns());
    pthread_mutex_unlock(&watch->lock);
}

void joined_watch_end(struct joined_watch *watch)
{
    pthread_mutex_lock(&watch->lock);
    watch->own = NULL;
    rank_board_fini(&watch->board);
    pthread_mutex_unlock(&watch->lock);
}

void joined_watch_stop(struct joined_watch *watch)
{
    if (watch->running) {
        atomic_store(&watch->stop, true);
        (void)pthread_join(watch->thread, NULL);
        pthread_mutex_destroy(&watch->lock);
        watch->running = false;
    }
    joined_link_fini(&watch->link);
}
