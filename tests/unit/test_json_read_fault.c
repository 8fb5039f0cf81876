#include "parsed_json.h"

#include <stdio.h>

/* What is refused, where, and which cause is named. */

struct expectation {
    const char *text;
    size_t size; /* 0: up to the NUL */
    enum json_read_fault_kind kind;
    size_t offset;
    const char *pointer;
    const char *words[2]; /* parts of the message */
};

static void check(const struct expectation *e)
{
    struct parsed_json p = parsed_json_bytes(e->text, e->size > 0 ? e->size : strlen(e->text));
    cr_expect_eq(p.status, STATUS_INPUT, "%s", e->text);
    cr_expect_eq(p.diag.status, STATUS_OK, "diag is for memory only");
    cr_expect_eq(p.fault.kind, e->kind, "%s: kind %s", e->text, json_read_fault_name(p.fault.kind));
    cr_expect_eq(p.fault.offset, e->offset, "%s: offset %zu", e->text, p.fault.offset);
    cr_expect_str_eq(p.fault.pointer, e->pointer, "%s: pointer %s", e->text, p.fault.pointer);
    for (size_t i = 0; i < 2 && e->words[i] != NULL; i++)
        cr_expect(strstr(p.fault.message, e->words[i]) != NULL, "%s: message: %s", e->text,
                  p.fault.message);
    parsed_json_fini(&p);
}

static void check_all(const struct expectation *rows, size_t count)
{
    for (size_t i = 0; i < count; i++)
        check(&rows[i]);
}

#define CHECK_ALL(rows) check_all(rows, sizeof(rows) / sizeof(rows)[0])

#define EMPTY JSON_READ_FAULT_EMPTY
#define ENCODING JSON_READ_FAULT_ENCODING
#define NOT_JSON JSON_READ_FAULT_NOT_JSON
#define TRUNCATED JSON_READ_FAULT_TRUNCATED
#define TRAILING JSON_READ_FAULT_TRAILING_DATA

Test(json_read_fault, says_that_a_file_is_empty)
{
    struct parsed_json p = parsed_json_bytes("", 0);
    cr_assert_eq(p.fault.kind, JSON_READ_FAULT_EMPTY);
    cr_assert(strstr(p.fault.message, "empty: the job died before it wrote, or the disk was full"));
    parsed_json_fini(&p);
    static const struct expectation rows[] = {
        {" \r\n\t", 0, EMPTY, 4, "", {"white space", "died before it wrote"}},
        {"\xEF\xBB\xBF", 0, EMPTY, 3, "", {"byte order mark"}},
        {"\xEF\xBB\xBF\n", 0, EMPTY, 4, "", {"byte order mark"}},
    };
    CHECK_ALL(rows);
}

Test(json_read_fault, tells_a_cut_text_from_a_wrong_one)
{
    static const struct expectation rows[] = {
        {"{\"a\": 1,\n \"b\": [1, 2",
         0,
         TRUNCATED,
         20,
         "/b",
         {"end of file inside an array that begins in line 2, at byte 20"}},
        {"{",
         0,
         TRUNCATED,
         1,
         "",
         {"inside an object that begins in line 1", "killed while writing"}},
        {"{\"a", 0, TRUNCATED, 3, "", {"inside a string in an object"}},
        {"{\"a\"", 0, TRUNCATED, 4, "/a", {"inside an object"}},
        {"{\"a\":", 0, TRUNCATED, 5, "/a", {"inside an object"}},
        {"{\"a\":1", 0, TRUNCATED, 6, "", {"inside an object"}},
        {"{\"a\":1,", 0, TRUNCATED, 7, "", {"inside an object"}},
        {"{\"a\":{\"b\":[{", 0, TRUNCATED, 12, "/a/b/0", {"inside an object"}},
        {"[", 0, TRUNCATED, 1, "/0", {"inside an array"}},
        {"[1,", 0, TRUNCATED, 3, "/1", {"inside an array"}},
        {"[tru", 0, TRUNCATED, 1, "/0", {"inside an array"}},
        {"\"abc", 0, TRUNCATED, 4, "", {"inside a string"}},
        {"\"abc\\", 0, TRUNCATED, 5, "", {"inside a string"}},
        {"\"abc\\u12", 0, TRUNCATED, 8, "", {"inside a string"}},
        {"\"\\ud83d\\u12", 0, TRUNCATED, 11, "", {"inside a string"}},
        {"\"abc\xE4\xB8", 0, TRUNCATED, 4, "", {"inside a string"}},
        {"\"abc\xF0\x90", 0, TRUNCATED, 4, "", {"inside a string"}},
        {"-", 0, TRUNCATED, 1, "", {"inside a number"}},
        {"1.", 0, TRUNCATED, 2, "", {"inside a number"}},
        {"[1e+", 0, TRUNCATED, 4, "/0", {"inside a number in an array"}},
        {"nul", 0, TRUNCATED, 0, "", {"end of file"}},
        {"{\"a\": 1\0\0\0\0", 12, TRUNCATED, 7, "", {"NUL bytes", "disk failed"}},
        {"[\"ab\0\0\0", 7, TRUNCATED, 4, "/0", {"NUL bytes"}},
    };
    CHECK_ALL(rows);
}

