#ifndef RANKLEDGER_JSON_READ_HINT_H
#define RANKLEDGER_JSON_READ_HINT_H

#include "json_read_parser.h"

/*
 * Private to json_read_hint*.c. Each function looks at what stands at the fault, appends what
 * caused it to the message if it knows that, and says whether it did.
 */

/* A file of another kind, told by its first bytes. */
bool json_read_hint_file(struct json_read_parser *parser);

/* Text before the JSON: the file begins with something else, the fault lies in its first line. */
bool json_read_hint_log_line(struct json_read_parser *parser, const char *at);

bool json_read_hint_yaml(struct json_read_parser *parser, const char *at);

static inline bool json_read_hint_begins(const char *at, const char *end, const char *word)
{
    size_t length = strlen(word);
    return (size_t)(end - at) >= length && memcmp(at, word, length) == 0;
}

static inline bool json_read_hint_is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static inline bool json_read_hint_is_name(char c)
{
    return json_read_hint_is_letter(c) || json_read_parser_is_digit(c);
}

static inline size_t json_read_hint_name_length(const char *at, const char *end)
{
    size_t length = 0;
    while (at + length < end && json_read_hint_is_name(at[length]))
        length++;
    return length;
}

#endif
