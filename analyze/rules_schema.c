#include <string.h>

#include "validation_rules.h"

/* What our own documents say of themselves. Other producers' schemas are their own affair. */
void rules_schema_known(struct validation *v)
{
    char name[64];
    uint32_t schema = validation_member(v, v->root, "schema");
    if (!json_read_is(v->json, schema, JSON_READ_STRING))
        return;
    json_read_string(v->json, schema, name, sizeof name);
    static const char own[] = "rankledger.";
    if (strncmp(name, own, sizeof own - 1) != 0 || strcmp(name, "rankledger.evidence/1") == 0 ||
        strcmp(name, "rankledger.summary/1") == 0)
        return;
    const char *kind = name + sizeof own - 1;
    bool known_kind = strncmp(kind, "evidence/", 9) == 0 || strncmp(kind, "summary/", 8) == 0;
    if (strncmp(kind, "calibration/", 12) == 0) {
        validation_report(v, VALIDATION_ERROR(schema, "unknown_schema"),
                          "the document is %s, the rates of links: no evidence; rankledger import "
                          "--calibration FILE puts them into a training record",
                          validation_show(v, schema).text);
        return;
    }
    validation_report(v, VALIDATION_WARNING(schema, "unknown_schema"),
                      known_kind ? "the document is %s, and this program knows version 1: what is "
                                   "new in it is not checked"
                                 : "the document says that it is %s, which is no evidence",
                      validation_show(v, schema).text);
}
