#include "json_read.h"

#include <stdarg.h>
#include <stdio.h>

#include "json_read_code.h"
#include "json_read_parser.h"
#include "text.h"

/* What a fault is and where; the words for it are in json_read_explain.c and json_read_hint.c. */

const char *json_read_fault_name(enum json_read_fault_kind kind)
{
    switch (kind) {
    case JSON_READ_FAULT_NONE:
        return "none";
    case JSON_READ_FAULT_EMPTY:
        return "empty";
    case JSON_READ_FAULT_ENCODING:
        return "encoding";
    case JSON_READ_FAULT_NOT_JSON:
        return "not_json";
    case JSON_READ_FAULT_TRUNCATED:
        return "truncated";
    case JSON_READ_FAULT_TRAILING_DATA:
        return "trailing_data";
    case JSON_READ_FAULT_TOO_DEEP:
        return "too_deep";
    case JSON_READ_FAULT_TOO_LARGE:
        return "too_large";
    }
    return "unknown";
}

void json_read_parser_say(struct json_read_fault *fault, const char *format, ...)
{
    size_t used = strlen(fault->message);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(fault->message + used, sizeof fault->message - used, format, arguments);
    va_end(arguments);
}

/*
 * The pointer of what is being read. The open containers have no end yet, but the parser knows
 * them, and each has counted the child that is being read.
 */
static void set_pointer(struct json_read_parser *parser, const char *at,
                        enum json_read_parser_expect expect)
{
    struct json_read_document *document = parser->document;
    struct json_read_locator locator;
    json_read_locator_init(&locator, document);
    bool between = expect == JSON_READ_EXPECT_COMMA || expect == JSON_READ_EXPECT_KEY ||
                   expect == JSON_READ_EXPECT_FIRST_KEY || expect == JSON_READ_EXPECT_END ||
                   (expect == JSON_READ_EXPECT_VALUE && at < parser->end && *at == ']');
    for (uint32_t i = 0; i < parser->depth; i++) {
        uint32_t container = parser->open[i];
        const struct json_read_node *node = &document->nodes[container];
        bool innermost = i + 1 == parser->depth;
        bool object = node->type == JSON_READ_OBJECT;
        uint32_t last = document->count - 1;
        /* A fault inside a name belongs to the object, as the name is not known. */
        if (innermost &&
            (between || (object && (document->nodes[last].flags & JSON_READ_KEY) == 0)))
            break;
        struct json_read_step *step = &locator.steps[locator.depth++];
        step->container = container;
        step->index = node->hash > 0 ? node->hash - 1 : 0;
        step->child = !object ? container : innermost ? last : parser->open[i + 1] - 1;
    }
    json_read_locator_write(&locator, parser->fault->pointer, sizeof parser->fault->pointer);
}

/* True if the text from `at` on is the beginning of a word that the end cut off. */
static bool is_cut_word(const char *at, const char *end)
{
    static const char *const words[] = {"true", "false", "null"};
    size_t left = (size_t)(end - at);
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (left < strlen(words[i]) && memcmp(at, words[i], left) == 0)
            return true;
    return false;
}

/* True if the text from `at` on is the beginning of a UTF-8 sequence that the end cut off. */
static bool is_cut_sequence(const char *at, const char *end)
{
    char bytes[4] = {0};
    size_t left = (size_t)(end - at);
    if (left >= 4)
        return false;
    memcpy(bytes, at, left);
    for (unsigned second = 0x80; second <= 0xB0; second += 0x10) {
        for (size_t i = left; i < sizeof bytes; i++)
            bytes[i] = (char)(i == 1 ? second : 0x80);
        if (json_read_code_sequence(bytes, bytes + sizeof bytes) > left)
            return true;
    }
    return false;
}

/* Nothing but NUL bytes up to the end: what a crashed file system leaves of a file being written.
 */
static bool is_zero_fill(const char *at, const char *end)
{
    while (at < end && *at == '\0')
        at++;
    return at == end;
}

