#ifndef RANKLEDGER_PROGRESS_H
#define RANKLEDGER_PROGRESS_H

#include "rank_record.h"

/*
 * One line on a terminal that says how far a strategy is: "zero1  step 7/12  16,500 tokens/s  12 s
 * left". Nothing where standard error is no terminal, is a dumb one, or NO_COLOR is set.
 */
struct progress {
    bool enabled;
    const char *name;       /* of the strategy */
    uint64_t round, rounds; /* from 0 */
    uint64_t steps;         /* of a round, warm-up included */
    double tokens;          /* of a step, over all ranks */
    bool drawn;             /* there is a line to wipe */
};

void progress_start(struct progress *progress);
/* Draws the line anew; `context` is the struct progress (as launcher_job's look). */
void progress_look(void *context, const struct rank_board *board);
/* Wipes it. */
void progress_end(struct progress *progress);

/* The line's text as it would be drawn; returns `text`. */
const char *progress_line(const struct progress *progress, const struct rank_board *board,
                          char *text, size_t size);

#endif
