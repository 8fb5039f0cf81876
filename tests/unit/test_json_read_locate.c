#include "parsed_json.h"

#include <stdio.h>

/* Lines, columns, pointers, and the typed getters whose messages carry them. */

static void check_position(const struct json_read_document *d, size_t offset, size_t line,
                           size_t column)
{
    size_t found_line = 0, found_column = 0;
    json_read_position(d, offset, &found_line, &found_column);
    cr_assert_eq(found_line, line, "offset %zu: line %zu", offset, found_line);
    cr_assert_eq(found_column, column, "offset %zu: column %zu", offset, found_column);
}

Test(json_read_locate, counts_lines_and_columns_in_code_points)
{
    struct parsed_json p = parsed_json("{\n  \"\xE4\xB8\xAD\xF0\x9F\x98\x80\": 1,\n\n \"b\": 2}");
    check_position(&p.document, 0, 1, 1);
    check_position(&p.document, 1, 1, 2);
    check_position(&p.document, 2, 2, 1);
    check_position(&p.document, 4, 2, 3);
    check_position(&p.document, 12, 2, 6);
    check_position(&p.document, 15, 2, 9);
    check_position(&p.document, 17, 2, 11);
    check_position(&p.document, 18, 3, 1);
    check_position(&p.document, 20, 4, 2);
    check_position(&p.document, 999, 4, 9);
    parsed_json_fini(&p);
}

Test(json_read_locate, takes_cr_lf_as_one_line_end)
{
    struct parsed_json p = parsed_json("{\r\n\"a\": 1,\r\n\"b\": 2\r\n}");
    check_position(&p.document, 3, 2, 1);
    check_position(&p.document, 12, 3, 1);
    check_position(&p.document, 20, 4, 1);
    parsed_json_fini(&p);
}

Test(json_read_locate, does_not_count_a_byte_order_mark)
{
    struct parsed_json p = parsed_json("\xEF\xBB\xBF{\"a\": 1}");
    check_position(&p.document, 0, 1, 1);
    check_position(&p.document, 3, 1, 1);
    check_position(&p.document, 4, 1, 2);
    parsed_json_fini(&p);
}

Test(json_read_locate, gives_a_position_after_a_fault_too)
{
    const char *text = "{\n\"a\": NaN}";
    struct parsed_json p = parsed_json_bytes(text, strlen(text));
    check_position(&p.document, p.fault.offset, 2, 6);
    parsed_json_fini(&p);
}

static void check_pointer(const struct json_read_document *d, uint32_t node, const char *expected)
{
    char out[256];
    json_read_pointer(d, node, out, sizeof out);
    cr_assert_str_eq(out, expected, "node %u: %s", node, out);
}

Test(json_read_locate, writes_pointers_as_rfc_6901_says_and_safe_to_print)
{
    struct parsed_json p = parsed_json(
        "{\"a\":[10,[20],{\"b\":30}],\"m~n/o\":1,\"\":2,\"x\\ny\":3,\"\\u202e\":4,\"q\\\"\":5}");
    static const char *const expected[] = {"",         "/a",       "/a",     "/a/0",   "/a/1",
                                           "/a/1/0",   "/a/2",     "/a/2/b", "/a/2/b", "/m~0n~1o",
                                           "/m~0n~1o", "/",        "/",      "/x\\ny", "/x\\ny",
                                           "/\\u202e", "/\\u202e", "/q\"",   "/q\""};
    cr_assert_eq(p.document.count, sizeof expected / sizeof expected[0]);
    for (uint32_t i = 0; i < p.document.count; i++)
        check_pointer(&p.document, i, expected[i]);
    parsed_json_fini(&p);
}

Test(json_read_locate, cuts_a_pointer_that_does_not_fit)
{
    struct parsed_json p = parsed_json("{\"abcdef\":{\"ghijkl\":[1]}}");
    char out[32];
    json_read_pointer(&p.document, 5, out, 17);
    cr_assert_str_eq(out, "/abcdef/ghijkl/0");
    json_read_pointer(&p.document, 5, out, 16);
    cr_assert_str_eq(out, "/abcdef/ghij...");
    json_read_pointer(&p.document, 5, out, 4);
    cr_assert_str_eq(out, "...");
    parsed_json_fini(&p);
}

static size_t put(char *text, const char *part)
{
    return (size_t)sprintf(text, "%s", part);
}

/* A document of random shape: the locator, in order, backwards and jumping, gives what a fresh
 * one gives, and each pointer leads back to its node. */
