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

#define EVIDENCE_INDEX_NODES 512
#define EVIDENCE_INDEX_SLOTS 2048 /* a power of two, several times the nodes */
#define EVIDENCE_INDEX_ROOT 0

/*
 * What a number must look like to be sound at first glance, as nearly all are. Its first character
 * is at least `least`: '0' excludes the minus sign, '1' also 0 (and 0.5, which then has to be
 * looked at closely), 0xFF everything. Its flags have the bits `wanted` of the bits `looked_at`,
 * and where `no_exponent` is set, its node's `hash` says that it has none (1e-400 is 0 to a
 * double).
 */
struct evidence_index_glance {
    uint8_t least;
    uint8_t looked_at, wanted; /* enum json_read_flag */
    uint32_t no_exponent;      /* all bits or none */
};

struct evidence_index_node {
    const struct evidence_row *rows[EVIDENCE_SCOPE_COUNT]; /* NULL: no rule in that scope */
    const char *name; /* member name, "*" or family; not NUL-terminated */
    uint8_t length;
    uint8_t required_bit; /* number among the required children of the parent, for a bit set */
    struct evidence_index_glance glance;
    uint64_t begin, end; /* the first and the last eight bytes of the name (fewer: with zeros) */
    uint32_t salt;       /* goes into the hashes of the children's names */
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

/* True: the number is sound. False: it has to be looked at closely, or is no number. */
static inline bool evidence_index_is_sound(const struct json_read_document *json,
                                           const struct json_read_node *number,
                                           const struct evidence_index_glance *glance)
{
    return number->type == JSON_READ_NUMBER &&
           (unsigned char)json->text[number->offset] >= glance->least &&
           ((number->flags ^ glance->wanted) & glance->looked_at) == 0 &&
           (number->hash & glance->no_exponent) == 0;
}

/* A decoded member name; `end` is as far as memory can be read, at least to the name's end. */
struct evidence_index_name {
    const char *text;
    size_t length;
    const char *end;
    uint32_t hash; /* json_read_hash of the name */
};

/* The child of `parent` with this name, or 0. */
uint16_t evidence_index_find(const struct evidence_index *index, uint16_t parent,
                             const struct evidence_index_name *name);

#endif
