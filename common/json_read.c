#include "json_read.h"

#include <stdlib.h>

#include "json_read_parser.h"

void *json_read_parser_scratch(struct json_read_document *document, size_t size)
{
    if (document->scratch_capacity < size) {
        void *memory = realloc(document->scratch, size);
        if (memory == NULL)
            return NULL;
        document->scratch = memory;
        document->scratch_capacity = size;
    }
    return document->scratch;
}

enum status json_read_parse(struct json_read_document *document, const char *text, size_t size,
                            struct json_read_fault *fault, struct diag *diag)
{
    document->text = text;
    document->size = size;
    document->layout++;
    document->count = 0;
    document->flags = 0;
    document->deep = JSON_READ_NONE;
    document->has_bom = size >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0;
    fault->kind = JSON_READ_FAULT_NONE;
    fault->offset = 0;
    fault->pointer[0] = fault->message[0] = '\0';
    if (size > UINT32_MAX) {
        fault->kind = JSON_READ_FAULT_TOO_LARGE;
        json_read_parser_say(fault, "the text has %zu bytes; at most %u can be read", size,
                             (unsigned)UINT32_MAX);
        return STATUS_INPUT;
    }
    struct json_read_parser parser;
    parser.document = document;
    parser.fault = fault;
    parser.end = text + size;
    parser.token = NULL;
    parser.flags = 0;
    parser.depth = 0;
    parser.no_memory = false;
    const char *p = text + (document->has_bom ? 3 : 0);
    if (json_read_parser_wide(&parser, p, (size_t)(parser.end - p)) ||
        json_read_parser_run(&parser, p) == NULL) {
        document->count = 0;
        return parser.no_memory ? diag_no_memory(diag) : STATUS_INPUT;
    }
    document->flags = (uint8_t)parser.flags;
    return STATUS_OK;
}

enum status json_read_parse_like(struct json_read_document *document, const char *text, size_t size,
                                 struct json_read_fault *fault, struct diag *diag)
{
    if (document->count == 0 || !json_read_parser_like(document, text, size))
        return json_read_parse(document, text, size, fault, diag);
    fault->kind = JSON_READ_FAULT_NONE;
    return STATUS_OK;
}

void json_read_fini(struct json_read_document *document)
{
    if (document == NULL)
        return;
    free(document->nodes);
    free(document->scratch);
    memset(document, 0, sizeof *document);
}
