#include "sentence.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "text.h"

#define MOST_NUMBERS 16 /* of one sentence that are kept apart; none has more */

const char *sentence_next_blank(const char *text, const char **end)
{
    const char *open = strchr(text, '{');
    const char *close = open != NULL ? strchr(open, '}') : NULL;
    *end = close;
    return close != NULL ? open : NULL;
}

size_t sentence_name_length(const char *open, const char *end)
{
    const char *colon = memchr(open, ':', (size_t)(end - open));
    return (size_t)((colon != NULL ? colon : end) - open) - 1;
}

static const struct sentence_value *find_value(const struct sentence_value *values, size_t count,
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

static struct decimals decimals_of(const char *sentence, const struct sentence_value *values,
                                   size_t count)
{
    double numbers[2][MOST_NUMBERS];
    size_t counts[2] = {0, 0};
    struct decimals decimals;
    const char *end;
    for (const char *open = sentence_next_blank(sentence, &end); open != NULL;
         open = sentence_next_blank(end + 1, &end)) {
        size_t length = sentence_name_length(open, end);
        const struct sentence_value *value = find_value(values, count, open + 1, length);
        if (strncmp(open + 1 + length, ":exact", sizeof ":exact" - 1) == 0)
            continue;
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

/* `format`: what follows the colon of a blank, or "". */
static void put_value(struct text_buffer *out, const struct sentence_value *value,
                      const char *format, const struct decimals *decimals,
                      const struct sentence_words *words)
{
    char number[64];
    if (value->text != NULL && format[0] != '\0' && words->put != NULL) {
        words->put(words->context, out, value->text, format);
    } else if (value->text != NULL) {
        text_buffer_puts(out, value->text);
    } else if (isnan(value->number)) {
        text_buffer_puts(out, words->not_measured);
    } else if (strcmp(format, "exact") == 0) {
        text_buffer_puts(out, text_number(number, sizeof number, value->number, DBL_DIG));
    } else if (strcmp(format, "exact_percent") == 0) {
        text_buffer_puts(out, text_number(number, sizeof number, 100 * value->number, DBL_DIG));
        text_buffer_puts(out, " %");
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

bool sentence_fill(struct text_buffer *out, const char *sentence,
                   const struct sentence_value *values, size_t count,
                   const struct sentence_words *words)
{
    const struct decimals decimals = decimals_of(sentence, values, count);
    bool complete = true;
    const char *end;
    for (const char *open = sentence_next_blank(sentence, &end); open != NULL;
         open = sentence_next_blank(sentence, &end)) {
        size_t length = sentence_name_length(open, end);
        const struct sentence_value *value = find_value(values, count, open + 1, length);
        char format[32] = "";
        if (open + 1 + length < end)
            snprintf(format, sizeof format, "%.*s", (int)(end - open - 2 - (long)length),
                     open + 2 + length);
        text_buffer_append(out, sentence, (size_t)(open - sentence));
        if (value != NULL)
            put_value(out, value, format, &decimals, words);
        else
            text_buffer_append(out, open, (size_t)(end - open) + 1);
        complete = complete && value != NULL;
        sentence = end + 1;
    }
    text_buffer_puts(out, sentence);
    return complete;
}
