#include <stdio.h>
#include <string.h>

#include "summary_parts.h"

/*
 * Where and with what the runs of a group ran. Only fields that tell nothing of persons or of a
 * site are taken: no host names, no addresses, no command line, and of the environment's variables
 * those that our own collector writes, which has a list of harmless ones.
 */

/* So many different values are listed; more are told by "more". */
#define MOST_VALUES 16

struct row {
    const char *section, *field;
    size_t prefix; /* of a text, so many bytes are taken; 0: all */
};

static const struct row rows[] = {
    {"hardware", "processor", 0},
    {"hardware", "hosts", 0},
    {"hardware", "ranks_per_host", 0},
    {"hardware", "ranks_per_device", 0},
    {"hardware", "cores_per_host", 0},
    {"hardware", "hardware_threads_per_host", 0},
    {"hardware", "numa_nodes_per_host", 0},
    {"hardware", "memory_bytes_per_host", 0},
    {"workload", "seed", 0},
    {"workload", "learning_rate", 0},
    {"workload", "max_grad_norm", 0},
    {"strategy_options", "unit", 0},
    {"strategy_options", "bucket_bytes", 0},
    {"strategy_options", "first_bucket_bytes", 0},
    {"strategy_options", "prefetch", 0},
    {"strategy_options", "persistence_threshold", 0},
    {"strategy_options", "overlap", 0},
    {"strategy_options", "bf16_emulated", 0},
    {"strategy_options", "sharding_exercised", 0},
    {"communication", "algorithm", 0},
    {"communication", "progress", 0},
    {"timing", "clock", 0},
    {"correctness", "ranks_agree_on_grad_norms", 0},
    {"correctness", "rounds_agree_on_losses", 0},
    {"environment", "kernel", 0},
    {"environment", "architecture", 0},
    {"environment", "driver", 0},
    {"environment", "driver_cuda", 0},
    {"environment", "cuda_runtime", 0},
    {"environment", "cublas", 0},
    {"environment", "nccl", 0},
    {"environment", "mpi", 0},
    {"environment", "blas", 0},
    {"environment", "blas_kernels", 0},
    {"environment", "blas_kernels_chosen_by", 0},
    {"environment", "usable_cores", 0},
    {"environment", "ranks_bound_to_cores", 0},
    {"environment", "oversubscribed", 0},
    {"environment", "transparent_huge_pages", 0},
    {"environment", "frequency_governor", 0},
    {"run", "program", 0},
    {"run", "version", 0},
    {"run", "backend", 0},
    {"run", "ranks_started_by", 0},
    {"run", "started_utc", sizeof "2026-01-31" - 1}, /* the day */
};

enum { ROW_COUNT = sizeof rows / sizeof rows[0] };

struct value {
    const struct json_read_document *json;
    uint32_t node;
};

struct values { /* different ones, in the order of the records */
    struct value items[MOST_VALUES];
    size_t count;
    bool more;
};

static bool is_scalar(const struct json_read_document *json, uint32_t node)
{
    return json_read_is(json, node, JSON_READ_STRING) ||
           json_read_is(json, node, JSON_READ_NUMBER) || json_read_is(json, node, JSON_READ_TRUE) ||
           json_read_is(json, node, JSON_READ_FALSE);
}

static size_t length_of(const struct value *value, size_t prefix)
{
    size_t length = value->json->nodes[value->node].length;
    bool cut =
        prefix > 0 && prefix < length && json_read_is(value->json, value->node, JSON_READ_STRING);
    return cut ? prefix : length;
}

static bool same(const struct value *a, const struct value *b, size_t prefix)
{
    const struct json_read_node *left = &a->json->nodes[a->node];
    const struct json_read_node *right = &b->json->nodes[b->node];
    size_t length = length_of(a, prefix);
    return left->type == right->type && length == length_of(b, prefix) &&
           memcmp(a->json->text + left->offset, b->json->text + right->offset, length) == 0;
}

static void add_value(struct values *values, const struct value *value, size_t prefix)
{
    if (!is_scalar(value->json, value->node))
        return;
    for (size_t i = 0; i < values->count; i++)
        if (same(&values->items[i], value, prefix))
            return;
    if (values->count == MOST_VALUES)
        values->more = true;
    else
        values->items[values->count++] = *value;
}

/* ---- the rows, of every record ---- */

struct run_list { /* every record of the group */
    const struct record **records;
    size_t count;
};

static struct run_list runs_of(struct summary_parts *parts, const struct group *group)
{
    struct run_list runs = {0};
    size_t total = 0;
    for (size_t c = 0; c < group->candidate_count; c++)
        total += group->candidates[c].record_count;
    runs.records = arena_take_array(parts->arena, total + 1, sizeof *runs.records);
    if (runs.records == NULL && parts->status == STATUS_OK)
        parts->status = diag_no_memory(parts->diag);
    for (size_t c = 0; runs.records != NULL && c < group->candidate_count; c++)
        for (size_t i = 0; i < group->candidates[c].record_count; i++)
            if (group->candidates[c].records[i]->json != NULL)
                runs.records[runs.count++] = group->candidates[c].records[i];
    return runs;
}

