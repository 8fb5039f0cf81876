#include "json_read.h"

#include "json_read_alike.h"

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

/* A text and how far it is read. */
struct side {
    const char *p;
    const char *end;
};

/* Word by word where eight bytes can be read behind both, as nearly everywhere. */
static inline bool is_same(struct side old, struct side new, size_t length)
{
    if ((size_t)(old.end - old.p) < length + 8 || (size_t)(new.end - new.p) < length + 8)
        return (size_t)(new.end - new.p) >= length && memcmp(old.p, new.p, length) == 0;
    for (; length >= 8; length -= 8, old.p += 8, new.p += 8)
        if (json_read_parser_load(old.p) != json_read_parser_load(new.p))
            return false;
    uint64_t rest = (UINT64_C(1) << (8 * length)) - 1;
    return ((json_read_parser_load(old.p) ^ json_read_parser_load(new.p)) & rest) == 0;
}

/* The value is the pattern's own, and what follows says that it ends there: its end, or NULL. */
static const char *repeat_value(struct side old, struct side new, size_t length)
{
    bool same = is_same(old, new, length) && (size_t)(new.end - new.p) > length &&
                (size_t)(old.end - old.p) > length && new.p[length] == old.p[length];
    return same ? new.p + length : NULL;
}

/* Where the digits at `p` end; eight at a time. */
static inline const char *skip_digits(const char *p, const char *end)
{
    for (; end - p >= 8; p += 8) {
        uint64_t others = json_read_alike_others(json_read_parser_load(p));
        if (others != 0)
            return p + json_read_parser_first(others);
    }
    while (p < end && json_read_parser_is_digit(*p))
        p++;
    return p;
}

/* At a number; its end, or NULL if it is none of the simple kind. */
static inline const char *scan_number(struct side new, unsigned *flags)
{
    const char *p = new.p;
    p += p < new.end &&*p == '-';
    const char *digits = p;
    p = skip_digits(p, new.end);
    size_t count = (size_t)(p - digits);
    if (count == 0 || (count > 1 && *digits == '0') || count > MAX_NUMBER_LENGTH)
        return NULL;
    *flags = JSON_READ_INTEGER;
    if (p < new.end &&*p == '.') {
        const char *fraction = ++p;
        p = skip_digits(p, new.end);
        if (p == fraction)
            return NULL;
        *flags = 0;
    }
    if (p == new.end || *p == 'e' || *p == 'E' || (*flags != 0 && count > MAX_INTEGER_DIGITS))
        return NULL;
    return p;
}

/* At the first character of a string; its closing quote, or NULL if it is not plain ASCII. */
static inline const char *scan_string(struct side new)
{
    for (const char *p = new.p; new.end - p >= 8; p += 8) {
        uint64_t special = json_read_parser_special(json_read_parser_load(p));
        if (special != 0) {
            p += json_read_parser_first(special);
            return *p == '"' ? p : NULL;
        }
    }
    return NULL;
}

/*
 * A short number whose digits stand where the pattern's stand and that ends as it does: its end, or
 * NULL. It has the pattern's properties, and no zero before other digits.
 */
static inline const char *scan_alike(struct side old, struct side new,
                                     const struct json_read_node *node)
{
    if (node->length > 7 || node->hash != 0 || old.end - old.p < 8 || new.end - new.p < 8)
        return NULL;
    uint64_t differences = json_read_alike_others(json_read_parser_load(old.p)) ^
                           json_read_alike_others(json_read_parser_load(new.p));
    bool same = (differences & json_read_alike_low_bytes(node->length + 1)) == 0;
    bool plain = json_read_parser_is_digit(*new.p) &&
                 (*new.p != '0' || !json_read_parser_is_digit(new.p[1]));
    return same && plain ? new.p + node->length : NULL;
}

/* At a number or a string of the pattern: its end in the new text, or NULL. Changes the node, but
 * for its place. */
static inline const char *scan_value(struct side old, struct side new, struct json_read_node *node)
{
    unsigned flags = 0;
    bool number = node->type == JSON_READ_NUMBER;
    const char *alike = number ? scan_alike(old, new, node) : NULL;
    if (alike != NULL)
        return alike;
    const char *end = number ? scan_number(new, &flags) : scan_string(new);
    if (end == NULL)
        return repeat_value(old, new, node->length);
    node->flags = (uint8_t)flags;
    node->hash = 0;
    return end;
}

struct open_container {
    uint32_t node;
    uint32_t old_end; /* offset behind its bracket */
};

/* Containers that end before the node `next`: their brackets stand behind the last value. Returns
 * where the innermost one that is left ends. */
static uint32_t close_containers(struct json_read_node *nodes, struct open_container *open,
                                 uint32_t *depth, uint32_t next, uint32_t moved)
{
    while (*depth > 0 && nodes[open[*depth - 1].node].end == next) {
        struct json_read_node *node = &nodes[open[--*depth].node];
        node->length = open[*depth].old_end + moved - node->offset;
    }
    return *depth > 0 ? nodes[open[*depth - 1].node].end : UINT32_MAX;
}

/*
 * Between values both texts run in step: `moved` is what has to be added to an offset, modulo 2^32.
 * Offsets are moved before it is known that what follows is the same; if it is not, all is lost
 * anyway.
 */
static bool move_nodes(struct json_read_document *document, struct side old, struct side new)
{
    struct open_container open[JSON_READ_MAX_DEPTH];
    struct json_read_node *nodes = document->nodes;
    const char *before = old.p;
    uint32_t count = document->count;
    uint32_t depth = 0;
    uint32_t next_close = UINT32_MAX;
    uint32_t moved = 0;
    unsigned flags = 0;
    for (uint32_t i = 0; i < count; i++) {
        struct json_read_node *node = &nodes[i];
        if (i == next_close)
            next_close = close_containers(nodes, open, &depth, i, moved);
        if (node->type < JSON_READ_NUMBER || (node->flags & JSON_READ_KEY) != 0) {
            node->offset += moved;
        } else if (node->type >= JSON_READ_ARRAY) {
            open[depth++] = (struct open_container){i, node->offset + node->length};
            next_close = node->end;
            node->offset += moved;
        } else {
            const char *value = before + node->offset;
            size_t between = (size_t)(value - old.p);
            if (!is_same(old, new, between))
                return false;
            old.p = value;
            new.p += between;
            uint32_t length = node->length;
            const char *end = scan_value(old, new, node);
            if (end == NULL)
                return false;
            node->offset += moved;
            node->length = (uint32_t)(end - new.p);
            moved += node->length - length;
            old.p += length;
            new.p = end;
        }
        flags |= node->flags;
    }
    close_containers(nodes, open, &depth, count, moved);
    document->flags = (uint8_t)flags;
    size_t rest = (size_t)(old.end - old.p);
    return (size_t)(new.end - new.p) == rest && is_same(old, new, rest);
}

bool json_read_parser_like(struct json_read_document *document, const char *text, size_t size)
{
    struct side old = {document->text, document->text + document->size};
    struct side new = {text, text + size};
    if (size > UINT32_MAX || !move_nodes(document, old, new))
        return false;
    document->text = text;
    document->size = size;
    return true;
}