Test(json_read_locate, a_locator_in_any_order_gives_the_same_as_a_fresh_one)
{
    static char text[20000];
    size_t used = 0;
    uint64_t state = 7;
    char closers[40];
    size_t depth = 1;
    used += put(text, "[0");
    closers[0] = ']';
    for (int i = 0; i < 600; i++) {
        state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        bool object = closers[depth - 1] == '}';
        unsigned choice = (unsigned)(state >> 40) % 6;
        if (choice < 2 && depth > 1) {
            text[used++] = closers[--depth];
            continue;
        }
        used += (size_t)sprintf(text + used, object ? ",\n\"k%d\":" : ",\n", i);
        if (choice == 2 && depth < 30) {
            used += put(text + used, "[\"\xC3\xA9\"");
            closers[depth++] = ']';
        } else if (choice == 3 && depth < 30) {
            used += put(text + used, "{\"a\":1");
            closers[depth++] = '}';
        } else {
            used += put(text + used, choice == 4 ? "[]" : "1.5");
        }
    }
    while (depth > 0)
        text[used++] = closers[--depth];
    struct parsed_json p = parsed_json_bytes(text, used);
    cr_assert_eq(p.status, STATUS_OK, "%s", p.fault.message);
    struct json_read_locator locator;
    json_read_locator_init(&locator, &p.document);
    uint32_t count = p.document.count;
    for (uint32_t i = 0; i < 3 * count; i++) {
        uint32_t node = i < count ? i : i < 2 * count ? 2 * count - 1 - i : i * 7919 % count;
        char fresh[256], again[256];
        json_read_pointer(&p.document, node, fresh, sizeof fresh);
        json_read_locator_pointer(&locator, node, again, sizeof again);
        cr_assert_str_eq(again, fresh);
        size_t line, column, line_again, column_again, offset = p.document.nodes[node].offset;
        json_read_position(&p.document, offset, &line, &column);
        json_read_locator_position(&locator, offset, &line_again, &column_again);
        cr_assert(line == line_again && column == column_again);
    }
    parsed_json_fini(&p);
}

/* A million faults in one document are located in one pass; quadratic work would take hours. */
Test(json_read_locate, very_many_places_cost_one_pass)
{
    enum { COUNT = 200000 };
    char *text = malloc((size_t)COUNT * 4 + 2);
    cr_assert_not_null(text);
    size_t used = 0;
    for (int i = 0; i < COUNT; i++)
        used += (size_t)sprintf(text + used, "%c1\n", i == 0 ? '[' : ',');
    text[used++] = ']';
    struct parsed_json p = parsed_json_bytes(text, used);
    cr_assert_eq(p.status, STATUS_OK);
    struct json_read_locator locator;
    json_read_locator_init(&locator, &p.document);
    char pointer[32] = "";
    size_t line = 0, column = 0;
    for (uint32_t node = 1; node < p.document.count; node++) {
        json_read_locator_pointer(&locator, node, pointer, sizeof pointer);
        json_read_locator_position(&locator, p.document.nodes[node].offset, &line, &column);
    }
    cr_assert_str_eq(pointer, "/199999");
    cr_assert_eq(line, COUNT);
    cr_assert_eq(column, 2);
    free(text);
    parsed_json_fini(&p);
}

#define POLICY                                                                                     \
    "{\"limit\": 80.5,\n \"count\": 4.0, \"on\": true, \"list\": [1], \"text\": \"a\\tb\",\n"      \
    " \"big\": 1e999, \"none\": null}"

Test(json_read_locate, typed_getters_read_what_is_there)
{
    struct parsed_json p = parsed_json(POLICY);
    struct json_read_source source = {&p.document, "p.json"};
    double real = 0;
    int64_t integer = 0;
    bool yes = false;
    uint32_t node = JSON_READ_NONE;
    struct diag diag = {0};
    enum json_read_presence required = JSON_READ_REQUIRED;
    cr_assert_eq(json_read_get_double(&source, 0, "limit", required, &real, &diag), STATUS_OK);
    cr_assert_eq(real, 80.5);
    cr_assert_eq(json_read_get_int64(&source, 0, "count", required, &integer, &diag), STATUS_OK);
    cr_assert_eq(integer, 4);
    cr_assert_eq(json_read_get_bool(&source, 0, "on", required, &yes, &diag), STATUS_OK);
    cr_assert(yes);
    cr_assert_eq(json_read_get_node(&source, 0, "list", JSON_READ_ARRAY, required, &node, &diag),
                 STATUS_OK);
    cr_assert_eq(node, json_read_member(&p.document, 0, "list"));
    real = 1;
    cr_assert_eq(json_read_get_double(&source, 0, "absent", JSON_READ_OPTIONAL, &real, &diag),
                 STATUS_OK);
    cr_assert_eq(real, 1, "an absent member leaves the value");
    cr_assert_eq(
        json_read_get_double(&source, JSON_READ_NONE, "x", JSON_READ_OPTIONAL, &real, &diag),
        STATUS_OK);
    cr_assert_str_eq(diag.text, "");
    parsed_json_fini(&p);
}

