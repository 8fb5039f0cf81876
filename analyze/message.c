#include "message.h"

#include <stdarg.h>
#include <string.h>

bool message_set(struct message *message, struct arena *arena, const char *id, const char *format,
                 ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *text = arena_vprintf(arena, format, arguments);
    va_end(arguments);
    if (text == NULL)
        return false;
    *message = (struct message){.id = id, .text = text};
    return true;
}

/* Messages have a handful of values: the array is copied for each one more. */
static bool add_value(struct message *message, struct arena *arena,
                      const struct sentence_value *value)
{
    struct sentence_value *values =
        arena_take_array(arena, message->value_count + 1, sizeof *values);
    if (values == NULL)
        return false;
    if (message->value_count > 0)
        memcpy(values, message->values, message->value_count * sizeof *values);
    values[message->value_count] = *value;
    message->values = values;
    message->value_count++;
    return true;
}

bool message_add_text(struct message *message, struct arena *arena, const char *name,
                      const char *text)
{
    return add_value(message, arena, &(struct sentence_value){.name = name, .text = text});
}

bool message_add_number(struct message *message, struct arena *arena, const char *name,
                        double number)
{
    return add_value(message, arena, &(struct sentence_value){.name = name, .number = number});
}

struct message *message_list_add(struct message_list *list, struct arena *arena)
{
    struct message *items =
        arena_room(arena, list->items, list->count, &list->capacity, sizeof *items);
    if (items == NULL)
        return NULL;
    list->items = items;
    return &list->items[list->count++];
}
