#include "schema.h"

#include <stdlib.h>
#include <string.h>

#include "evidence_index.h"
#include "json_write.h"

/* At least one character above U+0020, as validate_value.c checks it. */
#define NOT_BLANK_PATTERN "[^\\u0000-\\u0020]"

struct schema {
    struct json_write writer;
    const struct evidence_index *index;
    enum evidence_scope scope;
    bool strict_sections; /* the sections of our own collector, types included */
};

static json_t *build(struct schema *schema, uint16_t node);

static void set_text(struct schema *schema, json_t *object, const char *key, const char *text)
{
    json_write_set(&schema->writer, object, key, json_write_string(&schema->writer, text));
}

/* An object with one member. Takes `value`. */
static json_t *wrap(struct schema *schema, const char *key, json_t *value)
{
    json_t *object = json_write_object(&schema->writer);
    json_write_set(&schema->writer, object, key, value);
    return object;
}

static json_t *list_of(struct schema *schema, const char *const *texts)
{
    json_t *list = json_write_array(&schema->writer);
    for (; *texts != NULL; texts++)
        json_write_append(&schema->writer, list, json_write_string(&schema->writer, *texts));
    return list;
}

static void set_types(struct schema *schema, json_t *object, const struct evidence_row *row)
{
    static const struct {
        unsigned type;
        const char *name;
    } names[] = {{EVIDENCE_NULL, "null"},     {EVIDENCE_BOOLEAN, "boolean"},
                 {EVIDENCE_NUMBER, "number"}, {EVIDENCE_STRING, "string"},
                 {EVIDENCE_ARRAY, "array"},   {EVIDENCE_OBJECT, "object"}};
    if (row->section && !schema->strict_sections)
        return; /* another producer's field may bear the name and be something else */
    const char *types[sizeof names / sizeof names[0] + 1] = {NULL};
    size_t count = 0;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if ((row->types & names[i].type) == 0)
            continue;
        bool whole = names[i].type == EVIDENCE_NUMBER && (row->checks & EVIDENCE_WHOLE) != 0;
        types[count++] = whole ? "integer" : names[i].name;
    }
    if (count == 1)
        set_text(schema, object, "type", types[0]);
    else
        json_write_set(&schema->writer, object, "type", list_of(schema, types));
}

static void set_checks(struct schema *schema, json_t *object, const struct evidence_row *row)
{
    struct json_write *writer = &schema->writer;
    if ((row->checks & EVIDENCE_MINIMUM) != 0)
        json_write_set(writer, object, "minimum", json_write_real(writer, row->minimum));
    if ((row->checks & EVIDENCE_ABOVE_MINIMUM) != 0)
        json_write_set(writer, object, "exclusiveMinimum", json_write_real(writer, row->minimum));
    if ((row->checks & EVIDENCE_MAXIMUM) != 0)
        json_write_set(writer, object, "maximum", json_write_real(writer, row->maximum));
    if ((row->checks & EVIDENCE_NOT_BLANK) != 0)
        set_text(schema, object, "pattern", NOT_BLANK_PATTERN);
    if (row->choices != NULL && row->choice_severity == FINDING_ERROR) {
        json_t *choices = list_of(schema, row->choices);
        if ((row->types & EVIDENCE_NULL) != 0)
            json_write_append(writer, choices, json_write_null(writer));
        json_write_set(writer, object, "enum", choices);
    }
}

static void add_property(struct schema *schema, json_t *object, const char *key,
                         const struct evidence_index_node *child, json_t *value)
{
    char name[256];
    memcpy(name, child->name, child->length);
    name[child->length] = '\0';
    if (json_object_get(object, key) == NULL)
        json_write_set(&schema->writer, object, key, json_write_object(&schema->writer));
    json_t *properties = json_object_get(object, key); /* NULL without memory: tolerated */
    const struct evidence_row *row = child->rows[EVIDENCE_RECORD];
    bool family = row != NULL && row->family != NULL;
    json_write_set(&schema->writer, properties, family ? row->family->pattern : name, value);
}