/* Each section is looked up once: the rows of one stand together. */
static void add_rows(const struct record *record, struct values *values)
{
    uint32_t section = JSON_READ_NONE;
    for (size_t i = 0; i < ROW_COUNT; i++) {
        if (i == 0 || strcmp(rows[i].section, rows[i - 1].section) != 0)
            section = json_read_member(record->json, record->node, rows[i].section);
        struct value value = {record->json, json_read_member(record->json, section, rows[i].field)};
        add_value(&values[i], &value, rows[i].prefix);
    }
}

static json_t *value_of(struct summary_parts *parts, const struct value *value, size_t prefix)
{
    const struct json_read_node *node = &value->json->nodes[value->node];
    if (length_of(value, prefix) < node->length)
        return json_write_string_n(&parts->writer, value->json->text + node->offset, prefix);
    return json_write_copy(&parts->writer, value->json, value->node);
}

static void put_values(struct summary_parts *parts, json_t *conditions, const char *name,
                       const struct values *values, size_t prefix)
{
    struct json_write *writer = &parts->writer;
    if (values->count == 0)
        return;
    json_t *object = json_write_object(writer);
    json_t *array = json_write_array(writer);
    for (size_t i = 0; i < values->count; i++)
        json_write_append(writer, array, value_of(parts, &values->items[i], prefix));
    summary_parts_put_text(parts, object, "name", name);
    json_write_set(writer, object, "values", array);
    if (values->more)
        json_write_set(writer, object, "more", json_write_bool(writer, true));
    json_write_append(writer, conditions, object);
}

/* ---- variables of the environment ---- */

static bool has_name(const char *const *names, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(names[i], name) == 0)
            return true;
    return false;
}

#define MOST_VARIABLES 64

struct variables {
    const char *names[MOST_VARIABLES];
    size_t count;
};

static uint32_t variables_of(const struct record *record)
{
    if (!record->own_collector)
        return JSON_READ_NONE;
    uint32_t environment = json_read_member(record->json, record->node, "environment");
    return json_read_member(record->json, environment, "variables");
}

static void find_variables(struct summary_parts *parts, const struct record *record,
                           struct variables *variables)
{
    const struct json_read_document *json = record->json;
    uint32_t object = variables_of(record);
    if (!json_read_is(json, object, JSON_READ_OBJECT))
        return;
    for (uint32_t key = json_read_first(json, object); key != JSON_READ_NONE;
         key = json_read_next(json, object, key)) {
        size_t capacity = (size_t)json->nodes[key].length + 1;
        char *name = arena_take(parts->arena, capacity);
        if (name == NULL) {
            parts->status = diag_no_memory(parts->diag);
            return;
        }
        json_read_string(json, key, name, capacity);
        if (variables->count < MOST_VARIABLES &&
            !has_name(variables->names, variables->count, name))
            variables->names[variables->count++] = name;
    }
}

static void put_variable(struct summary_parts *parts, json_t *conditions, const char *variable,
                         const struct run_list *runs)
{
    struct values values = {0};
    for (size_t i = 0; i < runs->count; i++) {
        const struct record *record = runs->records[i];
        struct value value = {record->json,
                              json_read_member(record->json, variables_of(record), variable)};
        add_value(&values, &value, 0);
    }
    const char *name = arena_printf(parts->arena, "environment.variables.%s", variable);
    if (name == NULL && parts->status == STATUS_OK)
        parts->status = diag_no_memory(parts->diag);
    if (name != NULL)
        put_values(parts, conditions, name, &values, 0);
}

json_t *summary_parts_conditions(struct summary_parts *parts, const struct group *group)
{
    json_t *conditions = json_write_array(&parts->writer);
    struct run_list runs = runs_of(parts, group);
    struct variables variables = {0};
    struct values *values = arena_take_array(parts->arena, ROW_COUNT, sizeof *values);
    if (values == NULL && parts->status == STATUS_OK)
        parts->status = diag_no_memory(parts->diag);
    for (size_t i = 0; values != NULL && i < runs.count; i++) {
        add_rows(runs.records[i], values);
        find_variables(parts, runs.records[i], &variables);
    }
    for (size_t i = 0; values != NULL && i < ROW_COUNT; i++) {
        char name[64];
        snprintf(name, sizeof name, "%s.%s", rows[i].section, rows[i].field);
        put_values(parts, conditions, name, &values[i], rows[i].prefix);
    }
    for (size_t i = 0; i < variables.count; i++)
        put_variable(parts, conditions, variables.names[i], &runs);
    return conditions;
}
