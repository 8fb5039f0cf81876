#ifndef RANKLEDGER_SCHEMA_H
#define RANKLEDGER_SCHEMA_H

#include "diag.h"
#include "text_buffer.h"

/*
 * Appends the JSON Schema (draft 2020-12) of evidence records and summaries, made from the rule
 * table. It says what a schema can say: the rules with `in_schema` (validation_rules.c). Rules that
 * compare fields, count elements against another field, look at the text of the file or only warn
 * are beyond it. STATUS_ENVIRONMENT only.
 */
enum status schema_write(struct text_buffer *out, struct diag *diag) STATUS_CHECKED;

#endif
