#ifndef RANKLEDGER_PROGRAM_H
#define RANKLEDGER_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>

#include "diag.h"

/* What a program of several commands does before one of them runs: its help, its version, and
 * what it says to a command that it does not have. */
struct program_command {
    const char *name;
    enum status (*run)(int argc, char **argv, struct diag *diag);
    const char *summary;
};

struct program {
    const char *name;       /* "rankledger" */
    const char *purpose;    /* for the manual: a phrase */
    const char *about;      /* a sentence, in lines */
    const char *operands;   /* for the usage line: "[OPTION...] [PATH...]" */
    const char *exit_codes; /* one a line */
    bool whole_line; /* commands get the whole command line, not what stands after their name */
    const struct program_command *commands;
    size_t command_count;
};

/* Runs a command with the program's whole command line. */
enum status program_run(const struct program *program, const struct program_command *command,
                        int argc, char **argv, struct diag *diag) STATUS_CHECKED;

/* Says on standard error why a command failed. That is in the log of a CI run, too: no path that it
 * names can be read as a command there. */
void program_complain(const struct program *program, const struct diag *diag);

/*
 * The command that argv[1] names, in *command; the caller runs it. NULL where help or the version
 * was asked for, which is printed. STATUS_USAGE without a command or for one that is unknown (the
 * nearest is named).
 */
enum status program_choose(const struct program *program, int argc, char **argv,
                           const struct program_command **command,
                           struct diag *diag) STATUS_CHECKED;

#endif
