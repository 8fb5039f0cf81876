#include <string.h>

#include "document.h"

static bool begins_with(const struct json_read_document *json, uint32_t node, const char *prefix)
{
    char text[64];
    if (!json_read_is(json, node, JSON_READ_STRING))
        return false;
    json_read_string(json, node, text, sizeof text);
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

/* What the schema of one of our own documents begins with. */
static const struct {
    const char *begin;
    enum document_kind kind;
} own_kinds[] = {
    {"rankledger.summary/", DOCUMENT_OWN_SUMMARY},
    {"rankledger.policy/", DOCUMENT_OWN_POLICY},
    {"rankledger.index/", DOCUMENT_OWN_INDEX},
    {"rankledger.calibration/", DOCUMENT_OWN_CALIBRATION},
};

enum document_kind document_kind_of(const struct json_read_document *json)
{
    char schema[64] = "";
    uint32_t node = json_read_member(json, 0, "schema");
    if (json_read_is(json, node, JSON_READ_STRING))
        json_read_string(json, node, schema, sizeof schema);
    for (size_t i = 0; i < sizeof own_kinds / sizeof own_kinds[0]; i++)
        if (strncmp(schema, own_kinds[i].begin, strlen(own_kinds[i].begin)) == 0)
            return own_kinds[i].kind;
    uint32_t sources = json_read_member(json, 0, "sources");
    if (json_read_is(json, sources, JSON_READ_ARRAY) &&
        begins_with(json, json_read_member(json, 0, "evidence_level"), "aggregated_"))
        return DOCUMENT_FOREIGN_SUMMARY;
    uint32_t metadata = json_read_member(json, 0, "metadata");
    if (json_read_is(json, metadata, JSON_READ_OBJECT) &&
        begins_with(json, json_read_member(json, metadata, "format"), "rankledger.checkpoint/"))
        return DOCUMENT_OWN_CHECKPOINT;
    return DOCUMENT_RECORD;
}

const char *document_kind_name(enum document_kind kind)
{
    static const char *const names[] = {
        [DOCUMENT_RECORD] = "record",
        [DOCUMENT_OWN_SUMMARY] = "summary",
        [DOCUMENT_OWN_POLICY] = "policy",
        [DOCUMENT_OWN_CHECKPOINT] = "checkpoint",
        [DOCUMENT_OWN_INDEX] = "index",
        [DOCUMENT_OWN_CALIBRATION] = "calibration",
        [DOCUMENT_FOREIGN_SUMMARY] = "foreign_summary",
    };
    return names[kind];
}
