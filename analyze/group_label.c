#include "group_label.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "group_difference.h"
#include "text.h"

struct labelling {
    struct group_list *groups;
    const struct partition *partition;
    struct arena *arena;
    int fields[COMPARABILITY_FIELD_COUNT]; /* that tell groups apart and stand in no label yet */
    size_t field_count;
};

static void add_number(struct text_buffer *label, const char *before, double value,
                       const char *after)
{
    char digits[64];
    if (isnan(value))
        return;
    text_buffer_printf(label, "%s%s%s%s", label->length > 0 ? ", " : "", before,
                       text_number_exact(digits, sizeof digits, value), after);
}

static void add_field(struct text_buffer *label, const struct labelling *labelling, size_t group,
                      int field)
{
    size_t record = 0;
    const char *value = group_difference_value(labelling->partition, group, field, &record);
    if (value == NULL)
        value = "not given";
    text_buffer_printf(label, "%s%s ", label->length > 0 ? ", " : "",
                       comparability_words((enum comparability_field)field));
    text_escape(label, value, strlen(value));
}

/* NULL: memory exhausted. */
static const char *label_of(const struct labelling *labelling, size_t index, size_t field_count,
                            bool with_path)
{
    struct text_buffer label = {0};
    const struct group *group = &labelling->groups->items[index];
    const struct workload *workload = &group->first->workload;
    if (workload->model != NULL)
        text_escape(&label, workload->model, strlen(workload->model));
    add_number(&label, "", workload->world_size, workload->world_size == 1 ? " rank" : " ranks");
    add_number(&label, "global batch ", workload->global_batch, "");
    for (size_t i = 0; i < field_count; i++)
        add_field(&label, labelling, index, labelling->fields[i]);
    if (label.length == 0)
        text_buffer_puts(&label, "workload not described");
    if (with_path)
        text_buffer_printf(&label, " (%s)", group->first->path);
    const char *copy = label.failed ? NULL : arena_copy(labelling->arena, label.text, label.length);
    text_buffer_fini(&label);
    return copy;
}

/* What the labels say besides model, ranks and batch; the same in every group. NULL: memory. */
static const char *const *field_names(const struct labelling *labelling, size_t field_count)
{
    const char **names = arena_take_array(labelling->arena, field_count + 1, sizeof *names);
    for (size_t i = 0; names != NULL && i < field_count; i++)
        names[i] = comparability_name((enum comparability_field)labelling->fields[i]);
    return names;
}

static enum status set_labels(const struct labelling *labelling, size_t field_count, bool with_path,
                              struct diag *diag)
{
    const char *const *names = field_names(labelling, field_count);
    if (names == NULL)
        return diag_no_memory(diag);
    for (size_t g = 0; g < labelling->groups->count; g++) {
        struct group *group = &labelling->groups->items[g];
        group->label_fields = names;
        group->label_field_count = field_count;
        group->label_path = with_path ? group->first->path : NULL;
        group->label = label_of(labelling, g, field_count, with_path);
        if (group->label == NULL)
            return diag_no_memory(diag);
    }
    return STATUS_OK;
}

static int compare(const void *left, const void *right)
{
    return strcmp(*(const char *const *)left, *(const char *const *)right);
}

static enum status labels_differ(const struct labelling *labelling, bool *differ, struct diag *diag)
{
    size_t count = labelling->groups->count;
    const char **labels = arena_take_array(labelling->arena, count, sizeof *labels);
    if (labels == NULL)
        return diag_no_memory(diag);
    for (size_t g = 0; g < count; g++)
        labels[g] = labelling->groups->items[g].label;
    qsort(labels, count, sizeof *labels, compare);
    *differ = true;
    for (size_t g = 1; g < count; g++)
        *differ = *differ && strcmp(labels[g - 1], labels[g]) != 0;
    return STATUS_OK;
}

static void find_fields(struct labelling *labelling, const bool *freed)
{
    for (int field = 0; field < COMPARABILITY_FIELD_COUNT; field++) {
        bool named = field == COMPARABILITY_WORLD_SIZE || field == COMPARABILITY_GLOBAL_BATCH ||
                     field == COMPARABILITY_MODEL;
        if (!named && !freed[field] && group_difference_tells(labelling->partition, field))
            labelling->fields[labelling->field_count++] = field;
    }
}

enum status group_label_all(struct group_list *groups, const struct partition *partition,
                            const bool *freed, struct arena *arena, struct diag *diag)
{
    struct labelling labelling = {.groups = groups, .partition = partition, .arena = arena};
    bool differ = false;
    enum status status = set_labels(&labelling, 0, false, diag);
    if (status != STATUS_OK || groups->count < 2)
        return status;
    find_fields(&labelling, freed);
    for (size_t fields = 0; status == STATUS_OK; fields++) {
        status = labels_differ(&labelling, &differ, diag);
        if (status != STATUS_OK || differ || fields == labelling.field_count)
            break;
        status = set_labels(&labelling, fields + 1, false, diag);
    }
    if (status == STATUS_OK && !differ)
        status = set_labels(&labelling, labelling.field_count, true, diag);
    return status;
}
