#include <criterion/criterion.h>
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "json_write.h"

/* Writes `root`, compares, releases everything. */
static void expect_text(struct json_write *writer, json_t *root, const char *expected)
{
    struct text_buffer out = {0};
    struct diag diag = {0};
    cr_assert_eq(json_write_text(writer, root, &out, &diag), STATUS_OK, "%s", diag.text);
    cr_assert_str_eq(out.text, expected);
    text_buffer_fini(&out);
    json_decref(root);
}

/* Copies a parsed text and compares what is written. */
static void expect_copy_n(const char *text, size_t size, const char *expected)
{
    struct json_read_document document = {0};
    struct json_read_fault fault = {0};
    struct diag diag = {0};
    cr_assert_eq(json_read_parse(&document, text, size, &fault, &diag), STATUS_OK, "%s",
                 fault.message);
    struct json_write writer = {0};
    expect_text(&writer, json_write_copy(&writer, &document, 0), expected);
    json_read_fini(&document);
}

static void expect_copy(const char *text, const char *expected)
{
    expect_copy_n(text, strlen(text), expected);
}

Test(json_write, sorts_keys_indents_and_ends_with_a_newline)
{
    struct json_write writer = {0};
    json_t *root = json_write_object(&writer);
    json_t *list = json_write_array(&writer);
    json_write_append(&writer, list, json_write_integer(&writer, -9223372036854775807 - 1));
    json_write_append(&writer, list, json_write_null(&writer));
    json_write_append(&writer, list, json_write_bool(&writer, true));
    json_write_append(&writer, list, json_write_bool(&writer, false));
    json_write_set(&writer, root, "z", list);
    json_write_set(&writer, root, "a", json_write_string(&writer, "text"));
    json_write_set(&writer, root, "empty", json_write_object(&writer));
    json_write_set(&writer, root, "B", json_write_string(&writer, NULL));
    expect_text(&writer, root,
                "{\n"
                "  \"B\": null,\n"
                "  \"a\": \"text\",\n"
                "  \"empty\": {},\n"
                "  \"z\": [\n"
                "    -9223372036854775808,\n"
                "    null,\n"
                "    true,\n"
                "    false\n"
                "  ]\n"
                "}\n");
}

static void expect_real(double value, const char *expected)
{
    struct json_write writer = {0};
    expect_text(&writer, json_write_real(&writer, value), expected);
}

Test(json_write, reals_are_the_shortest_that_read_back)
{
    expect_real(0.1, "0.1\n");
    expect_real(0.1 + 0.2, "0.30000000000000004\n");
    expect_real(456000, "456000\n");
    expect_real(-2.5, "-2.5\n");
    expect_real(9007199254740991.0, "9007199254740991\n");
    expect_real(9007199254740992.0, "9007199254740992\n");
    expect_real(1e20, "1e+20\n");
    expect_real(1e-7, "1e-07\n");
    expect_real(5e-324, "5e-324\n");
    expect_real(1.7976931348623157e308, "1.7976931348623157e+308\n");
    expect_real(0, "0\n");
    expect_real(-0.0, "0\n");
}

Test(json_write, a_real_made_by_jansson_itself_is_written_alike)
{
    struct json_write writer = {0};
    json_t *list = json_write_array(&writer);
    json_write_append(&writer, list, json_real(0.1));
    json_write_append(&writer, list, json_real(3));
    json_write_append(&writer, list, json_real(-1e300));
    expect_text(&writer, list, "[\n  0.1,\n  3,\n  -1e+300\n]\n");
}

Test(json_write, nan_is_null_only_where_not_measured_is_meant)
{
    struct json_write writer = {0};
    expect_text(&writer, json_write_real_or_null(&writer, (double)NAN), "null\n");
    expect_text(&writer, json_write_real_or_null(&writer, 1.5), "1.5\n");
    static const double bad[] = {(double)NAN, (double)INFINITY, -(double)INFINITY};
    for (size_t i = 0; i < 3; i++) {
        struct json_write failing = {0};
        cr_assert_null(json_write_real(&failing, bad[i]));
        cr_assert_eq(failing.status, STATUS_BUG);
    }
    struct json_write infinite = {0};
    cr_assert_null(json_write_real_or_null(&infinite, (double)INFINITY));
    cr_assert_eq(infinite.status, STATUS_BUG);
}

