#ifndef RANKLEDGER_TEXTS_PRIVATE_H
#define RANKLEDGER_TEXTS_PRIVATE_H

/* Shared by texts.c and texts_load.c alone. */

/* Order of entries by id, for sorting and searching. */
int texts_compare(const void *a, const void *b);

#endif
