#include "validation.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "text.h"
#include "validate_hint.h"

static unsigned type_of(const struct json_read_node *node)
{
    switch ((enum json_read_type)node->type) {
    case JSON_READ_NULL:
        return EVIDENCE_NULL;
    case JSON_READ_FALSE:
    case JSON_READ_TRUE:
        return EVIDENCE_BOOLEAN;
    case JSON_READ_NUMBER:
        return EVIDENCE_NUMBER;
    case JSON_READ_STRING:
        return EVIDENCE_STRING;
    case JSON_READ_ARRAY:
        return EVIDENCE_ARRAY;
    case JSON_READ_OBJECT:
        return EVIDENCE_OBJECT;
    }
    return 0;
}

static void report_type(struct validation *v, const struct evidence_row *row, uint32_t node)
{
    struct validate_hint hint = {0};
    validate_hint_type(v->json, row, node, &hint);
    struct validation_text shown = validation_show(v, node);
    char expected[96];
    /* Where null only stands for "not measured", it is not what is asked for. */
    unsigned types = row->required != 0 ? row->types : row->types & ~(unsigned)EVIDENCE_NULL;
    validate_hint_types(types, expected, sizeof expected);
    validation_report(v, VALIDATION_ERROR(node, "wrong_type"), "expected %s, found %s%s%s",
                      expected, shown.text, hint.text[0] == '\0' ? "" : ": ", hint.text);
}

static bool check_whole(struct validation *v, const struct evidence_row *row, uint32_t node,
                        double number)
{
    if ((row->checks & EVIDENCE_WHOLE) == 0 || floor(number) == number)
        return true;
    validation_report(v, VALIDATION_ERROR(node, "impossible_value"),
                      "%s is no whole number%s%s: a count has no fraction",
                      validation_show(v, node).text, row->unit != NULL ? " of " : "",
                      row->unit != NULL ? row->unit : "");
    return false;
}

static void report_low(struct validation *v, const struct evidence_row *row, uint32_t node,
                       double number)
{
    struct validation_text shown = validation_show(v, node);
    const char *space = row->unit != NULL ? " " : "";
    const char *unit = row->unit != NULL ? row->unit : "";
    const struct validation_fault *fault = VALIDATION_ERROR(node, "impossible_value");
    if (number == -1)
        validation_report(v, fault,
                          "%s%s%s is impossible; -1 usually means \"not available\": "
                          "leave the field out",
                          shown.text, space, unit);
    else if (number < 0)
        validation_report(v, fault, "%s%s%s is impossible: it cannot be negative", shown.text,
                          space, unit);
    else if ((row->checks & EVIDENCE_ABOVE_MINIMUM) != 0)
        validation_report(v, fault, "%s%s%s is impossible: leave out what was not measured",
                          shown.text, space, unit);
    else
        validation_report(v, fault, "%s%s%s is impossible: it is at least %s", shown.text, space,
                          unit, validation_format(row->minimum).text);
}

static bool check_range(struct validation *v, const struct evidence_row *row, uint32_t node,
                        double number)
{
    if (((row->checks & EVIDENCE_MINIMUM) != 0 && number < row->minimum) ||
        ((row->checks & EVIDENCE_ABOVE_MINIMUM) != 0 && number <= row->minimum)) {
        report_low(v, row, node, number);
        return false;
    }
    if ((row->checks & EVIDENCE_MAXIMUM) != 0 && number > row->maximum) {
        char hint[96] = "";
        if (row->maximum == 1 && number >= 2 && number <= 100)
            snprintf(hint, sizeof hint, "; if it is a percentage, write %s",
                     validation_format(number / 100).text);
        validation_report(v, VALIDATION_ERROR(node, "impossible_value"), "%s is outside [%s, %s]%s",
                          validation_show(v, node).text, validation_format(row->minimum).text,
                          validation_format(row->maximum).text, hint);
        return false;
    }
    return true;
}

static bool check_number(struct validation *v, const struct evidence_row *row, uint32_t node)
{
    const struct json_read_node *value = &v->json->nodes[node];
    if ((value->flags & JSON_READ_NUMBER_OUT_OF_RANGE) != 0)
        return false; /* reported with the marks */
    double number;
    if (!json_read_double(v->json, node, &number))
        return false;
    return check_range(v, row, node, number) && check_whole(v, row, node, number);
}

/* Nothing but blanks and control characters; the schema's pattern says the same. */
static bool is_blank(const struct json_read_document *json, uint32_t node)
{
    const struct json_read_node *value = &json->nodes[node];
    const char *text = json->text + value->offset;
    for (uint32_t i = 0; i < value->length; i++) {
        if ((unsigned char)text[i] <= 0x20)
            continue;
        if (text[i] != '\\')
            return false;
        /* An escape: \uXXXX is blank up to \u0020, \b \t \n \f \r are, \" \\ \/ are not. */
        char kind = text[++i];
        if (kind == '"' || kind == '\\' || kind == '/')
            return false;
        if (kind != 'u')
            continue;
        const char *hex = text + i + 1;
        bool low = hex[0] == '0' && hex[1] == '0';
        if (!low || !(hex[2] == '0' || hex[2] == '1' || (hex[2] == '2' && hex[3] == '0')))
            return false;
        i += 4;
    }
    return true;
}

static bool is_choice(const struct json_read_document *json, const struct evidence_row *row,
                      uint32_t node)
{
    if (row->choices == NULL)
        return true;
    for (const char *const *choice = row->choices; *choice != NULL; choice++)
        if (json_read_equals(json, node, *choice))
            return true;
    return false;
}

static bool check_string(struct validation *v, const struct evidence_row *row, uint32_t node)
{
    if ((row->checks & EVIDENCE_NOT_BLANK) != 0 && is_blank(v->json, node)) {
        bool empty = v->json->nodes[node].length == 0;
        validation_report(v, VALIDATION_ERROR(node, "empty_text"), "the text is %s: %s",
                          empty ? "empty" : "blank",
                          row->field == EVIDENCE_FIELD_FAILURE_REASON
                              ? "say why the run failed, or write \"failure\": null"
                              : "say what it was");
        return false;
    }
    if (is_choice(v->json, row, node))
        return true;
    struct validate_hint hint;
    validate_hint_choice(v->json, row, node, &hint);
    struct validation_fault fault = {
        .node = node, .severity = row->choice_severity, .rule = row->choice_rule};
    validation_report(v, &fault, "%s %s", validation_show(v, node).text, hint.text);
    return row->choice_severity == FINDING_WARNING;
}

bool validation_check_value(struct validation *validation, const struct evidence_row *row,
                            uint32_t node)
{
    const struct json_read_node *value = &validation->json->nodes[node];
    if ((type_of(value) & row->types) == 0) {
        report_type(validation, row, node);
        return false;
    }
    if (value->type == JSON_READ_NUMBER)
        return check_number(validation, row, node);
    if (value->type == JSON_READ_STRING)
        return check_string(validation, row, node);
    return true;
}