static enum json_read_fault_kind classify(const struct json_read_parser *parser, const char *at,
                                          enum json_read_parser_expect expect)
{
    const char *end = parser->end;
    bool started = parser->document->count > 0 || parser->token != NULL;
    if (at == end)
        return started ? JSON_READ_FAULT_TRUNCATED : JSON_READ_FAULT_EMPTY;
    if (expect == JSON_READ_EXPECT_SHALLOWER)
        return JSON_READ_FAULT_TOO_DEEP;
    if ((unsigned char)*at >= 0x80 && json_read_code_sequence(at, end) == 0)
        return started && is_cut_sequence(at, end) ? JSON_READ_FAULT_TRUNCATED
                                                   : JSON_READ_FAULT_ENCODING;
    if (expect == JSON_READ_EXPECT_VALUE && is_cut_word(at, end))
        return JSON_READ_FAULT_TRUNCATED;
    if (expect != JSON_READ_EXPECT_END)
        return started && is_zero_fill(at, end) ? JSON_READ_FAULT_TRUNCATED
                                                : JSON_READ_FAULT_NOT_JSON;
    /* What touches a number or a word at the top is a part of it: 2024-01-01, 012, nullable. */
    const char *begin = parser->document->text + parser->document->nodes[0].offset;
    bool scalar = parser->document->nodes[0].type <= JSON_READ_NUMBER;
    if (scalar && at == begin + parser->document->nodes[0].length && *at != '\0')
        return JSON_READ_FAULT_NOT_JSON;
    return JSON_READ_FAULT_TRAILING_DATA;
}

const char *json_read_parser_fail(struct json_read_parser *parser, const char *at,
                                  enum json_read_parser_expect expect)
{
    parser->fault->kind = classify(parser, at, expect);
    parser->fault->offset = (size_t)(at - parser->document->text);
    set_pointer(parser, at, expect);
    json_read_parser_explain(parser, at, expect);
    return NULL;
}

static const char *wide_encoding(const unsigned char *b, size_t size)
{
    if (size < 2)
        return NULL;
    bool four = size >= 4;
    if (b[0] == 0xFF && b[1] == 0xFE)
        return four && b[2] == 0 && b[3] == 0 ? "UTF-32LE" : "UTF-16LE";
    if (b[0] == 0xFE && b[1] == 0xFF)
        return "UTF-16BE";
    if (four && b[0] == 0 && b[1] == 0 && (b[2] == 0xFE ? b[3] == 0xFF : b[2] == 0 && b[3] != 0))
        return "UTF-32BE";
    /* Without a mark: the first character of a JSON text is ASCII (RFC 4627, section 3). */
    if (b[0] == 0 && b[1] != 0)
        return "UTF-16BE";
    if (b[0] == 0 || b[1] != 0)
        return NULL;
    if (!four || b[2] != 0 || b[3] != 0)
        return "UTF-16LE";
    return size >= 8 && (b[4] != 0 || b[5] != 0) && b[7] == 0 ? "UTF-32LE" : NULL;
}

bool json_read_parser_wide(struct json_read_parser *parser, const char *text, size_t size)
{
    const char *name = wide_encoding((const unsigned char *)text, size);
    if (name == NULL)
        return false;
    struct json_read_fault *fault = parser->fault;
    fault->kind = JSON_READ_FAULT_ENCODING;
    fault->offset = (size_t)(text - parser->document->text);
    bool utf16 = strncmp(name, "UTF-16", 6) == 0;
    json_read_parser_say(fault, "the file looks like UTF-%s (%s), not UTF-8", utf16 ? "16" : "32",
                         name);
    if (utf16)
        json_read_parser_say(fault, "; a PowerShell redirect (>) writes this: save it as UTF-8, "
                                    "for example with Out-File -Encoding utf8");
    else
        json_read_parser_say(fault, "; save it as UTF-8");
    return true;
}
