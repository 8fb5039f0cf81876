#ifndef RANKLEDGER_VALIDATE_HINT_H
#define RANKLEDGER_VALIDATE_HINT_H

#include <stddef.h>

#include "evidence_rules.h"
#include "json_read.h"

/* What to do about a value that was refused: the end of a message, safe to print. */
struct validate_hint {
    char text[512]; /* "" if nothing more is known */
};

/* "a number", "null, a string or an object": a set of types in words. */
void validate_hint_types(unsigned types, char *out, size_t capacity);

/* About a value of a wrong type. */
void validate_hint_type(const struct json_read_document *json, const struct evidence_row *row,
                        uint32_t node, struct validate_hint *hint);

/* About a string that is none of the choices: the nearest one, or all of them. */
void validate_hint_choice(const struct json_read_document *json, const struct evidence_row *row,
                          uint32_t node, struct validate_hint *hint);

#endif
