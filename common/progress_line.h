#ifndef RANKLEDGER_PROGRESS_LINE_H
#define RANKLEDGER_PROGRESS_LINE_H

/*
 * One line on standard error that says how far a long run has come, where that is a terminal and
 * NO_COLOR is not set. Whoever writes results meanwhile holds it (progress_line_hold), so that they
 * never stand behind it in one line and an interrupt (SIGINT, SIGTERM, SIGHUP) comes between whole
 * writes: it takes the line away and then ends the program as ever. The same thread creates, ends
 * and destroys, any may show and hold; NULL is allowed everywhere and does nothing.
 */
struct progress_line;

/* NULL if none is wanted, or memory is exhausted. Before threads are started, which shall leave
 * interrupts to the one that waits for them. */
struct progress_line *progress_line_create(void);

/* Shows the line if the last one is old enough. */
void progress_line_show(struct progress_line *progress, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

void progress_line_hold(struct progress_line *progress);
void progress_line_release(struct progress_line *progress);

/* Takes the line away for good; interrupts are again as they were. */
void progress_line_end(struct progress_line *progress);

/* Ends it, if that was not done, and releases it. */
void progress_line_destroy(struct progress_line *progress);

#endif
