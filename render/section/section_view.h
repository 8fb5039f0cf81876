#ifndef RANKLEDGER_SECTION_VIEW_H
#define RANKLEDGER_SECTION_VIEW_H

#include "section_table.h"

/* Parts of sentences that several sections say in the same words. */

/* The candidate that the first page speaks of: the selected one, else the closest. */
const struct summary_candidate *section_view_subject(const struct summary_group *group);

/* "791 MiB left (4.8 %); tight", "138 MiB over (0.9 %)", of a minimum "50,000 tokens/s above
 * (14 %)"; "" for a gate without numbers. */
const char *section_view_margin(const struct section *section, const struct summary_gate *gate);

/* The gates of a list in the language: "memory, throughput". */
const char *section_view_gates(const struct section *section, const struct summary_texts *gates);

/* "+14 %", "-1.1 %". */
const char *section_view_signed_percent(const struct section *section, double fraction);

/* A difference: "0.15 %"; one too small for digits to tell anything "below 0.01 %". */
const char *section_view_small_percent(const struct section *section, double fraction);

/* "95 % interval 4,311 to 4,634 tokens/s"; "" where there is none. */
const char *section_view_interval(const struct section *section,
                                  const struct summary_candidate *candidate);

/* What an evidence level below several GPUs means for the numbers; "" for one that means what
 * it says. */
const char *section_view_level_meaning(const struct section *section, const char *level);

/* The names of the candidates that `is_meant` holds for, best first; of many the first ones and how
 * many others there are. *count: all of them. */
const char *section_view_names(const struct section *section,
                               bool (*is_meant)(const struct summary_candidate *candidate),
                               size_t *count);

/* Those that no other beats in both memory and throughput; "" where there are none, or one alone.
 */
const char *section_view_front(const struct section *section);

/* The lines that end a first page: how many sources were read and left out, the weakest evidence.
 */
void section_view_sources(const struct section *section);

/* The sources that were left out, each with its first fault; nothing where there are none. */
void section_view_left_out(const struct section *section);

/* Whether a message's id begins so: "tie.", "note.inversion". */
bool section_view_is(const struct summary_message *message, const char *prefix);

#endif
