#ifndef RANKLEDGER_MESSAGE_TABLE_H
#define RANKLEDGER_MESSAGE_TABLE_H

#include "arena.h"
#include "diag.h"
#include "message.h"

/*
 * Every sentence that a decision says to its reader, in one table: id, English text, names of its
 * values. A report in another language has a text of the same id in templates/language. In a text
 * {name} stands for a value and {name:percent} for a fraction shown as a percentage.
 */
struct message_table_row {
    const char *id;
    const char *english;
};

/* The table has parts (of a decision, a comparison, an explanation), each sorted by id. The rows of
 * one, *count set; NULL beyond the last. */
const struct message_table_row *message_table_rows(size_t part, size_t *count);

/* A part that has its own file, message_table_<part>.c. */
struct message_table_part {
    const struct message_table_row *rows;
    size_t count;
};
extern const struct message_table_part message_table_comparison;
extern const struct message_table_part message_table_explanation;

/*
 * Makes the message of `id` with its English text filled in. The values that it mentions
 * are copied into the arena, their texts made safe to print and user names in paths replaced. A
 * placeholder without a value, or an id that is not in the table, is STATUS_BUG.
 */
enum status message_table_make(struct arena *arena, const char *id,
                               const struct sentence_value *values, size_t count,
                               struct message *message, struct diag *diag) STATUS_CHECKED;

/* message_table_make at the end of a list. */
enum status message_table_add(struct message_list *list, struct arena *arena, const char *id,
                              const struct sentence_value *values, size_t count,
                              struct diag *diag) STATUS_CHECKED;

/* For lists of values: {MESSAGE_TEXT("strategy", name), MESSAGE_NUMBER("peak_mb", peak)}. */
#define MESSAGE_TEXT(key, value)                                                                   \
    {                                                                                              \
        .name = (key), .text = (value)                                                             \
    }
#define MESSAGE_NUMBER(key, value)                                                                 \
    {                                                                                              \
        .name = (key), .number = (value)                                                           \
    }

#endif
