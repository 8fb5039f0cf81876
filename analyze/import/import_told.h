#ifndef RANKLEDGER_IMPORT_TOLD_H
#define RANKLEDGER_IMPORT_TOLD_H

#include "import.h"

/*
 * A number that a log may tell several times: in a configuration that it prints, again by another
 * rank, in a report. The first one counts; another that differs is a contradiction, and then the
 * field is not written. Zeroed: not told.
 */
struct import_told {
    double value;
    size_t line; /* 0: not told */
    double other;
    size_t other_line; /* 0: nothing differs */
};

/* Whether the number can be one that a program measured or counted: finite, and neither so large
 * nor so small that arithmetic with a few of them could leave the range of a double. */
bool import_told_usable(double value);

/* Takes a usable number that is not negative; anything else is not told. */
void import_told_add(struct import_told *told, double value, size_t line);

/* Whether it was told, and the same everywhere. */
bool import_told_once(const struct import_told *told);

/* Writes the field, or warns of the contradiction ("the log tells two values of FIELD: ..."). */
void import_told_write(struct import_record *record, const char *field,
                       const struct import_told *told);

/* The number behind `label` in the line, if there is one. */
void import_told_labelled(struct import_told *told, const struct import_line *line,
                          const char *label);

/* The one whole number above 0 that is at most `slack` away from `value`; NAN if there is none, or
 * more than one: a rounded rate times a rounded time need not say how many samples there were. */
double import_told_whole(double value, double slack);

#endif
