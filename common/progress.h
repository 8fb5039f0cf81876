#ifndef RANKLEDGER_PROGRESS_H
#define RANKLEDGER_PROGRESS_H

/*
 * One line on standard error that says how far a long run has come, where that is a terminal and
 * NO_COLOR is not set. Whoever writes results meanwhile holds it (progress_hold), so that they
 * never stand behind it in one line and an interrupt (SIGINT, SIGTERM, SIGHUP) comes between whole
 * writes: it takes the line away and then ends the program as ever. The same thread creates, ends
 * and destroys, any may show and hold; NULL is allowed everywhere and does nothing.
 */
struct progress;

/* NULL if none is wanted, or memory is exhausted. Before threads are started, which shall leave
 * interrupts to the one that waits for them. */
struct progress *progress_create(void);

/* Shows the line if the last one is old enough. */
void progress_show(struct progress *progress, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

void progress_hold(struct progress *progress);
void progress_release(struct progress *progress);

/* Takes the line away for good; interrupts are again as they were. */
void progress_end(struct progress *progress);

/* Ends it, if that was not done, and releases it. */
void progress_destroy(struct progress *progress);

#endif
