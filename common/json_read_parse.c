#include "json_read.h"

#include <stdlib.h>

#include "json_read_alike.h"
#include "json_read_code.h"
#include "json_read_parser.h"

/*
 * The one pass over the text. Every function takes the position and returns the next one, or NULL
 * after a fault; the position stays in a register this way, which is most of the speed.
 */

/* 2^53, below which every integer has its own double. */
static const char largest_exact[] = "9007199254740992";

static __attribute__((cold)) bool grow_nodes(struct json_read_document *document)
{
    uint64_t wanted = (uint64_t)document->capacity * 2;
    if (wanted < 256)
        wanted = 256;
    if (wanted > UINT32_MAX - 1)
        wanted = UINT32_MAX - 1;
    if (wanted <= document->capacity || wanted > SIZE_MAX / sizeof *document->nodes)
        return false;
    void *nodes = realloc(document->nodes, (size_t)wanted * sizeof *document->nodes);
    if (nodes == NULL)
        return false;
    document->nodes = nodes;
    document->capacity = (uint32_t)wanted;
    return true;
}

static inline bool add_node(struct json_read_parser *parser, const char *begin, size_t length,
                            enum json_read_type type, unsigned flags)
{
    struct json_read_document *document = parser->document;
    uint32_t index = document->count;
    if (index == document->capacity && !grow_nodes(document)) {
        parser->no_memory = true;
        return false;
    }
    struct json_read_node *node = &document->nodes[index];
    node->offset = (uint32_t)(begin - document->text);
    node->length = (uint32_t)length;
    node->end = index + 1;
    node->hash = 0;
    node->type = (uint8_t)type;
    node->flags = (uint8_t)flags;
    parser->flags |= flags;
    document->count = index + 1;
    return true;
}

/* Indented text: one line feed, then a run of spaces, which is skipped eight at a time. */
static inline const char *skip_space(const char *p, const char *end)
{
    if (p < end && (unsigned char)*p > ' ')
        return p;
    while (p < end && json_read_parser_is_space(*p)) {
        p++;
        while (end - p >= 8) {
            uint64_t other = json_read_parser_load(p) ^ JSON_READ_PARSER_ONES * ' ';
            if (other != 0) {
                p += json_read_parser_first(other);
                break;
            }
            p += 8;
        }
    }
    return p;
}

