#include "texts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text.h"
#include "texts_private.h"

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
static void put_words(const void *context, struct text_buffer *out, const char *words,
                      const char *group)
{
    const struct texts *texts = context;
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

/* False if a blank has no value. */
static bool fill(struct text_buffer *out, const struct texts *texts, const char *template,
                 const struct sentence_value *values, size_t count)
{
    const struct sentence_words words = {
        .not_measured = texts_get(texts, "word.not_measured"), .put = put_words, .context = texts};
    return sentence_fill(out, template, values, count, &words);
}

void texts_fill(struct text_buffer *out, const struct texts *texts, const char *id,
                const struct sentence_value *values, size_t count)
{
    (void)fill(out, texts, texts_get(texts, id), values,
               count); /* a blank may be a user's own text */
}

void texts_message(struct text_buffer *out, const struct texts *texts,
                   const struct summary_message *message)
{
    const struct texts_entry *entry =
        message->id != NULL ? find(texts->entries, texts->count, message->id) : NULL;
    struct text_buffer said = {0};
    /* Another producer may use an id of ours without its values: then its own words say more. */
    bool whole =
        entry != NULL && fill(&said, texts, entry->text, message->values, message->value_count);
    if (whole || (message->text == NULL && entry != NULL))
        text_buffer_append(out, said.text != NULL ? said.text : "", said.length);
    else if (message->text != NULL)
        text_buffer_puts(out, message->text);
    out->failed |= said.failed;
    text_buffer_fini(&said);
}