static void add_children(struct schema *schema, json_t *object, uint16_t parent)
{
    const struct evidence_index_node *nodes = schema->index->nodes;
    const struct evidence_row *parent_row = nodes[parent].rows[schema->scope];
    json_t *required = json_write_array(&schema->writer);
    for (uint16_t child = nodes[parent].first_child; child != 0;
         child = nodes[child].next_sibling) {
        const struct evidence_row *row = nodes[child].rows[schema->scope];
        if (row == NULL || (row->own && !schema->strict_sections))
            continue;
        json_t *value = build(schema, child);
        bool array = parent_row != NULL && (parent_row->types & EVIDENCE_ARRAY) != 0;
        if (nodes[parent].every == child)
            json_write_set(&schema->writer, object, array ? "items" : "additionalProperties",
                           value);
        else
            add_property(schema, object, row->family != NULL ? "patternProperties" : "properties",
                         &nodes[child], value);
        if ((row->required & 1u << schema->scope) != 0)
            json_write_append(
                &schema->writer, required,
                json_write_string_n(&schema->writer, nodes[child].name, nodes[child].length));
    }
    if (json_array_size(required) > 0)
        json_write_set(&schema->writer, object, "required", required);
    else
        json_decref(required);
}

static json_t *build(struct schema *schema, uint16_t node)
{
    json_t *object = json_write_object(&schema->writer);
    const struct evidence_row *row = schema->index->nodes[node].rows[schema->scope];
    set_text(schema, object, "description", row->description);
    set_types(schema, object, row);
    set_checks(schema, object, row);
    add_children(schema, object, node);
    if (strcmp(row->pointer, "/sources/*") == 0) { /* one that carries metrics is a record */
        static const char *const metrics[] = {"metrics", NULL};
        json_write_set(&schema->writer, object, "if",
                       wrap(schema, "required", list_of(schema, metrics)));
        json_write_set(&schema->writer, object, "then",
                       wrap(schema, "$ref", json_write_string(&schema->writer, "#/$defs/record")));
    }
    return object;
}

/* {"required": [NAME], "properties": {NAME: {"type": "string", "pattern": PATTERN}}} */
static json_t *has_text(struct schema *schema, const char *name, const char *pattern)
{
    json_t *text = json_write_object(&schema->writer);
    set_text(schema, text, "type", "string");
    set_text(schema, text, "pattern", pattern);
    json_t *object = wrap(schema, "properties", wrap(schema, name, text));
    const char *const names[] = {name, NULL};
    json_write_set(&schema->writer, object, "required", list_of(schema, names));
    return object;
}

static json_t *conditional(struct schema *schema, json_t *condition, const char *branch,
                           json_t *consequence)
{
    json_t *object = wrap(schema, "if", condition);
    json_write_set(&schema->writer, object, branch, consequence);
    return object;
}

/* metrics_empty: without a failure, something must have been measured. */
static json_t *metrics_not_empty(struct schema *schema)
{
    struct json_write *writer = &schema->writer;
    static const char *const failure[] = {"failure", NULL};
    json_t *none = json_write_array(writer);
    json_write_append(writer, none, json_write_null(writer));
    json_write_append(writer, none, json_write_string(writer, ""));
    json_t *condition =
        wrap(schema, "properties", wrap(schema, "failure", wrap(schema, "enum", none)));
    json_write_set(writer, condition, "required", list_of(schema, failure));
    json_t *null_type = wrap(schema, "type", json_write_string(writer, "null"));
    json_t *nothing = wrap(schema, "additionalProperties", null_type);
    set_text(schema, nothing, "type", "object");
    json_t *consequence =
        wrap(schema, "properties", wrap(schema, "metrics", wrap(schema, "not", nothing)));
    return conditional(schema, condition, "then", consequence);
}

/* impossible_value: utilisation of a peak that was not measured is at most 1. The words are those
 * of rules_ratio_is_measured. */
static json_t *utilisation_possible(struct schema *schema)
{
    json_t *maximum = wrap(schema, "maximum", json_write_real(&schema->writer, 1));
    json_t *consequence = wrap(schema, "properties", wrap(schema, "utilisation", maximum));
    json_t *metrics =
        conditional(schema, has_text(schema, "peak_source", "measured|matrix_product|calibration"),
                    "else", consequence);
    return wrap(schema, "properties", wrap(schema, "metrics", metrics));
}

