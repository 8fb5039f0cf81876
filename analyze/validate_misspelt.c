#include <string.h>

#include "text.h"
#include "validation.h"

/* A shorter name is near too many words that people use. */
#define SHORTEST_NAME 6

/* Letters changed places: as likely a slip as one letter too many, and two edits by distance. */
static bool is_swapped(const char *a, const char *b, size_t length)
{
    size_t i = 0;
    while (i < length && a[i] == b[i])
        i++;
    return i + 2 <= length && a[i] == b[i + 1] && a[i + 1] == b[i] &&
           memcmp(a + i + 2, b + i + 2, length - i - 2) == 0;
}

static bool is_near(const char *name, size_t length, const struct evidence_index_node *known)
{
    if (known->length < SHORTEST_NAME || known->name[0] == '*' || known->name[0] == '^')
        return false;
    return text_distance(name, length, known->name, known->length) == 1 ||
           (length == known->length && is_swapped(name, known->name, length));
}

static bool is_present(const struct validation *v, uint32_t object,
                       const struct evidence_index_node *known)
{
    char name[64];
    if (known->length >= sizeof name)
        return true;
    memcpy(name, known->name, known->length);
    name[known->length] = '\0';
    return json_read_member(v->json, object, name) != JSON_READ_NONE;
}

void validation_suspect_name(struct validation *v, uint16_t rules, uint32_t object, uint32_t key)
{
    char name[64];
    size_t length = json_read_string(v->json, key, name, sizeof name);
    const struct evidence_index_node *nodes = v->index->nodes;
    if (length >= sizeof name)
        return;
    for (uint16_t child = nodes[rules].first_child; child != 0; child = nodes[child].next_sibling) {
        const struct evidence_index_node *known = &nodes[child];
        if (known->rows[v->scope] == NULL || !is_near(name, length, known) ||
            is_present(v, object, known))
            continue;
        char shown[256];
        text_escape_into(shown, sizeof shown, name, length);
        v->learning = false; /* the next record of this layout has to be told as well */
        validation_report(v, VALIDATION_WARNING(key + 1, "misspelt_field"),
                          "\"%s\" is no field of the evidence contract, so nothing reads it; did "
                          "you mean \"%.*s\"?",
                          shown, known->length, known->name);
        return;
    }
}
