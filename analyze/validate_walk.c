#include "validation.h"

#include <string.h>

#include "text.h"

/* Where the walk stands: a node of the rules' tree and the container that it speaks of. */
static void walk(struct validation *v, uint16_t rules, uint32_t value);

/* A name written with escapes is still the name. Out of line: its array would burden each call. */
static __attribute__((noinline, cold)) uint16_t find_escaped(const struct validation *v,
                                                             uint16_t parent, uint32_t key)
{
    char decoded[256];
    size_t length = json_read_string(v->json, key, decoded, sizeof decoded);
    /* No field has a longer name; only "*" can match. */
    struct evidence_index_name name = {.text = decoded,
                                       .length =
                                           length < sizeof decoded ? length : sizeof decoded - 1,
                                       .end = decoded + sizeof decoded,
                                       .hash = v->json->nodes[key].hash};
    return evidence_index_find(v->index, parent, &name);
}

static inline uint16_t find_rules(const struct validation *v, uint16_t parent, uint32_t key)
{
    const struct json_read_node *node = &v->json->nodes[key];
    if ((node->flags & JSON_READ_ESCAPED) != 0)
        return find_escaped(v, parent, key);
    struct evidence_index_name name = {.text = v->json->text + node->offset,
                                       .length = node->length,
                                       .end = v->json->text + v->json->size,
                                       .hash = node->hash};
    return evidence_index_find(v->index, parent, &name);
}

/* In a record of another producer a section's name may mean something else. */
static bool is_foreign(const struct validation *v, const struct evidence_row *row, uint32_t value)
{
    if (!row->section || v->own_producer)
        return false;
    static const uint8_t types[] = {EVIDENCE_NULL,   EVIDENCE_BOOLEAN, EVIDENCE_BOOLEAN,
                                    EVIDENCE_NUMBER, EVIDENCE_STRING,  EVIDENCE_ARRAY,
                                    EVIDENCE_OBJECT};
    return (types[v->json->nodes[value].type] & row->types) == 0;
}

static void check_value(struct validation *v, uint16_t rules, uint32_t value)
{
    const struct evidence_index_node *node = &v->index->nodes[rules];
    const struct evidence_row *row = node->rows[v->scope];
    if (row == NULL || (row->own && !v->own_producer))
        return;
    bool number = evidence_index_is_sound(v->json, &v->json->nodes[value], &node->glance);
    if (!number && is_foreign(v, row, value))
        return;
    if (!number && !validation_check_value(v, row, value)) {
        v->learning = false; /* only sound records are repeated */
        return;
    }
    if (row->field != EVIDENCE_FIELD_NONE && v->found[row->field] == JSON_READ_NONE)
        v->found[row->field] = value;
    if (v->json->nodes[value].type >= JSON_READ_ARRAY)
        walk(v, rules, value);
    else if (v->learning)
        validation_learn(v, rules, value, 1);
}

static void report_missing(struct validation *v, uint16_t rules, uint32_t object, uint32_t seen)
{
    const struct evidence_index_node *nodes = v->index->nodes;
    if ((nodes[rules].required[v->scope] & ~seen) == 0)
        return;
    for (uint16_t child = nodes[rules].first_child; child != 0; child = nodes[child].next_sibling) {
        const struct evidence_row *row = nodes[child].rows[v->scope];
        if (row == NULL || (row->required & 1u << v->scope) == 0 ||
            (seen & UINT32_C(1) << nodes[child].required_bit) != 0)
            continue;
        v->learning = false;
        struct validation_fault fault = {
            .node = object,
            .suffix = strrchr(row->pointer, '/'),
            .severity = FINDING_ERROR,
            .rule = row->missing_rule != NULL ? row->missing_rule : "missing_field",
        };
        validation_report(v, &fault, "the required field \"%.*s\" is missing", nodes[child].length,
                          nodes[child].name);
    }
}

/* Whether a name that nothing reads may be a slip: in the two sections that every producer fills.
 * Elsewhere unknown names are the producer's own. */
static bool is_hinted(const struct validation *v, uint16_t rules)
{
    const struct evidence_row *row = v->index->nodes[rules].rows[v->scope];
    return row != NULL &&
           (row->field == EVIDENCE_FIELD_METRICS || row->field == EVIDENCE_FIELD_WORKLOAD);
}

static void walk_object(struct validation *v, uint16_t rules, uint32_t object)
{
    const struct json_read_node *nodes = v->json->nodes;
    uint32_t end = nodes[object].end;
    uint32_t seen = 0;
    bool hint = v->index->nodes[rules].parent == EVIDENCE_INDEX_ROOT && is_hinted(v, rules);
    for (uint32_t key = object + 1; key < end; key = nodes[key].end) {
        uint16_t child = find_rules(v, rules, key);
        if (child == 0) {
            if (hint)
                validation_suspect_name(v, rules, object, key);
            continue;
        }
        const struct evidence_row *row = v->index->nodes[child].rows[v->scope];
        if (row != NULL && row->required != 0)
            seen |= UINT32_C(1) << v->index->nodes[child].required_bit;
        check_value(v, child, key + 1);
    }
    report_missing(v, rules, object, seen);
}

static void walk_array(struct validation *v, uint16_t rules, uint32_t array)
{
    uint16_t element = v->index->nodes[rules].every;
    const struct evidence_index_node *child = &v->index->nodes[element];
    if (element == 0 || child->rows[v->scope] == NULL)
        return;
    const struct json_read_node *nodes = v->json->nodes;
    uint32_t first = array + 1; /* of a row of numbers that are sound at first glance */
    uint32_t node = first;
    for (; node < nodes[array].end; node = nodes[node].end) {
        if (evidence_index_is_sound(v->json, &nodes[node], &child->glance))
            continue;
        if (v->learning && node > first)
            validation_learn(v, element, first, node - first);
        check_value(v, element, node);
        first = nodes[node].end;
    }
    if (v->learning && node > first)
        validation_learn(v, element, first, node - first);
}

static void walk(struct validation *v, uint16_t rules, uint32_t value)
{
    if (v->json->nodes[value].type == JSON_READ_OBJECT)
        walk_object(v, rules, value);
    else if (v->json->nodes[value].type == JSON_READ_ARRAY)
        walk_array(v, rules, value);
}

static bool is_own_producer(const struct validation *v, uint32_t root)
{
    uint32_t schema = json_read_member(v->json, root, "schema");
    static const char own[] = "rankledger.evidence/";
    char name[sizeof own];
    if (!json_read_is(v->json, schema, JSON_READ_STRING))
        return false;
    json_read_string(v->json, schema, name, sizeof name);
    return strcmp(name, own) == 0;
}

void validation_walk(struct validation *v, uint32_t root, enum evidence_scope scope)
{
    bool remembered = v->memory != NULL && root == 0 && scope == EVIDENCE_RECORD;
    v->scope = scope;
    v->root = root;
    v->own_producer = is_own_producer(v, root);
    if (remembered && validation_repeat(v))
        return;
    for (int i = 0; i < EVIDENCE_FIELD_COUNT; i++)
        v->found[i] = JSON_READ_NONE;
    if (remembered)
        validation_learn_begin(v);
    walk_object(v, EVIDENCE_INDEX_ROOT, root);
    if (remembered)
        validation_learn_end(v);
}
