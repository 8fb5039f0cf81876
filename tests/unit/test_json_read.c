#include "parsed_json.h"

#include <stdio.h>

/* Parsing, navigation and strings. */

Test(json_read, indexes_nodes_in_document_order)
{
    struct parsed_json p = parsed_json("{\"a\": [1, true, null], \"b\": {\"c\": \"x\"}}");
    const struct json_read_node *n = p.document.nodes;
    static const struct {
        uint8_t type;
        uint32_t offset, length, end;
    } expected[] = {
        {JSON_READ_OBJECT, 0, 40, 9}, {JSON_READ_STRING, 2, 1, 6}, {JSON_READ_ARRAY, 6, 15, 6},
        {JSON_READ_NUMBER, 7, 1, 4},  {JSON_READ_TRUE, 10, 4, 5},  {JSON_READ_NULL, 16, 4, 6},
        {JSON_READ_STRING, 24, 1, 9},
    };
    cr_assert_eq(p.document.count, 10);
    cr_assert_eq(n[0].end, 10);
    for (size_t i = 1; i < 6; i++) {
        cr_assert_eq(n[i].type, expected[i].type, "node %zu", i);
        cr_assert_eq(n[i].offset, expected[i].offset, "node %zu", i);
        cr_assert_eq(n[i].length, expected[i].length, "node %zu", i);
        cr_assert_eq(n[i].end, expected[i].end, "node %zu", i);
    }
    cr_assert_eq(n[0].length, strlen("{\"a\": [1, true, null], \"b\": {\"c\": \"x\"}}"));
    cr_assert_eq(n[1].flags, JSON_READ_KEY);
    cr_assert_eq(n[6].end, 10, "the last key reaches to the end of its value");
    cr_assert_eq(n[7].type, JSON_READ_OBJECT);
    cr_assert_eq(n[8].end, 10);
    parsed_json_fini(&p);
}

Test(json_read, walks_members_and_elements)
{
    struct parsed_json p = parsed_json("{\"a\":[[],[1,[2]],3],\"b\":{},\"c\":7}");
    const struct json_read_document *d = &p.document;
    uint32_t a = json_read_member(d, 0, "a");
    cr_assert_eq(json_read_count(d, 0), 3);
    cr_assert_eq(json_read_count(d, a), 3);
    uint32_t first = json_read_first(d, a);
    uint32_t second = json_read_next(d, a, first);
    uint32_t third = json_read_next(d, a, second);
    cr_assert_eq(json_read_count(d, first), 0);
    cr_assert_eq(json_read_first(d, first), JSON_READ_NONE);
    cr_assert_eq(json_read_count(d, second), 2);
    cr_assert(json_read_is(d, third, JSON_READ_NUMBER));
    cr_assert_eq(json_read_next(d, a, third), JSON_READ_NONE);
    uint32_t key = json_read_first(d, 0), keys = 0;
    for (; key != JSON_READ_NONE; key = json_read_next(d, 0, key), keys++)
        cr_assert(d->nodes[key].flags & JSON_READ_KEY);
    cr_assert_eq(keys, 3);
    parsed_json_fini(&p);
}

Test(json_read, takes_no_node_everywhere)
{
    struct parsed_json p = parsed_json("[1]");
    const struct json_read_document *d = &p.document;
    char out[8] = "xxxxxxx";
    double number = 3;
    int64_t integer = 3;
    cr_assert_eq(json_read_member(d, JSON_READ_NONE, "a"), JSON_READ_NONE);
    cr_assert_eq(json_read_member(d, 0, "a"), JSON_READ_NONE, "an array has no members");
    cr_assert_eq(json_read_first(d, JSON_READ_NONE), JSON_READ_NONE);
    cr_assert_eq(json_read_first(d, 1), JSON_READ_NONE, "a number has no children");
    cr_assert_eq(json_read_next(d, JSON_READ_NONE, 0), JSON_READ_NONE);
    cr_assert_eq(json_read_next(d, 0, JSON_READ_NONE), JSON_READ_NONE);
    cr_assert_eq(json_read_count(d, JSON_READ_NONE), 0);
    cr_assert_not(json_read_is(d, JSON_READ_NONE, JSON_READ_NULL));
    cr_assert_not(json_read_equals(d, JSON_READ_NONE, ""));
    cr_assert_not(json_read_double(d, JSON_READ_NONE, &number));
    cr_assert_not(json_read_int64(d, JSON_READ_NONE, &integer));
    cr_assert_eq(json_read_string(d, JSON_READ_NONE, out, sizeof out), 0);
    cr_assert_str_eq(out, "");
    json_read_pointer(d, JSON_READ_NONE, out, sizeof out);
    cr_assert_str_eq(out, "");
    cr_assert_eq(number, 3);
    cr_assert_eq(integer, 3);
    parsed_json_fini(&p);
}

