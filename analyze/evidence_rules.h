#ifndef RANKLEDGER_EVIDENCE_RULES_H
#define RANKLEDGER_EVIDENCE_RULES_H

#include <stdbool.h>
#include <stddef.h>

#include "finding.h"

/*
 * The rules of the evidence contract about single fields, as data: one row a field. The validator
 * and the JSON Schema both read this table, so that they cannot disagree. Rules about several
 * fields are functions (validation_rules.h).
 */

enum evidence_type { /* a set of JSON types */
                     EVIDENCE_NULL = 1,
                     EVIDENCE_BOOLEAN = 2,
                     EVIDENCE_NUMBER = 4,
                     EVIDENCE_STRING = 8,
                     EVIDENCE_ARRAY = 16,
                     EVIDENCE_OBJECT = 32
};

/* What kind of document a row speaks of; document.h names the same three. */
enum evidence_scope { EVIDENCE_RECORD, EVIDENCE_OWN_SUMMARY, EVIDENCE_FOREIGN_SUMMARY };
#define EVIDENCE_SCOPE_COUNT 3

enum evidence_scopes { /* a set of scopes */
                       EVIDENCE_IN_RECORD = 1 << EVIDENCE_RECORD,
                       EVIDENCE_IN_OWN_SUMMARY = 1 << EVIDENCE_OWN_SUMMARY,
                       EVIDENCE_IN_FOREIGN_SUMMARY = 1 << EVIDENCE_FOREIGN_SUMMARY,
                       EVIDENCE_IN_SUMMARY = EVIDENCE_IN_OWN_SUMMARY | EVIDENCE_IN_FOREIGN_SUMMARY,
                       EVIDENCE_EVERYWHERE = EVIDENCE_IN_RECORD | EVIDENCE_IN_SUMMARY
};

enum evidence_check { /* a set of what a row asks besides the type */
                      EVIDENCE_MINIMUM = 1,
                      EVIDENCE_ABOVE_MINIMUM = 2, /* the minimum itself is refused */
                      EVIDENCE_MAXIMUM = 4,
                      EVIDENCE_WHOLE = 8, /* a number without fraction: 4 and 4.0, not 2.5 */
                      EVIDENCE_NOT_BLANK =
                          16 /* a string with at least one character above U+0020 */
};

/* Fields that rules about several fields read. */
enum evidence_field {
    EVIDENCE_FIELD_NONE,
    EVIDENCE_FIELD_STRATEGY,
    EVIDENCE_FIELD_WORKLOAD,
    EVIDENCE_FIELD_METRICS,
    EVIDENCE_FIELD_LEVEL,
    EVIDENCE_FIELD_FAILURE,
    EVIDENCE_FIELD_FAILURE_REASON,
    EVIDENCE_FIELD_DECISION,
    EVIDENCE_FIELD_DECISION_TEXT,
    EVIDENCE_FIELD_WORLD_SIZE,
    EVIDENCE_FIELD_MICRO_BATCH,
    EVIDENCE_FIELD_ACCUMULATION,
    EVIDENCE_FIELD_GLOBAL_BATCH,
    EVIDENCE_FIELD_SEQ_LEN,
    EVIDENCE_FIELD_PARAMETERS,
    EVIDENCE_FIELD_NUM_PARAMETERS,
    EVIDENCE_FIELD_STATE_PARAMETERS,
    EVIDENCE_FIELD_STATE_GRADIENTS,
    EVIDENCE_FIELD_STATE_OPTIMIZER,
    EVIDENCE_FIELD_PEAK,
    EVIDENCE_FIELD_MAX_PEAK,
    EVIDENCE_FIELD_PEAK_PER_RANK,
    EVIDENCE_FIELD_STEP_TIME,
    EVIDENCE_FIELD_MAX_STEP_TIME,
    EVIDENCE_FIELD_STEP_TIME_PER_RANK,
    EVIDENCE_FIELD_STEP_TIMES,
    EVIDENCE_FIELD_THROUGHPUT,
    EVIDENCE_FIELD_THROUGHPUT_UNIT,
    EVIDENCE_FIELD_TOKENS_PROXY,
    EVIDENCE_FIELD_TOKENS,
    EVIDENCE_FIELD_SAMPLES,
    EVIDENCE_FIELD_COMMUNICATION,
    EVIDENCE_FIELD_SKEW,
    EVIDENCE_FIELD_IN_FLIGHT,
    EVIDENCE_FIELD_UTILISATION,
    EVIDENCE_FIELD_PEAK_SOURCE,
    EVIDENCE_FIELD_MEMORY_PER_RANK,
    EVIDENCE_FIELD_COLLECTIVES,
    EVIDENCE_FIELD_COUNT
};

/* A family of names that one row stands for. */
struct evidence_family {
    bool (*matches)(const char *name, size_t length);
    const char *pattern; /* the same as a regular expression, for the schema */
};

struct evidence_row {
    const char *pointer; /* JSON pointer; "*" stands for every element or member */
    unsigned types;      /* set of enum evidence_type */
    unsigned scopes;     /* set of enum evidence_scopes; 0 in the table: everywhere */
    unsigned required;   /* scopes in which the field must be there */
    unsigned checks;     /* set of enum evidence_check */
    double minimum, maximum;
    const char *const *choices; /* the strings allowed, NULL-terminated; NULL: any */
    enum finding_severity choice_severity;
    const char *choice_rule;  /* rule id of a string that is none of the choices */
    const char *missing_rule; /* rule id when required and absent; NULL: "missing_field" */
    const char *unit;         /* for messages: "MiB", "ms"; NULL: none */
    /* A section that our own collector writes. In a record of another producer a container of
     * another type is an unknown extra field, which is legal. */
    bool section;
    bool own;                             /* asked of records of our own collector alone */
    enum evidence_field field;            /* NONE: no other rule reads it */
    const struct evidence_family *family; /* the last part of `pointer` stands for these names */
    const char *description;
};

/* The rows of the evidence contract, and those of what our own collector writes besides; *count
 * set. Static storage. A parent stands before its members; the first table before the second. */
const struct evidence_row *evidence_rules_table(size_t *count);
const struct evidence_row *evidence_rules_own_table(size_t *count); /* evidence_rules_own.c */

/* How a "peak_reserved_gb" is named: prefix of the kind, suffix of the unit (evidence contract,
 * "Accepted spellings"). */
enum evidence_peak_kind { EVIDENCE_PEAK_ALLOCATED, EVIDENCE_PEAK_RESERVED, EVIDENCE_PEAK_DEVICE };

struct evidence_peak_name {
    enum evidence_peak_kind kind;
    double mib; /* MiB per unit of the field */
};

/* True and *peak set if the name is one of the family peak_{device,reserved,allocated}_..._UNIT. */
bool evidence_rules_peak_name(const char *name, size_t length, struct evidence_peak_name *peak);

/* True if a name ends in "_per_rank": an array with one element a rank. */
bool evidence_rules_is_per_rank(const char *name, size_t length);

#endif