static void check_refusal(const char *name, int getter, const char *expected)
{
    struct parsed_json p = parsed_json(POLICY);
    struct json_read_source source = {&p.document, "p.json"};
    double real = 7;
    int64_t integer = 7;
    bool yes = true;
    uint32_t node = 7;
    struct diag diag = {0};
    enum status status = STATUS_OK;
    if (getter == 'd')
        status = json_read_get_double(&source, 0, name, JSON_READ_REQUIRED, &real, &diag);
    else if (getter == 'i')
        status = json_read_get_int64(&source, 0, name, JSON_READ_REQUIRED, &integer, &diag);
    else if (getter == 'b')
        status = json_read_get_bool(&source, 0, name, JSON_READ_REQUIRED, &yes, &diag);
    else
        status = json_read_get_node(&source, 0, name, JSON_READ_STRING, JSON_READ_REQUIRED, &node,
                                    &diag);
    cr_assert_eq(status, STATUS_INPUT);
    cr_assert_eq(diag.status, STATUS_INPUT);
    cr_assert_str_eq(diag.text, expected, "%s", diag.text);
    cr_assert(real == 7 && integer == 7 && yes && node == 7, "written on success only");
    parsed_json_fini(&p);
}

Test(json_read_locate, typed_getters_say_where_and_what)
{
    check_refusal("limit", 'i',
                  "p.json:1:11: error: /limit: expected an integer of at most 64 bits, found 80.5");
    check_refusal("text", 'd',
                  "p.json:2:50: error: /text: expected a number that a double can hold, found the "
                  "text \"a\\tb\"");
    check_refusal("big", 'd',
                  "p.json:3:9: error: /big: expected a number that a double can hold, found 1e999");
    check_refusal("count", 'b', "p.json:2:11: error: /count: expected true or false, found 4.0");
    check_refusal(
        "none", 'd',
        "p.json:3:24: error: /none: expected a number that a double can hold, found null");
    check_refusal("list", 's', "p.json:2:36: error: /list: expected a string, found an array");
    check_refusal("gone", 's', "p.json:1:1: error: expected a member \"gone\", found none");
}

Test(json_read_locate, a_getter_on_what_is_no_object_says_so)
{
    struct parsed_json p = parsed_json("{\"a\": [1]}");
    struct json_read_source source = {&p.document, "p.json"};
    double real = 7;
    struct diag diag = {0};
    cr_assert_eq(json_read_get_double(&source, 2, "x", JSON_READ_OPTIONAL, &real, &diag),
                 STATUS_INPUT);
    cr_assert_str_eq(diag.text, "p.json:1:7: error: /a: expected an object, found an array");
    parsed_json_fini(&p);
}

static void check_strict(const char *text, enum status expected, const char *message)
{
    struct json_read_document document = {0};
    struct diag diag = {0};
    cr_assert_eq(json_read_parse_strict(&document, "p.json", text, strlen(text), &diag), expected);
    cr_assert_str_eq(diag.text, message, "%s", diag.text);
    json_read_fini(&document);
}

Test(json_read_locate, strict_parsing_makes_every_fault_an_error)
{
    check_strict("{\"a\": 9007199254740993, \"b\": \"\\u0041\"}", STATUS_OK, "");
    check_strict("{\"a\": 1,\n \"a\": 2}", STATUS_INPUT,
                 "p.json:2:3: error: /a: the name occurs twice in its object");
    check_strict("{\"a\": [1e999]}", STATUS_INPUT,
                 "p.json:1:8: error: /a/0: the number is larger than a double can hold");
    check_strict("{\"a\": \"\\u0000\"}", STATUS_INPUT,
                 "p.json:1:8: error: /a: the text contains a NUL character (\\u0000)");
    check_strict("{\"a\": \"\\ud800\"}", STATUS_INPUT,
                 "p.json:1:8: error: /a: the text contains half of a surrogate pair");
    check_strict("{\"a\": ?}", STATUS_INPUT, "p.json:1:7: error: /a: expected a value, found '?'");
}
