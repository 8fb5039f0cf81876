#ifndef RANKLEDGER_IMPORT_COUNT_H
#define RANKLEDGER_IMPORT_COUNT_H

#include <stdbool.h>

#include "import.h"

/*
 * Numbers of a log as they may go into a record. A log can be damaged or of another program: what
 * is no such number is said and left out.
 */

/* Finite, above 0, and so small that products of several stay finite. */
bool import_count_plausible(double value);

/* Writes a number of things (ranks, sequences, layers): whole and at least 1; else warns. */
void import_count_write(struct import_record *record, const char *field, double value, size_t line);

/* Writes a number that may be 0 or a fraction (learning rate, clipping norm); else warns. */
void import_count_write_amount(struct import_record *record, const char *field, double value,
                               size_t line);

#endif
