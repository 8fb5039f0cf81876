#ifndef RANKLEDGER_JSON_READ_CODE_H
#define RANKLEDGER_JSON_READ_CODE_H

#include <stddef.h>
#include <stdint.h>

/* Code points in the raw text of a string. No module but the JSON reader includes this. */

/* Length of the UTF-8 sequence at `text`, whose first byte is 0x80 or above; 0 if it is invalid
 * (RFC 3629: overlong, a surrogate, above U+10FFFF) or cut off by `end`. */
static inline size_t json_read_code_sequence(const char *text, const char *end)
{
    const unsigned char *byte = (const unsigned char *)text;
    size_t left = (size_t)(end - text);
    size_t length = byte[0] < 0xE0 ? 2 : byte[0] < 0xF0 ? 3 : 4;
    if (byte[0] < 0xC2 || byte[0] > 0xF4 || left < length)
        return 0;
    unsigned low = byte[0] == 0xE0 ? 0xA0 : byte[0] == 0xF0 ? 0x90 : 0x80;
    unsigned high = byte[0] == 0xED ? 0x9F : byte[0] == 0xF4 ? 0x8F : 0xBF;
    if (byte[1] < low || byte[1] > high)
        return 0;
    for (size_t i = 2; i < length; i++)
        if ((byte[i] & 0xC0) != 0x80)
            return 0;
    return length;
}

/* The next code point of a string that the parser has accepted, escapes decoded; half a surrogate
 * pair comes as itself. Returns the text after it. */
const char *json_read_code_next(const char *text, const char *end, uint32_t *code);

/* Writes the code point as UTF-8 and returns the length, 1 to 4. A surrogate takes three bytes
 * too, so that two different names never become equal. */
size_t json_read_code_write(uint32_t code, char out[4]);

#endif