/* True if our own collector's records have more rules there than others'. */
static bool is_stricter(const struct schema *schema, uint16_t node)
{
    const struct evidence_index_node *nodes = schema->index->nodes;
    const struct evidence_row *row = nodes[node].rows[schema->scope];
    if (row == NULL || row->section || row->own)
        return row != NULL;
    for (uint16_t child = nodes[node].first_child; child != 0; child = nodes[child].next_sibling)
        if (is_stricter(schema, child))
            return true;
    return false;
}

/* In records of our own collector the sections have their types too. */
static json_t *own_sections(struct schema *schema)
{
    const struct evidence_index_node *nodes = schema->index->nodes;
    json_t *sections = json_write_object(&schema->writer);
    schema->strict_sections = true;
    for (uint16_t child = nodes[EVIDENCE_INDEX_ROOT].first_child; child != 0;
         child = nodes[child].next_sibling) {
        if (is_stricter(schema, child))
            add_property(schema, sections, "properties", &nodes[child], build(schema, child));
    }
    schema->strict_sections = false;
    return conditional(schema, has_text(schema, "schema", "^rankledger\\.evidence/"), "then",
                       sections);
}

static json_t *build_definition(struct schema *schema, enum evidence_scope scope)
{
    schema->scope = scope;
    json_t *object = json_write_object(&schema->writer);
    set_text(schema, object, "type", "object");
    add_children(schema, object, EVIDENCE_INDEX_ROOT);
    json_t *all = json_write_array(&schema->writer);
    json_write_append(&schema->writer, all, metrics_not_empty(schema));
    json_write_append(&schema->writer, all, utilisation_possible(schema));
    if (scope == EVIDENCE_RECORD)
        json_write_append(&schema->writer, all, own_sections(schema));
    json_write_set(&schema->writer, object, "allOf", all);
    return object;
}

static json_t *reference(struct schema *schema, const char *target)
{
    return wrap(schema, "$ref", json_write_string(&schema->writer, target));
}

static json_t *build_root(struct schema *schema)
{
    struct json_write *writer = &schema->writer;
    json_t *root = json_write_object(writer);
    set_text(schema, root, "$schema", "https://json-schema.org/draft/2020-12/schema");
    set_text(schema, root, "title", "rankledger evidence");
    set_text(schema, root, "description",
             "An evidence record (rankledger.evidence/1) or a summary of records.");
    set_text(schema, root, "type", "object");
    json_t *definitions = json_write_object(writer);
    json_write_set(writer, definitions, "record", build_definition(schema, EVIDENCE_RECORD));
    json_write_set(writer, definitions, "own_summary",
                   build_definition(schema, EVIDENCE_OWN_SUMMARY));
    json_write_set(writer, definitions, "foreign_summary",
                   build_definition(schema, EVIDENCE_FOREIGN_SUMMARY));
    json_write_set(writer, root, "$defs", definitions);

    json_t *foreign = has_text(schema, "evidence_level", "^aggregated_");
    json_write_set(writer, json_object_get(foreign, "properties"), "sources",
                   wrap(schema, "type", json_write_string(writer, "array")));
    json_write_append(writer, json_object_get(foreign, "required"),
                      json_write_string(writer, "sources"));
    json_t *other =
        conditional(schema, foreign, "then", reference(schema, "#/$defs/foreign_summary"));
    json_write_set(writer, other, "else", reference(schema, "#/$defs/record"));
    json_write_set(writer, root, "if", has_text(schema, "schema", "^rankledger\\.summary/"));
    json_write_set(writer, root, "then", reference(schema, "#/$defs/own_summary"));
    json_write_set(writer, root, "else", other);
    return root;
}

enum status schema_write(struct text_buffer *out, struct diag *diag)
{
    struct evidence_index *index = malloc(sizeof *index);
    if (index == NULL)
        return diag_no_memory(diag);
    enum status status = evidence_index_build(index, diag);
    if (status == STATUS_OK) {
        struct schema schema = {.index = index};
        json_t *root = build_root(&schema);
        status = json_write_text(&schema.writer, root, out, diag);
        json_decref(root);
    }
    free(index);
    return status;
}
