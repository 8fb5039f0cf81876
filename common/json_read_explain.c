#include <stdio.h>

#include "json_read_code.h"
#include "json_read_parser.h"

/* The message of a fault: what was found, what was expected, and a hint at the cause. */

static bool in_object(const struct json_read_parser *parser)
{
    return parser->depth > 0 &&
           parser->document->nodes[parser->open[parser->depth - 1]].type == JSON_READ_OBJECT;
}

static bool is_word(char c)
{
    return json_read_parser_is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           c == '_';
}

/* "'abc'", "'}'", "the character U+201C", ...: what stands at `at`. */
static void describe_found(const char *at, const char *end, char *out, size_t capacity)
{
    size_t word = 0;
    while (at + word < end && word < 24 && is_word(at[word]))
        word++;
    unsigned char c = (unsigned char)*at;
    uint32_t code = c;
    if (word > 0) {
        snprintf(out, capacity, "'%.*s'", (int)word, at);
    } else if (c > ' ' && c < 0x7F) {
        snprintf(out, capacity, "'%c'", c);
    } else if (c == ' ' || c == '\t') {
        snprintf(out, capacity, c == ' ' ? "a space" : "a tab");
    } else if (c == '\n' || c == '\r') {
        snprintf(out, capacity, "a line break");
    } else if (c == '\0') {
        snprintf(out, capacity, "a NUL byte");
    } else if (c >= 0x80 && json_read_code_sequence(at, end) > 0) {
        json_read_code_next(at, end, &code);
        snprintf(out, capacity, "the character U+%04X", (unsigned)code);
    } else {
        snprintf(out, capacity, "the control character U+%04X", c);
    }
}

static const char *describe_expected(const struct json_read_parser *parser,
                                     enum json_read_parser_expect expect)
{
    switch (expect) {
    case JSON_READ_EXPECT_VALUE:
        return "a value";
    case JSON_READ_EXPECT_FIRST_ELEMENT:
        return "a value or ']'";
    case JSON_READ_EXPECT_FIRST_KEY:
        return "a member name in double quotes or '}'";
    case JSON_READ_EXPECT_KEY:
        return "a member name in double quotes";
    case JSON_READ_EXPECT_COLON:
        return "':' after the member name";
    case JSON_READ_EXPECT_COMMA:
        return in_object(parser) ? "',' or '}' after the member" : "',' or ']' after the element";
    case JSON_READ_EXPECT_DIGIT:
        return "a digit in the number";
    case JSON_READ_EXPECT_ESCAPE:
        return "one of \" \\ / b f n r t u after the backslash";
    case JSON_READ_EXPECT_HEX:
        return "four hexadecimal digits after \\u";
    default:
        return "the end of the file";
    }
}

static void explain_truncated(struct json_read_parser *parser, const char *at,
                              enum json_read_parser_expect expect)
{
    struct json_read_fault *fault = parser->fault;
    bool zeros = at < parser->end && *at == '\0';
    const char *token = NULL;
    if (expect == JSON_READ_EXPECT_CHARACTER || expect == JSON_READ_EXPECT_ESCAPE ||
        expect == JSON_READ_EXPECT_HEX)
        token = "a string";
    else if (expect == JSON_READ_EXPECT_DIGIT)
        token = "a number";
    else if (parser->depth == 0)
        token = "a value";
    json_read_parser_say(fault, "%s inside %s", zeros ? "only NUL bytes follow" : "end of file",
                         token == NULL ? "" : token);
    if (parser->depth > 0) {
        const struct json_read_node *open =
            &parser->document->nodes[parser->open[parser->depth - 1]];
        size_t line, column;
        json_read_position(parser->document, open->offset, &line, &column);
        json_read_parser_say(fault, "%s%s that begins in line %zu", token == NULL ? "" : " in ",
                             open->type == JSON_READ_OBJECT ? "an object" : "an array", line);
    }
    json_read_parser_say(fault, ", at byte %zu: %s", zeros ? fault->offset : parser->document->size,
                         zeros ? "the machine or its disk failed while it was written"
                               : "the job was killed while writing, the disk was full, or the copy "
                                 "is incomplete");
}

