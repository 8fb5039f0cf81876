#include <math.h>

#include "explanation.h"
#include "summary_parts.h"

static json_t *item_of(struct summary_parts *parts, const struct explanation_item *item)
{
    struct json_write *writer = &parts->writer;
    json_t *object = json_write_object(writer);
    json_t *group = json_write_object(writer);
    json_t *sentences = json_write_array(writer);
    for (size_t i = 0; i < item->count; i++) {
        json_t *sentence = summary_parts_message(parts, &item->sentences[i].message);
        json_write_set(writer, sentence, "kind",
                       json_write_string(writer, explanation_kind_name(item->sentences[i].kind)));
        json_write_append(writer, sentences, sentence);
    }
    json_write_set(writer, group, "label", json_write_string(writer, item->group->label));
    json_write_set(writer, group, "index", json_write_integer(writer, (int64_t)item->group->index));
    json_write_set(writer, group, "key",
                   json_write_copy(writer, item->group->json, item->group->key_node));
    json_write_set(writer, object, "group", group);
    json_write_set(writer, object, "candidate", json_write_string(writer, item->candidate->label));
    json_write_set(writer, object, "strategy",
                   json_write_string(writer, item->candidate->strategy));
    json_write_set(writer, object, "verdict", json_write_string(writer, item->verdict));
    json_write_set(writer, object, "rank", summary_parts_number(parts, item->candidate->rank));
    json_write_set(writer, object, "against",
                   json_write_string(writer, item->other != NULL ? item->other->label : NULL));
    json_write_set(writer, object, "sentences", sentences);
    return object;
}

enum status explanation_write(const struct explanation *explanation, struct text_buffer *out,
                              struct diag *diag)
{
    struct summary_parts parts = {.diag = diag};
    struct json_write *writer = &parts.writer;
    json_t *root = json_write_object(writer);
    json_t *program = json_write_object(writer);
    json_t *items = json_write_array(writer);
    for (size_t i = 0; i < explanation->count; i++)
        json_write_append(writer, items, item_of(&parts, &explanation->items[i]));
    json_write_set(writer, program, "name", json_write_string(writer, "rankledger"));
    json_write_set(writer, program, "version", json_write_string(writer, RANKLEDGER_VERSION));
    json_write_set(writer, root, "schema", json_write_string(writer, "rankledger.explanation/1"));
    json_write_set(writer, root, "program", program);
    json_write_set(writer, root, "summary", json_write_string(writer, explanation->side.path));
    json_write_set(writer, root, "strategy", json_write_string(writer, explanation->strategy));
    json_write_set(writer, root, "explanations", items);
    enum status status = json_write_text(writer, root, out, diag);
    json_decref(root);
    return status;
}
