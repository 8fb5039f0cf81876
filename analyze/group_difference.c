#include "group_difference.h"

#include <string.h>

#include "text.h"

const char *group_difference_value(const struct partition *partition, size_t part, int field,
                                   size_t *record)
{
    *record = partition->order[partition->starts[part]];
    for (size_t i = partition->starts[part]; i < partition->starts[part + 1]; i++) {
        const char *value = partition->texts[partition->order[i]][field];
        if (value != NULL) {
            *record = partition->order[i];
            return value;
        }
    }
    return NULL;
}

struct two_sides {
    const char *values[2]; /* NULL: absent */
    size_t records[2];
};

/* Two parts that differ in the field, the first pair in order. */
static bool field_tells(const struct partition *partition, int field, struct two_sides *sides)
{
    sides->values[0] = group_difference_value(partition, 0, field, &sides->records[0]);
    bool absence = partition->split_by_absence[field];
    for (size_t part = 1; part < partition->count; part++) {
        sides->values[1] = group_difference_value(partition, part, field, &sides->records[1]);
        if (sides->values[0] == NULL || sides->values[1] == NULL) {
            if (absence)
                return true;
            if (sides->values[0] == NULL) { /* a later pair may differ in given values */
                sides->values[0] = sides->values[1];
                sides->records[0] = sides->records[1];
            }
        } else if (strcmp(sides->values[0], sides->values[1]) != 0) {
            return true;
        }
    }
    return false;
}

bool group_difference_tells(const struct partition *partition, int field)
{
    struct two_sides sides = {{NULL, NULL}, {0, 0}};
    return partition->count > 1 && field_tells(partition, field, &sides);
}

const char *group_difference_shown(const char *value, struct arena *arena)
{
    struct text_buffer buffer = {0};
    const char *text = value == NULL ? "not given" : value;
    text_escape(&buffer, text, strlen(text));
    const char *copy =
        buffer.failed ? NULL
                      : arena_copy(arena, buffer.text == NULL ? "" : buffer.text, buffer.length);
    text_buffer_fini(&buffer);
    return copy;
}

int group_difference_find(const struct partition *partition, const struct record *records,
                          const bool *freed, struct arena *arena,
                          struct group_difference *difference)
{
    struct two_sides sides = {{NULL, NULL}, {0, 0}};
    for (int field = 0; partition->count > 1 && field < COMPARABILITY_FIELD_COUNT; field++) {
        if (freed[field] || !field_tells(partition, field, &sides))
            continue;
        *difference = (struct group_difference){
            .field = comparability_name((enum comparability_field)field),
            .value_a = group_difference_shown(sides.values[0], arena),
            .value_b = group_difference_shown(sides.values[1], arena),
            .path_a = records[sides.records[0]].path,
            .path_b = records[sides.records[1]].path,
        };
        return field;
    }
    return -1;
}
