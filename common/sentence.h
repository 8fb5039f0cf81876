#ifndef RANKLEDGER_SENTENCE_H
#define RANKLEDGER_SENTENCE_H

#include <stdbool.h>
#include <stddef.h>

#include "text_buffer.h"

/*
 * A sentence with blanks: "{strategy} gains {gain:percent}". The analyzer fills the English one, a
 * report the one of its language, so that both round and write numbers alike.
 */

struct sentence_value {
    const char *name;
    const char *text; /* NULL: a number */
    double number;    /* NAN: not measured */
};

/* How a language says what is no number. */
struct sentence_words {
    const char *not_measured;
    /* Writes a text whose blank names a format ("{gates:gate}"); NULL: as it is. */
    void (*put)(const void *context, struct text_buffer *out, const char *text, const char *format);
    const void *context;
};

/*
 * Appends the sentence. Numbers are rounded for reading (text_rounded), with more decimals where
 * two different ones would look the same; "{x:percent}" is a fraction as percentage;
 * "{x:exact}" and "{x:exact_percent}" are not rounded, for what the caller has rounded. False if a
 * blank has no value; it is then written as it stands.
 */
bool sentence_fill(struct text_buffer *out, const char *sentence,
                   const struct sentence_value *values, size_t count,
                   const struct sentence_words *words);

/* The next blank from `text` on: its opening brace, *end its closing one; NULL: no more. */
const char *sentence_next_blank(const char *text, const char **end);

/* Bytes of a blank's name, which begins after the opening brace. */
size_t sentence_name_length(const char *open, const char *end);

#endif
