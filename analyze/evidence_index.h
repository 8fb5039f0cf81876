#ifndef RANKLEDGER_EVIDENCE_INDEX_H
#define RANKLEDGER_EVIDENCE_INDEX_H

#include <stdint.h>

#include "diag.h"
#include "evidence_rules.h"
#include "json_read.h"

/*
 * The rule table as a tree of names with a hash table over it, so that a walk finds the rules of a
 * member with one look-up. Built once by whoever validates, then only read.
 */

#define EVIDENCE_INDEX_NODES 256
#define EVIDENCE_INDEX_SLOTS 1024 /* a power of two, several times the nodes */
#define EVIDENCE_INDEX_ROOT 0

/* What a number must look like to be sound at first glance (evidence_index_is_sound). */
enum evidence_index_glance {
    EVIDENCE_INDEX_NO_GLANCE,
    EVIDENCE_INDEX_NOT_NEGATIVE,
    EVIDENCE_INDEX_POSITIVE,
    EVIDENCE_INDEX_COUNT,         /* whole, not negative */
    EVIDENCE_INDEX_POSITIVE_COUNT /* whole, at least 1 */
};

struct evidence_index_node {
    const struct evidence_row *rows[EVIDENCE_SCOPE_COUNT]; /* NULL: no rule in that scope */
    const char *name; /* member name, "*" or family; not NUL-terminated */
    uint8_t length;
    uint8_t required_bit; /* number among the required children of the parent, for a bit set */
    uint8_t glance;       /* enum evidence_index_glance */
    uint32_t required[EVIDENCE_SCOPE_COUNT]; /* the set of required children, by required_bit */
    uint16_t parent;
    uint16_t first_child, next_sibling; /* in the order of the table; 0: none */
    uint16_t every;                     /* the child "*", 0: none */
    uint16_t family;                    /* the first child that is a family of names; 0: none */
};

struct evidence_index_slot {
    uint32_t hash;
    uint16_t node; /* 0: empty */
};

struct evidence_index {
    struct evidence_index_node nodes[EVIDENCE_INDEX_NODES];
    uint16_t count;
    struct evidence_index_slot slots[EVIDENCE_INDEX_SLOTS];
};

/* Fills the caller's storage. STATUS_BUG if the table is larger than the index allows. */
enum status evidence_index_build(struct evidence_index *index, struct diag *diag) STATUS_CHECKED;

/*
 * True if the digits say that the number is sound, as they do of nearly all: no minus sign and,
 * where 0 is refused, a first digit that is not 0. False: it has to be looked at closely.
 */
static inline bool evidence_index_is_sound(const struct json_read_document *json,
                                           const struct json_read_node *number, unsigned glance)
{
    if (glance == EVIDENCE_INDEX_NO_GLANCE || number->type != JSON_READ_NUMBER ||
        (number->flags & JSON_READ_NUMBER_OUT_OF_RANGE) != 0)
        return false;
    const char *digits = json->text + number->offset;
    bool whole = (number->flags & JSON_READ_INTEGER) != 0;
    if (glance == EVIDENCE_INDEX_NOT_NEGATIVE || glance == EVIDENCE_INDEX_COUNT)
        return digits[0] != '-' && (whole || glance == EVIDENCE_INDEX_NOT_NEGATIVE);
    if (digits[0] == '-' || digits[0] == '0')
        return false;
    if (whole || glance == EVIDENCE_INDEX_POSITIVE_COUNT)
        return whole;
    /* 1e-400 is 0 to a double; a number whose fourth character is the point has no room for it. */
    if (number->length < 6 || (digits[3] == '.' && number->length < 9))
        return true;
    for (uint32_t i = 1; i < number->length; i++)
        if ((digits[i] | 0x20) == 'e')
            return false;
    return true;
}

/* The child of `parent` with this decoded name (its json_read_hash in `hash`), or 0. */
uint16_t evidence_index_find(const struct evidence_index *index, uint16_t parent, uint32_t hash,
                             const char *name, size_t length);

#endif
