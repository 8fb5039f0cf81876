#include "summary_load.h"

#include <math.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

/* So many different values of one condition are listed; of more the list ends with an ellipsis. */
#define MOST_VALUES 8

/* ---- what all candidates share, and what differs among them ---- */

struct values { /* of one condition, each once */
    struct summary_condition items[MOST_VALUES];
    size_t count;
    bool more;
};

static void add_value(struct values *values, const struct summary_condition *value)
{
    if (value->text == NULL)
        return;
    for (size_t i = 0; i < values->count; i++)
        if (strcmp(values->items[i].text, value->text) == 0)
            return;
    if (values->count == MOST_VALUES)
        values->more = true;
    else
        values->items[values->count++] = *value;
}

static struct summary_condition condition_of(struct summary_fields *fields, const char *name,
                                             const struct values *values)
{
    if (values->count == 1) {
        struct summary_condition single = values->items[0];
        single.name = name;
        return single;
    }
    struct summary_condition condition = {.name = name, .number = (double)NAN, .differs = true};
    struct text_buffer *list = &fields->buffer;
    text_buffer_clear(list);
    for (size_t i = 0; i < values->count; i++)
        text_buffer_printf(list, "%s%s", i == 0 ? "" : ", ", values->items[i].text);
    if (values->more)
        text_buffer_puts(list, ", ...");
    condition.text = list->failed ? NULL : arena_copy(fields->json.arena, list->text, list->length);
    if (condition.text == NULL && fields->json.status == STATUS_OK)
        fields->json.status = diag_no_memory(fields->json.diag);
    return condition;
}

/* ---- workload ---- */

/* In the order in which a reader asks: the model, its data, how it is split, how it is kept. */
static const char *const workload_names[] = {
    "model",      "parameters",
    "layers",     "width",
    "heads",      "vocab",
    "seq_len",    "global_batch",
    "world_size", "micro_batch",
    "dtype",      "gradient_accumulation",
    "optimizer",  "activation_checkpointing",
    "warmup",     "repeats",
};

static void read_workload(struct summary_fields *fields, uint32_t node, struct summary_group *group)
{
    const struct json_read_document *document = fields->json.source.document;
    uint32_t candidates = json_fields_member(&fields->json, node, "candidates", JSON_READ_ARRAY);
    uint32_t shared = json_fields_member(&fields->json, node, "workload", JSON_READ_OBJECT);
    struct summary_condition *items =
        json_fields_take(&fields->json, COUNT(workload_names), sizeof *items);
    size_t count = 0;
    for (size_t i = 0; i < COUNT(workload_names) && fields->json.status == STATUS_OK; i++) {
        struct values values = {0};
        uint32_t at =
            candidates == JSON_READ_NONE ? candidates : json_read_first(document, candidates);
        for (; at != JSON_READ_NONE; at = json_read_next(document, candidates, at)) {
            uint32_t own = json_fields_member(&fields->json, at, "workload", JSON_READ_OBJECT);
            struct summary_condition value =
                summary_fields_condition(fields, own, workload_names[i]);
            add_value(&values, &value);
        }
        if (values.count == 0) {
            struct summary_condition value =
                summary_fields_condition(fields, shared, workload_names[i]);
            add_value(&values, &value);
        }
        if (values.count > 0 && fields->json.status == STATUS_OK)
            items[count++] = condition_of(fields, workload_names[i], &values);
    }
    group->workload = (struct summary_conditions){items, count};
}

/* ---- hardware and software ---- */

static void read_values(struct summary_fields *fields, uint32_t node, void *element)
{
    static const struct summary_fields_row rows[] = {
        {"name", SUMMARY_FIELDS_NAME, offsetof(struct summary_condition, name)},
    };
    struct summary_condition *condition = element;
    struct summary_condition named = {0};
    struct values values = {0};
    summary_fields_read(fields, node, rows, COUNT(rows), &named);
    struct summary_conditions listed = summary_fields_conditions(fields, node, "values");
    for (size_t i = 0; i < listed.count && fields->json.status == STATUS_OK; i++)
        add_value(&values, &listed.items[i]);
    *condition = (struct summary_condition){.name = named.name, .number = (double)NAN};
    if (values.count > 0)
        *condition = condition_of(fields, named.name, &values);
}

/* Of the conditions those of a section, whose names lose it, or of no list of their own. */
static bool belongs(struct summary_condition *condition, const char *section)
{
    static const char *const own[] = {"hardware.", "workload."};
    for (size_t i = 0; i < COUNT(own); i++) {
        size_t length = strlen(own[i]);
        if (strncmp(condition->name, own[i], length) != 0)
            continue;
        condition->name += length;
        return section != NULL && strcmp(section, own[i]) == 0;
    }
    return section == NULL;
}

/* `first` and the conditions of a section (NULL: of none of these). */
static struct summary_conditions join(struct summary_fields *fields,
                                      struct summary_conditions first,
                                      const struct summary_conditions *all, const char *section)
{
    struct summary_condition *items =
        json_fields_take(&fields->json, first.count + all->count, sizeof *items);
    size_t count = 0;
    for (size_t i = 0; items != NULL && i < first.count; i++)
        if (first.items[i].text != NULL)
            items[count++] = first.items[i];
    for (size_t i = 0; items != NULL && i < all->count; i++) {
        struct summary_condition item = all->items[i];
        if (belongs(&item, section))
            items[count++] = item;
    }
    return (struct summary_conditions){items, count};
}

static void read_surroundings(struct summary_fields *fields, uint32_t node,
                              struct summary_group *group)
{
    uint32_t hardware = json_fields_member(&fields->json, node, "hardware", JSON_READ_OBJECT);
    const struct summary_condition devices[] = {
        summary_fields_condition(fields, hardware, "device"),
        summary_fields_condition(fields, hardware, "device_count"),
    };
    struct summary_conditions all = {0};
    all.items = summary_fields_array(fields, node, "conditions", sizeof(struct summary_condition),
                                     &all.count, read_values);
    if (fields->json.status != STATUS_OK)
        return;
    group->workload = join(fields, group->workload, &all, "workload.");
    group->hardware =
        join(fields, (struct summary_conditions){devices, COUNT(devices)}, &all, "hardware.");
    group->conditions = join(fields, (struct summary_conditions){0}, &all, NULL);
}

/* ---- the key ---- */

struct summary_conditions summary_load_key(struct summary_fields *fields, uint32_t node)
{
    static const char *const names[] = {
        "model",        "parameters",
        "layers",       "width",
        "heads",        "vocab",
        "world_size",   "global_batch",
        "micro_batch",  "gradient_accumulation",
        "seq_len",      "dtype",
        "optimizer",    "activation_checkpointing",
        "state_bytes",  "throughput_unit",
        "times_count",  "device",
        "device_count",
    };
    uint32_t key = json_fields_member(&fields->json, node, "key", JSON_READ_OBJECT);
    struct summary_condition *items = json_fields_take(&fields->json, COUNT(names), sizeof *items);
    for (size_t i = 0; items != NULL && i < COUNT(names); i++)
        items[i] = summary_fields_condition(fields, key, names[i]);
    bool told = items != NULL && key != JSON_READ_NONE;
    return (struct summary_conditions){items, told ? COUNT(names) : 0};
}

void summary_load_conditions(struct summary_fields *fields, uint32_t node,
                             struct summary_group *group)
{
    read_workload(fields, node, group);
    read_surroundings(fields, node, group);
    group->key = summary_load_key(fields, node);
}
