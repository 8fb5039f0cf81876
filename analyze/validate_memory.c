#include <stdlib.h>
#include <string.h>

#include "validation.h"

bool validation_repeat(struct validation *v)
{
    const struct validate_memory *memory = v->memory;
    if (!memory->usable || memory->layout != v->json->layout ||
        memory->own_producer != v->own_producer)
        return false;
    memcpy(v->found, memory->found, sizeof v->found);
    for (size_t i = 0; i < memory->count; i++) {
        const struct validate_leaf *leaf = &memory->leaves[i];
        const struct evidence_index_node *rules = &v->index->nodes[leaf->rules];
        const struct evidence_row *row = rules->rows[v->scope];
        for (uint32_t node = leaf->node; node < leaf->node + leaf->count; node++) {
            if (evidence_index_is_sound(v->json, &v->json->nodes[node], &rules->glance) ||
                validation_check_value(v, row, node))
                continue;
            if (v->found[row->field] == node) /* a walk would not have kept it */
                v->found[row->field] = JSON_READ_NONE;
        }
    }
    return true;
}

void validation_learn_begin(struct validation *v)
{
    v->learning = true;
    v->memory->usable = false;
    v->memory->count = 0;
}

/* Values whose type says all need not be looked at again: the layout fixes the types. */
void validation_learn(struct validation *v, uint16_t rules, uint32_t node, uint32_t count)
{
    struct validate_memory *memory = v->memory;
    const struct evidence_row *row = v->index->nodes[rules].rows[v->scope];
    if (row->checks == 0 && row->choices == NULL)
        return;
    if (memory->count == memory->capacity) {
        size_t capacity = memory->capacity == 0 ? 64 : memory->capacity * 2;
        struct validate_leaf *leaves = capacity > SIZE_MAX / sizeof *leaves
                                           ? NULL
                                           : realloc(memory->leaves, capacity * sizeof *leaves);
        if (leaves == NULL) { /* nothing is lost but speed */
            v->learning = false;
            return;
        }
        memory->leaves = leaves;
        memory->capacity = capacity;
    }
    memory->leaves[memory->count++] = (struct validate_leaf){node, count, rules};
}

void validation_learn_end(struct validation *v)
{
    v->memory->usable = v->learning;
    v->memory->layout = v->json->layout;
    v->memory->own_producer = v->own_producer;
    memcpy(v->memory->found, v->found, sizeof v->found);
    v->learning = false;
}

/* A record with thousands of parts is not asked about one after the other in the same order. */
#define MAX_LOOKUPS 4096

void validation_begin_lookups(struct validation *v)
{
    struct validate_memory *memory = v->memory;
    if (memory == NULL)
        return;
    if (memory->lookup_layout != v->json->layout)
        memory->lookup_count = 0;
    memory->lookup_layout = v->json->layout;
    memory->next_lookup = 0;
}

/* Room for the lookup number `place`; false: it is not kept. */
static bool reserve_lookup(struct validate_memory *memory, size_t place)
{
    if (place < memory->lookup_capacity || place >= MAX_LOOKUPS)
        return place < memory->lookup_capacity;
    size_t capacity = memory->lookup_capacity == 0 ? 128 : memory->lookup_capacity * 2;
    struct validate_lookup *lookups = realloc(memory->lookups, capacity * sizeof *lookups);
    if (lookups == NULL)
        return false;
    memory->lookups = lookups;
    memory->lookup_capacity = capacity;
    return true;
}

uint32_t validation_member(const struct validation *v, uint32_t object, const char *name)
{
    struct validate_memory *memory = v->memory;
    if (memory == NULL)
        return json_read_member(v->json, object, name);
    size_t place = memory->next_lookup++;
    if (place < memory->lookup_count && memory->lookups[place].object == object &&
        memory->lookups[place].name == name)
        return memory->lookups[place].node;
    uint32_t node = json_read_member(v->json, object, name);
    if (place <= memory->lookup_count && reserve_lookup(memory, place)) {
        memory->lookups[place] = (struct validate_lookup){name, object, node};
        if (place == memory->lookup_count)
            memory->lookup_count++;
    }
    return node;
}

void validate_memory_fini(struct validate_memory *memory)
{
    free(memory->leaves);
    free(memory->lookups);
    *memory = (struct validate_memory){0};
}
