#include "validate_format.h"

#include <string.h>

#include "json_write.h"
#include "path_uri.h"
#include "sha256.h"
#include "validation_rules.h"

/*
 * SARIF 2.1.0 (OASIS, with errata 01). The numbers of sections below are the standard's. Written
 * piece by piece: the tool with all rules, then a result for each finding, then what the run as a
 * whole came to.
 */

#define SCHEMA                                                                                     \
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
#define BASE "%SRCROOT%"
#define SEPARATOR ",\n"

/*
 * A message's text. "[words](target)" in it would be a link (3.11.6), and what a file holds must
 * not make one; a backslash keeps the two parts from touching.
 */
static json_t *build_message(struct json_write *writer, const char *text)
{
    struct text_buffer plain = {0};
    const char *link;
    while ((link = strstr(text, "](")) != NULL) {
        text_buffer_append(&plain, text, (size_t)(link - text) + 1);
        text_buffer_puts(&plain, "\\");
        text = link + 1;
    }
    text_buffer_puts(&plain, text);
    json_t *object = json_write_object(writer);
    json_write_set(writer, object, "text",
                   plain.failed ? NULL : json_write_string_n(writer, plain.text, plain.length));
    text_buffer_fini(&plain);
    return object;
}

static const char *level_name(enum finding_severity severity)
{
    return severity == FINDING_ERROR ? "error" : "warning";
}

/* 3.49 */
static json_t *build_rule(struct json_write *writer, const struct validation_rule *rule)
{
    struct text_buffer full = {0};
    text_buffer_printf(&full, "%s %s", rule->description,
                       rule->severity == FINDING_ERROR
                           ? "A document with it is invalid and not used."
                           : "A document with it is valid, except under --strict.");
    json_t *object = json_write_object(writer);
    json_t *configuration = json_write_object(writer);
    json_write_set(writer, configuration, "level",
                   json_write_string(writer, level_name(rule->severity)));
    json_write_set(writer, object, "id", json_write_string(writer, rule->id));
    json_write_set(writer, object, "shortDescription", build_message(writer, rule->description));
    json_write_set(writer, object, "fullDescription",
                   full.failed ? NULL : build_message(writer, full.text));
    json_write_set(writer, object, "help", build_message(writer, rule->advice));
    json_write_set(writer, object, "defaultConfiguration", configuration);
    text_buffer_fini(&full);
    return object;
}

static json_t *build_tool(struct json_write *writer)
{
    size_t count;
    const struct validation_rule *rules = validation_rules_table(&count);
    json_t *list = json_write_array(writer);
    for (size_t i = 0; i < count; i++)
        json_write_append(writer, list, build_rule(writer, &rules[i]));
    json_t *driver = json_write_object(writer);
    json_write_set(writer, driver, "name", json_write_string(writer, "rankledger"));
    json_write_set(writer, driver, "version", json_write_string(writer, RANKLEDGER_VERSION));
    json_write_set(writer, driver, "rules", list);
    json_t *tool = json_write_object(writer);
    json_write_set(writer, tool, "driver", driver);
    return tool;
}

/* A piece from begin or end, which report a failure through the buffer alone. */
static void append_value(struct text_buffer *out, struct json_write *writer, json_t *value)
{
    struct diag diag = {0};
    if (validate_format_json_value(out, writer, value, &diag) != STATUS_OK)
        out->failed = true;
}

/*
 * Relative URIs are relative to the directory in which validate ran. The base has no URI of its own
 * (3.14.14): the reader knows where its copy of the files is, and the output is the same in every
 * copy.
 */
static void begin(struct text_buffer *out, const struct validate_totals *totals)
{
    struct json_write writer = {0};
    (void)totals;
    text_buffer_puts(out, "{\"$schema\": \"" SCHEMA "\",\n\"version\": \"2.1.0\",\n"
                          "\"runs\": [{\n\"tool\": ");
    append_value(out, &writer, build_tool(&writer));
    text_buffer_puts(out, ",\n\"columnKind\": \"unicodeCodePoints\",\n\"originalUriBaseIds\": "
                          "{\"" BASE "\": {\"description\": {\"text\": \"The directory in which "
                          "rankledger validate ran.\"}}},\n\"results\": [\n");
}

/* 3.4; *uri gets the URI as well. */
static json_t *build_artifact(struct json_write *writer, const char *path, struct text_buffer *uri)
{
    json_t *artifact = json_write_object(writer);
    bool relative = false;
    if (strcmp(path, "-") == 0) {
        text_buffer_puts(uri, "stdin:");
        json_write_set(writer, artifact, "description", build_message(writer, "standard input"));
    } else {
        relative = path_uri_append(uri, path);
    }
    json_write_set(writer, artifact, "uri",
                   uri->failed ? NULL : json_write_string_n(writer, uri->text, uri->length));
    if (relative)
        json_write_set(writer, artifact, "uriBaseId", json_write_string(writer, BASE));
    return artifact;
}

/* 3.30. A finding without a place is about the whole file; GitHub's code scanning takes no result
 * without a line, so that it stands at the first. */
