#include "evidence_index.h"

#include <string.h>

/* Up to eight bytes as a number, the first of them lowest. */
static uint64_t word_of(const char *bytes, size_t count)
{
    uint64_t word = 0;
    while (count > 0)
        word = word << 8 | (unsigned char)bytes[--count];
    return word;
}

static inline uint64_t load(const char *bytes)
{
    uint64_t word;
    memcpy(&word, bytes, sizeof word);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    return word;
}

/* Two words decide for all names of up to sixteen bytes. */
static inline bool has_name(const struct evidence_index_node *node, uint16_t parent,
                            const struct evidence_index_name *name)
{
    size_t length = name->length;
    if (node->parent != parent || node->length != length)
        return false;
    if (length < 8 && name->end - name->text >= 8)
        return (load(name->text) & ((UINT64_C(1) << (8 * length)) - 1)) == node->begin;
    if (length < 8)
        return word_of(name->text, length) == node->begin;
    return load(name->text) == node->begin && load(name->text + length - 8) == node->end &&
           (length <= 16 || memcmp(name->text, node->name, length) == 0);
}

uint16_t evidence_index_find(const struct evidence_index *index, uint16_t parent,
                             const struct evidence_index_name *name)
{
    const struct evidence_index_node *nodes = index->nodes;
    uint32_t mixed = name->hash ^ nodes[parent].salt;
    for (uint32_t i = mixed;; i++) {
        const struct evidence_index_slot *slot = &index->slots[i & (EVIDENCE_INDEX_SLOTS - 1)];
        if (slot->node == 0)
            break;
        if (slot->hash == mixed && has_name(&nodes[slot->node], parent, name))
            return slot->node;
    }
    uint16_t family = nodes[parent].family;
    if (family != 0 &&
        nodes[family].rows[EVIDENCE_RECORD]->family->matches(name->text, name->length))
        return family;
    return nodes[parent].every;
}

static void insert(struct evidence_index *index, uint16_t node)
{
    const struct evidence_index_node *added = &index->nodes[node];
    uint32_t mixed = json_read_hash(added->name, added->length) ^ index->nodes[added->parent].salt;
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
    struct evidence_index_name wanted = {.text = name, .length = length, .end = name + length};
    uint16_t child = index->nodes[parent].first_child;
    while (child != 0 && !has_name(&index->nodes[child], parent, &wanted))
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
    /* A name means another thing under another parent. */
    node->salt = *child * UINT32_C(0x9E3779B1);
    node->begin = word_of(name, length < 8 ? length : 8);
    node->end = length < 8 ? 0 : word_of(name + length - 8, 8);
    node->glance.least = UINT8_MAX;
    link_child(index, parent, *child);
    if (row->family != NULL)
        index->nodes[parent].family = *child;
    else if (length == 1 && name[0] == '*')
        index->nodes[parent].every = *child;
    else
        insert(index, *child);
    return STATUS_OK;
}

/* The first glance that suffices for a row's numbers; none where they have other limits. */
static struct evidence_index_glance glance_of(const struct evidence_row *row)
{
    struct evidence_index_glance glance = {.least = UINT8_MAX,
                                           .looked_at = JSON_READ_NUMBER_OUT_OF_RANGE};
    bool whole = (row->checks & EVIDENCE_WHOLE) != 0;
    bool above = (row->checks & EVIDENCE_ABOVE_MINIMUM) != 0;
    if ((row->types & EVIDENCE_NUMBER) == 0 || (row->checks & EVIDENCE_MAXIMUM) != 0 ||
        (!above && (row->checks & EVIDENCE_MINIMUM) == 0))
        return glance;
    if (!above && row->minimum == 0)
        glance.least = '0';
    else if (above ? row->minimum == 0 : whole && row->minimum == 1)
        glance.least = '1';
    if (whole) {
        glance.looked_at |= JSON_READ_INTEGER;
        glance.wanted |= JSON_READ_INTEGER;
    }
    if (above)
        glance.no_exponent = UINT32_MAX;
    return glance;
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
            index->nodes[child].glance = glance_of(row);
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

static enum status add_rows(struct evidence_index *index, const struct evidence_row *rows,
                            size_t count, struct diag *diag)
{
    enum status status = STATUS_OK;
    for (size_t i = 0; i < count && status == STATUS_OK; i++)
        status = add_row(index, &rows[i], diag);
    return status;
}

enum status evidence_index_build(struct evidence_index *index, struct diag *diag)
{
    size_t count;
    size_t own_count;
    const struct evidence_row *rows = evidence_rules_table(&count);
    const struct evidence_row *own = evidence_rules_own_table(&own_count);
    memset(index, 0, sizeof *index);
    index->count = 1;
    enum status status = add_rows(index, rows, count, diag);
    if (status == STATUS_OK)
        status = add_rows(index, own, own_count, diag);
    return status == STATUS_OK ? number_required(index, diag) : status;
}
