#include <math.h>
#include <string.h>

#include "validation_rules.h"

/* A record that says so itself misleads nobody: nothing to warn of. */
static bool says_nothing_was_sharded(const struct validation *v)
{
    uint32_t options = validation_member(v, v->root, "strategy_options");
    if (!json_read_is(v->json, options, JSON_READ_OBJECT))
        return false;
    uint32_t said = validation_member(v, options, "sharding_exercised");
    return json_read_is(v->json, said, JSON_READ_FALSE);
}

void rules_ranks_world_size(struct validation *v)
{
    uint32_t workload = v->found[EVIDENCE_FIELD_WORKLOAD];
    if (workload == JSON_READ_NONE)
        return;
    uint32_t world_size = validation_member(v, workload, "world_size");
    if (world_size == JSON_READ_NONE || json_read_is(v->json, world_size, JSON_READ_NULL)) {
        struct validation_fault fault = {.node = workload,
                                         .suffix =
                                             world_size == JSON_READ_NONE ? "/world_size" : "",
                                         .severity = FINDING_WARNING,
                                         .rule = "world_size_absent"};
        if (world_size != JSON_READ_NONE)
            fault.node = world_size;
        validation_report(v, &fault,
                          "the world size is not given: the throughput cannot be checked, and the "
                          "record cannot be compared with any other");
        return;
    }
    double ranks;
    if (validation_number_of(v, EVIDENCE_FIELD_WORLD_SIZE, &ranks) && ranks == 1 &&
        !says_nothing_was_sharded(v))
        validation_report(v, VALIDATION_WARNING(world_size, "world_size_one"),
                          "with one rank nothing was sharded: the record says nothing about the "
                          "strategy");
}

/* An array with one element a rank, somewhere in the record. */
static void check_length(struct validation *v, uint32_t array, double ranks)
{
    if (!json_read_is(v->json, array, JSON_READ_ARRAY))
        return;
    uint32_t length = json_read_count(v->json, array);
    if ((double)length == ranks)
        return;
    validation_report(v, VALIDATION_ERROR(array, "rank_count"),
                      "%lu element%s for %s rank%s (workload.world_size): %s",
                      (unsigned long)length, length == 1 ? "" : "s", validation_format(ranks).text,
                      ranks == 1 ? "" : "s",
                      (double)length < ranks ? "a rank is missing" : "there are too many");
}

/* The sections of our own collector that speak of every rank; empty if none of them got so far. */
static void check_own(struct validation *v, double ranks)
{
    static const char *const sections[] = {"timing", "environment"};
    for (size_t i = 0; v->own_producer && i < sizeof sections / sizeof sections[0]; i++) {
        uint32_t section = validation_member(v, v->root, sections[i]);
        uint32_t list = validation_member(v, section, "per_rank");
        if (json_read_count(v->json, list) > 0)
            check_length(v, list, ranks);
    }
}

void rules_ranks_count(struct validation *v)
{
    double ranks;
    uint32_t metrics = v->found[EVIDENCE_FIELD_METRICS];
    if (!validation_number_of(v, EVIDENCE_FIELD_WORLD_SIZE, &ranks))
        return;
    check_length(v, v->found[EVIDENCE_FIELD_STEP_TIMES], ranks);
    check_length(v, v->found[EVIDENCE_FIELD_MEMORY_PER_RANK], ranks);
    check_own(v, ranks);
    if (metrics == JSON_READ_NONE)
        return;
    /* Every producer's own arrays too, by the ending of their name. */
    const struct json_read_node *nodes = v->json->nodes;
    for (uint32_t key = metrics + 1; key < nodes[metrics].end; key = nodes[key].end)
        if (nodes[key + 1].type == JSON_READ_ARRAY &&
            evidence_rules_is_per_rank(v->json->text + nodes[key].offset, nodes[key].length))
            check_length(v, key + 1, ranks);
}

