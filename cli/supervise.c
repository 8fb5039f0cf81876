#include "supervise.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static const int interrupts[] = {SIGINT, SIGTERM, SIGHUP};

enum status supervise_begin(struct supervise *supervise, struct diag *diag)
{
    struct sigaction action = {.sa_handler = SIG_DFL};
    sigemptyset(&supervise->signals);
    sigaddset(&supervise->signals, SIGCHLD);
    for (size_t i = 0; i < sizeof interrupts / sizeof interrupts[0]; i++) {
        struct sigaction current;
        /* One that the caller's shell lets us ignore stays ignored. */
        if (sigaction(interrupts[i], NULL, &current) == 0 && current.sa_handler != SIG_IGN)
            sigaddset(&supervise->signals, interrupts[i]);
    }
    /* With SIGCHLD ignored a child would leave no status. */
    if (sigaction(SIGCHLD, &action, NULL) != 0 ||
        sigprocmask(SIG_BLOCK, &supervise->signals, &supervise->previous) != 0)
        return diag_set(diag, STATUS_ENVIRONMENT, "cannot hold back signals: %s", strerror(errno));
    return STATUS_OK;
}

void supervise_end(const struct supervise *supervise)
{
    (void)sigprocmask(SIG_SETMASK, &supervise->previous, NULL);
}

/* The child: no core file for a failure that is expected, and no life after its parent. */
static void prepare_child(const struct supervise *supervise)
{
    const struct rlimit none = {0, 0};
    (void)setrlimit(RLIMIT_CORE, &none);
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    (void)sigprocmask(SIG_SETMASK, &supervise->previous, NULL);
}

/* Waits until the child has ended; *signal is the interrupt that came first, or 0. */
static int wait_for(const struct supervise *supervise, pid_t child, int *signal)
{
    int state = 0;
    for (;;) {
        pid_t ended = waitpid(child, &state, WNOHANG);
        if (ended == child || (ended < 0 && errno != EINTR))
            return state;
        int received = sigwaitinfo(&supervise->signals, NULL);
        if (received > 0 && received != SIGCHLD) {
            *signal = *signal == 0 ? received : *signal;
            (void)kill(child, SIGKILL);
        }
    }
}

static enum status judge(const struct supervise_reply *reply, const char *what, int state,
                         int signal, struct diag *diag)
{
    if (signal != 0)
        return diag_set(diag, STATUS_ENVIRONMENT, "interrupted (%s) while %s", strsignal(signal),
                        what);
    if (WIFSIGNALED(state) && (WTERMSIG(state) == SIGINT || WTERMSIG(state) == SIGTERM))
        return diag_set(diag, STATUS_ENVIRONMENT, "interrupted (%s) while %s",
                        strsignal(WTERMSIG(state)), what);
    if (WIFSIGNALED(state))
        return diag_set(diag, STATUS_ENVIRONMENT,
                        "a library gave up while %s (%s): memory may be exhausted", what,
                        strsignal(WTERMSIG(state)));
    if (!WIFEXITED(state) || WEXITSTATUS(state) != 0)
        return diag_set(diag, STATUS_ENVIRONMENT, "%s ended without a result (exit code %d)", what,
                        WIFEXITED(state) ? WEXITSTATUS(state) : -1);
    if (reply->status != STATUS_OK)
        return diag_set(diag, reply->status, "%s",
                        reply->diag.text[0] != '\0' ? reply->diag.text : "the work gave no result");
    return STATUS_OK;
}

enum status supervise_run(const struct supervise *supervise, const char *what,
                          void (*work)(void *context, struct supervise_reply *reply), void *context,
                          bool *flag, struct diag *diag)
{
    struct supervise_reply *reply =
        mmap(NULL, sizeof *reply, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (reply == MAP_FAILED)
        return diag_no_memory(diag);
    reply->status = STATUS_BUG; /* until the work says something else */
    (void)fflush(NULL);         /* else the child would own a copy of what is not written yet */
    pid_t child = fork();
    if (child == 0) {
        prepare_child(supervise);
        work(context, reply);
        _exit(0);
    }
    enum status status;
    if (child < 0) {
        status = diag_set(diag, STATUS_ENVIRONMENT, "cannot start a process: %s", strerror(errno));
    } else {
        int signal = 0;
        int state = wait_for(supervise, child, &signal);
        status = judge(reply, what, state, signal, diag);
    }
    if (status == STATUS_OK)
        *flag = reply->flag;
    (void)munmap(reply, sizeof *reply);
    return status;
}
