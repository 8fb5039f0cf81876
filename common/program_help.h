#ifndef RANKLEDGER_PROGRAM_HELP_H
#define RANKLEDGER_PROGRAM_HELP_H

#include "options.h"
#include "program.h"

/*
 * The program's own help on standard output: the list of its commands as text, its manual page, or
 * the completion of all its commands, each of which is asked for its branch. Fails as a command
 * does.
 */
enum status program_help_print(const struct program *program, enum options_help help,
                               struct diag *diag) STATUS_CHECKED;

#endif
