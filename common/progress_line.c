#include "progress_line.h"

#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#define FIRST_MS 300 /* what is done by then needs no progress */
#define EVERY_MS 100

/* ECMA-48: carriage return, erase to the end of the line. */
static const char erase[] = "\r\033[K";

struct progress_line {
    bool on;
    bool shown;       /* guarded by the lock */
    uint64_t next_ms; /* when it may be shown again; guarded by the lock */
    pthread_mutex_t lock;
    bool guarded; /* a thread waits for interrupts */
    pthread_t guard;
    sigset_t interrupts, before;
};

static uint64_t now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/* What a terminal does not take is no reason to stop. */
static void print(const char *text, size_t length)
{
    ssize_t written = write(STDERR_FILENO, text, length);
    (void)written;
}

static bool is_wanted(void)
{
    const char *no_colour = getenv("NO_COLOR");
    const char *terminal = getenv("TERM");
    return (no_colour == NULL || no_colour[0] == '\0') && isatty(STDERR_FILENO) &&
           (terminal == NULL || strcmp(terminal, "dumb") != 0);
}

/* With the lock. */
static void take_away(struct progress_line *progress)
{
    if (progress->shown)
        print(erase, sizeof erase - 1);
    progress->shown = false;
}

/* Waits for an interrupt. Whoever writes into a pipe that nobody reads holds the lock for ever: a
 * second is enough for everybody else. */
static void *guard(void *argument)
{
    struct progress_line *progress = argument;
    int signal_number = 0;
    if (sigwait(&progress->interrupts, &signal_number) != 0)
        return NULL;
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec++;
    if (pthread_mutex_timedlock(&progress->lock, &until) == 0)
        take_away(progress);
    sigset_t one;
    sigemptyset(&one);
    sigaddset(&one, signal_number);
    signal(signal_number, SIG_DFL);
    pthread_sigmask(SIG_UNBLOCK, &one, NULL);
    raise(signal_number);
    return NULL;
}

/* One that the caller lets us ignore stays ignored. */
static void collect_interrupts(sigset_t *set)
{
    static const int interrupts[] = {SIGINT, SIGTERM, SIGHUP};
    sigemptyset(set);
    for (size_t i = 0; i < sizeof interrupts / sizeof interrupts[0]; i++) {
        struct sigaction current;
        if (sigaction(interrupts[i], NULL, &current) == 0 && current.sa_handler != SIG_IGN)
            sigaddset(set, interrupts[i]);
    }
}

struct progress_line *progress_line_create(void)
{
    struct progress_line *progress = is_wanted() ? calloc(1, sizeof *progress) : NULL;
    if (progress == NULL)
        return NULL;
    progress->on = true;
    progress->next_ms = now_ms() + FIRST_MS;
    pthread_mutex_init(&progress->lock, NULL);
    collect_interrupts(&progress->interrupts);
    if (pthread_sigmask(SIG_BLOCK, &progress->interrupts, &progress->before) != 0)
        return progress;
    progress->guarded = pthread_create(&progress->guard, NULL, guard, progress) == 0;
    if (!progress->guarded)
        pthread_sigmask(SIG_SETMASK, &progress->before, NULL);
    return progress;
}

/* A line that is longer than the terminal goes on in the next, and only that one is erased. */
static size_t room(void)
{
    struct winsize size;
    bool known = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1;
    return known ? (size_t)size.ws_col - 1 : SIZE_MAX;
}

void progress_line_show(struct progress_line *progress, const char *format, ...)
{
    char line[128];
    if (progress == NULL || !progress->on || pthread_mutex_trylock(&progress->lock) != 0)
        return;
    uint64_t now = now_ms();
    if (now >= progress->next_ms) {
        size_t length = sizeof erase - 1;
        memcpy(line, erase, length);
        va_list arguments;
        va_start(arguments, format);
        int more = vsnprintf(line + length, sizeof line - length, format, arguments);
        va_end(arguments);
        size_t columns = room();
        size_t shown = strlen(line) - length; /* ASCII */
        if (more > 0)
            print(line, length + (shown < columns ? shown : columns));
        progress->shown = true;
        progress->next_ms = now + EVERY_MS;
    }
    pthread_mutex_unlock(&progress->lock);
}

void progress_line_hold(struct progress_line *progress)
{
    if (progress == NULL || !progress->on)
        return;
    pthread_mutex_lock(&progress->lock);
    take_away(progress);
}

void progress_line_release(struct progress_line *progress)
{
    if (progress != NULL && progress->on)
        pthread_mutex_unlock(&progress->lock);
}

void progress_line_end(struct progress_line *progress)
{
    if (progress == NULL || !progress->on)
        return;
    progress_line_hold(progress);
    progress_line_release(progress);
    if (progress->guarded) {
        pthread_cancel(progress->guard);
        pthread_join(progress->guard, NULL);
        pthread_sigmask(SIG_SETMASK, &progress->before, NULL);
    }
    pthread_mutex_destroy(&progress->lock);
    progress->on = false;
}

void progress_line_destroy(struct progress_line *progress)
{
    progress_line_end(progress);
    free(progress);
}