Test(json_read, a_document_is_reused_without_a_new_allocation)
{
    struct parsed_json p = parsed_json("[1,2,3,4,5,6,7,8,9]");
    const struct json_read_node *nodes = p.document.nodes;
    cr_assert_eq(json_read_parse(&p.document, "{\"a\":1}", 7, &p.fault, &p.diag), STATUS_OK);
    cr_assert_eq(p.document.nodes, nodes);
    cr_assert_eq(p.document.count, 3);
    cr_assert_eq(json_read_parse(&p.document, "{\"a\":", 5, &p.fault, &p.diag), STATUS_INPUT);
    cr_assert_eq(p.document.count, 0, "a failed parse leaves no nodes");
    cr_assert_eq(p.document.flags, 0);
    cr_assert_eq(json_read_parse(&p.document, "7", 1, &p.fault, &p.diag), STATUS_OK);
    cr_assert_eq(p.document.count, 1);
    parsed_json_fini(&p);
}

Test(json_read, a_zeroed_document_and_null_are_safe_to_fini)
{
    struct json_read_document document = {0};
    json_read_fini(&document);
    json_read_fini(NULL);
    cr_assert_null(document.nodes);
}

Test(json_read, reads_every_kind_of_root_and_white_space)
{
    static const char *const texts[] = {"null",   "true",    "false",
                                        "0",      "-0",      "\"\"",
                                        "[]",     "{}",      " \t\r\n[ \t\r\n] \t\r\n",
                                        "{ }",    "[1 , 2]", "{\"a\" \n : \r\n 1 \t, \"b\":2}",
                                        "1.5e-3", "-1E+2"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct parsed_json p = parsed_json(texts[i]);
        parsed_json_fini(&p);
    }
}

/* Runs of every length around the eight bytes that the scanner takes at a time. */
Test(json_read, white_space_and_strings_of_every_length_end_where_they_should)
{
    for (int spaces = 0; spaces < 40; spaces++)
        for (int letters = 0; letters < 40; letters++) {
            char text[256];
            int size = snprintf(text, sizeof text, "[\n%*s\"%.*s\"%*s]", spaces, "", letters,
                                "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz", spaces, "");
            struct parsed_json p = parsed_json_bytes(text, (size_t)size);
            cr_assert_eq(p.status, STATUS_OK, "%s", text);
            cr_assert_eq(p.document.nodes[1].offset, (uint32_t)(spaces + 3));
            cr_assert_eq(p.document.nodes[1].length, (uint32_t)letters);
            parsed_json_fini(&p);
        }
}

Test(json_read, a_special_byte_is_seen_at_every_place_of_a_string)
{
    for (size_t place = 0; place < 24; place++) {
        char text[32];
        memset(text, 'a', sizeof text);
        text[0] = text[25] = '"';
        text[place + 1] = '\x1f';
        struct parsed_json p = parsed_json_bytes(text, 26);
        cr_assert_eq(p.fault.kind, JSON_READ_FAULT_NOT_JSON);
        cr_assert_eq(p.fault.offset, place + 1);
        parsed_json_fini(&p);
        text[place + 1] = '\xff';
        p = parsed_json_bytes(text, 26);
        cr_assert_eq(p.fault.kind, JSON_READ_FAULT_ENCODING);
        cr_assert_eq(p.fault.offset, place + 1);
        parsed_json_fini(&p);
        text[place + 1] = '\x7f'; /* DEL is allowed in JSON */
        p = parsed_json_bytes(text, 26);
        cr_assert_eq(p.status, STATUS_OK);
        parsed_json_fini(&p);
    }
}