Test(json_write, a_null_value_fails_the_document_visibly)
{
    struct json_write writer = {0};
    json_t *root = json_write_object(&writer);
    json_write_set(&writer, root, "good", json_write_integer(&writer, 1));
    json_write_set(&writer, root, "bad", json_write_real(&writer, (double)NAN));
    struct text_buffer out = {0};
    text_buffer_puts(&out, "before");
    struct diag diag = {0};
    cr_assert_eq(json_write_text(&writer, root, &out, &diag), STATUS_BUG);
    cr_assert_str_eq(diag.text, "a value that JSON cannot hold (such as NaN) reached a document");
    cr_assert_str_eq(out.text, "before");
    text_buffer_fini(&out);
    json_decref(root);

    struct json_write other = {0};
    json_t *list = json_write_array(&other);
    json_write_append(&other, list, NULL);
    struct diag memory = {0};
    cr_assert_eq(json_write_text(&other, list, &out, &memory), STATUS_ENVIRONMENT);
    cr_assert_str_eq(memory.text, "out of memory");
    json_decref(list);
}

Test(json_write, a_null_container_is_tolerated)
{
    struct json_write writer = {0};
    json_write_set(&writer, NULL, "x", json_write_integer(&writer, 1));
    cr_assert_eq(writer.status, STATUS_ENVIRONMENT);
    struct json_write other = {0};
    json_write_append(&other, NULL, json_write_integer(&other, 1));
    cr_assert_eq(other.status, STATUS_ENVIRONMENT);
    struct text_buffer out = {0};
    struct json_write third = {0};
    struct diag diag = {0};
    cr_assert_eq(json_write_text(&third, NULL, &out, &diag), STATUS_ENVIRONMENT);
}

Test(json_write, a_container_of_the_wrong_kind_is_our_fault)
{
    struct json_write writer = {0};
    json_t *list = json_write_array(&writer);
    json_write_set(&writer, list, "x", json_write_integer(&writer, 1));
    cr_assert_eq(writer.status, STATUS_BUG);
    json_decref(list);
}

Test(json_write, strings_become_valid_utf_8_without_nul)
{
    struct json_write writer = {0};
    json_t *list = json_write_array(&writer);
    json_write_append(&writer, list, json_write_string(&writer, "a\xff\xc0\x80z"));
    json_write_append(&writer, list, json_write_string_n(&writer, "a\0b", 3));
    json_write_append(&writer, list, json_write_string_n(&writer, "cut", 2));
    json_write_append(&writer, list, json_write_string(&writer, ""));
    json_write_append(&writer, list, json_write_string(&writer, "\xe4\xb8\xad\n\"\\\x7f"));
    json_write_append(&writer, list, json_write_string(&writer, "\xed\xa0\x80"));
    expect_text(&writer, list,
                "[\n"
                "  \"a\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbdz\",\n"
                "  \"a\xef\xbf\xbd"
                "b\",\n"
                "  \"cu\",\n"
                "  \"\",\n"
                "  \"\xe4\xb8\xad\\n\\\"\\\\\x7f\",\n"
                "  \"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"\n"
                "]\n");
    struct json_write keys = {0};
    json_t *object = json_write_object(&keys);
    json_write_set(&keys, object, "k\xff", json_write_integer(&keys, 1));
    expect_text(&keys, object, "{\n  \"k\xef\xbf\xbd\": 1\n}\n");
}

Test(json_write, hostile_strings_are_never_taken_for_numbers)
{
    /* Everything that begins like the mark of a number, as value, as element and as key. */
    static const char *const texts[] = {"\x01",      "\x01N",      "\x01N1",         "\x01N1e999",
                                        "\x01S",     "\x01S\x01N", "\x01\x01N5",     "\x01X",
                                        "\x01N\"",   "N1",         "\\u0001N1",      "\x02N1",
                                        "\x01S\\N1", "\x01N1,2",   "\x01N1\": 2, \""};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct json_write writer = {0};
        json_t *root = json_write_object(&writer);
        json_write_set(&writer, root, texts[i], json_write_string(&writer, texts[i]));
        json_t *list = json_write_array(&writer);
        json_write_append(&writer, list, json_write_string(&writer, texts[i]));
        json_write_set(&writer, root, "list", list);
        struct text_buffer out = {0};
        struct diag diag = {0};
        cr_assert_eq(json_write_text(&writer, root, &out, &diag), STATUS_OK);
        json_decref(root);

        json_error_t error;
        json_t *back = json_loadb(out.text, out.length, 0, &error);
        cr_assert_not_null(back, "%s", out.text);
        cr_assert_eq(json_object_size(back), 2);
        cr_assert_str_eq(json_string_value(json_object_get(back, texts[i])), texts[i]);
        cr_assert_str_eq(json_string_value(json_array_get(json_object_get(back, "list"), 0)),
                         texts[i]);
        json_decref(back);
        text_buffer_fini(&out);
    }
}

