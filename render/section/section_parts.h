#ifndef RANKLEDGER_SECTION_PARTS_H
#define RANKLEDGER_SECTION_PARTS_H

#include "section_table.h"

/* The writers of the sections, for section_table.c and for each other. */

/* section_decision.c: page 1 of a report, everything that carries the decision. */
void section_decision_write(const struct section *section);
/* section_overview.c: of several groups, why they are not compared and what each one says. */
void section_overview_write(const struct section *section);
void section_overview_brief(const struct section *section);
/* section_verdict.c: what was decided, why, and the three numbers; below another section's heading,
 * or as a section of its own. */
void section_verdict_below(const struct section *section);
void section_verdict_write(const struct section *section);
/* section_outlook.c: what would change the answer, and the next actions; below another section's
 * heading, or as a section of its own. */
void section_outlook_below(const struct section *section);
void section_outlook_write(const struct section *section);
/* section_candidates.c: all candidates side by side. */
void section_candidates_write(const struct section *section);
/* section_charts.c: the charts, each with what it shows. */
void section_charts_write(const struct section *section);
/* section_chart_words.c: what the chart of a name shows, in a sentence; "" where there is none. */
const char *section_chart_words(const struct section *section, const char *chart);
/* section_method.c: how it was measured, and under which policy. */
void section_method_write(const struct section *section);
/* section_noise.c: repeats, samples and how much they vary, below another section's heading. */
void section_noise_below(const struct section *section);
/* Steps that were timed, of all repeats together; NAN: not known. */
double section_noise_steps(const struct summary_candidate *candidate);
/* Whether a note of a decision is about noise or an order that is not resolved. */
bool section_noise_is_doubt(const struct summary_message *note);
/* section_measured.c: the same in a few lines, and which files have the rest. */
void section_measured_write(const struct section *section);
void section_files_write(const struct section *section);
/* section_checks.c: whether the numbers agree with each other. */
void section_checks_write(const struct section *section);
/* section_sources.c: every file that was read, and every one that was rejected. */
void section_sources_write(const struct section *section);

#endif
