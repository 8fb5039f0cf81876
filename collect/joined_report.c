#include "joined_report.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "joined_watch.h"
#include "stopwatch.h"

#define TICK_NS 50000000
/* Often against any timeout, and seldom enough for rank 0, which reads what all ranks send. */
#define PERIOD_NS UINT64_C(200000000)
#define PERIOD_OF_A_RANK_NS UINT64_C(5000000)
/* Rank 0 answers at its next tick; an address that leads nowhere is given up after that. */
#define CONNECT_MS 3000
/* Longer than mpirun waits before it kills, and than rank 0 needs. */
#define LINGER_NS UINT64_C(5000000000)

/* ---- connecting ---- */

static socklen_t length_of(const struct sockaddr_storage *address)
{
    return address->ss_family == AF_INET6 ? sizeof(struct sockaddr_in6)
                                          : sizeof(struct sockaddr_in);
}

/* Says hello to all addresses at once: which of them lead to rank 0 from here is not known. */
static void call_all(const struct joined_link_address *address, struct pollfd *calls)
{
    for (uint64_t i = 0; i < address->count; i++) {
        const struct sockaddr_storage *at = &address->at[i];
        calls[i].fd = socket(at->ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
        calls[i].events = POLLOUT;
        if (calls[i].fd >= 0 &&
            connect(calls[i].fd, (const struct sockaddr *)at, length_of(at)) != 0 &&
            errno != EINPROGRESS) {
            close(calls[i].fd);
            calls[i].fd = -1;
        }
    }
}

/* One step on with a connection that is ready; true if rank 0 has answered on it. */
static bool talk(struct pollfd *call, const struct joined_link_address *address,
                 const struct joined_link_hello *hello)
{
    unsigned char answer[JOINED_LINK_SECRET];
    if (call->events == POLLOUT) {
        call->events = POLLIN;
        if (send(call->fd, hello, sizeof *hello, MSG_NOSIGNAL) == (ssize_t)sizeof *hello)
            return false;
    } else if (recv(call->fd, answer, sizeof answer, 0) == (ssize_t)sizeof answer &&
               memcmp(answer, address->answer, sizeof answer) == 0) {
        return true;
    }
    close(call->fd);
    call->fd = -1;
    return false;
}

static bool any_is_open(const struct pollfd *calls, nfds_t count)
{
    for (nfds_t i = 0; i < count; i++)
        if (calls[i].fd >= 0)
            return true;
    return false;
}

/* The socket on which rank 0 answered first; -1: none within the time. */
static int find(const struct joined_link_address *address, const struct joined_link_hello *hello)
{
    struct pollfd calls[JOINED_LINK_ADDRESSES];
    const nfds_t count = (nfds_t)address->count;
    const uint64_t end_ns = stopwatch_ns() + CONNECT_MS * UINT64_C(1000000);
    int found = -1;
    call_all(address, calls);
    while (found < 0 && any_is_open(calls, count) && stopwatch_ns() < end_ns &&
           poll(calls, count, TICK_NS / 1000000) >= 0)
        for (nfds_t i = 0; i < count && found < 0; i++)
            if (calls[i].fd >= 0 && calls[i].revents != 0 && talk(&calls[i], address, hello))
                found = calls[i].fd;
    for (nfds_t i = 0; i < count; i++)
        if (calls[i].fd >= 0 && calls[i].fd != found)
            close(calls[i].fd);
    return found;
}

/* ---- sending ---- */

static void hang_up(struct joined_report *report)
{
    close(report->socket);
    report->socket = -1;
}

/* All of it, waiting for as long as rank 0 is busy. */
static void send_all(struct joined_report *report, const void *bytes, size_t size)
{
    const unsigned char *at = bytes;
    while (size > 0) {
        struct pollfd ready = {.fd = report->socket, .events = POLLOUT};
        ssize_t count = send(report->socket, at, size, MSG_NOSIGNAL);
        if (count < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR) {
            hang_up(report);
            return;
        }
        if (count < 0) {
            (void)poll(&ready, 1, -1);
            continue;
        }
        at += count;
        size -= (size_t)count;
    }
}

/* The record as it stands; a failure that is being written is left for the next time. */
static void copy_head(struct joined_report *report, unsigned char *head)
{
    const struct rank_record *record = report->record;
    enum rank_failure_kind kind = __atomic_load_n(&record->failure.kind, __ATOMIC_ACQUIRE);
    memcpy(head, record, sizeof *record);
    memcpy(head + offsetof(struct rank_record, failure.kind), &kind, sizeof kind);
    report->has_told_failure = kind != RANK_FAILURE_NONE;
}

/* The record and its next samples; how many of these are left. */
static uint64_t tell_part(struct joined_report *report, int ended_by)
{
    const struct rank_record *record = report->record;
    struct joined_link_report *message = &report->message;
    uint64_t left = 0;
    *message = (struct joined_link_report){.signal = (uint64_t)ended_by};
    if (record != NULL) {
        left = __atomic_load_n(&record->step_count, __ATOMIC_ACQUIRE) - report->sent_steps;
        message->turn = report->turn;
        message->first_step = report->sent_steps;
        message->steps = left < JOINED_LINK_STEPS ? left : JOINED_LINK_STEPS;
        memcpy(message->samples, &record->steps[report->sent_steps],
               message->steps * sizeof *message->samples);
        copy_head(report, message->head);
    }
    send_all(report, message, sizeof *message);
    report->sent_steps += message->steps;
    return left - message->steps;
}

static void tell(struct joined_report *report, int ended_by)
{
    while (tell_part(report, ended_by) > 0 && report->socket >= 0)
        ;
    report->sent_ns = stopwatch_ns();
}

/* A failure is told at once, everything else at its time. */
static bool is_due(const struct joined_report *report)
{
    const struct rank_record *record = report->record;
    if (report->socket < 0)
        return false;
    if (record != NULL && !report->has_told_failure &&
        __atomic_load_n(&record->failure.kind, __ATOMIC_ACQUIRE) != RANK_FAILURE_NONE)
        return true;
    return stopwatch_ns() - report->sent_ns >= report->period_ns;
}

/* Where rank 0 has ended nobody writes evidence, and a rank that waits for it would wait for ever
 * (mpirun ends such ranks, srun only if it is told to). */
static void leave_if_alone(const struct joined_report *report)
{
    char byte;
    if (report->socket >= 0 &&
        recv(report->socket, &byte, sizeof byte, MSG_PEEK | MSG_DONTWAIT) == 0)
        _exit(STATUS_ENVIRONMENT);
}

/*
 * A signal is told and not obeyed at once: mpirun signals its ranks one by one, gives them a
 * second, and takes what is left of it away as soon as one of them has ended; but rank 0 has
 * evidence to write.
 */
static void *report_thread(void *argument)
{
    struct joined_report *report = argument;
    const struct timespec tick = {.tv_nsec = TICK_NS};
    uint64_t signalled_ns = 0;
    int ended_by = 0;
    sigset_t signals;
    joined_watch_signals(&signals);
    while (!atomic_load(&report->stop)) {
        int number = sigtimedwait(&signals, NULL, &tick);
        bool is_new = number > 0 && ended_by == 0;
        if (is_new) {
            ended_by = number;
            signalled_ns = stopwatch_ns();
        }
        pthread_mutex_lock(&report->lock);
        if (report->socket >= 0 && (is_new || is_due(report)))
            tell(report, ended_by);
        leave_if_alone(report);
        pthread_mutex_unlock(&report->lock);
        if (ended_by != 0 && stopwatch_ns() - signalled_ns > LINGER_NS)
            _exit(128 + ended_by); /* as a shell says it */
    }
    return NULL;
}

/* ---- the thread ---- */

bool joined_report_connect(struct joined_report *report, const struct joined_link_address *address)
{
    struct joined_link_hello hello = {.rank = report->rank};
    memcpy(hello.secret, address->secret, sizeof hello.secret);
    int found = address->count <= JOINED_LINK_ADDRESSES ? find(address, &hello) : -1;
    if (found < 0)
        return false;
    pthread_mutex_lock(&report->lock);
    report->socket = found;
    tell(report, 0); /* so that rank 0 knows which connection it is */
    pthread_mutex_unlock(&report->lock);
    return true;
}

enum status joined_report_start(struct joined_report *report, uint64_t rank, uint64_t world_size,
                                struct diag *diag)
{
    sigset_t signals;
    *report = (struct joined_report){
        .socket = -1, .rank = rank, .period_ns = PERIOD_NS + world_size * PERIOD_OF_A_RANK_NS};
    joined_watch_signals(&signals);
    int error_number = pthread_mutex_init(&report->lock, NULL);
    if (error_number == 0)
        error_number = pthread_sigmask(SIG_BLOCK, &signals, NULL);
    if (error_number == 0)
        error_number = pthread_create(&report->thread, NULL, report_thread, report);
    if (error_number != 0)
        return diag_set(diag, STATUS_ENVIRONMENT, "cannot start a thread: %s",
                        diag_reason(error_number));
    report->is_running = true;
    return STATUS_OK;
}

void joined_report_begin(struct joined_report *report, const struct rank_record *record)
{
    pthread_mutex_lock(&report->lock);
    report->record = record;
    report->turn++;
    report->sent_steps = 0;
    report->has_told_failure = false;
    if (report->socket >= 0)
        tell(report, 0); /* at once: who and where a rank is must be known if it dies early */
    pthread_mutex_unlock(&report->lock);
}

void joined_report_end(struct joined_report *report)
{
    pthread_mutex_lock(&report->lock);
    report->record = NULL;
    pthread_mutex_unlock(&report->lock);
}

void joined_report_stop(struct joined_report *report)
{
    if (!report->is_running)
        return;
    atomic_store(&report->stop, true);
    (void)pthread_join(report->thread, NULL);
    if (report->socket >= 0)
        hang_up(report);
    pthread_mutex_destroy(&report->lock);
    report->is_running = false;
}
