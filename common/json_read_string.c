#include "json_read.h"

#include <string.h>

#include "json_read_code.h"
#include "json_read_parser.h"

#define REPLACEMENT 0xFFFD

static uint32_t hex_value(char c)
{
    if (c <= '9')
        return (uint32_t)(c - '0');
    return (uint32_t)((c | 0x20) - 'a' + 10);
}

/* The four digits were checked by the parser. */
static uint32_t hex_unit(const char *digits)
{
    return hex_value(digits[0]) << 12 | hex_value(digits[1]) << 8 | hex_value(digits[2]) << 4 |
           hex_value(digits[3]);
}

static uint32_t simple_escape(char c)
{
    switch (c) {
    case 'b':
        return '\b';
    case 'f':
        return '\f';
    case 'n':
        return '\n';
    case 'r':
        return '\r';
    case 't':
        return '\t';
    default:
        return (unsigned char)c;
    }
}

static const char *next_escape(const char *text, const char *end, uint32_t *code)
{
    if (text[1] != 'u') {
        *code = simple_escape(text[1]);
        return text + 2;
    }
    uint32_t unit = hex_unit(text + 2);
    text += 6;
    *code = unit;
    if (unit < 0xD800 || unit > 0xDBFF || end - text < 6 || text[0] != '\\' || text[1] != 'u')
        return text;
    uint32_t second = hex_unit(text + 2);
    if (second < 0xDC00 || second > 0xDFFF)
        return text;
    *code = 0x10000 + ((unit - 0xD800) << 10) + (second - 0xDC00);
    return text + 6;
}

const char *json_read_code_next(const char *text, const char *end, uint32_t *code)
{
    unsigned char lead = (unsigned char)*text;
    if (lead == '\\')
        return next_escape(text, end, code);
    if (lead < 0x80) {
        *code = lead;
        return text + 1;
    }
    size_t length = json_read_code_sequence(text, end);
    if (length == 0) { /* not in an accepted string; keeps the loop going all the same */
        *code = REPLACEMENT;
        return text + 1;
    }
    uint32_t value = lead & (0xFFu >> (length + 1));
    for (size_t i = 1; i < length; i++)
        value = value << 6 | ((unsigned char)text[i] & 0x3F);
    *code = value;
    return text + length;
}

size_t json_read_code_write(uint32_t code, char out[4])
{
    if (code < 0x80) {
        out[0] = (char)code;
        return 1;
    }
    size_t length = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    for (size_t i = length - 1; i > 0; i--) {
        out[i] = (char)(0x80 | (code & 0x3F));
        code >>= 6;
    }
    out[0] = (char)((0xF00 >> length & 0xF0) | code);
    return length;
}

uint32_t json_read_hash(const char *name, size_t length)
{
    return json_read_parser_hash(name, length);
}

bool json_read_parser_hash_escaped(struct json_read_document *document, const char *key,
                                   size_t length, uint32_t *hash)
{
    char *name = json_read_parser_scratch(document, length); /* decoding never lengthens */
    if (name == NULL)
        return false;
    size_t used = 0;
    for (const char *text = key, *end = key + length; text < end;) {
        uint32_t code;
        text = json_read_code_next(text, end, &code);
        used += json_read_code_write(code, name + used);
    }
    *hash = json_read_parser_hash(name, used);
    return true;
}

static bool equals_escaped(const char *raw, size_t length, const char *text, size_t text_length)
{
    size_t used = 0;
    for (const char *end = raw + length; raw < end;) {
        uint32_t code;
        char bytes[4];
        raw = json_read_code_next(raw, end, &code);
        size_t count = json_read_code_write(code, bytes);
        if (text_length - used < count || memcmp(text + used, bytes, count) != 0)
            return false;
        used += count;
    }
    return used == text_length;
}

bool json_read_equals(const struct json_read_document *document, uint32_t node, const char *text)
{
    if (!json_read_is(document, node, JSON_READ_STRING))
        return false;
    const struct json_read_node *string = &document->nodes[node];
    const char *raw = document->text + string->offset;
    size_t length = strlen(text);
    if ((string->flags & JSON_READ_ESCAPED) != 0)
        return equals_escaped(raw, string->length, text, length);
    return string->length == length && memcmp(raw, text, length) == 0;
}

/* The part without escapes is copied whole and cut where a sequence begins. */
static size_t copy_plain(const char *raw, size_t length, char *out, size_t capacity)
{
    if (capacity == 0)
        return length;
    size_t used = length < capacity ? length : capacity - 1;
    if (used < length)
        while (used > 0 && ((unsigned char)raw[used] & 0xC0) == 0x80)
            used--;
    memcpy(out, raw, used);
    out[used] = '\0';
    return length;
}

size_t json_read_string(const struct json_read_document *document, uint32_t node, char *out,
                        size_t capacity)
{
    if (!json_read_is(document, node, JSON_READ_STRING)) {
        if (capacity > 0)
            out[0] = '\0';
        return 0;
    }
    const struct json_read_node *string = &document->nodes[node];
    const char *raw = document->text + string->offset;
    if ((string->flags & JSON_READ_ESCAPED) == 0)
        return copy_plain(raw, string->length, out, capacity);
    size_t total = 0, used = 0;
    for (const char *end = raw + string->length; raw < end;) {
        uint32_t code;
        char bytes[4];
        raw = json_read_code_next(raw, end, &code);
        if (code == 0 || (code >= 0xD800 && code <= 0xDFFF))
            code = REPLACEMENT;
        size_t count = json_read_code_write(code, bytes);
        if (used == total && count < capacity - used && capacity > 0) {
            memcpy(out + used, bytes, count);
            used += count;
        }
        total += count;
    }
    if (capacity > 0)
        out[used] = '\0';
    return total;
}
