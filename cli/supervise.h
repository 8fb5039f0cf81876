#ifndef RANKLEDGER_SUPERVISE_H
#define RANKLEDGER_SUPERVISE_H

#include <signal.h>
#include <stdbool.h>

#include "diag.h"

/*
 * Work in a child process, so that the death of a library below it (GLib ends the process when
 * memory is exhausted) becomes an error like any other, and cleaning up is left to a process that
 * is still sound. While supervised, an interrupt (SIGINT, SIGTERM, SIGHUP) ends the child and is
 * an error too; it cannot come between the steps of the parent's own work.
 */
struct supervise {
    sigset_t signals;  /* those waited for */
    sigset_t previous; /* the mask to restore */
};

/* What the child hands back. */
struct supervise_reply {
    enum status status;
    bool flag; /* for the work's own use */
    struct diag diag;
};

/* Holds interrupts back from now on. */
enum status supervise_begin(struct supervise *supervise, struct diag *diag) STATUS_CHECKED;

/*
 * Runs `work` in a child and waits for it. Returns its status with its message in `diag`;
 * STATUS_ENVIRONMENT if it died or was interrupted. `what` says for a message what was being done
 * ("rendering the report").
 */
enum status supervise_run(const struct supervise *supervise, const char *what,
                          void (*work)(void *context, struct supervise_reply *reply), void *context,
                          bool *flag, struct diag *diag) STATUS_CHECKED;

/* Lets interrupts through again; one that came meanwhile takes effect now. */
void supervise_end(const struct supervise *supervise);

#endif
