#ifndef RANKLEDGER_SECTION_CHANGES_PARTS_H
#define RANKLEDGER_SECTION_CHANGES_PARTS_H

#include "changes_view.h"
#include "section_table.h"

/* The sections of a report of a comparison. */

/* section_changes.c: what changed, regressions first, with the chart. */
void section_changes_write(const struct section *section);
/* section_changes_values.c: every value of BASE and NEW, losses and gates. */
void section_changes_values_write(const struct section *section);
/* section_changes_judged.c: how it was judged, policies, what had no counterpart or was left out.
 */
void section_changes_judged_write(const struct section *section);

/* The heading of a group where there are several; returns the section below it. */
struct section section_changes_group(const struct section *section, size_t index);
/* How many groups are not shown. */
void section_changes_rest(const struct section *section);

/* "accept zero1". */
const char *section_changes_answer(const struct section *section,
                                   const struct changes_choice *choice);

#endif
