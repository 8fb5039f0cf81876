#ifndef RANKLEDGER_VALIDATE_H
#define RANKLEDGER_VALIDATE_H

#include "arena.h"
#include "diag.h"
#include "evidence_index.h"
#include "finding.h"
#include "json_read.h"

/*
 * More findings than this in one document are counted, not listed: nobody reads them, and memory
 * must not grow with hostile input.
 */
#define VALIDATE_MAX_FINDINGS 10000

/*
 * What the walk over a sound record looked at, kept for the next record of the same layout
 * (json_read_parse_like), which then needs no walk. Zeroed is ready; belongs to one
 * json_read_document.
 */
struct validate_leaf {
    uint32_t node, count; /* so many numbers or strings, one node each */
    uint16_t rules;       /* their node in the index */
};

/* A member that a rule looked up. */
struct validate_lookup {
    const char *name; /* static */
    uint32_t object, node;
};

struct validate_memory {
    bool usable;
    bool own_producer;
    uint64_t layout;
    uint32_t found[EVIDENCE_FIELD_COUNT];
    struct validate_leaf *leaves;
    size_t count, capacity;
    struct validate_lookup *lookups; /* in the order of the rules' questions */
    size_t lookup_count, lookup_capacity;
    size_t next_lookup;
    uint64_t lookup_layout;
};

void validate_memory_fini(struct validate_memory *memory);

/* What to check, and where the findings go. */
struct validate_request {
    const struct json_read_document *json; /* parsed without a fault */
    const struct evidence_index *index;
    enum evidence_scope scope;
    size_t first_line;              /* added to every line */
    struct validate_memory *memory; /* NULL: nothing is remembered */
    struct arena *arena;
    struct finding_list *findings; /* sorted by position on return */
};

/*
 * Reports every fault of the parsed document: what the reader marked (duplicate names, ...), what
 * the rule table says of each field, and the rules about several fields. A summary is checked by
 * the rules of summaries, its sources that carry metrics as records. STATUS_ENVIRONMENT only.
 */
enum status validate_document(const struct validate_request *request,
                              struct diag *diag) STATUS_CHECKED;

#endif