static const char *encoding_reason(unsigned char lead, unsigned char second)
{
    if (lead < 0xC0)
        return "a continuation byte without its beginning";
    if (lead < 0xC2 || (lead == 0xE0 && second < 0xA0 && second >= 0x80) ||
        (lead == 0xF0 && second < 0x90 && second >= 0x80))
        return "an overlong sequence";
    if (lead == 0xED && second >= 0xA0 && second < 0xC0)
        return "an encoded surrogate";
    if (lead > 0xF4 || (lead == 0xF4 && second >= 0x90 && second < 0xC0))
        return "beyond U+10FFFF";
    return "a sequence that breaks off";
}

/* UTF-8 in form, but of characters that it may not hold or in more bytes than it takes. */
static bool is_of_utf8(unsigned char lead, unsigned char second)
{
    return (lead == 0xED && second >= 0xA0 && second < 0xC0) ||
           (second >= 0x80 && second < 0xC0 && (lead == 0xC0 || lead == 0xC1)) ||
           (lead == 0xE0 && second >= 0x80 && second < 0xA0) ||
           (lead == 0xF0 && second >= 0x80 && second < 0x90);
}

/* In GBK and Shift JIS bytes above 0x7F come in pairs, in Latin-1 mostly alone among ASCII. */
static void explain_encoding(struct json_read_parser *parser, const char *at)
{
    unsigned char lead = (unsigned char)at[0];
    unsigned char second = at + 1 < parser->end ? (unsigned char)at[1] : 0;
    json_read_parser_say(parser->fault, "byte 0x%02X at offset %zu is not UTF-8 (%s): ", lead,
                         parser->fault->offset, encoding_reason(lead, second));
    if (at == parser->document->text && lead == 0xEF)
        json_read_parser_say(parser->fault, "the byte order mark is incomplete");
    else if (is_of_utf8(lead, second))
        json_read_parser_say(parser->fault, "another encoder's UTF-8, such as Java's modified one, "
                                            "or data that is no text: save it as UTF-8");
    else if (second >= 0x80 && lead > 0x80)
        json_read_parser_say(parser->fault, "the text may be in GBK or another code page: "
                                            "save it as UTF-8");
    else
        json_read_parser_say(parser->fault, "the text may be in Latin-1 (Windows-1252), GBK or "
                                            "another code page: save it as UTF-8");
}

static void explain_syntax(struct json_read_parser *parser, const char *at,
                           enum json_read_parser_expect expect)
{
    char found[64];
    describe_found(at, parser->end, found, sizeof found);
    if (expect == JSON_READ_EXPECT_CHARACTER)
        json_read_parser_say(parser->fault, "%s inside a string", found);
    else
        json_read_parser_say(parser->fault, "expected %s, found %s",
                             describe_expected(parser, expect), found);
    json_read_parser_hint(parser, at, expect);
}

void json_read_parser_explain(struct json_read_parser *parser, const char *at,
                              enum json_read_parser_expect expect)
{
    struct json_read_fault *fault = parser->fault;
    switch (fault->kind) {
    case JSON_READ_FAULT_EMPTY:
        json_read_parser_say(fault,
                             "the file is empty%s: the job died before it wrote, or the "
                             "disk was full",
                             parser->document->size == 0 ? ""
                             : parser->document->has_bom ? " but for a byte order mark"
                                                         : " but for white space");
        break;
    case JSON_READ_FAULT_TRUNCATED:
        explain_truncated(parser, at, expect);
        break;
    case JSON_READ_FAULT_ENCODING:
        explain_encoding(parser, at);
        break;
    case JSON_READ_FAULT_TOO_DEEP:
        json_read_parser_say(fault, "nested deeper than the %d levels that are read",
                             JSON_READ_EVIDENCE_DEPTH);
        break;
    default:
        explain_syntax(parser, at, expect);
    }
}
