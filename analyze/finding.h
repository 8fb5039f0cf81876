#ifndef RANKLEDGER_FINDING_H
#define RANKLEDGER_FINDING_H

#include <stdbool.h>
#include <stddef.h>

#include "arena.h"

enum finding_severity { FINDING_WARNING, FINDING_ERROR };

/* One fault of a document, found by validation. */
struct finding {
    size_t line, column; /* from 1; 0 when the fault has no place (an unreadable file) */
    size_t offset;       /* sort key */
    enum finding_severity severity;
    const char *rule;    /* static storage: "wrong_type", "unknown_strategy", ... */
    const char *pointer; /* JSON pointer, safe to print; "" is the root */
    const char *message; /* what was found, what was expected, what to do; safe to print */
};

/* A list that lives in an arena. Validation hands it out sorted by position. */
struct finding_list {
    struct finding *items;
    size_t count, capacity;
    size_t errors, warnings;
};

/* Appends a copy (pointer and message are copied into the arena). False: memory exhausted. */
bool finding_add(struct finding_list *list, struct arena *arena, const struct finding *finding);

#endif