static void check_string(const char *json, const char *expected, unsigned flags)
{
    struct parsed_json p = parsed_json(json);
    char out[64];
    cr_assert_eq(json_read_string(&p.document, 0, out, sizeof out), strlen(expected), "%s", json);
    cr_assert_str_eq(out, expected, "%s", json);
    cr_assert_eq(p.document.nodes[0].flags, flags, "%s: flags %u", json, p.document.nodes[0].flags);
    cr_assert_eq(p.document.flags, flags);
    size_t room = p.document.nodes[0].length + 1;
    cr_assert_lt(json_read_string(&p.document, 0, out, room), room, "length + 1 bytes suffice");
    parsed_json_fini(&p);
}

Test(json_read, decodes_strings)
{
    check_string("\"plain\"", "plain", 0);
    check_string("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "\"\\/\b\f\n\r\t", JSON_READ_ESCAPED);
    check_string("\"\\u0041\\u00e9\\u4E2D\"", "A\xC3\xA9\xE4\xB8\xAD", JSON_READ_ESCAPED);
    check_string("\"\\ud83d\\ude00\"", "\xF0\x9F\x98\x80", JSON_READ_ESCAPED);
    check_string("\"\xF0\x9F\x98\x80\xC3\xA9\"", "\xF0\x9F\x98\x80\xC3\xA9", 0);
    check_string("\"a\\u0000b\"",
                 "a\xEF\xBF\xBD"
                 "b",
                 JSON_READ_ESCAPED | JSON_READ_NUL_IN_STRING);
}

Test(json_read, half_of_a_surrogate_pair_is_flagged_and_replaced)
{
    unsigned flags = JSON_READ_ESCAPED | JSON_READ_LONE_SURROGATE;
    check_string("\"\\ud83d\"", "\xEF\xBF\xBD", flags);
    check_string("\"\\ude00x\"", "\xEF\xBF\xBDx", flags);
    check_string("\"\\ud83d\\n\"", "\xEF\xBF\xBD\n", flags);
    check_string("\"\\ud83d\\u0041\"",
                 "\xEF\xBF\xBD"
                 "A",
                 flags);
    check_string("\"\\ud83d\\ud83d\\ude00\"", "\xEF\xBF\xBD\xF0\x9F\x98\x80", flags);
    check_string("\"\\ude00\\ud83d\"", "\xEF\xBF\xBD\xEF\xBF\xBD", flags);
}

Test(json_read, cuts_a_string_on_a_code_point_border)
{
    struct parsed_json p = parsed_json("[\"ab\xC3\xA9\", \"ab\\u00e9\\u4e2d.\"]");
    static const char *const plain[] = {"x", "", "a", "ab", "ab", "ab\xC3\xA9"};
    static const char *const escaped[] = {"x",  "",           "a",          "ab",
                                          "ab", "ab\xC3\xA9", "ab\xC3\xA9", "ab\xC3\xA9"};
    for (size_t capacity = 0; capacity < 6; capacity++) {
        char out[16] = "x";
        cr_assert_eq(json_read_string(&p.document, 1, out, capacity), 4);
        cr_assert_str_eq(out, plain[capacity]);
    }
    for (size_t capacity = 0; capacity < 8; capacity++) {
        char out[16] = "x";
        cr_assert_eq(json_read_string(&p.document, 2, out, capacity), 8);
        cr_assert_str_eq(out, escaped[capacity], "%zu: %s", capacity, out);
    }
    parsed_json_fini(&p);
}

Test(json_read, compares_decoded_strings)
{
    struct parsed_json p = parsed_json("[\"a_b\", \"a\\u005fb\", \"\", \"a\\u0000\", \"\\ud800\"]");
    const struct json_read_document *d = &p.document;
    cr_assert(json_read_equals(d, 1, "a_b"));
    cr_assert_not(json_read_equals(d, 1, "a_"));
    cr_assert_not(json_read_equals(d, 1, "a_bc"));
    cr_assert(json_read_equals(d, 2, "a_b"));
    cr_assert_not(json_read_equals(d, 2, "a_"));
    cr_assert_not(json_read_equals(d, 2, "a_bc"));
    cr_assert(json_read_equals(d, 3, ""));
    cr_assert_not(json_read_equals(d, 4, "a"), "a NUL does not end the comparison");
    cr_assert_not(json_read_equals(d, 5, "\xEF\xBF\xBD"), "a surrogate equals no text");
    parsed_json_fini(&p);
}

