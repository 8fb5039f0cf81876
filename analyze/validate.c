#include "validate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "validation_rules.h"

static void check_record(struct validation *v, uint32_t root, enum evidence_scope scope)
{
    validation_walk(v, root, scope);
    size_t count;
    const struct validation_rule *rules = validation_rules_table(&count);
    for (size_t i = 0; i < count; i++)
        if (rules[i].check != NULL && (rules[i].scopes & 1u << scope) != 0)
            rules[i].check(v);
}

/* A source that carries metrics is a record; one without is a reference to a file. */
static void check_sources(struct validation *v)
{
    uint32_t sources = json_read_member(v->json, 0, "sources");
    if (!json_read_is(v->json, sources, JSON_READ_ARRAY))
        return;
    for (uint32_t source = sources + 1; source < v->json->nodes[sources].end;
         source = v->json->nodes[source].end)
        if (json_read_member(v->json, source, "metrics") != JSON_READ_NONE)
            check_record(v, source, EVIDENCE_RECORD);
}

/* A string's offset is inside its quotes; the place of the value is the quote. */
static size_t place_of(const struct validation *v, uint32_t node)
{
    const struct json_read_node *value = &v->json->nodes[node];
    return value->type == JSON_READ_STRING ? value->offset - 1 : value->offset;
}

static int compare_faults(const void *left, const void *right)
{
    const struct validation_fault *a = left;
    const struct validation_fault *b = right;
    if (a->node != b->node)
        return a->node < b->node ? -1 : 1;
    if (a->severity != b->severity)
        return a->severity == FINDING_ERROR ? -1 : 1;
    return a->order < b->order ? -1 : 1;
}

/* Nodes stand in document order, so that one pass over the text places all findings. */
static bool list_findings(struct validation *v, const struct validate_request *request)
{
    struct json_read_locator locator;
    char pointer[1024];
    json_read_locator_init(&locator, v->json);
    if (v->count > 1)
        qsort(v->faults, v->count, sizeof v->faults[0], compare_faults);
    for (size_t i = 0; i < v->count; i++) {
        const struct validation_fault *fault = &v->faults[i];
        json_read_locator_pointer(&locator, fault->node, pointer,
                                  sizeof pointer - strlen(fault->suffix));
        strcat(pointer, fault->suffix);
        struct finding finding = {.offset = place_of(v, fault->node),
                                  .severity = fault->severity,
                                  .rule = fault->rule,
                                  .pointer = pointer,
                                  .message = fault->message};
        json_read_locator_position(&locator, finding.offset, &finding.line, &finding.column);
        finding.line += request->first_line;
        if (!finding_add(request->findings, request->arena, &finding))
            return false;
    }
    return true;
}

static bool list_unlisted(struct validation *v, const struct validate_request *request)
{
    if (v->unlisted_errors + v->unlisted_warnings == 0)
        return true;
    char message[128];
    struct finding finding = {.rule = "more_findings", .pointer = "", .message = message};
    finding.severity = v->unlisted_errors > 0 ? FINDING_ERROR : FINDING_WARNING;
    finding.offset = v->json->size;
    snprintf(message, sizeof message, "%zu more errors and %zu more warnings are not listed",
             v->unlisted_errors, v->unlisted_warnings);
    json_read_position(v->json, finding.offset, &finding.line, &finding.column);
    finding.line += request->first_line;
    return finding_add(request->findings, request->arena, &finding);
}

enum status validate_document(const struct validate_request *request, struct diag *diag)
{
    struct validation validation = {.json = request->json,
                                    .index = request->index,
                                    .arena = request->arena,
                                    .memory = request->memory,
                                    .scope = request->scope};
    struct validation *v = &validation;
    validation_begin_lookups(v);
    if (v->json->has_bom)
        validation_report(v, VALIDATION_WARNING(0, "byte_order_mark"),
                          "the file begins with a UTF-8 byte order mark: it is skipped; save the "
                          "file without");
    validation_check_marks(v);
    if (v->json->nodes[0].type != JSON_READ_OBJECT) {
        bool array = v->json->nodes[0].type == JSON_READ_ARRAY;
        validation_report(v, VALIDATION_ERROR(0, "not_object"),
                          "the top level is %s, but a record is one object%s",
                          validation_show(v, 0).text,
                          array ? ": put each element into a file of its own, or one a line into a "
                                  ".jsonl file"
                                : "");
    } else {
        check_record(v, 0, request->scope);
        if (request->scope != EVIDENCE_RECORD)
            check_sources(v);
    }
    if (v->no_memory || !list_findings(v, request) || !list_unlisted(v, request))
        return diag_no_memory(diag);
    return STATUS_OK;
}
