#ifndef RANKLEDGER_JSON_READ_PARSER_H
#define RANKLEDGER_JSON_READ_PARSER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "json_read.h"

/* What the files of the JSON reader share. No other module includes this. */

/* What the parser expected where it met a fault. */
enum json_read_parser_expect {
    JSON_READ_EXPECT_VALUE,         /* after a colon, after a comma, at the start of the text */
    JSON_READ_EXPECT_FIRST_ELEMENT, /* after `[`: a value or `]` */
    JSON_READ_EXPECT_FIRST_KEY,     /* after `{`: a name or `}` */
    JSON_READ_EXPECT_KEY,           /* after a comma in an object */
    JSON_READ_EXPECT_COLON,         /* after a name */
    JSON_READ_EXPECT_COMMA,         /* after an element or a member: a comma or the bracket */
    JSON_READ_EXPECT_DIGIT,         /* inside a number */
    JSON_READ_EXPECT_CHARACTER,     /* inside a string */
    JSON_READ_EXPECT_ESCAPE,        /* after a backslash */
    JSON_READ_EXPECT_HEX,           /* inside \uXXXX */
    JSON_READ_EXPECT_SHALLOWER,     /* one bracket less */
    JSON_READ_EXPECT_END            /* after the document */
};

struct json_read_parser {
    struct json_read_document *document;
    struct json_read_fault *fault;
    const char *end;
    const char *token; /* begin of the string, number or word in which the fault lies */
    unsigned flags;    /* union of the nodes' flags */
    uint32_t depth;
    bool no_memory;
    uint32_t open[JSON_READ_MAX_DEPTH]; /* the open containers' nodes, outermost first */
};

/* Parses from `p` to the end of the text; NULL after a fault or without memory. */
const char *json_read_parser_run(struct json_read_parser *parser, const char *p);

/*
 * Reads `text` with the nodes of the document's present text as a pattern (json_read_like.c). False
 * if it is laid out otherwise or holds anything unusual; then the nodes are worthless.
 */
bool json_read_parser_like(struct json_read_document *document, const char *text, size_t size);

/* Fills the fault for what stands at `at`; returns NULL for the caller to relay. */
const char *json_read_parser_fail(struct json_read_parser *parser, const char *at,
                                  enum json_read_parser_expect expect) __attribute__((cold));

/* Fills the fault of a text that is not UTF-8 from its first bytes on; false if it may be. */
bool json_read_parser_wide(struct json_read_parser *parser, const char *text, size_t size);

/* Writes kind, pointer and message of the fault; called by json_read_parser_fail only. */
void json_read_parser_explain(struct json_read_parser *parser, const char *at,
                              enum json_read_parser_expect expect);

/* Writes the pointer that the locator's steps describe. */
void json_read_locator_write(const struct json_read_locator *locator, char *out, size_t capacity);

/* Appends to the fault's message; what does not fit is cut. */
void json_read_parser_say(struct json_read_fault *fault, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Appends what recognisably caused the fault, or nothing; false if nothing. */
bool json_read_parser_hint(struct json_read_parser *parser, const char *at,
                           enum json_read_parser_expect expect);

/* Flags the second and later keys of one name in the object, whose members are complete. False if
 * memory is exhausted. */
bool json_read_parser_duplicates(struct json_read_document *document, uint32_t object,
                                 unsigned *flags);

/* Flags of a number with an exponent or with very many digits. */
unsigned json_read_parser_range(const char *digits, const char *end);

/* At least `size` bytes of the document's scratch memory, or NULL. */
void *json_read_parser_scratch(struct json_read_document *document, size_t size);

/* Hash of a key that has escapes. False if memory is exhausted. */
bool json_read_parser_hash_escaped(struct json_read_document *document, const char *key,
                                   size_t length, uint32_t *hash);

static inline bool json_read_parser_is_space(char c)
{
    return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

static inline bool json_read_parser_is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Eight bytes of text as a number whose lowest byte is the first of them. */
static inline uint64_t json_read_parser_load(const char *text)
{
    uint64_t word;
    memcpy(&word, text, sizeof word);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    return word;
}

/* Index of the first byte of a loaded word that is not zero; the word must not be 0. */
static inline size_t json_read_parser_first(uint64_t word)
{
    return (size_t)__builtin_ctzll(word) / 8;
}

#define JSON_READ_PARSER_ONES UINT64_C(0x0101010101010101)
#define JSON_READ_PARSER_HIGH_BITS (JSON_READ_PARSER_ONES * 0x80)

/* Marks the bytes of a word at which a string scan must stop: a quote, a backslash, control
 * characters, and all that is not ASCII. Above the first mark there may be false ones. */
static inline uint64_t json_read_parser_special(uint64_t word)
{
    uint64_t quote = word ^ JSON_READ_PARSER_ONES * '"';
    uint64_t backslash = word ^ JSON_READ_PARSER_ONES * '\\';
    return ((quote - JSON_READ_PARSER_ONES) | (backslash - JSON_READ_PARSER_ONES) |
            (word - JSON_READ_PARSER_ONES * ' ') | word) &
           JSON_READ_PARSER_HIGH_BITS;
}

/*
 * A multiplicative hash by words of eight bytes; the multiplier is that of splitmix64. The length
 * goes in last, so that the parser can hash a name while it looks for its end.
 */
#define JSON_READ_PARSER_HASH_MULTIPLIER UINT64_C(0xbf58476d1ce4e5b9)

static inline uint64_t json_read_parser_hash_word(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * JSON_READ_PARSER_HASH_MULTIPLIER;
    return hash ^ hash >> 29;
}

/* `tail`: the bytes behind the last whole word, the first of them lowest. */
static inline uint32_t json_read_parser_hash_end(uint64_t hash, uint64_t tail, size_t length)
{
    hash = (hash ^ tail ^ ((uint64_t)length << 56)) * JSON_READ_PARSER_HASH_MULTIPLIER;
    return (uint32_t)(hash >> 32);
}

static inline uint32_t json_read_parser_hash(const char *name, size_t length)
{
    uint64_t hash = 0;
    uint64_t tail = 0;
    const char *end = name + length;
    for (; end - name >= 8; name += 8)
        hash = json_read_parser_hash_word(hash, json_read_parser_load(name));
    while (end > name)
        tail = tail << 8 | (unsigned char)*--end;
    return json_read_parser_hash_end(hash, tail, length);
}

#endif
