#ifndef RANKLEDGER_SECTION_TEXT_H
#define RANKLEDGER_SECTION_TEXT_H

#include "cross_check.h"
#include "section_table.h"
#include "sentence.h"
#include "text_buffer.h"

/*
 * What the sections share: words and numbers of the report's language as texts of the manuscript.
 * None of these is ever NULL; where memory is exhausted the manuscript is marked as failed.
 */

const char *section_get(const struct section *section, const char *id);
/* A word of a group of words; one that the language does not have stands as it is. */
const char *section_word(const struct section *section, const char *group, const char *word);
const char *section_fill(const struct section *section, const char *id,
                         const struct sentence_value *values, size_t count);
/* The same with one blank whose value is a text. */
const char *section_fill1(const struct section *section, const char *id, const char *name,
                          const char *value);
/* The same with a count as its only blank, which is called so. */
const char *section_fill_count(const struct section *section, const char *id, double count);
const char *section_message(const struct section *section, const struct summary_message *message);

/* "15,258.8", "22 %", or the word for what is not measured; the same with its unit. */
const char *section_number(const struct section *section, double value, const char *unit);
const char *section_quantity(const struct section *section, double value, const char *unit);
/* The same of a value that stands beside another, a limit for example, with as many decimals as it
 * takes that they look alike only where they are equal: 24,576.04 beside 24,576. */
const char *section_number_beside(const struct section *section, double value, double other,
                                  const char *unit);
const char *section_quantity_beside(const struct section *section, double value, double other,
                                    const char *unit);
/* A count or another exact number: "124,475,904". */
const char *section_count(const struct section *section, double value);

/* The texts of a list with the language's separator: "a, b". */
const char *section_join(const struct section *section, const char *const *texts, size_t count);
/* Appends one text to such a list. */
void section_list(const struct section *section, struct text_buffer *list, const char *text);
/* Two parts of a sentence with a semicolon; one alone where the other is "". */
const char *section_append(const struct section *section, const char *text, const char *more);

/* A copy of what was appended; the buffer is released. */
const char *section_take(const struct section *section, struct text_buffer *buffer);

/* The section's own heading, and one below it. `name` makes the anchor. */
void section_title(const struct section *section, const char *title_id, bool new_page);
void section_heading(const struct section *section, const char *name, const char *heading);

/* An item that says how many others there are. */
void section_more(const struct section *section, size_t count);

/* A cell with a number; what is not measured stands there as a quiet word. */
void section_cell_number(const struct section *section, double value, const char *unit);
void section_cell_beside(const struct section *section, double value, double other,
                         const char *unit);
void section_cell(const struct section *section, const char *text);

/* The result of a check of the section's group. */
struct cross_check_result section_check(const struct section *section,
                                        const struct cross_check *check);

/* How good or bad a verdict, or an answer of a decision, is. */
enum manuscript_tone section_verdict_tone(const char *verdict);
enum manuscript_tone section_answer_tone(const char *decision);

#endif
