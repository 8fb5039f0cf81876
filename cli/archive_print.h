#ifndef RANKLEDGER_ARCHIVE_PRINT_H
#define RANKLEDGER_ARCHIVE_PRINT_H

#include "archive_index.h"

/* What `analyze --output-dir` says on the terminal: how many groups are decided how, the first of
 * them, what was left out, where the files are. Everything from input is made safe to print. */
enum status archive_print(const struct archive_index *index, const char *output,
                          struct text_buffer *out, struct diag *diag) STATUS_CHECKED;

#endif
