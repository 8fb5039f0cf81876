#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "document.h"
#include "validate_format.h"

/* What the visits of one file came to. */
struct seen {
    size_t count;
    size_t errors;
    char names[256]; /* of all documents, a blank behind each */
    enum document_kind kind;
    size_t last_line;
    const char *last_rule; /* static storage */
    char last_message[256];
};

static enum status remember(void *context, const struct document *document, struct diag *diag)
{
    struct seen *seen = context;
    (void)diag;
    seen->count++;
    seen->errors += document->findings.errors;
    seen->kind = document->kind;
    strcat(strcat(seen->names, document->display), " ");
    if (document->findings.count > 0) {
        seen->last_line = document->findings.items[0].line;
        seen->last_rule = document->findings.items[0].rule;
        snprintf(seen->last_message, sizeof seen->last_message, "%s",
                 document->findings.items[0].message);
    }
    return STATUS_OK;
}

static struct seen check(const char *path, const char *text)
{
    struct document_reader reader = {0};
    struct diag diag = {0};
    struct seen seen = {0};
    cr_assert_eq(document_check_bytes(&reader, path, text, strlen(text), remember, &seen, &diag),
                 STATUS_OK);
    document_reader_fini(&reader);
    return seen;
}

Test(document, a_file_is_one_document)
{
    struct seen seen = check("a.json", "{}\n");
    cr_assert_eq(seen.count, 1);
    cr_assert_eq(seen.errors, 7, "all required fields are missing");
    cr_assert_str_eq(seen.names, "a.json ");
}

Test(document, each_line_of_jsonl_is_a_document_named_by_its_line)
{
    struct seen seen = check("a.jsonl", "{}\n\n  \t\r\n{}\r\n[]");
    cr_assert_eq(seen.count, 3);
    cr_assert_str_eq(seen.names, "a.jsonl:1 a.jsonl:4 a.jsonl:5 ");
    cr_assert_eq(seen.last_line, 5);
    cr_assert_str_eq(seen.last_rule, "not_object");
}

Test(document, an_index_of_ours_is_known_by_its_schema)
{
    struct seen seen = check("a.json", "{\"schema\": \"rankledger.index/1\", \"groups\": []}");
    cr_assert_eq(seen.kind, DOCUMENT_OWN_INDEX);
    cr_assert(document_is_own(seen.kind));
}

Test(document, an_empty_jsonl_is_one_empty_document)
{
    struct seen seen = check("a.ndjson", "\n\n");
    cr_assert_eq(seen.count, 1);
    cr_assert_str_eq(seen.last_rule, "empty");
}

Test(document, kinds_are_told_by_content)
{
    cr_assert_eq(check("a.json", "{\"schema\": \"rankledger.summary/1\"}").kind,
                 DOCUMENT_OWN_SUMMARY);
    cr_assert_eq(check("a.json", "{\"schema\": \"rankledger.evidence/1\"}").kind, DOCUMENT_RECORD);
    cr_assert_eq(check("a.json", "{\"sources\": [], \"evidence_level\": \"aggregated_x\"}").kind,
                 DOCUMENT_FOREIGN_SUMMARY);
    cr_assert_eq(check("a.json", "{\"sources\": [], \"evidence_level\": \"multi_gpu\"}").kind,
                 DOCUMENT_RECORD);
    cr_assert_eq(check("a.json", "{\"sources\": {}, \"evidence_level\": \"aggregated_x\"}").kind,
                 DOCUMENT_RECORD);
}

Test(document, a_name_of_any_bytes_is_shown_escaped)
{
    struct seen seen = check("a\n\xff.json", "{}");
    cr_assert_str_eq(seen.names, "a\\n\\xff.json ");
}

static enum status stop(void *context, const struct document *document, struct diag *diag)
{
    (void)document;
    ++*(int *)context;
    return diag_set(diag, STATUS_ENVIRONMENT, "full");
}

Test(document, a_visit_that_fails_ends_the_file)
{
    struct document_reader reader = {0};
    struct diag diag = {0};
    int visits = 0;
    cr_assert_eq(document_check_bytes(&reader, "a.jsonl", "{}\n{}\n", 6, stop, &visits, &diag),
                 STATUS_ENVIRONMENT);
    cr_assert_eq(visits, 1);
    cr_assert_str_eq(diag.text, "full");
    document_reader_fini(&reader);
}

/* What a walk found and is gone when it is opened. */
static void check_gone(struct path_entry entry, const char *reason)
{
    struct document_reader reader = {0};
    struct diag diag = {0};
    struct seen seen = {0};
    cr_assert_eq(document_check_entry(&reader, &entry, remember, &seen, &diag), STATUS_OK);
    cr_assert_eq(seen.count, 1);
    cr_assert_str_eq(seen.last_rule, "unreadable");
    cr_assert_str_eq(seen.last_message, reason);
    document_reader_fini(&reader);
}

Test(document, what_vanished_after_it_was_listed_is_told_so)
{
    check_gone(
        (struct path_entry){.path = "none/a.json", .walked = true, .regular = true},
        "cannot read: No such file or directory: it was there when its directory was listed");
    check_gone(
        (struct path_entry){.path = "none/", .walked = true, .error_number = ENOENT},
        "cannot read: No such file or directory: it was there when its directory was listed");
    check_gone((struct path_entry){.path = "none/a.json", .regular = true},
               "cannot read: No such file or directory");
    check_gone((struct path_entry){.path = "none/", .walked = true, .error_number = EIO},
               "cannot read: Input/output error");
}

Test(document, xml_text_has_no_markup_and_nothing_that_xml_forbids)
{
    struct text_buffer out = {0};
    validate_format_xml(&out, "a<b>&\"'\t\r\n\x1b\x01\xff\xef\xbf\xbf"
                              "é");
    cr_assert_str_eq(out.text, "a&lt;b&gt;&amp;&quot;&apos;&#9;&#13;\n????é");
    text_buffer_fini(&out);
}
