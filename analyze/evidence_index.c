#include "evidence_index.h"

#include <string.h>

/* A name means another thing under another parent, so the parent goes into the hash. */
static uint32_t mix(uint32_t hash, uint16_t parent)
{
    uint32_t mixed = hash ^ (parent * UINT32_C(0x9E3779B1));
    return mixed ^ mixed >> 15;
}

/* A loop: names are short, and a call of memcmp takes longer. */
static inline bool has_name(const struct evidence_index_node *node, uint16_t parent,
                            const char *name, size_t length)
{
    if (node->parent != parent || node->length != length)
        return false;
    uint64_t word;
    uint64_t other;
    size_t i = 0;
    for (; length - i >= sizeof word; i += sizeof word) {
        memcpy(&word, name + i, sizeof word);
        memcpy(&other, node->name + i, sizeof other);
        if (word != other)
            return false;
    }
    while (i < length && name[i] == node->name[i])
        i++;
    return i == length;
}

uint16_t evidence_index_find(const struct evidence_index *index, uint16_t parent, uint32_t hash,
                             const char *name, size_t length)
{
    uint32_t mixed = mix(hash, parent);
    for (uint32_t i = mixed;; i++) {
        const struct evidence_index_slot *slot = &index->slots[i & (EVIDENCE_INDEX_SLOTS - 1)];
        if (slot->node == 0)
            break;
        if (slot->hash == mixed && has_name(&index->nodes[slot->node], parent, name, length))
            return slot->node;
    }
    uint16_t family = index->nodes[parent].family;
    if (family != 0 && index->nodes[family].rows[EVIDENCE_RECORD]->family->matches(name, length))
        return family;
    return index->nodes[parent].every;
}

static void insert(struct evidence_index *index, uint16_t node)
{
    const struct evidence_index_node *added = &index->nodes[node];
    uint32_t mixed = mix(json_read_hash(added->name, added->length), added->parent);
    uint32_t i = mixed;
    while (index->slots[i & (EVIDENCE_INDEX_SLOTS - 1)].node != 0)
        i++;
    index->slots[i & (EVIDENCE_INDEX_SLOTS - 1)] = (struct evidence_index_slot){mixed, node};
}

static void link_child(struct evidence_index *index, uint16_t parent, uint16_t child)
{
    uint16_t *link = &index->nodes[parent].first_child;
    while (*link != 0)
        link = &index->nodes[*link].next_sibling;
    *link = child;
}

static uint16_t child_named(const struct evidence_index *index, uint16_t parent, const char *name,
                            size_t length)
{
    uint16_t child = index->nodes[parent].first_child;
    while (child != 0 && !has_name(&index->nodes[child], parent, name, length))
        child = index->nodes[child].next_sibling;
    return child;
}

static enum status add_child(struct evidence_index *index, uint16_t parent,
                             const struct evidence_row *row, const char *name, size_t length,
                             uint16_t *child, struct diag *diag)
{
    if (index->count == EVIDENCE_INDEX_NODES || length > UINT8_MAX)
        return diag_set(diag, STATUS_BUG, "the index of evidence rules is too small");
    *child = index->count++;
    struct evidence_index_node *node = &index->nodes[*child];
    *node = (struct evidence_index_node){.name = name, .length = (uint8_t)length, .parent = parent};
    link_child(index, parent, *child);
    if (row->family != NULL)
        index->nodes[parent].family = *child;
    else if (length == 1 && name[0] == '*')
        index->nodes[parent].every = *child;
    else
        insert(index, *child);
    return STATUS_OK;
}

/* Which first glance suffices for a row's numbers. */
static enum evidence_index_glance glance_of(const struct evidence_row *row)
{
    switch (row->checks) {
    case EVIDENCE_MINIMUM:
        return row->minimum == 0 ? EVIDENCE_INDEX_NOT_NEGATIVE : EVIDENCE_INDEX_NO_GLANCE;
    case EVIDENCE_ABOVE_MINIMUM:
        return row->minimum == 0 ? EVIDENCE_INDEX_POSITIVE : EVIDENCE_INDEX_NO_GLANCE;
    case EVIDENCE_MINIMUM | EVIDENCE_WHOLE:
        return row->minimum == 0   ? EVIDENCE_INDEX_COUNT
               : row->minimum == 1 ? EVIDENCE_INDEX_POSITIVE_COUNT
                                   : EVIDENCE_INDEX_NO_GLANCE;
    default:
        return EVIDENCE_INDEX_NO_GLANCE;
    }
}

/* Parents stand before their members in the table, so that only the last part can be new. */
static enum status add_row(struct evidence_index *index, const struct evidence_row *row,
                           struct diag *diag)
{
    uint16_t parent = EVIDENCE_INDEX_ROOT;
    const char *part = row->pointer;
    for (;;) {
        const char *name = part + 1;
        const char *end = strchr(name, '/');
        size_t length = end != NULL ? (size_t)(end - name) : strlen(name);
        uint16_t child = child_named(index, parent, name, length);
        if (child == 0 && end != NULL)
            return diag_set(diag, STATUS_BUG, "rule %s stands before its parent", row->pointer);
        enum status status =
            child != 0 ? STATUS_OK : add_child(index, parent, row, name, length, &child, diag);
        if (status != STATUS_OK)
            return status;
        if (end == NULL) {
            bool number = (row->types & EVIDENCE_NUMBER) != 0;
            index->nodes[child].glance =
                (uint8_t)(number ? glance_of(row) : EVIDENCE_INDEX_NO_GLANCE);
            unsigned scopes = row->scopes != 0 ? row->scopes : (unsigned)EVIDENCE_EVERYWHERE;
            for (int scope = 0; scope < EVIDENCE_SCOPE_COUNT; scope++)
                if ((scopes & 1u << scope) != 0)
                    index->nodes[child].rows[scope] = row;
            return STATUS_OK;
        }
        part = end;
        parent = child;
    }
}

/* Numbers the required children of each node, so that a walk keeps what it saw in a bit set. */
static enum status number_required(struct evidence_index *index, struct diag *diag)
{
    for (uint16_t parent = 0; parent < index->count; parent++) {
        uint8_t bit = 0;
        for (uint16_t child = index->nodes[parent].first_child; child != 0;
             child = index->nodes[child].next_sibling) {
            struct evidence_index_node *node = &index->nodes[child];
            bool required = false;
            for (int scope = 0; scope < EVIDENCE_SCOPE_COUNT; scope++)
                required = required || (node->rows[scope] != NULL && node->rows[scope]->required);
            if (required && bit == 32)
                return diag_set(diag, STATUS_BUG, "too many required fields in one object");
            node->required_bit = required ? bit++ : 0;
            for (int scope = 0; scope < EVIDENCE_SCOPE_COUNT; scope++)
                if (node->rows[scope] != NULL && (node->rows[scope]->required & 1u << scope) != 0)
                    index->nodes[parent].required[scope] |= UINT32_C(1) << node->required_bit;
        }
    }
    return STATUS_OK;
}

enum status evidence_index_build(struct evidence_index *index, struct diag *diag)
{
    memset(index, 0, sizeof *index);
    index->count = 1;
    size_t count;
    const struct evidence_row *rows = evidence_rules_table(&count);
    for (size_t i = 0; i < count; i++) {
        enum status status = add_row(index, &rows[i], diag);
        if (status != STATUS_OK)
            return status;
    }
    return number_required(index, diag);
}
