#ifndef RANKLEDGER_VALIDATE_FORMAT_H
#define RANKLEDGER_VALIDATE_FORMAT_H

#include <stdbool.h>
#include <stddef.h>

#include "document.h"
#include "json_write.h"
#include "text_buffer.h"

/* What a run of validation came to. */
struct validate_totals {
    size_t documents; /* checked: valid and invalid ones, not the skipped */
    size_t valid, invalid;
    size_t errors, warnings;
    size_t skipped;          /* own summaries and policies that a directory walk met */
    size_t named_unreadable; /* operands that could not be read */
    size_t directory_links;  /* links to directories, not followed */
    const char *problem;     /* what kept it from looking at all that was named; NULL: nothing */
};

/* One document as a format shows it. */
struct validate_result {
    const struct document *document;
    bool skipped;
    bool valid; /* no errors; under --strict no warnings either */
};

/*
 * A form of the output. The pieces are joined as begin, documents, end; documents are written by
 * several threads into buffers of their own, so that each is a piece that begins with `separator`
 * (which is taken off the first one). All texts in a document are safe to print already.
 */
struct validate_format {
    const char *name;
    const char *separator;
    bool totals_first; /* begin needs the totals: it is called last */
    void (*begin)(struct text_buffer *out, const struct validate_totals *totals);
    enum status (*document)(struct text_buffer *out, const struct validate_result *result,
                            struct diag *diag);
    void (*end)(struct text_buffer *out, const struct validate_totals *totals);
};

/* `PATH:LINE:COLUMN: error|warning: /pointer: message [rule-id]`, then one line of totals. */
extern const struct validate_format validate_format_text;
/* {"documents": [...], "schema": "rankledger.validation/1", "totals": {...}} */
extern const struct validate_format validate_format_json;
/* A test suite with a test case a document, for CI. */
extern const struct validate_format validate_format_junit;
/* A log of SARIF 2.1.0 with one run: every rule, then a result a finding. */
extern const struct validate_format validate_format_sarif;
/* Workflow commands of GitHub Actions: an annotation a finding, then a notice with the totals. */
extern const struct validate_format validate_format_github;

/* Appends text as XML character data: &, <, > and quotes escaped. What XML forbids was escaped when
 * the text was made safe to print; what is left of it (an invalid byte) becomes "?". */
void validate_format_xml(struct text_buffer *out, const char *text);

/* Appends a JSON value without a line feed at its end, and releases it. */
enum status validate_format_json_value(struct text_buffer *out, struct json_write *writer,
                                       json_t *value, struct diag *diag) STATUS_CHECKED;

/* Appends one finding as the text format shows it, without a line feed. */
void validate_format_finding(struct text_buffer *out, const char *file,
                             const struct finding *finding);

#endif
