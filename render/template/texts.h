#ifndef RANKLEDGER_TEXTS_H
#define RANKLEDGER_TEXTS_H

#include <stdbool.h>
#include <stddef.h>

#include "arena.h"
#include "diag.h"
#include "summary.h"
#include "text_buffer.h"

/*
 * The words of a report in one language: id -> text. They come from templates/language/<code>.json,
 * one flat object of strings, which is built into the program; a folder of the user's may replace
 * single texts or add a language. A text may hold placeholders: {name} is replaced by the value of
 * that name; {name:percent} shows a fraction as a percentage; {name:gate} shows a
 * word, or a list of words separated by commas, in the language's words of the group "gate". A
 * brace itself cannot be written.
 *
 * Ids are "group.name". Groups whose names come from the data (verdict, decision, gate, category,
 * phase, purpose, level, metric, ...) are looked up with texts_word, which shows a name that the
 * language does not know as it is.
 */

struct texts_entry {
    const char *id;
    const char *text;
};

/* A zeroed one is safe to fini. */
struct texts {
    char language[16];
    const struct texts_entry *entries; /* sorted by id (bytewise) */
    size_t count;
    struct arena arena;
};

/*
 * Loads a language by code ("en", "zh"). With `template_dir` (NULL: none) the file
 * template_dir/language/<code>.json, if there is one, replaces texts of the built-in language: an
 * id that is not built in, a value that is no string, or other placeholders than the built-in text
 * has are STATUS_INPUT with path, line and column. A language that is not built in is that file
 * alone, which must have every id; the ids that it lacks are named.
 * Without such a folder an unknown code is STATUS_USAGE and the message lists the known ones.
 */
enum status texts_load(const char *code, const char *template_dir, struct texts *texts,
                       struct diag *diag) STATUS_CHECKED;
void texts_fini(struct texts *texts);

/* The text of an id; the id itself if there is none (never NULL), so that a gap is seen. */
const char *texts_get(const struct texts *texts, const char *id);

/* The text of "group.word", or `word` itself if the language does not have it. NULL gives "". */
const char *texts_word(const struct texts *texts, const char *group, const char *word);

/* Appends the text of an id with its placeholders filled. A value that is NAN reads "not measured"
 * in the language; a placeholder without a value stays as it is written. */
void texts_fill(struct text_buffer *out, const struct texts *texts, const char *id,
                const struct sentence_value *values, size_t count);

/* Appends a message: the language's template of its id filled with its values, or, where the
 * language has none or a value is missing, the message's own English text. Not escaped. */
void texts_message(struct text_buffer *out, const struct texts *texts,
                   const struct summary_message *message);

/* The codes of the built-in languages, NULL-terminated, sorted. */
const char *const *texts_languages(void);

#endif
