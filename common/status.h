#ifndef RANKLEDGER_STATUS_H
#define RANKLEDGER_STATUS_H

/*
 * What a function that can fail returns. The values are the exit codes of the programs, so that
 * main has nothing to translate.
 */
enum status {
    STATUS_OK = 0,          /* done */
    STATUS_NEGATIVE = 1,    /* done, and the answer is no */
    STATUS_USAGE = 2,       /* the command line is wrong */
    STATUS_INPUT = 3,       /* a named input is unreadable, or nothing matched */
    STATUS_ENVIRONMENT = 4, /* output not writable, memory exhausted, a library refused */
    STATUS_BUG = 5,         /* our fault */
    /* Only where analyze --exit-code asks for the decision as exit code. */
    STATUS_TUNE = 6,         /* the decision is tune */
    STATUS_INVALID_INPUT = 7 /* sources were invalid */
};

#define STATUS_CHECKED __attribute__((warn_unused_result))

#endif
