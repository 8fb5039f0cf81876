#ifndef RANKLEDGER_PARSED_JSON_H
#define RANKLEDGER_PARSED_JSON_H

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "json_read.h"

/* A text in memory of exactly its size, so that a sanitizer sees every read beyond it, parsed. */
struct parsed_json {
    char *text;
    struct json_read_document document;
    struct json_read_fault fault;
    struct diag diag;
    enum status status;
};

static inline struct parsed_json parsed_json_bytes(const char *text, size_t size)
{
    struct parsed_json parsed = {.text = malloc(size > 0 ? size : 1)};
    cr_assert_not_null(parsed.text);
    memcpy(parsed.text, text, size);
    parsed.status =
        json_read_parse(&parsed.document, parsed.text, size, &parsed.fault, &parsed.diag);
    return parsed;
}

/* Of a text that must be JSON. */
static inline struct parsed_json parsed_json(const char *text)
{
    struct parsed_json parsed = parsed_json_bytes(text, strlen(text));
    cr_assert_eq(parsed.status, STATUS_OK, "%s: %s", text, parsed.fault.message);
    cr_assert_eq(parsed.fault.kind, JSON_READ_FAULT_NONE);
    return parsed;
}

static inline void parsed_json_fini(struct parsed_json *parsed)
{
    json_read_fini(&parsed->document);
    free(parsed->text);
}

#endif
