#ifndef RANKLEDGER_SUMMARY_DOCUMENT_H
#define RANKLEDGER_SUMMARY_DOCUMENT_H

#include "json_read.h"
#include "summary.h"

/*
 * Parses a document of the program's own: an object whose `schema` is that text and that repeats
 * no key. `what` says what it ought to be ("a summary"). STATUS_INPUT with a positioned message;
 * the parsed document is the caller's to release in every case.
 */
enum status summary_document_parse(const struct summary_document *given, const char *schema,
                                   const char *what, struct json_read_document *document,
                                   struct diag *diag) STATUS_CHECKED;

#endif
