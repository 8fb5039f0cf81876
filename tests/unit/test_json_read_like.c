#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json_read.h"

/* Reads `text` after `before` with the pattern, and for itself: both must say the same. */
static bool expect_same(const char *before, const char *text)
{
    struct json_read_document like = {0};
    struct json_read_document plain = {0};
    struct json_read_fault fault;
    struct json_read_fault expected;
    struct diag diag = {0};
    enum status status = json_read_parse(&like, before, strlen(before), &fault, &diag);
    cr_assert_eq(status, STATUS_OK, "%s", before);
    uint64_t layout = like.layout;
    status = json_read_parse_like(&like, text, strlen(text), &fault, &diag);
    bool followed = status == STATUS_OK && like.layout == layout;
    cr_assert_eq(json_read_parse(&plain, text, strlen(text), &expected, &diag), status, "%s", text);
    cr_assert_eq(like.count, plain.count, "%s", text);
    cr_assert_eq(fault.kind, expected.kind, "%s", text);
    if (status == STATUS_OK) {
        cr_assert_eq(like.flags, plain.flags, "%s", text);
        cr_assert_eq(like.has_bom, plain.has_bom);
        cr_assert(like.text == text && like.size == strlen(text));
    }
    for (uint32_t i = 0; i < plain.count; i++)
        cr_assert(memcmp(&like.nodes[i].offset, &plain.nodes[i].offset, 4 * sizeof(uint32_t)) ==
                          0 &&
                      like.nodes[i].type == plain.nodes[i].type &&
                      like.nodes[i].flags == plain.nodes[i].flags,
                  "node %u of %s after %s", (unsigned)i, text, before);
    json_read_fini(&like);
    json_read_fini(&plain);
    return followed;
}

#define TAIL ", \"tail\": \"0123456789\"}\n"

Test(json_read_like, follows_other_numbers_and_strings_of_any_length)
{
    cr_assert(expect_same(
        "{\"a\": 1.5, \"b\": [1, 22, 333], \"c\": \"x\", \"d\": {\"e\": null}" TAIL,
        "{\"a\": 12, \"b\": [-4, 0.5, 6], \"c\": \"longer\", \"d\": {\"e\": null}" TAIL));
    cr_assert(expect_same("[\"\", \"abcdefghijklmnop\", 0]          \n",
                          "[\"abcdefghijklmnopqrstuvw\", \"\", 12345]          \n"));
}

Test(json_read_like, follows_what_is_unusual_if_it_is_repeated)
{
    cr_assert(
        expect_same("{\"a\": 1e-5, \"b\": \"\\u00e9\\n\", \"c\": 123456789012345678901" TAIL,
                    "{\"a\": 1e-5, \"b\": \"\\u00e9\\n\", \"c\": 123456789012345678901" TAIL));
    cr_assert(expect_same("{\"a\": 1e400, \"a\": \"\\ud800\", \"h\": \"中文\"" TAIL,
                          "{\"a\": 1e400, \"a\": \"\\ud800\", \"h\": \"中文\"" TAIL));
}

Test(json_read_like, leaves_other_layouts_to_the_parser)
{
    static const char *const others[] = {"{\"a\": 1, \"b\": [1, 2, 3]" TAIL,
                                         "{\"a\": 1, \"b\": [1]" TAIL,
                                         "{\"a\": 1, \"b\": [1,2]" TAIL,
                                         "{\"a\": 1, \"c\": [1, 2]" TAIL,
                                         "{\"a\": null, \"b\": [1, 2]" TAIL,
                                         "{\"a\": \"1\", \"b\": [1, 2]" TAIL,
                                         "{\"a\": 1, \"b\": [1, 2]" TAIL " ",
                                         "{\"a\": 1, \"b\": [1, 2]",
                                         "{\"a\": 01, \"b\": [1, 2]" TAIL,
                                         "{\"a\": 1., \"b\": [1, 2]" TAIL,
                                         "{\"a\": -, \"b\": [1, 2]" TAIL,
                                         "{\"a\": 1e5, \"b\": [1, 2]" TAIL,
                                         "{\"a\": 1, \"b\": [1, 2]" TAIL "x",
                                         "",
                                         "{\"a\": 12345678901234567, \"b\": [1, 2]" TAIL,
                                         "{\"a\": 1, \"b\": [1, 2], \"tail\": \"\xc3\xa9\"}\n",
                                         "{\"a\": 1, \"b\": [1, 2], \"tail\": \"\x01\"}\n",
                                         "\xEF\xBB\xBF{\"a\": 1, \"b\": [1, 2]" TAIL};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        cr_assert_not(expect_same("{\"a\": 1, \"b\": [1, 2]" TAIL, others[i]), "%s", others[i]);
}

Test(json_read_like, a_word_may_not_become_another)
{
    cr_assert_not(expect_same("{\"a\": true" TAIL, "{\"a\": null" TAIL));
    cr_assert(expect_same("{\"a\": true, \"b\": 1" TAIL, "{\"a\": true, \"b\": 2" TAIL));
}

Test(json_read_like, a_zero_may_not_come_before_other_digits)
{
    cr_assert(expect_same("{\"a\": 12.5, \"b\": 7" TAIL, "{\"a\": 98.7, \"b\": 0" TAIL));
    cr_assert(expect_same("{\"a\": 1.25, \"b\": 7" TAIL, "{\"a\": 0.75, \"b\": 8" TAIL));
    cr_assert_not(expect_same("{\"a\": 12.5, \"b\": 7" TAIL, "{\"a\": 02.5, \"b\": 7" TAIL));
    cr_assert_not(expect_same("{\"a\": 12, \"b\": 7" TAIL, "{\"a\": 00, \"b\": 7" TAIL));
}

/* Each byte of a text in turn changed, removed or doubled. */
Test(json_read_like, agrees_with_the_parser_on_every_small_change)
{
    static const char text[] =
        "{\"a\": [1.5, -20, 3e2, 0], \"b\": {\"c\": \"x\\n\", \"d\": true},\n"
        " \"e\": \"plain text\", \"f\": 9007199254740993, \"g\": []" TAIL;
    static const char odd[] = "0129.-+eE\"\\,:[]{} \nnt\x01\x7f\x80\xc3";
    char changed[sizeof text + 1];
    for (size_t at = 0; at < sizeof text - 1; at++) {
        for (size_t o = 0; o < sizeof odd - 1; o++) {
            memcpy(changed, text, sizeof text);
            changed[at] = odd[o];
            expect_same(text, changed);
            memcpy(changed + at + 1, text + at, sizeof text - at);
            expect_same(text, changed);
        }
        memcpy(changed, text, at);
        memcpy(changed + at, text + at + 1, sizeof text - at - 1);
        expect_same(text, changed);
    }
}
