#include "summary_labels.h"

#include <stdio.h>
#include <string.h>

/* ---- words ---- */

/* A part and before it, unless it is the first, what separates parts. */
static void put_part(struct text_buffer *out, const struct texts *texts, const char *id,
                     const char *value)
{
    const struct sentence_value values[] = {{.name = "value", .text = value}};
    if (out->length > 0)
        text_buffer_puts(out, texts_get(texts, "label.separator"));
    texts_fill(out, texts, id, values, 1);
}

/* "micro-batch 16": a field and its value, NULL where it was not given. */
static void put_field(struct text_buffer *out, const struct texts *texts,
                      const struct summary_condition *field)
{
    char id[96];
    snprintf(id, sizeof id, "label.%s", field->name);
    const char *value = field->text;
    if (value == NULL)
        value = texts_get(texts, "label.not_given");
    else if (strcmp(value, "true") == 0 || strcmp(value, "false") == 0)
        value = texts_word(texts, "label", value);
    if (strcmp(texts_get(texts, id), id) != 0) {
        put_part(out, texts, id, value);
        return;
    }
    if (out->length > 0) /* a field of another build */
        text_buffer_puts(out, texts_get(texts, "label.separator"));
    text_buffer_printf(out, "%s %s", field->name, value);
}

static const char *keep(struct summary_fields *fields, const struct text_buffer *text)
{
    const char *copy =
        text->failed ? NULL : arena_copy(fields->json.arena, text->text, text->length);
    if (copy == NULL)
        json_fields_no_memory(&fields->json);
    return copy;
}

/* ---- candidates ---- */

void summary_labels_remember(struct summary_fields *fields, const char *written, const char *said)
{
    struct summary_labels *labels = &fields->labels;
    if (strcmp(written, said) == 0)
        return;
    struct summary_label *room = arena_room(fields->json.arena, labels->items, labels->count,
                                            &labels->capacity, sizeof *room);
    if (room == NULL) {
        json_fields_no_memory(&fields->json);
        return;
    }
    labels->items = room;
    labels->items[labels->count++] = (struct summary_label){written, said};
}

void summary_labels_candidate(struct summary_fields *fields, struct summary_candidate *candidate)
{
    const struct texts *texts = fields->labels.texts;
    if (texts == NULL || candidate->varied.count == 0 || fields->json.status != STATUS_OK)
        return;
    struct text_buffer setting = {0};
    struct text_buffer label = {0};
    for (size_t i = 0; i < candidate->varied.count; i++)
        put_field(&setting, texts, &candidate->varied.items[i]);
    const struct sentence_value values[] = {
        {.name = "strategy", .text = candidate->strategy},
        {.name = "setting", .text = setting.failed ? "" : setting.text}};
    texts_fill(&label, texts, "label.candidate", values, 2);
    label.failed |= setting.failed;
    const char *said = keep(fields, &label);
    if (said != NULL) {
        summary_labels_remember(fields, candidate->label, said);
        candidate->label = said;
    }
    text_buffer_fini(&setting);
    text_buffer_fini(&label);
}

/* The longest label that `text` begins with and that ends there or before a comma. */
static const struct summary_label *label_at(const struct summary_labels *labels, const char *text,
                                            size_t *length)
{
    const struct summary_label *found = NULL;
    *length = 0;
    for (size_t i = 0; i < labels->count; i++) {
        size_t own = strlen(labels->items[i].written);
        bool ends = strncmp(text, labels->items[i].written, own) == 0 &&
                    (text[own] == '\0' || strncmp(text + own, ", ", 2) == 0);
        if (ends && own > *length) {
            found = &labels->items[i];
            *length = own;
        }
    }
    return found;
}

const char *summary_labels_said(struct summary_fields *fields, const char *text)
{
    const struct summary_labels *labels = &fields->labels;
    size_t length;
    const struct summary_label *label =
        text == NULL || labels->count == 0 ? NULL : label_at(labels, text, &length);
    if (label == NULL || text[length] == '\0')
        return label == NULL ? text : label->said;
    struct text_buffer list = {0};
    const char *rest = text;
    while (label != NULL) {
        if (rest != text)
            text_buffer_puts(&list, texts_get(labels->texts, "word.list_separator"));
        text_buffer_puts(&list, label->said);
        rest += length;
        if (rest[0] == '\0')
            break;
        rest += 2;
        label = label_at(labels, rest, &length);
    }
    const char *said = label == NULL ? text : keep(fields, &list);
    text_buffer_fini(&list);
    return said;
}

/* ---- groups ---- */

static const struct summary_condition *find(const struct summary_conditions *key, const char *name)
{
    for (size_t i = 0; i < key->count; i++)
        if (strcmp(key->items[i].name, name) == 0)
            return &key->items[i];
    return NULL;
}

static void put_known(struct text_buffer *out, const struct texts *texts,
                      const struct summary_conditions *key, const char *name, const char *id)
{
    const struct summary_condition *field = find(key, name);
    if (field != NULL && field->text != NULL)
        put_part(out, texts, id, field->text);
}

static void put_others(struct text_buffer *out, const struct texts *texts,
                       const struct summary_conditions *key, const struct summary_texts *names)
{
    for (size_t i = 0; i < names->count; i++) {
        const struct summary_condition absent = {.name = names->items[i]};
        const struct summary_condition *field = find(key, names->items[i]);
        put_field(out, texts, field != NULL ? field : &absent);
    }
}

static void put_path(struct text_buffer *out, const struct texts *texts, const char *path)
{
    const struct sentence_value values[] = {{.name = "value", .text = path}};
    if (path != NULL)
        texts_fill(out, texts, "label.path", values, 1);
}

void summary_labels_group(struct summary_fields *fields, uint32_t node, struct summary_group *group)
{
    const struct texts *texts = fields->labels.texts;
    const struct summary_condition *ranks = find(&group->key, "world_size");
    struct text_buffer label = {0};
    if (json_fields_member(&fields->json, node, "label_fields", JSON_READ_ARRAY) ==
            JSON_READ_NONE ||
        texts == NULL)
        return;
    struct summary_texts names = summary_fields_texts(fields, node, "label_fields");
    const char *path = summary_fields_text(fields, node, "label_path");
    if (fields->json.status != STATUS_OK)
        return;
    put_known(&label, texts, &group->key, "model", "label.model");
    put_known(&label, texts, &group->key, "world_size",
              ranks != NULL && ranks->number == 1 ? "label.rank" : "label.ranks");
    put_known(&label, texts, &group->key, "global_batch", "label.batch");
    put_others(&label, texts, &group->key, &names);
    if (label.length == 0)
        text_buffer_puts(&label, texts_get(texts, "label.unknown"));
    put_path(&label, texts, path);
    const char *said = keep(fields, &label);
    if (said != NULL)
        group->label = said;
    text_buffer_fini(&label);
}
