#include "joined_watch.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "stopwatch.h"
#include "watchdog.h"

#define TICK_NS 50000000

static void watched_signals(sigset_t *signals)
{
    sigemptyset(signals);
    sigaddset(signals, SIGTERM);
    sigaddset(signals, SIGINT);
    sigaddset(signals, SIGHUP);
}

/* What is told of a rank that is ended from outside: where it stood. */
static void ended_by(const struct rank_record *record, int number, struct rank_failure *failure)
{
    *failure = (struct rank_failure){
        .kind = RANK_FAILURE_INTERRUPTED, .phase = record->phase, .rank = -1, .step = record->step};
    snprintf(
        failure->detail, sizeof failure->detail,
        "ended from outside by signal %d (%s), as mpirun and srun do when they are interrupted "
        "or another rank is lost",
        number, strsignal(number));
}

static void hung(const struct rank_record *record, double allowed_s, struct rank_failure *failure)
{
    *failure = (struct rank_failure){
        .kind = RANK_FAILURE_TIMEOUT, .phase = record->phase, .rank = -1, .step = record->step};
    snprintf(
        failure->detail, sizeof failure->detail,
        "rank 0 completed no step or other part of its work within %g s; it may wait for another",
        allowed_s);
}

static void *watch_thread(void *argument)
{
    struct joined_watch *watch = argument;
    const struct timespec tick = {.tv_nsec = TICK_NS};
    const struct rank_board *last = NULL;
    struct watchdog watchdog = {0};
    struct rank_failure failure;
    sigset_t signals;
    watched_signals(&signals);
    while (!atomic_load(&watch->stop)) {
        int number = sigtimedwait(&signals, NULL, &tick);
        const struct rank_board *board = atomic_load(&watch->board);
        if (board != last)
            watchdog_start(&watchdog, watch->timeout_s, stopwatch_ns());
        last = board;
        if (board == NULL)
            continue;
        if (number > 0)
            ended_by(rank_board_at(board, 0), number, &failure);
        else if (watchdog_check(&watchdog, board, stopwatch_ns()))
            hung(rank_board_at(board, 0), watchdog_allowed_s(&watchdog), &failure);
        else
            continue;
        if (joined_watch_claim(watch))
            watch->end(watch->context, &failure);
    }
    return NULL;
}

enum status joined_watch_start(struct joined_watch *watch, struct diag *diag)
{
    sigset_t signals;
    watched_signals(&signals);
    int error_number = pthread_sigmask(SIG_BLOCK, &signals, NULL);
    if (error_number == 0)
        error_number = pthread_create(&watch->thread, NULL, watch_thread, watch);
    if (error_number != 0)
        return diag_set(diag, STATUS_ENVIRONMENT, "cannot start a thread: %s",
                        diag_reason(error_number));
    watch->running = true;
    return STATUS_OK;
}

bool joined_watch_claim(struct joined_watch *watch)
{
    return !atomic_exchange(&watch->ending, true);
}

void joined_watch_release(struct joined_watch *watch)
{
    atomic_store(&watch->ending, false);
}

void joined_watch_stop(struct joined_watch *watch)
{
    if (!watch->running)
        return;
    atomic_store(&watch->stop, true);
    (void)pthread_join(watch->thread, NULL);
    watch->running = false;
}
