#include <string.h>

#include "validation_rules.h"

static bool contains(const char *text, size_t length, const char *word)
{
    size_t size = strlen(word);
    for (size_t i = 0; i + size <= length; i++)
        if (memcmp(text + i, word, size) == 0)
            return true;
    return false;
}

/* The schema has the same words (schema.c). */
bool rules_ratio_is_measured(const char *source, size_t length)
{
    return contains(source, length, "measured") || contains(source, length, "matrix_product") ||
           contains(source, length, "calibration");
}

/* A nominal peak cannot be passed; one that was measured can, a little, by noise. */
void rules_ratio_utilisation(struct validation *v)
{
    double utilisation;
    uint32_t node = v->found[EVIDENCE_FIELD_UTILISATION];
    if (!validation_number_of(v, EVIDENCE_FIELD_UTILISATION, &utilisation) || utilisation <= 1)
        return;
    uint32_t source = v->found[EVIDENCE_FIELD_PEAK_SOURCE];
    bool measured = false;
    if (json_read_is(v->json, source, JSON_READ_STRING)) {
        const struct json_read_node *text = &v->json->nodes[source];
        measured = rules_ratio_is_measured(v->json->text + text->offset, text->length);
    }
    if (measured)
        validation_report(v, VALIDATION_WARNING(node, "utilisation_above_measured"),
                          "%s %% of a measured peak: the peak was measured on a busy machine, or "
                          "the FLOP model counts too much",
                          validation_format(utilisation * 100).text);
    else if (utilisation >= 2 && utilisation <= 100)
        validation_report(v, VALIDATION_ERROR(node, "impossible_value"),
                          "%s is outside [0, 1] of a nominal peak; if it is a percentage, write %s",
                          validation_show(v, node).text, validation_format(utilisation / 100).text);
    else
        validation_report(v, VALIDATION_ERROR(node, "impossible_value"),
                          "%s is outside [0, 1] of a nominal peak", validation_show(v, node).text);
}

/* A part that is larger than its whole by more than the rounding of both. */
static void check_part(struct validation *v, uint32_t part, uint32_t whole,
                       const struct validation_fault *fault, const char *message)
{
    double part_value;
    double whole_value;
    if (!json_read_double(v->json, part, &part_value) ||
        !json_read_double(v->json, whole, &whole_value) || part_value <= whole_value)
        return;
    double rounding = json_read_half_unit(v->json, part) + json_read_half_unit(v->json, whole);
    if (part_value <= whole_value + (rounding < 1e-3 ? rounding : 1e-3))
        return;
    validation_report(v, fault, "%s is larger than %s, %s", validation_format(part_value).text,
                      validation_format(whole_value).text, message);
}

static void check_collectives(struct validation *v)
{
    uint32_t list = v->found[EVIDENCE_FIELD_COLLECTIVES];
    if (!json_read_is(v->json, list, JSON_READ_ARRAY))
        return;
    const struct json_read_node *nodes = v->json->nodes;
    for (uint32_t row = list + 1; row < nodes[list].end; row = nodes[row].end) {
        uint32_t exposed = validation_member(v, row, "exposed_ms");
        check_part(v, exposed, validation_member(v, row, "in_flight_ms"),
                   VALIDATION_WARNING(exposed, "exposed_above_in_flight"),
                   "the time that the collective was in flight: exposed time is a part of it");
    }
}

void rules_ratio_exposed(struct validation *v)
{
    uint32_t exposed = v->found[EVIDENCE_FIELD_COMMUNICATION];
    check_part(
        v, exposed, v->found[EVIDENCE_FIELD_IN_FLIGHT],
        VALIDATION_WARNING(exposed, "exposed_above_in_flight"),
        "the share of time with a collective in flight: exposed communication is a part of it");
    check_collectives(v);
}

void rules_ratio_skew(struct validation *v)
{
    uint32_t skew = v->found[EVIDENCE_FIELD_SKEW];
    check_part(v, skew, v->found[EVIDENCE_FIELD_COMMUNICATION],
               VALIDATION_WARNING(skew, "skew_above_exposed"),
               "the exposed communication: waiting for late ranks is a part of it");
}

/* {} and members that are all null say the same: nothing was measured. */
void rules_ratio_metrics_empty(struct validation *v)
{
    uint32_t metrics = v->found[EVIDENCE_FIELD_METRICS];
    if (metrics == JSON_READ_NONE || validation_has_failed(v))
        return;
    const struct json_read_node *nodes = v->json->nodes;
    for (uint32_t key = metrics + 1; key < nodes[metrics].end; key = nodes[key].end)
        if (nodes[key + 1].type != JSON_READ_NULL)
            return;
    validation_report(v, VALIDATION_ERROR(metrics, "metrics_empty"),
                      "nothing was measured, and no failure is set: if the run failed, say why in "
                      "\"failure\"");
}
