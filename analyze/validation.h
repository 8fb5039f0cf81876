#ifndef RANKLEDGER_VALIDATION_H
#define RANKLEDGER_VALIDATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "validate.h"

/* What the rules see. Inside the validator only; the public side is validate.h. */

/* A finding whose place is a node; line and pointer follow when all are known and sorted. */
struct validation_fault {
    uint32_t node; /* JSON_READ_NONE is the root */
    const char
        *suffix; /* goes behind the node's pointer: "/strategy" for a missing member; static */
    enum finding_severity severity;
    const char *rule;
    const char *message;
    size_t order; /* of reporting; breaks ties */
};

struct validation {
    const struct json_read_document *json;
    const struct evidence_index *index;
    struct arena *arena;
    struct validation_fault *faults;
    size_t count, capacity;
    size_t listed[2];                          /* of `count`, by severity */
    size_t unlisted_errors, unlisted_warnings; /* beyond VALIDATE_MAX_FINDINGS */
    bool no_memory;
    struct validate_memory *memory; /* or NULL */
    bool learning;                  /* this walk fills it */

    /* The record or summary being checked. */
    enum evidence_scope scope;
    bool own_producer; /* `schema` says that our collector wrote it: sections are strict */
    uint32_t root;
    uint32_t found[EVIDENCE_FIELD_COUNT]; /* nodes of sound values; NONE: absent or refused */
};

/* Reports a fault at `node` (of the value; for a missing member, the object and the suffix). */
void validation_report(struct validation *validation, const struct validation_fault *fault,
                       const char *format, ...) __attribute__((format(printf, 3, 4), cold));

/* Short forms for the value of a node. */
#define VALIDATION_ERROR(n, id)                                                                    \
    (&(struct validation_fault){.node = (n), .severity = FINDING_ERROR, .rule = (id)})
#define VALIDATION_WARNING(n, id)                                                                  \
    (&(struct validation_fault){.node = (n), .severity = FINDING_WARNING, .rule = (id)})

/* How a value is shown in a message: strings in quotes, escaped, long ones cut. */
struct validation_text {
    char text[192];
};
struct validation_text validation_show(const struct validation *validation, uint32_t node);

/* A number as it reads best in a message. */
struct validation_number {
    char text[40];
};
struct validation_number validation_format(double value);

/* The number of a sound field; false if it is absent, null or was refused. */
bool validation_number_of(const struct validation *validation, enum evidence_field field,
                          double *value);

/* As json_read_member, at no cost where the record before was laid out alike and the same was asked
 * in its turn. `name` is static. */
uint32_t validation_member(const struct validation *validation, uint32_t object, const char *name);

/* Whether the record says that the run failed: null and "" do not. */
bool validation_has_failed(const struct validation *validation);

/* Checks what the reader marked: duplicate names and so on (validate_marks.c). */
void validation_check_marks(struct validation *validation);

/* Checks one value against its row; true if it is sound (validate_value.c). */
bool validation_check_value(struct validation *validation, const struct evidence_row *row,
                            uint32_t node);

/* Before the first validation_member of a document. */
void validation_begin_lookups(struct validation *validation);

/* Checks the document's record by memory; false if it has another layout (validate_memory.c). */
bool validation_repeat(struct validation *validation);

/* While a walk over the document's record goes on: begins, remembers sound values, ends. */
void validation_learn_begin(struct validation *validation);
void validation_learn(struct validation *validation, uint16_t rules, uint32_t node, uint32_t count);
void validation_learn_end(struct validation *validation);

/* Warns of the name at `key`, of which the rules know nothing, if it is nearly that of a field
 * which the object lacks (validate_misspelt.c). */
void validation_suspect_name(struct validation *validation, uint16_t rules, uint32_t object,
                             uint32_t key) __attribute__((cold));

/* Walks the fields of `root` that have rules and fills `found` (validate_walk.c). */
void validation_walk(struct validation *validation, uint32_t root, enum evidence_scope scope);

#endif
