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

void validate_memory_fini(struct validate_memory *memory)
{
    free(memory->leaves);
    *memory = (struct validate_memory){0};
}
