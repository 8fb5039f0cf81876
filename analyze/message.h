#ifndef RANKLEDGER_MESSAGE_H
#define RANKLEDGER_MESSAGE_H

#include "candidate.h"

/*
 * Building messages in an arena. Each function returns false when memory is exhausted and leaves
 * the message usable as it was. Texts that come from input must have passed text_escape().
 */

/* Sets *message to a message with this id (static storage), this text and no values. */
bool message_set(struct message *message, struct arena *arena, const char *id, const char *format,
                 ...) __attribute__((format(printf, 4, 5)));

/* Adds a value; `name` is static storage, `text` must live as long as the message. */
bool message_add_text(struct message *message, struct arena *arena, const char *name,
                      const char *text);
bool message_add_number(struct message *message, struct arena *arena, const char *name,
                        double number);

/* A growing list of messages in an arena. */
struct message_list {
    struct message *items;
    size_t count, capacity;
};

/* Appends an empty message and returns it; NULL when memory is exhausted. */
struct message *message_list_add(struct message_list *list, struct arena *arena);

#endif
