#ifndef RANKLEDGER_VALIDATION_OWN_H
#define RANKLEDGER_VALIDATION_OWN_H

#include "validation.h"

/* Look-ups in the sections that our own collector writes, for rules_own_*.c. */

/* True if our own collector wrote the record, of a run that did not fail. */
bool validation_own_whole(const struct validation *validation);

/* A section of the record ("ledger"); NONE if it is absent. */
uint32_t validation_own_section(const struct validation *validation, const char *name);

/* The array `name` of a section; NONE if it is absent or something else. */
uint32_t validation_own_list(const struct validation *validation, uint32_t section,
                             const char *name);

/* The number that is a member of `object`, a count whole besides; false if it is absent or not
 * sound: then the rule table has spoken of it. */
bool validation_own_count(const struct validation *validation, uint32_t object, const char *name,
                          double *value);
bool validation_own_number(const struct validation *validation, uint32_t object, const char *name,
                           double *value);

/* The sum of the members of `object`; false if there is no such object, or one is not sound. */
bool validation_own_sum(const struct validation *validation, uint32_t object, double *sum);

/* True if numbers that were computed in another order are the same: 1e-9 is far above what
 * doubles lose and far below what a clock tells. */
bool validation_own_same(double a, double b);

#endif