Test(json_read_fault, names_an_encoding_that_is_not_utf_8)
{
    static const struct expectation rows[] = {
        {"\xFF\xFE{\0}\0", 6, ENCODING, 0, "", {"looks like UTF-16", "PowerShell"}},
        {"\xFE\xFF\0{\0}", 6, ENCODING, 0, "", {"looks like UTF-16", "UTF-16BE"}},
        {"\xFF\xFE\0\0{\0\0\0", 8, ENCODING, 0, "", {"looks like UTF-32", "UTF-32LE"}},
        {"\0\0\xFE\xFF\0\0\0{", 8, ENCODING, 0, "", {"looks like UTF-32", "UTF-32BE"}},
        {"{\0\"\0", 4, ENCODING, 0, "", {"looks like UTF-16", "UTF-16LE"}},
        {"\"\0\x2D\x4E", 4, ENCODING, 0, "", {"UTF-16LE"}},
        {"\0{\0\"", 4, ENCODING, 0, "", {"looks like UTF-16", "UTF-16BE"}},
        {"{\0\0\0}\0\0\0", 8, ENCODING, 0, "", {"UTF-32LE"}},
        {"\0\0\0{\0\0\0}", 8, ENCODING, 0, "", {"UTF-32BE"}},
        {"{\"a\": \"\xCF\xD4\xB4\xE6\"}", 0, ENCODING, 7, "/a", {"byte 0xCF at offset 7", "GBK"}},
        {"{\"a\": \"caf\xE9\"}", 0, ENCODING, 10, "/a", {"Latin-1", "UTF-8"}},
        {"[\"\xC0\xAF\"]", 0, ENCODING, 2, "/0", {"overlong"}},
        {"[\"\xE0\x80\xAF\"]", 0, ENCODING, 2, "/0", {"overlong"}},
        {"[\"\xF0\x80\x80\xAF\"]", 0, ENCODING, 2, "/0", {"overlong"}},
        {"[\"\xED\xA0\x80\"]", 0, ENCODING, 2, "/0", {"surrogate"}},
        {"[\"\xF4\x90\x80\x80\"]", 0, ENCODING, 2, "/0", {"beyond U+10FFFF"}},
        {"[\"\xF8\x88\x80\x80\x80\"]", 0, ENCODING, 2, "/0", {"beyond U+10FFFF"}},
        {"[\"a\x80\"]", 0, ENCODING, 3, "/0", {"continuation byte"}},
        {"[\"\xE4\xB8z\"]", 0, ENCODING, 2, "/0", {"breaks off"}},
        {"\xEF\xBB{}", 0, ENCODING, 0, "", {"byte order mark is incomplete"}},
        {"[\xFF]", 0, ENCODING, 1, "/0", {"0xFF"}},
        {"[1]\xFF", 0, ENCODING, 3, "", {"0xFF"}},
    };
    CHECK_ALL(rows);
}

