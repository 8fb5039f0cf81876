#ifndef RANKLEDGER_JSON_READ_ALIKE_H
#define RANKLEDGER_JSON_READ_ALIKE_H

#include "json_read_parser.h"

/*
 * Numbers written alike. The elements of an array of samples mostly have as many digits as the one
 * before them, the point in the same place and the same white space behind the comma. Such an
 * element is recognised by comparing whole words with the pattern of the one before, which is
 * several times faster than reading it digit by digit. Anything else is left to the general way.
 */
#define JSON_READ_ALIKE_WORDS 3

struct json_read_alike {
    uint64_t others[JSON_READ_ALIKE_WORDS]; /* the characters that are no digits, in their places */
    uint64_t within[JSON_READ_ALIKE_WORDS]; /* the bytes that belong to the number */
    uint64_t separator, within_separator;
    size_t length, separator_length;
    size_t words;
    bool may_begin_with_zero;
    unsigned flags;
};

/* The lowest `count` bytes. */
static inline uint64_t json_read_alike_low_bytes(size_t count)
{
    return count >= 8 ? UINT64_MAX : (UINT64_C(1) << (8 * count)) - 1;
}

/* What of a word is no digit, as its difference from '0', which of no other byte is 0 (a NUL byte
 * is no digit, either); the digits become 0. */
static inline uint64_t json_read_alike_others(uint64_t word)
{
    uint64_t digits = word ^ JSON_READ_PARSER_ONES * '0'; /* 0 to 9 where there is one */
    uint64_t other =
        (((digits & ~JSON_READ_PARSER_HIGH_BITS) + JSON_READ_PARSER_ONES * 0x76) | digits) &
        JSON_READ_PARSER_HIGH_BITS;
    return digits & ((other >> 7) * 0xFF);
}

/* The pattern of the number `node`, behind which a comma follows, then the value at `p`. False if
 * it is not of the simple kind. */
static inline bool json_read_alike_learn(const struct json_read_parser *parser,
                                         const struct json_read_node *node, const char *p,
                                         struct json_read_alike *alike)
{
    const char *begin = parser->document->text + node->offset;
    size_t length = node->length;
    size_t separator = (size_t)(p - begin) - length;
    if (node->type != JSON_READ_NUMBER || node->hash != 0 || *begin == '-' ||
        length > 8 * JSON_READ_ALIKE_WORDS - 1 || separator > 8 ||
        ((node->flags & JSON_READ_INTEGER) != 0 && length > 15) || parser->end - p < 40 ||
        p[length] != ',')
        return false;
    *alike = (struct json_read_alike){.length = length,
                                      .separator_length = separator,
                                      .words = length / 8 + 1,
                                      .flags = node->flags,
                                      .within_separator = json_read_alike_low_bytes(separator)};
    alike->separator = json_read_parser_load(begin + length) & alike->within_separator;
    for (size_t i = 0; i < alike->words; i++) {
        alike->within[i] = json_read_alike_low_bytes(length - 8 * i);
        alike->others[i] =
            json_read_alike_others(json_read_parser_load(begin + 8 * i)) & alike->within[i];
    }
    alike->may_begin_with_zero = length == 1 || begin[1] == '.';
    return true;
}

static inline bool json_read_alike_matches(const struct json_read_alike *alike, const char *p)
{
    for (size_t i = 0; i < alike->words; i++)
        if ((json_read_alike_others(json_read_parser_load(p + 8 * i)) & alike->within[i]) !=
            alike->others[i])
            return false;
    return (json_read_parser_load(p + alike->length) & alike->within_separator) ==
               alike->separator &&
           (*p != '0' || alike->may_begin_with_zero);
}

#endif
