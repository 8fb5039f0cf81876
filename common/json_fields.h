#ifndef RANKLEDGER_JSON_FIELDS_H
#define RANKLEDGER_JSON_FIELDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arena.h"
#include "diag.h"
#include "json_read.h"

/*
 * Reads a document that the program itself wrote, field by field. A member that is absent or null
 * is NAN, false, -1 or JSON_READ_NONE; one of another type than the format's is an error with its
 * position, because what is read as absent would be passed over silently. The first fault stays in
 * `status`, after which every call does nothing and gives "absent", so that a reader of many fields
 * checks once at the end. An `object` of JSON_READ_NONE has no members.
 */
struct json_fields {
    struct json_read_source source; /* the document and its name, safe to print */
    struct arena *arena;            /* of arrays; the caller's */
    struct diag *diag;
    enum status status;
};

/* The member of any type. */
uint32_t json_fields_find(const struct json_fields *fields, uint32_t object, const char *name);
uint32_t json_fields_member(struct json_fields *fields, uint32_t object, const char *name,
                            enum json_read_type type);

double json_fields_number(struct json_fields *fields, uint32_t object, const char *name);
/* The same of what cannot be negative. */
double json_fields_amount(struct json_fields *fields, uint32_t object, const char *name);
/* False where absent. */
bool json_fields_flag(struct json_fields *fields, uint32_t object, const char *name);
/* Below `limit`; -1 where absent. */
long json_fields_index(struct json_fields *fields, uint32_t object, const char *name, size_t limit);

/* Refuses a node that is not of `type`; `expected` names it in the message. False after a fault. */
bool json_fields_require(struct json_fields *fields, uint32_t node, enum json_read_type type,
                         const char *expected);
/* An element of an array: a number, or null, which is NAN. */
double json_fields_element(struct json_fields *fields, uint32_t node);
/* All elements of an array (NONE: of none); never NULL but after a fault. */
const double *json_fields_numbers(struct json_fields *fields, uint32_t array, size_t *count);

/* The children of a container, which end with the first fault. */
uint32_t json_fields_first(const struct json_fields *fields, uint32_t container);
uint32_t json_fields_next(const struct json_fields *fields, uint32_t container, uint32_t node);

/* Zeroed room of the arena for `count` elements, of which there may be none; NULL after a fault. */
void *json_fields_take(struct json_fields *fields, size_t count, size_t size);
/* Memory is exhausted: sets `status`, unless a fault stands there. */
void json_fields_no_memory(struct json_fields *fields);

#endif
