#ifndef RANKLEDGER_SHEET_CANDIDATES_H
#define RANKLEDGER_SHEET_CANDIDATES_H

#include <stdint.h>

#include "summary.h"

/*
 * Where the sheet of candidates keeps what formulas of another sheet read. Its first row has the
 * headings; the candidates follow group by group, a group's best first.
 */

#define SHEET_CANDIDATES_FIRST_ROW 1u
#define SHEET_CANDIDATES_NO_COLUMN UINT32_MAX

struct sheet_candidates_layout {
    uint32_t label, peak, kind, communication;
    uint32_t tokens, samples; /* throughput; at most one of them is SHEET_CANDIDATES_NO_COLUMN */
    uint32_t group;           /* its number from 1; SHEET_CANDIDATES_NO_COLUMN with one group */
    uint32_t baseline, failed, times, others, order;
};

void sheet_candidates_layout(const struct summary *summary, struct sheet_candidates_layout *layout);

/* What those cells say of a candidate: gates that fail and have no limit on the what-if sheet;
 * whether it is of the baseline's strategy, whether its times may be judged. */
double sheet_candidates_others(const struct summary_candidate *candidate);
bool sheet_candidates_is_baseline(const struct summary *summary,
                                  const struct summary_candidate *candidate);
bool sheet_candidates_times_count(const struct summary_candidate *candidate);

/* Its place in the input: that of its first source, or in the group where no source is told. It
 * decides between equals. */
double sheet_candidates_order(const struct summary_group *group,
                              const struct summary_candidate *candidate);

/* The row of a candidate. */
uint32_t sheet_candidates_row(const struct summary *summary, size_t group, size_t place);

#endif