Test(json_read, finds_members_by_decoded_name)
{
    struct parsed_json p =
        parsed_json("{\"peak\\u005fmemory_mb\": 1, \"\": 2, \"\xC3\xA9\": 3, \"peak\": 4}");
    const struct json_read_document *d = &p.document;
    int64_t value = 0;
    cr_assert(json_read_int64(d, json_read_member(d, 0, "peak_memory_mb"), &value) && value == 1);
    cr_assert(json_read_int64(d, json_read_member(d, 0, ""), &value) && value == 2);
    cr_assert(json_read_int64(d, json_read_member(d, 0, "\xC3\xA9"), &value) && value == 3);
    cr_assert(json_read_int64(d, json_read_member(d, 0, "peak"), &value) && value == 4);
    cr_assert_eq(json_read_member(d, 0, "pea"), JSON_READ_NONE);
    cr_assert_eq(d->nodes[1].hash, json_read_hash("peak_memory_mb", 14));
    parsed_json_fini(&p);
}

static uint32_t count_duplicates(const struct json_read_document *d)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < d->count; i++)
        count += (d->nodes[i].flags & JSON_READ_DUPLICATE_KEY) != 0;
    return count;
}

Test(json_read, flags_the_second_and_later_key_of_one_name)
{
    struct parsed_json p =
        parsed_json("{\"a\":1,\"b\":{\"a\":2},\"\\u0061\":3,\"a\":4,\"A\":5,\"b\":6}");
    const struct json_read_document *d = &p.document;
    cr_assert_eq(count_duplicates(d), 3);
    uint32_t key = json_read_first(d, 0);
    static const bool expected[] = {false, false, true, true, false, true};
    for (size_t i = 0; i < 6; i++, key = json_read_next(d, 0, key))
        cr_assert_eq((d->nodes[key].flags & JSON_READ_DUPLICATE_KEY) != 0, expected[i], "%zu", i);
    cr_assert(d->flags & JSON_READ_DUPLICATE_KEY);
    int64_t value;
    cr_assert(json_read_int64(d, json_read_member(d, 0, "a"), &value) && value == 1);
    parsed_json_fini(&p);
    p = parsed_json("[{\"a\":1},{\"a\":1},{\"b\":1,\"c\":{\"b\":1}}]");
    cr_assert_eq(p.document.flags & JSON_READ_DUPLICATE_KEY, 0, "other objects have own names");
    parsed_json_fini(&p);
}

Test(json_read, names_with_different_surrogates_are_no_duplicates)
{
    struct parsed_json p = parsed_json("{\"\\ud800\":1,\"\\ud801\":2,\"\\ufffd\":3,\"\\u0000\":4}");
    cr_assert_eq(count_duplicates(&p.document), 0);
    parsed_json_fini(&p);
}

/* Around the border between pairs and sorting, with values that are containers in between. */
Test(json_read, finds_duplicates_in_objects_of_every_size)
{
    static char text[1 << 16];
    for (int keys = 2; keys < 400; keys = keys < 70 ? keys + 1 : keys * 2) {
        size_t used = 0;
        for (int i = 0; i < keys; i++)
            used += (size_t)snprintf(text + used, sizeof text - used, "%c\"key_%d\":{\"x\":[%d]}",
                                     i == 0 ? '{' : ',', i, i);
        size_t plain = used;
        used += (size_t)snprintf(text + used, sizeof text - used, "}");
        struct parsed_json p = parsed_json_bytes(text, used);
        cr_assert_eq(p.status, STATUS_OK);
        cr_assert_eq(count_duplicates(&p.document), 0, "%d keys", keys);
        parsed_json_fini(&p);
        used = plain;
        used += (size_t)snprintf(text + used, sizeof text - used,
                                 ",\"key\\u005f%d\":1,\"key_0\":2,\"key_0\":3}", keys - 1);
        p = parsed_json_bytes(text, used);
        cr_assert_eq(p.status, STATUS_OK);
        cr_assert_eq(count_duplicates(&p.document), 3, "%d keys", keys);
        cr_assert_eq(p.document.nodes[p.document.nodes[0].end - 2].flags,
                     JSON_READ_KEY | JSON_READ_DUPLICATE_KEY, "the last one is flagged");
        parsed_json_fini(&p);
    }
}