Test(json_write, a_marked_string_made_elsewhere_is_refused)
{
    static const char *const texts[] = {"\x01", "\x01N", "\x01Nabc", "\x01Xabc"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct json_write writer = {0};
        json_t *root = json_string(texts[i]);
        struct text_buffer out = {0};
        struct diag diag = {0};
        cr_assert_eq(json_write_text(&writer, root, &out, &diag), STATUS_BUG);
        text_buffer_fini(&out);
        json_decref(root);
    }
}

Test(json_write_copy, keeps_every_digit_of_a_number)
{
    static const char *const numbers[] = {"0",
                                          "-0",
                                          "1.50",
                                          "0.1",
                                          "1e5",
                                          "1E+5",
                                          "-1.0e-0",
                                          "9007199254740993",
                                          "9223372036854775807",
                                          "-9223372036854775808",
                                          "9223372036854775808",
                                          "123456789012345678901234567890",
                                          "0.1000000000000000055511151231257827",
                                          "1e400",
                                          "-0.0"};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        char expected[64];
        snprintf(expected, sizeof expected, "%s\n", numbers[i]);
        expect_copy(numbers[i], expected);
    }
    expect_copy("[1.50]", "[\n  1.50\n]\n");
    expect_copy("{\"a\":1.50,\"b\":[2e0]}", "{\n  \"a\": 1.50,\n  \"b\": [\n    2e0\n  ]\n}\n");
}

Test(json_write_copy, keeps_digits_beyond_every_buffer)
{
    size_t length = 100000;
    char *text = malloc(length + 2);
    cr_assert_not_null(text);
    memset(text, '7', length);
    text[length] = '\0';
    char *expected = malloc(length + 2);
    cr_assert_not_null(expected);
    snprintf(expected, length + 2, "%s\n", text);
    expect_copy(text, expected);
    free(expected);
    free(text);
}

