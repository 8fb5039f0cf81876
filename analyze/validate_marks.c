#include "validation.h"

/* The text of a node is escaped for printing by validation_show; keys are strings to it. */
static void report_mark(struct validation *v, uint32_t node, uint8_t mark)
{
    struct validation_text shown = validation_show(v, node);
    bool is_key = (v->json->nodes[node].flags & JSON_READ_KEY) != 0;
    const char *what = is_key ? "the name" : "the string";
    switch (mark) {
    case JSON_READ_DUPLICATE_KEY:
        validation_report(v, VALIDATION_ERROR(node, "duplicate_key"),
                          "the name %s stands a second time in this object; which value is meant "
                          "cannot be known: keep one",
                          shown.text);
        break;
    case JSON_READ_NUL_IN_STRING:
        validation_report(v, VALIDATION_ERROR(node, "nul_in_string"),
                          "%s %s contains \\u0000, at which many programs stop reading: remove it",
                          what, shown.text);
        break;
    case JSON_READ_LONE_SURROGATE:
        validation_report(v, VALIDATION_ERROR(node, "lone_surrogate"),
                          "%s %s contains half of a surrogate pair, which is no character: the "
                          "text was cut, or is no text",
                          what, shown.text);
        break;
    case JSON_READ_NUMBER_OUT_OF_RANGE:
        validation_report(v, VALIDATION_ERROR(node, "number_out_of_range"),
                          "%s is larger than a double can hold: leave out what is not finite",
                          shown.text);
        break;
    default:
        validation_report(v, VALIDATION_WARNING(node, "big_integer"),
                          "%s is beyond 2^53: kept digit by digit here, but most programs round it",
                          shown.text);
    }
}

/* Our own summaries hold evidence of any depth that is read, further down. */
static void check_depth(struct validation *v)
{
    if (v->json->deep != JSON_READ_NONE && v->scope != EVIDENCE_OWN_SUMMARY)
        validation_report(v, VALIDATION_ERROR(v->json->deep, "too_deep"),
                          "nested deeper than the %d levels that are read",
                          JSON_READ_EVIDENCE_DEPTH);
}

void validation_check_marks(struct validation *validation)
{
    static const uint8_t marks[] = {JSON_READ_DUPLICATE_KEY, JSON_READ_NUL_IN_STRING,
                                    JSON_READ_LONE_SURROGATE, JSON_READ_NUMBER_OUT_OF_RANGE,
                                    JSON_READ_BIG_INTEGER};
    const uint8_t every = JSON_READ_DUPLICATE_KEY | JSON_READ_NUL_IN_STRING |
                          JSON_READ_LONE_SURROGATE | JSON_READ_NUMBER_OUT_OF_RANGE |
                          JSON_READ_BIG_INTEGER;
    const struct json_read_document *json = validation->json;
    check_depth(validation);
    if ((json->flags & every) == 0)
        return;
    for (uint32_t node = 0; node < json->count; node++) {
        if ((json->nodes[node].flags & every) == 0)
            continue;
        for (size_t i = 0; i < sizeof marks; i++)
            if ((json->nodes[node].flags & marks[i]) != 0)
                report_mark(validation, node, marks[i]);
    }
}