/* 200,000 keys of one name, and as many that differ at their ends only: quadratic work would take
 * minutes and run into CTest's time limit. */
Test(json_read, an_object_of_very_many_keys_is_no_attack)
{
    enum { KEYS = 200000 };
    char *text = malloc((size_t)KEYS * 40 + 16);
    cr_assert_not_null(text);
    for (int same = 0; same < 2; same++) {
        size_t used = 0;
        for (int i = 0; i < KEYS; i++)
            used += (size_t)snprintf(text + used, 40, "%c\"a_common_beginning_%d\":0",
                                     i == 0 ? '{' : ',', same ? 7 : i);
        text[used++] = '}';
        struct parsed_json p = parsed_json_bytes(text, used);
        cr_assert_eq(p.status, STATUS_OK);
        cr_assert_eq(count_duplicates(&p.document), same ? KEYS - 1 : 0);
        parsed_json_fini(&p);
    }
    free(text);
}

Test(json_read, skips_and_reports_one_byte_order_mark)
{
    struct parsed_json p = parsed_json("\xEF\xBB\xBF{\"a\":1}");
    cr_assert(p.document.has_bom);
    cr_assert_eq(p.document.nodes[0].offset, 3);
    parsed_json_fini(&p);
    p = parsed_json("[\"\xEF\xBB\xBF\"]");
    cr_assert_not(p.document.has_bom, "inside a string it is a character");
    parsed_json_fini(&p);
}

/* Evidence may have 512 levels, a summary of it a few more. */
Test(json_read, notes_level_513_and_refuses_521)
{
    char text[1100];
    for (size_t levels = 510; levels <= 523; levels++) {
        memset(text, '[', levels);
        memset(text + levels, ']', levels);
        struct parsed_json p = parsed_json_bytes(text, 2 * levels);
        cr_assert_eq(p.status, levels <= 520 ? STATUS_OK : STATUS_INPUT);
        if (levels > 520) {
            cr_assert_eq(p.fault.kind, JSON_READ_FAULT_TOO_DEEP);
            cr_assert_eq(p.fault.offset, 512);
        } else {
            char pointer[2048];
            cr_assert_eq(p.document.deep, levels > 512 ? 512 : JSON_READ_NONE);
            json_read_pointer(&p.document, (uint32_t)levels - 1, pointer, sizeof pointer);
            cr_assert_eq(strlen(pointer), 2 * (levels - 1));
        }
        parsed_json_fini(&p);
    }
}

Test(json_read, names_types_and_faults_as_the_contract_does)
{
    cr_assert_str_eq(json_read_type_name(JSON_READ_NULL), "null");
    cr_assert_str_eq(json_read_type_name(JSON_READ_ARRAY), "an array");
    cr_assert_str_eq(json_read_type_name(JSON_READ_OBJECT), "an object");
    cr_assert_str_eq(json_read_type_name(JSON_READ_NUMBER), "a number");
    cr_assert_str_eq(json_read_fault_name(JSON_READ_FAULT_EMPTY), "empty");
    cr_assert_str_eq(json_read_fault_name(JSON_READ_FAULT_ENCODING), "encoding");
    cr_assert_str_eq(json_read_fault_name(JSON_READ_FAULT_NOT_JSON), "not_json");
    cr_assert_str_eq(json_read_fault_name(JSON_READ_FAULT_TRUNCATED), "truncated");
    cr_assert_str_eq(json_read_fault_name(JSON_READ_FAULT_TRAILING_DATA), "trailing_data");
    cr_assert_str_eq(json_read_fault_name(JSON_READ_FAULT_TOO_DEEP), "too_deep");
    cr_assert_str_eq(json_read_fault_name(JSON_READ_FAULT_TOO_LARGE), "too_large");
}
