#ifndef RANKLEDGER_OPTIONS_FORMS_H
#define RANKLEDGER_OPTIONS_FORMS_H

#include "options.h"

/* The forms of a command's help that machines read; options_print_help chooses among them. */

/* The command's manual page, PROGRAM-COMMAND(1). */
void options_forms_man(const struct options_command *command, FILE *stream);

/* Text of a manual page: what roff would take for a request or an escape is written as itself. */
void options_forms_roff(const char *text, size_t length, FILE *stream);

/* The same as paragraphs: lines are filled, but for those of a paragraph that is indented, an
 * example or a table. `Exit codes:` begins a section of that name. */
void options_forms_paragraphs(const char *text, FILE *stream);

/* The command's branch of the completion, a pattern of a `case`. */
void options_forms_bash(const struct options_command *command, FILE *stream);
void options_forms_zsh(const struct options_command *command, FILE *stream);

#endif