void rules_ranks_steps(struct validation *v)
{
    uint32_t times = v->found[EVIDENCE_FIELD_STEP_TIMES];
    /* Of a run that failed each rank may have come to another step. */
    if (!json_read_is(v->json, times, JSON_READ_ARRAY) || validation_has_failed(v))
        return;
    const struct json_read_node *nodes = v->json->nodes;
    uint32_t first = times + 1;
    if (nodes[times].hash == 0 || nodes[first].type != JSON_READ_ARRAY)
        return;
    for (uint32_t row = first; row < nodes[times].end; row = nodes[row].end) {
        if (nodes[row].type != JSON_READ_ARRAY || nodes[row].hash == nodes[first].hash)
            continue;
        validation_report(v, VALIDATION_ERROR(row, "step_count"),
                          "%lu step%s, but rank 0 has %lu: every rank takes part in every step",
                          (unsigned long)nodes[row].hash, nodes[row].hash == 1 ? "" : "s",
                          (unsigned long)nodes[first].hash);
    }
}

/* The largest number of an array of numbers; false if it is empty or holds anything else. */
static bool find_maximum(const struct validation *v, uint32_t array, double *maximum)
{
    if (!json_read_is(v->json, array, JSON_READ_ARRAY) || json_read_count(v->json, array) == 0)
        return false;
    double largest = -INFINITY;
    const struct json_read_node *nodes = v->json->nodes;
    for (uint32_t node = array + 1; node < nodes[array].end; node = nodes[node].end) {
        double value;
        if (!json_read_double(v->json, node, &value))
            return false;
        largest = value > largest ? value : largest;
    }
    *maximum = largest;
    return true;
}

/*
 * A stated maximum was rounded when it was written: it may differ by half a unit of its last digit
 * or, where it was written with many digits, by 1e-3 (evidence contract). The last term lets a
 * value on the border pass although neither number has an exact double.
 */
static void check_maximum(struct validation *v, uint32_t stated, uint32_t array)
{
    double value;
    double maximum;
    if (!json_read_double(v->json, stated, &value) || value < 0 ||
        !find_maximum(v, array, &maximum))
        return;
    double difference = fabs(value - maximum) - 4e-16 * fabs(maximum);
    if (difference <= 1e-3 || difference <= json_read_half_unit(v->json, stated))
        return;
    validation_report(v, VALIDATION_ERROR(stated, "maximum_differs"),
                      "%s is stated, but the largest of the ranks is %s",
                      validation_show(v, stated).text, validation_format(maximum).text);
}

/* "max_peak_memory_mb" beside "peak_memory_mb_per_rank", of any metric. */
static void check_maximum_named(struct validation *v, uint32_t metrics, uint32_t key)
{
    static const char prefix[] = "max_", suffix[] = "_per_rank";
    const struct json_read_node *node = &v->json->nodes[key];
    char name[128];
    size_t length = node->length;
    if (length < sizeof prefix || length > 100 ||
        memcmp(v->json->text + node->offset, prefix, sizeof prefix - 1) != 0)
        return;
    length -= sizeof prefix - 1;
    memcpy(name, v->json->text + node->offset + sizeof prefix - 1, length);
    memcpy(name + length, suffix, sizeof suffix);
    uint32_t array = json_read_member(v->json, metrics, name);
    if (array != JSON_READ_NONE)
        check_maximum(v, key + 1, array);
}

/* A name is looked up by passing over all of them: nobody has so many metrics, and the time must
 * not grow with their square. */
#define MAX_NAMED_METRICS 1000

void rules_ranks_maximum(struct validation *v)
{
    uint32_t metrics = v->found[EVIDENCE_FIELD_METRICS];
    if (metrics == JSON_READ_NONE)
        return;
    const struct json_read_node *nodes = v->json->nodes;
    bool few = json_read_count(v->json, metrics) <= MAX_NAMED_METRICS;
    for (uint32_t key = metrics + 1; few && key < nodes[metrics].end; key = nodes[key].end)
        check_maximum_named(v, metrics, key);
    static const enum evidence_field pairs[][2] = {
        {EVIDENCE_FIELD_PEAK, EVIDENCE_FIELD_PEAK_PER_RANK},
        {EVIDENCE_FIELD_MAX_PEAK, EVIDENCE_FIELD_PEAK_PER_RANK},
        {EVIDENCE_FIELD_MAX_STEP_TIME, EVIDENCE_FIELD_STEP_TIME_PER_RANK}};
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++)
        if ((i == 0 || !few) && v->found[pairs[i][0]] != JSON_READ_NONE)
            check_maximum(v, v->found[pairs[i][0]], v->found[pairs[i][1]]);
}
