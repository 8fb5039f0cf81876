#include "text.h"

#include <stdio.h>
#include <string.h>

size_t text_decode(const char *text, size_t length, uint32_t *code)
{
    if (length == 0)
        return 0;
    const unsigned char *bytes = (const unsigned char *)text;
    uint32_t lead = bytes[0];
    if (lead < 0x80) {
        *code = lead;
        return 1;
    }
    size_t size = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
    if (lead < 0xC2 || lead > 0xF4 || size > length)
        return 0;
    uint32_t value = lead & (0xFFu >> (size + 1));
    for (size_t i = 1; i < size; i++) {
        if ((bytes[i] & 0xC0) != 0x80)
            return 0;
        value = value << 6 | (bytes[i] & 0x3Fu);
    }
    /* The shortest form only, no surrogates, nothing beyond the last plane (RFC 3629). */
    if ((size == 3 && value < 0x800) || (size == 4 && value < 0x10000) || value > 0x10FFFF ||
        (value >= 0xD800 && value <= 0xDFFF))
        return 0;
    *code = value;
    return size;
}

/* Never a character (Unicode 23.7); XML forbids some of them, and Cairo takes none for UTF-8. */
static bool is_no_character(uint32_t code)
{
    return (code >= 0xFDD0 && code <= 0xFDEF) || (code & 0xFFFE) == 0xFFFE;
}

/* Characters that move the cursor, reorder what follows or break a line, and what is none. */
static bool is_unsafe(uint32_t code)
{
    return code < 0x20 || (code >= 0x7F && code <= 0x9F) || code == 0x061C || code == 0x200E ||
           code == 0x200F || (code >= 0x2028 && code <= 0x202E) ||
           (code >= 0x2066 && code <= 0x2069) || is_no_character(code);
}

/* One input unit (a code point or an invalid byte) and how it is printed. */
struct unit {
    size_t consumed;
    size_t length;
    char text[12]; /* "\u10ffff" is the longest */
};

static struct unit next_unit(const char *text, size_t length)
{
    struct unit unit = {.consumed = 1};
    uint32_t code = 0;
    size_t size = text_decode(text, length, &code);
    if (size > 0 && !is_unsafe(code)) {
        unit.consumed = unit.length = size;
        memcpy(unit.text, text, size);
        return unit;
    }
    int printed = 2;
    if (size == 0)
        printed = snprintf(unit.text, sizeof unit.text, "\\x%02x", (unsigned)(unsigned char)*text);
    else if (code == '\n')
        memcpy(unit.text, "\\n", 3);
    else if (code == '\r')
        memcpy(unit.text, "\\r", 3);
    else if (code == '\t')
        memcpy(unit.text, "\\t", 3);
    else if (code < 0x80)
        printed = snprintf(unit.text, sizeof unit.text, "\\x%02x", (unsigned)code);
    else
        printed = snprintf(unit.text, sizeof unit.text, "\\u%04x", (unsigned)(code & 0x1FFFFF));
    unit.consumed = size > 0 ? size : 1;
    unit.length = (size_t)printed;
    return unit;
}

void text_escape(struct text_buffer *out, const char *text, size_t length)
{
    size_t kept = 0; /* start of the bytes that go out as they are */
    size_t i = 0;
    while (i < length) {
        unsigned char byte = (unsigned char)text[i];
        if (byte >= 0x20 && byte < 0x7F) {
            i++;
            continue;
        }
        struct unit unit = next_unit(text + i, length - i);
        if (unit.length != unit.consumed || memcmp(unit.text, text + i, unit.length) != 0) {
            text_buffer_append(out, text + kept, i - kept);
            text_buffer_append(out, unit.text, unit.length);
            kept = i + unit.consumed;
        }
        i += unit.consumed;
    }
    text_buffer_append(out, text + kept, i - kept);
}

char *text_escape_into(char *out, size_t capacity, const char *text, size_t length)
{
    if (capacity == 0)
        return out;
    size_t room = capacity - 1;
    size_t dots = room < 3 ? room : 3;
    size_t used = 0;
    size_t cut = 0; /* the last border after which the dots still fit */
    for (size_t i = 0; i < length;) {
        struct unit unit = next_unit(text + i, length - i);
        if (unit.length > room - used) {
            memcpy(out + cut, "...", dots);
            out[cut + dots] = '\0';
            return out;
        }
        memcpy(out + used, unit.text, unit.length);
        used += unit.length;
        if (used <= room - dots)
            cut = used;
        i += unit.consumed;
    }
    out[used] = '\0';
    return out;
}

size_t text_utf16_units(const char *text, size_t length)
{
    size_t units = 0;
    for (size_t i = 0; i < length;) {
        uint32_t code = 0;
        size_t size = text_decode(text + i, length - i, &code);
        units += size == 4 ? 2 : 1;
        i += size > 0 ? size : 1;
    }
    return units;
}

size_t text_utf16_prefix(const char *text, size_t length, size_t units)
{
    size_t used = 0;
    size_t i = 0;
    while (i < length) {
        uint32_t code = 0;
        size_t size = text_decode(text + i, length - i, &code);
        size_t step = size == 4 ? 2 : 1;
        if (step > units - used)
            break;
        used += step;
        i += size > 0 ? size : 1;
    }
    return i;
}

void text_quote(struct text_buffer *out, const char *text)
{
    static const char safe[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
                               "@%+=:,./-_";
    if (text[0] != '\0' && text[strspn(text, safe)] == '\0') {
        text_buffer_puts(out, text);
        return;
    }
    text_buffer_puts(out, "'");
    for (const char *c = text; *c != '\0'; c++) {
        if (*c == '\'')
            text_buffer_puts(out, "'\\''");
        else
            text_buffer_append(out, c, 1);
    }
    text_buffer_puts(out, "'");
}