Test(json_read_fault, names_the_token_of_a_number_that_is_not_finite)
{
    static const char *const tokens[] = {"NaN",     "Infinity", "-Infinity", "nan", "inf",
                                         "-inf",    "-nan",     "+inf",      "INF", "1.#INF",
                                         "1.#QNAN", "-1.#IND",  "+Infinity", "-NAN"};
    for (size_t i = 0; i < sizeof tokens / sizeof tokens[0]; i++) {
        char text[64], begin[64];
        snprintf(text, sizeof text, "{\"m\": {\n\"loss\": %s\n}}", tokens[i]);
        snprintf(begin, sizeof begin, "%s is no JSON number", tokens[i]);
        struct expectation row = {text, 0, NOT_JSON, 16, "/m/loss", {begin, "null"}};
        check(&row);
        snprintf(text, sizeof text, "[1, %s]", tokens[i]);
        struct expectation element = {text, 0, NOT_JSON, 4, "/1", {tokens[i], "is no JSON number"}};
        check(&element);
    }
    struct expectation name = {"[nano]", 0, NOT_JSON, 1, "/0", {"double quotes"}};
    check(&name);
}

Test(json_read_fault, recognises_other_writers)
{
    static const struct expectation rows[] = {
        {"{'a': 1}", 0, NOT_JSON, 1, "", {"printed Python dict", "json.dump"}},
        {"{\"a\": None}", 0, NOT_JSON, 6, "/a", {"printed Python dict"}},
        {"{\"a\": True}", 0, NOT_JSON, 6, "/a", {"printed Python dict"}},
        {"{\"a\": 'x'}", 0, NOT_JSON, 6, "/a", {"printed Python dict"}},
        {"{\"a\": (1, 2)}", 0, NOT_JSON, 6, "/a", {"printed Python"}},
        {"{u'a': 1}", 0, NOT_JSON, 1, "", {"printed Python dict"}},
        {"{\"a\": np.float64(1.5)}", 0, NOT_JSON, 6, "/a", {"printed Python value"}},
        {"OrderedDict([('a', 1)])", 0, NOT_JSON, 0, "", {"printed Python value"}},
        {"{\"a\": tensor(1.5)}", 0, NOT_JSON, 6, "/a", {"printed Python value"}},
        {"[1, // one\n2]", 0, NOT_JSON, 4, "/1", {"no comments"}},
        {"{\"a\": 1 # one\n}", 0, NOT_JSON, 8, "", {"no comments"}},
        {"{/* */}", 0, NOT_JSON, 1, "", {"no comments"}},
        {"{\"a\": undefined}", 0, NOT_JSON, 6, "/a", {"null"}},
        {"{\"a\": TRUE}", 0, NOT_JSON, 6, "/a", {"small letters"}},
        {"<!DOCTYPE html>", 0, NOT_JSON, 0, "", {"HTML"}},
        {"<<<<<<< HEAD\n{}", 0, NOT_JSON, 0, "", {"merge conflict"}},
        {"strategy: ddp\nmetrics:\n", 0, NOT_JSON, 0, "", {"YAML"}},
        {"---\nstrategy: ddp\n", 0, NOT_JSON, 1, "", {"YAML"}},
        {"version https://git-lfs.github.com/spec/v1\n", 0, NOT_JSON, 0, "", {"git lfs pull"}},
        {"PK\x03\x04", 0, NOT_JSON, 0, "", {"ZIP"}},
        {"Traceback (most recent call last):\n", 0, NOT_JSON, 0, "", {"traceback"}},
        {"\xEF\xBB\xBF\xEF\xBB\xBF{}", 0, NOT_JSON, 3, "", {"byte order mark"}},
        {"{\xE2\x80\x9C"
         "a\xE2\x80\x9D: 1}",
         0,
         NOT_JSON,
         1,
         "",
         {"U+201C", "typographic"}},
    };
    CHECK_ALL(rows);
}

