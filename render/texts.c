#include "texts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text.h"
#include "texts_private.h"

#define MOST_NUMBERS 16 /* of one sentence that are kept apart; none has more */

int texts_compare(const void *a, const void *b)
{
    return strcmp(((const struct texts_entry *)a)->id, ((const struct texts_entry *)b)->id);
}

static const struct texts_entry *find(const struct texts_entry *entries, size_t count,
                                      const char *id)
{
    struct texts_entry key = {.id = id};
    return count == 0 ? NULL : bsearch(&key, entries, count, sizeof *entries, texts_compare);
}

/* ---- Placeholders ---- */

const char *texts_next_placeholder(const char *text, const char **end)
{
    const char *open = strchr(text, '{');
    const char *close = open != NULL ? strchr(open, '}') : NULL;
    *end = close;
    return close != NULL ? open : NULL;
}

size_t texts_name_length(const char *open, const char *close)
{
    const char *colon = memchr(open, ':', (size_t)(close - open));
    return (size_t)((colon != NULL ? colon : close) - open) - 1;
}

/* ---- Look-up ---- */

const char *texts_get(const struct texts *texts, const char *id)
{
    const struct texts_entry *entry = find(texts->entries, texts->count, id);
    return entry != NULL ? entry->text : id;
}

const char *texts_word(const struct texts *texts, const char *group, const char *word)
{
    if (word == NULL)
        return "";
    char id[128];
    int length = snprintf(id, sizeof id, "%s.%s", group, word);
    if (length < 0 || (size_t)length >= sizeof id)
        return word;
    const struct texts_entry *entry = find(texts->entries, texts->count, id);
    return entry != NULL ? entry->text : word;
}

/* Each word of a list ("memory, throughput") as a word of the group that the format names. */
static void fill_words(struct text_buffer *out, const struct texts *texts, const char *words,
                       const char *group)
{
    char word[64];
    while (words[0] != '\0') {
        size_t length = strcspn(words, ",");
        snprintf(word, sizeof word, "%.*s", (int)(length < sizeof word ? length : 0), words);
        if (word[0] != '\0')
            text_buffer_puts(out, texts_word(texts, group, word));
        else
            text_buffer_append(out, words, length);
        words += length;
        if (words[0] == '\0')
            break;
        text_buffer_puts(out, texts_get(texts, "word.list_separator"));
        words += 1 + strspn(words + 1, " ");
    }
}

static const struct summary_value *find_value(const struct summary_value *values, size_t count,
                                              const char *name, size_t length)
{
    for (size_t i = 0; i < count; i++)
        if (strlen(values[i].name) == length && memcmp(values[i].name, name, length) == 0)
            return &values[i];
    return NULL;
}

/* Decimals beyond the usual that keep the numbers of the sentence apart, by enum text_rounding. */
struct decimals {
    int more[2];
};

static struct decimals decimals_of(const char *template, const struct summary_value *values,
                                   size_t count)
{
    double numbers[2][MOST_NUMBERS];
    size_t counts[2] = {0, 0};
    struct decimals decimals;
    const char *end;
    for (const char *open = texts_next_placeholder(template, &end); open != NULL;
         open = texts_next_placeholder(end + 1, &end)) {
        size_t length = texts_name_length(open, end);
        const struct summary_value *value = find_value(values, count, open + 1, length);
        int kind = open + 1 + length < end ? TEXT_ROUNDED_PERCENT : TEXT_ROUNDED_PLAIN;
        if (value != NULL && value->text == NULL && counts[kind] < MOST_NUMBERS)
            numbers[kind][counts[kind]++] =
                kind == TEXT_ROUNDED_PERCENT ? 100 * value->number : value->number;
    }
    for (int kind = 0; kind < 2; kind++)
        decimals.more[kind] =
            text_rounded_apart(numbers[kind], counts[kind], (enum text_rounding)kind);
    return decimals;
}

/* `format`: what follows the colon of a placeholder, or "". */
static void fill_value(struct text_buffer *out, const struct texts *texts,
                       const struct summary_value *value, const char *format,
                       const struct decimals *decimals)
{
    char number[64];
    if (value->text != NULL && format[0] != '\0') {
        fill_words(out, texts, value->text, format);
    } else if (value->text != NULL) {
        text_buffer_puts(out, value->text);
    } else if (isnan(value->number)) {
        text_buffer_puts(out, texts_get(texts, "word.not_measured"));
    } else if (strcmp(format, "percent") == 0) {
        text_buffer_puts(out,
                         text_rounded(number, sizeof number, 100 * value->number,
                                      TEXT_ROUNDED_PERCENT, decimals->more[TEXT_ROUNDED_PERCENT]));
        text_buffer_puts(out, " %");
    } else {
        text_buffer_puts(out, text_rounded(number, sizeof number, value->number, TEXT_ROUNDED_PLAIN,
                                           decimals->more[TEXT_ROUNDED_PLAIN]));
    }
}

static void fill(struct text_buffer *out, const struct texts *texts, const char *template,
                 const struct summary_value *values, size_t count)
{
    const struct decimals decimals = decimals_of(template, values, count);
    const char *end;
    for (const char *open = texts_next_placeholder(template, &end); open != NULL;
         open = texts_next_placeholder(template, &end)) {
        size_t length = texts_name_length(open, end);
        const struct summary_value *value = find_value(values, count, open + 1, length);
        text_buffer_append(out, template, (size_t)(open - template));
        char format[32] = "";
        if (open + 1 + length < end)
            snprintf(format, sizeof format, "%.*s", (int)(end - open - 2 - (long)length),
                     open + 2 + length);
        if (value != NULL)
            fill_value(out, texts, value, format, &decimals);
        else
            text_buffer_append(out, open, (size_t)(end - open) + 1);
        template = end + 1;
    }
    text_buffer_puts(out, template);
}

void texts_fill(struct text_buffer *out, const struct texts *texts, const char *id,
                const struct summary_value *values, size_t count)
{
    fill(out, texts, texts_get(texts, id), values, count);
}

void texts_message(struct text_buffer *out, const struct texts *texts,
                   const struct summary_message *message)
{
    const struct texts_entry *entry =
        message->id != NULL ? find(texts->entries, texts->count, message->id) : NULL;
    if (entry != NULL)
        fill(out, texts, entry->text, message->values, message->value_count);
    else if (message->text != NULL)
        text_buffer_puts(out, message->text);
}