static bool is_hex(char c)
{
    return json_read_parser_is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

/* At the four digits of \uXXXX: the unit, or UINT32_MAX after a fault. */
static uint32_t scan_unit(struct json_read_parser *parser, const char *p)
{
    uint32_t unit = 0;
    for (int i = 0; i < 4; i++, p++) {
        if (p == parser->end || !is_hex(*p)) {
            json_read_parser_fail(parser, p, JSON_READ_EXPECT_HEX);
            return UINT32_MAX;
        }
        uint32_t c = (unsigned char)*p;
        unit = unit << 4 | (c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10);
    }
    return unit;
}

/* At a backslash. */
static __attribute__((cold)) const char *scan_escape(struct json_read_parser *parser, const char *p,
                                                     unsigned *flags)
{
    *flags |= JSON_READ_ESCAPED;
    p++;
    if (p == parser->end || *p == '\0' || strchr("\"\\/bfnrtu", *p) == NULL)
        return json_read_parser_fail(parser, p, JSON_READ_EXPECT_ESCAPE);
    if (*p != 'u')
        return p + 1;
    uint32_t unit = scan_unit(parser, p + 1);
    if (unit == UINT32_MAX)
        return NULL;
    p += 5;
    if (unit == 0)
        *flags |= JSON_READ_NUL_IN_STRING;
    if (unit < 0xD800 || unit > 0xDFFF)
        return p;
    if (unit <= 0xDBFF && parser->end - p >= 2 && p[0] == '\\' && p[1] == 'u') {
        uint32_t second = scan_unit(parser, p + 2);
        if (second == UINT32_MAX)
            return NULL;
        if (second >= 0xDC00 && second <= 0xDFFF)
            return p + 6;
    }
    *flags |= JSON_READ_LONE_SURROGATE; /* what follows is scanned as its own escape */
    return p;
}

/* At the first character; returns the closing quote. */
static inline const char *scan_string(struct json_read_parser *parser, const char *p,
                                      unsigned *flags)
{
    const char *end = parser->end;
    parser->token = p;
    for (;;) {
        while (end - p >= 8) {
            uint64_t special = json_read_parser_special(json_read_parser_load(p));
            if (special != 0) {
                p += json_read_parser_first(special);
                break;
            }
            p += 8;
        }
        if (p == end)
            return json_read_parser_fail(parser, p, JSON_READ_EXPECT_CHARACTER);
        unsigned char c = (unsigned char)*p;
        if (c == '"')
            return p;
        if (c >= 0x80) {
            do {
                size_t length = json_read_code_sequence(p, end);
                if (length == 0)
                    return json_read_parser_fail(parser, p, JSON_READ_EXPECT_CHARACTER);
                p += length;
            } while (p < end && (unsigned char)*p >= 0x80);
        } else if (c == '\\') {
            p = scan_escape(parser, p, flags);
            if (p == NULL)
                return NULL;
        } else if (c < ' ') {
            return json_read_parser_fail(parser, p, JSON_READ_EXPECT_CHARACTER);
        } else {
            p++;
        }
    }
}

static const char *parse_string(struct json_read_parser *parser, const char *p)
{
    unsigned flags = 0;
    const char *quote = scan_string(parser, p + 1, &flags);
    if (quote == NULL || !add_node(parser, p + 1, (size_t)(quote - p - 1), JSON_READ_STRING, flags))
        return NULL;
    return quote + 1;
}

/* As scan_string for a name of plain ASCII without escapes, hashed on the way. NULL, which is no
 * fault, if the name is not that simple or stands at the very end. */
static inline const char *scan_plain_name(const struct json_read_parser *parser, const char *name,
                                          uint32_t *hash)
{
    uint64_t sum = 0;
    for (const char *p = name; parser->end - p >= 8; p += 8) {
        uint64_t word = json_read_parser_load(p);
        uint64_t special = json_read_parser_special(word);
        if (special == 0) {
            sum = json_read_parser_hash_word(sum, word);
            continue;
        }
        size_t left = json_read_parser_first(special);
        if (p[left] != '"')
            return NULL;
        uint64_t tail = word & ((UINT64_C(1) << (8 * left)) - 1);
        *hash = json_read_parser_hash_end(sum, tail, (size_t)(p - name) + left);
        return p + left;
    }
    return NULL;
}

/* At what should be a member's name, white space skipped; returns the begin of its value. */
static const char *parse_key(struct json_read_parser *parser, const char *p,
                             enum json_read_parser_expect expect)
{
    if (p == parser->end || *p != '"')
        return json_read_parser_fail(parser, p, expect);
    unsigned flags = JSON_READ_KEY;
    uint32_t hash = 0;
    const char *quote = scan_plain_name(parser, p + 1, &hash);
    bool plain = quote != NULL;
    if (!plain)
        quote = scan_string(parser, p + 1, &flags);
    size_t length = quote == NULL ? 0 : (size_t)(quote - p - 1);
    if (quote == NULL || !add_node(parser, p + 1, length, JSON_READ_STRING, flags))
        return NULL;
    struct json_read_document *document = parser->document;
    uint32_t key = document->count - 1;
    document->nodes[key].end = key + 2; /* right unless the value is a container, see close */
    document->nodes[key].hash = plain ? hash : json_read_parser_hash(p + 1, length);
    if ((flags & JSON_READ_ESCAPED) != 0 &&
        !json_read_parser_hash_escaped(document, p + 1, length, &document->nodes[key].hash)) {
        parser->no_memory = true;
        return NULL;
    }
    document->nodes[parser->open[parser->depth - 1]].hash++;
    p = skip_space(quote + 1, parser->end);
    if (p == parser->end || *p != ':')
        return json_read_parser_fail(parser, p, JSON_READ_EXPECT_COLON);
    return skip_space(p + 1, parser->end);
}

static inline const char *skip_digits(const char *p, const char *end)
{
    while (p < end && json_read_parser_is_digit(*p))
        p++;
    return p;
}

static unsigned integer_flags(const char *digits, const char *p)
{
    size_t count = (size_t)(p - digits), exact = sizeof largest_exact - 1;
    unsigned flags = JSON_READ_INTEGER;
    if (count > exact || (count == exact && memcmp(digits, largest_exact, exact) > 0))
        flags |= JSON_READ_BIG_INTEGER;
    return flags;
}

/* DBL_MAX has 309 digits before the point: without an exponent a shorter number is in range. */
#define SAFE_DIGITS 300

static const char *parse_number(struct json_read_parser *parser, const char *begin)
{
    const char *end = parser->end, *p = begin + (*begin == '-');
    const char *digits = p;
    parser->token = begin;
    p = p < end && *p == '0' ? p + 1 : skip_digits(p, end);
    if (p == digits)
        return json_read_parser_fail(parser, p, JSON_READ_EXPECT_DIGIT);
    bool check = p - digits > SAFE_DIGITS;
    bool has_exponent = false;
    unsigned flags = 0;
    if (p == end || (*p != '.' && *p != 'e' && *p != 'E'))
        flags = integer_flags(digits, p);
    if (p < end && *p == '.') {
        const char *fraction = ++p;
        p = skip_digits(p, end);
        if (p == fraction)
            return json_read_parser_fail(parser, p, JSON_READ_EXPECT_DIGIT);
    }
    if (p < end && (*p == 'e' || *p == 'E')) {
        p++;
        if (p < end && (*p == '+' || *p == '-'))
            p++;
        const char *exponent = p;
        p = skip_digits(p, end);
        if (p == exponent)
            return json_read_parser_fail(parser, p, JSON_READ_EXPECT_DIGIT);
        check = has_exponent = true;
    }
    if (check)
        flags |= json_read_parser_range(begin, p);
    if (!add_node(parser, begin, (size_t)(p - begin), JSON_READ_NUMBER, flags))
        return NULL;
    parser->document->nodes[parser->document->count - 1].hash = has_exponent;
    return p;
}

static const char *parse_word(struct json_read_parser *parser, const char *p, const char *word,
                              enum json_read_type type)
{
    size_t length = strlen(word);
    parser->token = p;
    if ((size_t)(parser->end - p) < length || memcmp(p, word, length) != 0)
        return json_read_parser_fail(parser, p, JSON_READ_EXPECT_VALUE);
    return add_node(parser, p, length, type, 0) ? p + length : NULL;
}

static inline const char *parse_scalar(struct json_read_parser *parser, const char *p)
{
    switch (*p) {
    case '"':
        return parse_string(parser, p);
    case 't':
        return parse_word(parser, p, "true", JSON_READ_TRUE);
    case 'f':
        return parse_word(parser, p, "false", JSON_READ_FALSE);
    case 'n':
        return parse_word(parser, p, "null", JSON_READ_NULL);
    default:
        if (*p == '-' || json_read_parser_is_digit(*p))
            return parse_number(parser, p);
        return json_read_parser_fail(parser, p, JSON_READ_EXPECT_VALUE);
    }
}

/* The fault is the first container of the branch that is too deep for evidence, as validation says
 * of a branch that is only a little deeper. */
static const char *fail_too_deep(struct json_read_parser *parser)
{
    parser->depth = JSON_READ_EVIDENCE_DEPTH;
    parser->document->count = parser->open[JSON_READ_EVIDENCE_DEPTH];
    uint32_t offset = parser->document->nodes[parser->document->count].offset;
    return json_read_parser_fail(parser, parser->document->text + offset,
                                 JSON_READ_EXPECT_SHALLOWER);
}

/* At an opening bracket; returns the first character inside that is no white space. */
static const char *open_container(struct json_read_parser *parser, const char *p)
{
    enum json_read_type type = *p == '{' ? JSON_READ_OBJECT : JSON_READ_ARRAY;
    uint32_t index = parser->document->count;
    if (parser->depth >= JSON_READ_EVIDENCE_DEPTH) {
        if (parser->depth == JSON_READ_MAX_DEPTH)
            return fail_too_deep(parser);
        if (parser->document->deep == JSON_READ_NONE)
            parser->document->deep = index;
    }
    if (!add_node(parser, p, 0, type, 0))
        return NULL;
    parser->open[parser->depth++] = index;
    return skip_space(p + 1, parser->end);
}

/* At the closing bracket. */
static const char *close_container(struct json_read_parser *parser, const char *p)
{
    struct json_read_document *document = parser->document;
    uint32_t index = parser->open[--parser->depth];
    struct json_read_node *node = &document->nodes[index];
    node->length = (uint32_t)(p + 1 - document->text) - node->offset;
    node->end = document->count;
    if (index > 0 && (node[-1].flags & JSON_READ_KEY) != 0)
        node[-1].end = document->count;
    if (node->type == JSON_READ_OBJECT && node->hash > 1 &&
        !json_read_parser_duplicates(document, index, &parser->flags)) {
        parser->no_memory = true;
        return NULL;
    }
    return p + 1;
}

/* At an element of `array` behind another one: takes as many as are written like that one. Returns
 * the begin of the next value. */
static const char *take_alike(struct json_read_parser *parser, uint32_t array, const char *p)
{
    struct json_read_alike alike;
    struct json_read_document *document = parser->document;
    if (!json_read_alike_learn(parser, &document->nodes[document->count - 1], p, &alike))
        return p;
    const char *last = parser->end - 40; /* so far can be read in words */
    size_t stride = alike.length + alike.separator_length;
    uint32_t taken = 0;
    while (p <= last && json_read_alike_matches(&alike, p) &&
           add_node(parser, p, alike.length, JSON_READ_NUMBER, alike.flags)) {
        p += stride;
        taken++;
    }
    document->nodes[array].hash += taken;
    return skip_space(p, parser->end);
}

/* After a value: closes what ends here. Returns the begin of the next value, or the end of the
 * document with depth 0. */
static const char *next_value(struct json_read_parser *parser, const char *p)
{
    while (parser->depth > 0) {
        struct json_read_node *node = &parser->document->nodes[parser->open[parser->depth - 1]];
        bool object = node->type == JSON_READ_OBJECT;
        p = skip_space(p, parser->end);
        if (p < parser->end && *p == ',') {
            p = skip_space(p + 1, parser->end);
            if (object)
                return parse_key(parser, p, JSON_READ_EXPECT_KEY);
            node->hash++;
            return take_alike(parser, parser->open[parser->depth - 1], p);
        }
        if (p == parser->end || *p != (object ? '}' : ']'))
            return json_read_parser_fail(parser, p, JSON_READ_EXPECT_COMMA);
        p = close_container(parser, p);
        if (p == NULL)
            return NULL;
    }
    return p;
}

const char *json_read_parser_run(struct json_read_parser *parser, const char *p)
{
    const char *end = parser->end;
    enum json_read_parser_expect expect = JSON_READ_EXPECT_VALUE;
    p = skip_space(p, end);
    do {
        if (p == end)
            return json_read_parser_fail(parser, p, expect);
        expect = JSON_READ_EXPECT_VALUE;
        if (*p != '{' && *p != '[') {
            p = parse_scalar(parser, p);
        } else {
            bool object = *p == '{';
            p = open_container(parser, p);
            if (p == NULL)
                return NULL;
            if (p == end || *p != (object ? '}' : ']')) {
                if (object) {
                    p = parse_key(parser, p, JSON_READ_EXPECT_FIRST_KEY);
                } else {
                    parser->document->nodes[parser->document->count - 1].hash++;
                    expect = JSON_READ_EXPECT_FIRST_ELEMENT;
                }
                continue;
            }
        }
        if (p != NULL)
            p = next_value(parser, p);
    } while (p != NULL && parser->depth > 0);
    if (p == NULL)
        return NULL;
    p = skip_space(p, end);
    return p == end ? p : json_read_parser_fail(parser, p, JSON_READ_EXPECT_END);
}