Test(json_read_fault, recognises_a_log_line_before_the_json)
{
    static const struct expectation rows[] = {
        {"INFO: starting\n{\"a\": 1}\n", 0, NOT_JSON, 0, "", {"log line", "line 2"}},
        {"2024-05-01 12:00:00 INFO x\n\n{\n\"a\": 1}\n",
         0,
         NOT_JSON,
         4,
         "",
         {"log line", "line 3"}},
        {"[rank0] hello\n{\"a\": 1}\n", 0, NOT_JSON, 1, "/0", {"log line", "line 2"}},
        {"[2024-05-01] hello\n{\"a\": 1}\n", 0, NOT_JSON, 5, "", {"log line", "line 2"}},
        {"[0] hello\n{\"a\": 1}\n", 0, TRAILING, 4, "", {"log line", "line 2"}},
        {"result: {\"a\": 1}\n", 0, NOT_JSON, 0, "", {"log line", "line 1"}},
        {"0: {\"a\": 1}\n", 0, NOT_JSON, 1, "", {"log line", "line 1"}},
        {"true story\n", 0, TRAILING, 5, "", {"expected the end"}},
    };
    CHECK_ALL(rows);
}

Test(json_read_fault, explains_mistakes_of_the_hand)
{
    static const struct expectation rows[] = {
        {"{\"a\": 1,\n}", 0, NOT_JSON, 7, "", {"trailing comma", "'}'"}},
        {"{\"a\": [1, 2 , ]}", 0, NOT_JSON, 12, "/a", {"trailing comma", "']'"}},
        {"[1,,2]", 0, NOT_JSON, 3, "/1", {"one comma too many"}},
        {"[,1]", 0, NOT_JSON, 1, "/0", {"expected a value"}},
        {"{\"a\": }", 0, NOT_JSON, 6, "/a", {"value is missing"}},
        {"{\"a\" 1}", 0, NOT_JSON, 5, "/a", {"':' after the member name", "'1'"}},
        {"{\"a\", 1}", 0, NOT_JSON, 4, "/a", {"':' after the member name"}},
        {"{a: 1}", 0, NOT_JSON, 1, "", {"double quotes", "'a'"}},
        {"{1: 1}", 0, NOT_JSON, 1, "", {"double quotes"}},
        {"{\"a\": 1 \"b\": 2}", 0, NOT_JSON, 8, "", {"comma is missing"}},
        {"[1 2]", 0, NOT_JSON, 3, "", {"comma is missing"}},
        {"{\"a\": [1, 2}", 0, NOT_JSON, 11, "/a", {"brackets do not match"}},
        {"[\"a\": 1]", 0, NOT_JSON, 4, "", {"braces"}},
        {"[1; 2]", 0, NOT_JSON, 2, "", {"commas"}},
        {"[012]", 0, NOT_JSON, 2, "", {"leading zeros"}},
        {"[0x1F]", 0, NOT_JSON, 2, "", {"decimal"}},
        {"[1_000]", 0, NOT_JSON, 2, "", {"digit separators"}},
        {"[80GB]", 0, NOT_JSON, 3, "", {"unit"}},
        {"{\"a\": 1,5}", 0, NOT_JSON, 8, "", {"decimal comma"}},
        {"[1.2.3]", 0, NOT_JSON, 4, "", {"one point"}},
        {"[45%]", 0, NOT_JSON, 3, "", {"unit"}},
        {"[+1]", 0, NOT_JSON, 1, "/0", {"plus sign"}},
        {"[.5]", 0, NOT_JSON, 1, "/0", {"before the point"}},
        {"[1.]", 0, NOT_JSON, 3, "/0", {"a digit in the number"}},
        {"[1.e5]", 0, NOT_JSON, 3, "/0", {"a digit in the number"}},
        {"[- 1]", 0, NOT_JSON, 2, "/0", {"a digit in the number"}},
        {"[abc]", 0, NOT_JSON, 1, "/0", {"double quotes"}},
        {"[\"a\nb\"]",
         0,
         NOT_JSON,
         3,
         "/0",
         {"a line break inside a string", "closing quote is missing"}},
        {"[\"a\tb\"]", 0, NOT_JSON, 3, "/0", {"\\t"}},
        {"[\"a\x1b[0m\"]", 0, NOT_JSON, 3, "/0", {"U+001B", "colour"}},
        {"[\"a\0b\"]", 7, NOT_JSON, 3, "/0", {"a NUL byte inside a string"}},
        {"[\"C:\\Users\"]", 0, NOT_JSON, 5, "/0", {"Windows path"}},
        {"[\"\\u12G4\"]", 0, NOT_JSON, 6, "/0", {"four hexadecimal digits"}},
        {"{\"a\": 1}\0\0", 10, TRAILING, 8, "", {"NUL bytes follow", "disk"}},
        {"{\"a\": 1}}", 0, TRAILING, 8, "", {"closing bracket too many"}},
        {"{\"a\": 1},", 0, TRAILING, 8, "", {"expected the end of the file"}},
        {"{\"a\": 1}{\"a\": 2}", 0, TRAILING, 8, "", {"second document", "concatenated"}},
        {"{\"a\": 1}\n{\"a\": 2}\n", 0, TRAILING, 9, "", {"second document", ".jsonl"}},
        {"{\"a\": 1} // done", 0, TRAILING, 9, "", {"no comments"}},
        {"nullable", 0, NOT_JSON, 4, "", {"expected the end"}},
        {"\v1", 0, NOT_JSON, 0, "", {"U+000B"}},
    };
    CHECK_ALL(rows);
}

