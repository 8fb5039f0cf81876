#include "json_read.h"

#include "json_read_parser.h"

/*
 * Reading a text that is laid out like the one before it. What stands between the values, names
 * included, must be the same byte by byte, so that it means the same and need not be parsed,
 * hashed or searched for duplicates again; each value is scanned for itself. The nodes are moved in
 * place. At anything unusual this way gives up and the text is parsed from its beginning, so that
 * it decides nothing but speed.
 */

/* What is taken over: numbers up to here need no look at their size. */
#define MAX_INTEGER_DIGITS 15 /* below 2^53 */
#define MAX_NUMBER_LENGTH 300 /* without an exponent below DBL_MAX */

struct likeness {
    struct json_read_document *document;
    const char *before; /* the pattern's text */
    const char *before_end;
    const char *text; /* the new one */
    const char *end;
    const char *old; /* so far the pattern is followed */
    const char *p;   /* so far the text is read */
    uint32_t depth;
    struct {
        uint32_t node;
        const char *old_end;
    } open[JSON_READ_MAX_DEPTH];
};

static inline bool is_same(const char *a, const char *b, size_t length)
{
    while (length >= 8) {
        if (json_read_parser_load(a) != json_read_parser_load(b))
            return false;
        a += 8;
        b += 8;
        length -= 8;
    }
    for (size_t i = 0; i < length; i++)
        if (a[i] != b[i])
            return false;
    return true;
}

/* Passes over what stands before `old` in the pattern, which must stand in the text too. */
static inline bool follow(struct likeness *like, const char *old)
{
    size_t length = (size_t)(old - like->old);
    if ((size_t)(like->end - like->p) < length || !is_same(like->old, like->p, length))
        return false;
    like->old = old;
    like->p += length;
    return true;
}

/* The value is the pattern's own, and what follows it says that it ends there. */
static bool is_repeated(const struct likeness *like, const struct json_read_node *node)
{
    size_t length = node->length;
    return (size_t)(like->end - like->p) > length && is_same(like->old, like->p, length) &&
           like->old + length < like->before_end && like->p[length] == like->old[length];
}

/* At a number; NULL if it is none of the simple kind. Sets the node's flags. */
static inline const char *scan_number(const struct likeness *like, struct json_read_node *node)
{
    const char *p = like->p;
    const char *end = like->end;
    p += p < end && *p == '-';
    const char *digits = p;
    while (p < end && json_read_parser_is_digit(*p))
        p++;
    size_t count = (size_t)(p - digits);
    if (count == 0 || (count > 1 && *digits == '0') || count > MAX_NUMBER_LENGTH)
        return NULL;
    unsigned flags = JSON_READ_INTEGER;
    if (p < end && *p == '.') {
        const char *fraction = ++p;
        while (p < end && json_read_parser_is_digit(*p))
            p++;
        if (p == fraction)
            return NULL;
        flags = 0;
    }
    if (p == end || *p == 'e' || *p == 'E' || (flags != 0 && count > MAX_INTEGER_DIGITS))
        return NULL;
    node->flags = (uint8_t)flags;
    node->hash = 0;
    return p;
}

/* At the first character of a string; its closing quote, or NULL if it is not plain ASCII. */
static inline const char *scan_string(const struct likeness *like)
{
    for (const char *p = like->p; like->end - p >= 8; p += 8) {
        uint64_t special = json_read_parser_special(json_read_parser_load(p));
        if (special != 0) {
            p += json_read_parser_first(special);
            return *p == '"' ? p : NULL;
        }
    }
    return NULL;
}

/* A number or a string that is a value. */
static inline bool take_value(struct likeness *like, struct json_read_node *node)
{
    const char *old = like->before + node->offset;
    size_t old_length = node->length;
    if (!follow(like, old))
        return false;
    const char *end = node->type == JSON_READ_NUMBER ? scan_number(like, node) : scan_string(like);
    if (end != NULL && node->type == JSON_READ_STRING)
        node->flags = 0;
    if (end == NULL && is_repeated(like, node))
        end = like->p + old_length;
    if (end == NULL)
        return false;
    node->offset = (uint32_t)(like->p - like->text);
    node->length = (uint32_t)(end - like->p);
    like->old = old + old_length;
    like->p = end;
    return true;
}

/* The pattern and the text run in step between values: where `old` comes to lie. */
static inline uint32_t moved(const struct likeness *like, const char *old)
{
    return (uint32_t)((like->p - like->text) + (old - like->old));
}

/* Containers that end before the node `next`: their brackets stand behind the last value. */
static inline void close_containers(struct likeness *like, uint32_t next)
{
    struct json_read_node *nodes = like->document->nodes;
    while (like->depth > 0 && nodes[like->open[like->depth - 1].node].end == next) {
        like->depth--;
        struct json_read_node *node = &nodes[like->open[like->depth].node];
        node->length = moved(like, like->open[like->depth].old_end) - node->offset;
    }
}

static bool move_nodes(struct likeness *like, unsigned *flags)
{
    struct json_read_node *nodes = like->document->nodes;
    uint32_t count = like->document->count;
    for (uint32_t i = 0; i < count; i++) {
        struct json_read_node *node = &nodes[i];
        close_containers(like, i);
        bool key = (node->flags & JSON_READ_KEY) != 0;
        if (!key && (node->type == JSON_READ_NUMBER || node->type == JSON_READ_STRING)) {
            if (!take_value(like, node))
                return false;
        } else {
            const char *old = like->before + node->offset;
            if (!key && node->type >= JSON_READ_ARRAY) {
                like->open[like->depth].node = i;
                like->open[like->depth++].old_end = old + node->length;
            }
            node->offset = moved(like, old); /* right if what comes next can be followed */
        }
        *flags |= node->flags;
    }
    close_containers(like, count);
    return true;
}

bool json_read_parser_like(struct json_read_document *document, const char *text, size_t size)
{
    struct likeness like;
    unsigned flags = 0;
    like.document = document;
    like.before = like.old = document->text;
    like.before_end = document->text + document->size;
    like.text = like.p = text;
    like.end = text + size;
    like.depth = 0;
    if (size > UINT32_MAX || !move_nodes(&like, &flags) || !follow(&like, like.before_end) ||
        like.p != like.end)
        return false;
    document->text = text;
    document->size = size;
    document->flags = (uint8_t)flags;
    return true;
}
