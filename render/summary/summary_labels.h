#ifndef RANKLEDGER_SUMMARY_LABELS_H
#define RANKLEDGER_SUMMARY_LABELS_H

#include "summary_fields.h"
#include "texts.h"

/*
 * The labels of groups and candidates in the report's language, while a summary is read, so that
 * every chart, page and sheet says them alike. They are made of the parts that the summary tells
 * (`varied`, `label_fields`); those of an older one, which tells none, stay as they are.
 */

/* Sets candidate->label; remembers the old one for summary_labels_said. */
void summary_labels_candidate(struct summary_fields *fields, struct summary_candidate *candidate);

/* Sets group->label, if the summary tells its parts. Its key is set. */
void summary_labels_group(struct summary_fields *fields, uint32_t node,
                          struct summary_group *group);

/* From now on the text `written` in a message is `said`. Both live as long as the summary. */
void summary_labels_remember(struct summary_fields *fields, const char *written, const char *said);

/* A text of a message in the language: itself, unless it is the label of a candidate that was read
 * (or another that was remembered), or a list of such, separated by commas. */
const char *summary_labels_said(struct summary_fields *fields, const char *text);

#endif