Test(json_write_copy, copies_strings_and_keys_with_escapes)
{
    expect_copy("{\"\\u0061\\n\":\"\\ud83d\\ude80\\u00e9\",\"\":\"\"}",
                "{\n  \"\": \"\",\n  \"a\\n\": \"\xf0\x9f\x9a\x80\xc3\xa9\"\n}\n");
    /* Refused before they are copied by callers, but never a crash: NUL and half a pair. */
    expect_copy("{\"a\\u0000b\":\"\\u0000\",\"\\ud800\":\"\\udc00x\"}",
                "{\n  \"a\xef\xbf\xbd"
                "b\": \"\xef\xbf\xbd\",\n  \"\xef\xbf\xbd\": \"\xef\xbf\xbdx\"\n}\n");
    expect_copy("[\"\\u0001N5\",{\"\\u0001N5\":\"\\u0001S\"}]",
                "[\n  \"\\u0001N5\",\n  {\n    \"\\u0001N5\": \"\\u0001S\"\n  }\n]\n");
    /* One byte of JSON can never decode to more; an escape of six becomes three. */
    expect_copy("\"\\ud800\\ud800\\ud800\"", "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"\n");
}

Test(json_write_copy, copies_a_member_and_gives_null_for_none)
{
    const char *text = "{\"a\":{\"b\":[true,false,null]}}";
    struct json_read_document document = {0};
    struct json_read_fault fault = {0};
    struct diag diag = {0};
    cr_assert_eq(json_read_parse(&document, text, strlen(text), &fault, &diag), STATUS_OK);
    struct json_write writer = {0};
    uint32_t a = json_read_member(&document, 0, "a");
    expect_text(&writer, json_write_copy(&writer, &document, json_read_member(&document, a, "b")),
                "[\n  true,\n  false,\n  null\n]\n");
    expect_text(&writer, json_write_copy(&writer, &document, JSON_READ_NONE), "null\n");
    json_read_fini(&document);
}

Test(json_write_copy, copies_the_deepest_document_that_is_read)
{
    char text[2 * JSON_READ_MAX_DEPTH + 1];
    memset(text, '[', JSON_READ_MAX_DEPTH);
    memset(text + JSON_READ_MAX_DEPTH, ']', JSON_READ_MAX_DEPTH);
    text[2 * JSON_READ_MAX_DEPTH] = '\0';
    struct json_read_document document = {0};
    struct json_read_fault fault = {0};
    struct diag diag = {0};
    cr_assert_eq(json_read_parse(&document, text, strlen(text), &fault, &diag), STATUS_OK);
    struct json_write writer = {0};
    json_t *root = json_write_copy(&writer, &document, 0);
    struct text_buffer out = {0};
    cr_assert_eq(json_write_text(&writer, root, &out, &diag), STATUS_OK);
    size_t brackets = 0;
    for (size_t i = 0; i < out.length; i++)
        brackets += out.text[i] == '[';
    cr_assert_eq(brackets, JSON_READ_MAX_DEPTH);
    json_decref(root);
    text_buffer_fini(&out);
    json_read_fini(&document);
}

Test(json_write_copy, its_text_copies_to_itself)
{
    const char *text = "{\n  \"a\": 1.50,\n  \"b\": [\n    \"\\u0001N\",\n    1e400\n  ]\n}\n";
    expect_copy(text, text);
}

Test(json_write_file, writes_a_file_and_names_one_that_cannot_be_written)
{
    char path[] = "/tmp/rankledger-json-XXXXXX";
    int descriptor = mkstemp(path);
    cr_assert_geq(descriptor, 0);
    close(descriptor);
    struct json_write writer = {0};
    json_t *root = json_write_array(&writer);
    struct diag diag = {0};
    cr_assert_eq(json_write_file(&writer, root, path, &diag), STATUS_OK);
    char data[16] = "";
    FILE *file = fopen(path, "rb");
    cr_assert_not_null(file);
    cr_assert_eq(fread(data, 1, sizeof data - 1, file), 3);
    fclose(file);
    unlink(path);
    cr_assert_str_eq(data, "[]\n");
    cr_assert_eq(json_write_file(&writer, root, "/nonexistent/x", &diag), STATUS_ENVIRONMENT);
    cr_assert(strstr(diag.text, "/nonexistent/x: cannot write") != NULL);
    json_decref(root);
}

/* The n-th allocation of jansson fails; 0: none. */
static size_t failing_allocation;
static size_t allocations;

static void *allocate_or_fail(size_t size)
{
    return ++allocations == failing_allocation ? NULL : malloc(size);
}

Test(json_write, every_failing_allocation_of_jansson_is_reported)
{
    const char *text = "{\"key\":[1.50,\"text\",{\"a\":null}],\"other\":\"\\u0001\",\"n\":-3}";
    struct json_read_document document = {0};
    struct json_read_fault fault = {0};
    struct diag none = {0};
    cr_assert_eq(json_read_parse(&document, text, strlen(text), &fault, &none), STATUS_OK);
    json_set_alloc_funcs(allocate_or_fail, free);
    bool failed = true;
    for (failing_allocation = 1; failed; failing_allocation++) {
        allocations = 0;
        struct json_write writer = {0};
        struct diag diag = {0};
        struct text_buffer out = {0};
        json_t *root = json_write_object(&writer);
        json_write_set(&writer, root, "copy", json_write_copy(&writer, &document, 0));
        json_write_set(&writer, root, "x", json_write_real(&writer, 0.5));
        enum status status = json_write_text(&writer, root, &out, &diag);
        failed = allocations >= failing_allocation;
        cr_assert_eq(status, failed ? STATUS_ENVIRONMENT : STATUS_OK, "allocation %zu of %zu",
                     failing_allocation, allocations);
        json_decref(root);
        text_buffer_fini(&out);
    }
    cr_assert_gt(failing_allocation, 20);
    json_read_fini(&document);
}
