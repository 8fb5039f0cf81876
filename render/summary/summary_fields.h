#ifndef RANKLEDGER_SUMMARY_FIELDS_H
#define RANKLEDGER_SUMMARY_FIELDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arena.h"
#include "diag.h"
#include "json_fields.h"
#include "summary.h"
#include "text_buffer.h"

/*
 * The reading of a summary, field by field, as json_fields.h reads, into structures. All texts are
 * made safe to print and lose user names of paths here, once for every output.
 */
struct texts;

struct summary_label { /* of a candidate: as it is written, and in the report's language */
    const char *written, *said;
};

struct summary_labels {
    const struct texts *texts; /* NULL: labels stay as they are written */
    struct summary_label *items;
    size_t count, capacity;
};

struct summary_fields {
    struct json_fields json;      /* first fault, arena of the summary */
    struct text_buffer buffer;    /* reused for texts */
    struct summary_labels labels; /* summary_labels.h */
};

/* What a member may be; an absent member and null leave NAN, NULL, false or SUMMARY_NOT_TOLD. */
enum summary_fields_kind {
    SUMMARY_FIELDS_NUMBER, /* double */
    SUMMARY_FIELDS_AMOUNT, /* double, not negative */
    SUMMARY_FIELDS_TEXT,   /* const char *: a string */
    SUMMARY_FIELDS_NAME,   /* const char *: a string that must be there */
    SUMMARY_FIELDS_LOOSE,  /* const char *: a string, or any other value as its JSON text */
    SUMMARY_FIELDS_BOOL,   /* bool */
    SUMMARY_FIELDS_ANSWER  /* enum summary_answer: a boolean that may not have been told */
};

struct summary_fields_row {
    const char *name;
    enum summary_fields_kind kind;
    size_t offset; /* in the structure that is filled */
};

/* Fills the fields of `target` from the members of `object` (NONE: all absent). */
void summary_fields_read(struct summary_fields *fields, uint32_t object,
                         const struct summary_fields_row *rows, size_t count, void *target);

/* A string member as a text of the arena; NULL if absent or null. */
const char *summary_fields_text(struct summary_fields *fields, uint32_t object, const char *name);

struct summary_texts summary_fields_texts(struct summary_fields *fields, uint32_t object,
                                          const char *name);
/* A null in the array is NAN. */
struct summary_numbers summary_fields_numbers(struct summary_fields *fields, uint32_t object,
                                              const char *name);
/* An array of arrays of numbers. */
struct summary_samples summary_fields_samples(struct summary_fields *fields, uint32_t object,
                                              const char *name);
/* A member that is a text, number or boolean as its text (and number, else NAN): a condition of
 * that name. Without text if the member is absent, null or another type. */
struct summary_condition summary_fields_condition(struct summary_fields *fields, uint32_t object,
                                                  const char *name);
/* The same of each element of an array; all have the name of the member. */
struct summary_conditions summary_fields_conditions(struct summary_fields *fields, uint32_t object,
                                                    const char *name);
/* An object of numbers, in document order. */
struct summary_amounts summary_fields_amounts(struct summary_fields *fields, uint32_t object,
                                              const char *name);
/* An array of messages. */
const struct summary_message *summary_fields_messages(struct summary_fields *fields,
                                                      uint32_t object, const char *name,
                                                      size_t *count);
/* {"id", "text", "values"} of the object itself. */
struct summary_message summary_fields_message(struct summary_fields *fields, uint32_t object);
const struct sentence_value *summary_fields_values(struct summary_fields *fields, uint32_t object,
                                                   const char *name, size_t *count);

/*
 * An array of objects of `size` bytes each, zeroed and filled by `read`; the number in *count.
 * NULL if absent or empty.
 */
void *summary_fields_array(struct summary_fields *fields, uint32_t object, const char *name,
                           size_t size, size_t *count,
                           void (*read)(struct summary_fields *fields, uint32_t node,
                                        void *element));

/* Refuses `text` (of the member `name`) unless it is one of the NULL-terminated `words`. */
void summary_fields_check_word(struct summary_fields *fields, uint32_t object, const char *name,
                               const char *text, const char *const *words);

#endif
