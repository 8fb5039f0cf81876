#ifndef RANKLEDGER_PDF_COMMAND_H
#define RANKLEDGER_PDF_COMMAND_H

#include "pdf_page.h"

/*
 * A command broken into lines that a POSIX shell reads as the command: a line that goes on ends
 * with a backslash; inside single quotes, where that would be part of the word, the quotes are
 * closed before and opened after it. Between words the next line is indented.
 */
struct text_lines pdf_command_lines(struct pdf_document *document, const struct canvas_font *font,
                                    const char *command, double width);

#endif
