#include "summary_load.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static void read_timing(struct summary_fields *fields, uint32_t node, struct summary_timing *timing)
{
    static const struct summary_fields_row rows[] = {
        {"rank", SUMMARY_FIELDS_AMOUNT, offsetof(struct summary_timing, rank)},
        {"steps", SUMMARY_FIELDS_AMOUNT, offsetof(struct summary_timing, steps)},
        {"step_ms", SUMMARY_FIELDS_AMOUNT, offsetof(struct summary_timing, step_ms)},
        {"forward_ms", SUMMARY_FIELDS_AMOUNT, offsetof(struct summary_timing, forward_ms)},
        {"backward_ms", SUMMARY_FIELDS_AMOUNT, offsetof(struct summary_timing, backward_ms)},
        {"optimizer_ms", SUMMARY_FIELDS_AMOUNT, offsetof(struct summary_timing, optimizer_ms)},
        {"exposed_ms", SUMMARY_FIELDS_AMOUNT, offsetof(struct summary_timing, exposed_ms)},
        {"other_ms", SUMMARY_FIELDS_AMOUNT, offsetof(struct summary_timing, other_ms)},
        {"in_flight_ms", SUMMARY_FIELDS_AMOUNT, offsetof(struct summary_timing, in_flight_ms)},
    };
    uint32_t object = json_fields_member(&fields->json, node, "timing", JSON_READ_OBJECT);
    timing->available = object != JSON_READ_NONE;
    summary_fields_read(fields, object, rows, COUNT(rows), timing);
}

/* Two arrays of one length; none if they are not. */
static struct summary_scale read_scale(struct summary_fields *fields, uint32_t node)
{
    uint32_t ledger = json_fields_member(&fields->json, node, "ledger", JSON_READ_OBJECT);
    uint32_t object = json_fields_member(&fields->json, ledger, "scale", JSON_READ_OBJECT);
    struct summary_numbers sizes = summary_fields_numbers(fields, object, "world_size");
    struct summary_numbers residents = summary_fields_numbers(fields, object, "resident_mb");
    if (sizes.count == 0 || sizes.count != residents.count)
        return (struct summary_scale){0};
    struct summary_scale_point *points =
        json_fields_take(&fields->json, sizes.count, sizeof *points);
    for (size_t i = 0; points != NULL && i < sizes.count; i++)
        points[i] = (struct summary_scale_point){sizes.items[i], residents.items[i]};
    return (struct summary_scale){points, points == NULL ? 0 : sizes.count};
}

static void read_link(struct summary_fields *fields, uint32_t node, void *element)
{
    static const struct summary_fields_row rows[] = {
        {"collective", SUMMARY_FIELDS_TEXT, offsetof(struct summary_link, collective)},
        {"payload_mb", SUMMARY_FIELDS_AMOUNT, offsetof(struct summary_link, payload_mb)},
        {"bus_gb_per_s", SUMMARY_FIELDS_AMOUNT, offsetof(struct summary_link, bus_gb_per_s)},
    };
    summary_fields_read(fields, node, rows, COUNT(rows), element);
}

static void read_varied(struct summary_fields *fields, uint32_t node, void *element)
{
    static const struct summary_fields_row rows[] = {
        {"name", SUMMARY_FIELDS_NAME, offsetof(struct summary_condition, name)},
    };
    struct summary_condition *condition = element;
    *condition = summary_fields_condition(fields, node, "value");
    summary_fields_read(fields, node, rows, COUNT(rows), condition);
}

struct summary_conditions summary_load_varied(struct summary_fields *fields, uint32_t node)
{
    struct summary_conditions varied = {0};
    varied.items = summary_fields_array(fields, node, "varied", sizeof(struct summary_condition),
                                        &varied.count, read_varied);
    return varied;
}

void summary_load_samples(struct summary_fields *fields, uint32_t node,
                          struct summary_candidate *candidate)
{
    uint32_t samples = json_fields_member(&fields->json, node, "samples", JSON_READ_OBJECT);
    candidate->step_times = summary_fields_samples(fields, samples, "step_times_ms");
    candidate->round_steps = summary_fields_numbers(fields, samples, "round_steps");
    candidate->losses = summary_fields_numbers(fields, samples, "losses");
    candidate->grad_norms = summary_fields_numbers(fields, samples, "grad_norms");
    read_timing(fields, node, &candidate->timing);
    candidate->scale = read_scale(fields, node);
    candidate->links = summary_fields_array(fields, node, "links", sizeof(struct summary_link),
                                            &candidate->link_count, read_link);
    candidate->varied = summary_load_varied(fields, node);
}