Test(json_read_fault, points_into_nested_members_with_escapes)
{
    static const struct expectation rows[] = {
        {"{\"a\": [{\"b/c~d\": [1, {\"e\\u005f\\u0001\": x}]}]}",
         0,
         NOT_JSON,
         39,
         "/a/0/b~1c~0d/1/e_\\x01",
         {"found 'x'"}},
        {"[[], {}, [1, ?]]", 0, NOT_JSON, 13, "/2/1", {"'?'"}},
    };
    CHECK_ALL(rows);
}

Test(json_read_fault, refuses_more_than_4_gib_without_reading_it)
{
    struct json_read_document document = {0};
    struct json_read_fault fault;
    struct diag diag = {0};
    size_t size = (size_t)UINT32_MAX + 1;
    cr_assert_eq(json_read_parse(&document, "[1]", size, &fault, &diag), STATUS_INPUT);
    cr_assert_eq(fault.kind, JSON_READ_FAULT_TOO_LARGE);
    cr_assert(strstr(fault.message, "4294967296 bytes") != NULL);
    json_read_fini(&document);
}

Test(json_read_fault, twenty_thousand_levels_are_too_deep_and_nothing_worse)
{
    static char text[40000];
    memset(text, '[', sizeof text);
    for (size_t i = 0; i + 6 <= sizeof text / 2; i += 5)
        memcpy(text + i, "{\"a\":", 5);
    struct parsed_json p = parsed_json_bytes(text, sizeof text);
    cr_assert_eq(p.fault.kind, JSON_READ_FAULT_TOO_DEEP);
    cr_assert_eq(p.fault.offset, 512 * 5);
    cr_assert_eq(strncmp(p.fault.pointer, "/a/a/a/", 7), 0);
    cr_assert_str_eq(p.fault.pointer + strlen(p.fault.pointer) - 3, "...");
    parsed_json_fini(&p);
}

/* Every prefix of a document is truncated: none is accepted, none is called anything else. */
Test(json_read_fault, every_prefix_of_a_document_is_truncated)
{
    static const char text[] =
        "{\"a\": [1, -2.5e+3, true, false, null, \"x\\n\\u00e9\xE4\xB8\xAD\"],"
        " \"\xF0\x9F\x98\x80\": {\"\": [[], {}]}}";
    for (size_t size = 1; size + 1 < sizeof text; size++) {
        struct parsed_json p = parsed_json_bytes(text, size);
        cr_assert_eq(p.fault.kind, JSON_READ_FAULT_TRUNCATED, "%.*s: %s", (int)size, text,
                     p.fault.message);
        parsed_json_fini(&p);
    }
}
