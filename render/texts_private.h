#ifndef RANKLEDGER_TEXTS_PRIVATE_H
#define RANKLEDGER_TEXTS_PRIVATE_H

#include <stddef.h>

/* Shared by texts.c and texts_load.c alone. */

/* Order of entries by id, for sorting and searching. */
int texts_compare(const void *a, const void *b);

/* The next "{name}" or "{name:format}" from `text` on: its braces, or NULL. */
const char *texts_next_placeholder(const char *text, const char **end);

/* Length of the name between these braces. */
size_t texts_name_length(const char *open, const char *close);

#endif
