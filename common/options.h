#ifndef RANKLEDGER_OPTIONS_H
#define RANKLEDGER_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "diag.h"

/*
 * The rules, where programs differ: an option other than a list may be given once; a flag takes no
 * value; a value that begins with a dash (but for "-" and negative numbers) is written
 * --name=VALUE, so that a forgotten value does not swallow the next option.
 *
 * One table a command: it parses, checks, prints the help and echoes what was given, so that none
 * of these can disagree. Long options as `--name value` and `--name=value`; `-h`/`--help`; `--`
 * ends options; options and operands may mix. A usage fault is STATUS_USAGE with one line that says
 * what to type (an unknown option names the nearest known one).
 */
enum options_type {
    OPTIONS_FLAG,   /* bool: present or not */
    OPTIONS_TEXT,   /* const char *: borrowed from argv */
    OPTIONS_LIST,   /* struct options_list: every occurrence */
    OPTIONS_NUMBER, /* double, finite, >= minimum and <= maximum */
    OPTIONS_COUNT,  /* int64_t, >= minimum and <= maximum */
    OPTIONS_CHOICE  /* int: index into `choices` */
};

struct options_list {
    const char **values; /* owned: released by options_fini */
    size_t count;
    size_t capacity;
};

struct options_row {
    const char *name; /* without the dashes; a single-letter name is written with one dash */
    enum options_type type;
    const char *argument;    /* for the help: "FILE", "N", "text|json|junit"; NULL for a flag */
    const char *help;        /* one line */
    void *value;             /* where the value goes; initialised by the caller with the default */
    bool *given;             /* optional: set when the option was given */
    double minimum, maximum; /* NUMBER, COUNT; both 0: not negative; maximum 0 or INFINITY with a
                                minimum above 0: no upper limit */
    const char *const *choices; /* CHOICE: NULL-terminated */
};

struct options_command {
    const char *program;  /* "rankledger" */
    const char *name;     /* "validate"; "" or NULL for the program itself */
    const char *operands; /* for the usage line: "PATH..."; "" or NULL: none are accepted */
    const char *summary;  /* one sentence */
    const char *notes;    /* more lines for the help, or NULL: examples, exit codes */
    const struct options_row *rows;
    size_t row_count; /* at most OPTIONS_MAX_ROWS */
    /* Optional: is told every usage fault, without what to type next, and with the row whose value
     * is at fault (NULL: of none); then parsing goes on, and that row keeps its value. Without it
     * the first fault ends the parsing. */
    void (*fault)(void *context, const struct options_row *row, const char *message);
    void *fault_context;
    /* For options_run: the command itself. */
    enum status (*act)(void *context, const struct options_list *operands, struct diag *diag);
    void *context;
};

#define OPTIONS_MAX_ROWS 64

/* Whether help was asked for, and in which form. Those but the text are made when the program is
 * built, so that manual and completion cannot lack an option. */
enum options_help {
    OPTIONS_HELP_NONE,
    OPTIONS_HELP_TEXT, /* --help, -h */
    OPTIONS_HELP_MAN,  /* --help=man: a page in man(7) */
    OPTIONS_HELP_BASH, /* --help=bash: a branch of the program's completion (program.h) */
    OPTIONS_HELP_ZSH   /* --help=zsh: likewise */
};

/* What one argument asks for. */
enum options_help options_help_asked(const char *argument);

/*
 * Parses argv[0..argc) (after the command's name). Operands go to *operands (in order; `-` is an
 * operand). Sets *help if help was asked for; then nothing else counts. After a failure the values
 * of the rows are unspecified, but options_fini stays safe.
 */
enum status options_parse(const struct options_command *command, int argc, char **argv,
                          struct options_list *operands, enum options_help *help,
                          struct diag *diag) STATUS_CHECKED;

/* Prints usage, summary, aligned options and notes, in the form asked for. The text fits one screen
 * (80 columns, 24 lines where the notes allow). */
void options_print_help(const struct options_command *command, enum options_help help,
                        FILE *stream);

/*
 * All of a command: parses, prints the help where it was asked for and calls `act` otherwise, with
 * the operands and the command's context, and releases what parsing took. The status of what
 * failed, or that of `act`.
 */
enum status options_run(const struct options_command *command, int argc, char **argv,
                        struct diag *diag) STATUS_CHECKED;

void options_fini(const struct options_command *command, struct options_list *operands);

#endif