static json_t *build_region(struct json_write *writer, const struct finding *finding)
{
    json_t *region = json_write_object(writer);
    bool placed = finding->line > 0;
    json_write_set(writer, region, "startLine",
                   json_write_integer(writer, placed ? (int64_t)finding->line : 1));
    if (placed)
        json_write_set(writer, region, "startColumn",
                       json_write_integer(writer, (int64_t)finding->column));
    return region;
}

static json_t *build_location(struct json_write *writer, const struct finding *finding,
                              json_t *artifact)
{
    json_t *physical = json_write_object(writer);
    json_t *location = json_write_object(writer);
    json_write_set(writer, physical, "artifactLocation", artifact);
    json_write_set(writer, physical, "region", build_region(writer, finding));
    json_write_set(writer, location, "physicalLocation", physical);
    if (finding->pointer[0] != '\0') {
        json_t *logical = json_write_object(writer);
        json_t *list = json_write_array(writer);
        json_write_set(writer, logical, "fullyQualifiedName",
                       json_write_string(writer, finding->pointer));
        json_write_append(writer, list, logical);
        json_write_set(writer, location, "logicalLocations", list);
    }
    json_t *locations = json_write_array(writer);
    json_write_append(writer, locations, location);
    return locations;
}

/*
 * What names the same fault after lines were moved (3.27.17): the file, the rule and the place in
 * the document; of a line of a .jsonl file also what it says, as that tells which record it is.
 */
static json_t *build_fingerprint(struct json_write *writer, const struct document *document,
                                 const struct finding *finding, const struct text_buffer *uri)
{
    char record[65] = "";
    char digest[65] = "";
    struct text_buffer named = {0};
    if (document->name != document->path && document->json.text != NULL)
        sha256_hex(document->json.text, document->json.size, record);
    text_buffer_printf(&named, "%s\n%s\n%s\n%s", uri->text == NULL ? "" : uri->text, record,
                       finding->rule, finding->pointer);
    if (!named.failed)
        sha256_hex(named.text, named.length, digest);
    json_t *object = json_write_object(writer);
    json_write_set(writer, object, "rankledgerFinding/v1",
                   named.failed ? NULL : json_write_string(writer, digest));
    text_buffer_fini(&named);
    return object;
}

static json_t *build_index(struct json_write *writer, const char *id)
{
    size_t count;
    const struct validation_rule *rules = validation_rules_table(&count);
    for (size_t i = 0; i < count; i++)
        if (strcmp(rules[i].id, id) == 0)
            return json_write_integer(writer, (int64_t)i);
    writer->status = STATUS_BUG; /* a rule that the table does not know */
    return NULL;
}

/* 3.27 */
static json_t *build_result(struct json_write *writer, const struct document *document,
                            const struct finding *finding)
{
    struct text_buffer uri = {0};
    json_t *object = json_write_object(writer);
    json_t *artifact = build_artifact(writer, document->path, &uri);
    json_write_set(writer, object, "ruleId", json_write_string(writer, finding->rule));
    json_write_set(writer, object, "ruleIndex", build_index(writer, finding->rule));
    json_write_set(writer, object, "level",
                   json_write_string(writer, level_name(finding->severity)));
    json_write_set(writer, object, "message", build_message(writer, finding->message));
    json_write_set(writer, object, "locations", build_location(writer, finding, artifact));
    json_write_set(writer, object, "partialFingerprints",
                   build_fingerprint(writer, document, finding, &uri));
    text_buffer_fini(&uri);
    return object;
}

static enum status document(struct text_buffer *out, const struct validate_result *result,
                            struct diag *diag)
{
    const struct document *shown = result->document;
    enum status status = STATUS_OK;
    for (size_t i = 0; i < shown->findings.count && !result->skipped && status == STATUS_OK; i++) {
        struct json_write writer = {0};
        json_t *object = build_result(&writer, shown, &shown->findings.items[i]);
        text_buffer_puts(out, SEPARATOR);
        status = validate_format_json_value(out, &writer, object, diag);
    }
    return status;
}

/* 3.20: it did what it was asked to unless something that was named could not be looked at. */
static void end(struct text_buffer *out, const struct validate_totals *totals)
{
    struct json_write writer = {0};
    json_t *invocation = json_write_object(&writer);
    json_write_set(&writer, invocation, "executionSuccessful",
                   json_write_bool(&writer, totals->problem == NULL));
    if (totals->problem != NULL) {
        json_t *notification = json_write_object(&writer);
        json_t *list = json_write_array(&writer);
        json_write_set(&writer, notification, "level", json_write_string(&writer, "error"));
        json_write_set(&writer, notification, "message", build_message(&writer, totals->problem));
        json_write_append(&writer, list, notification);
        json_write_set(&writer, invocation, "toolExecutionNotifications", list);
    }
    text_buffer_puts(out, "\n],\n\"invocations\": [");
    append_value(out, &writer, invocation);
    text_buffer_puts(out, "]}]}\n");
}

const struct validate_format validate_format_sarif = {
    .name = "sarif", .separator = SEPARATOR, .begin = begin, .document = document, .end = end};
