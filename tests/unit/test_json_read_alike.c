#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json_read.h"

/*
 * Elements written like the one before them are read by a way of their own. A blank before each
 * comma leads past it, so that both ways read the same numbers here and must agree.
 */

#define PADDING "                                                                  "

static const char *const pieces[] = {"1.5",
                                     "2.5",
                                     "0.5",
                                     "12.25",
                                     "02.25",
                                     "9.999",
                                     "1.5e3",
                                     "1e5",
                                     "7",
                                     "0",
                                     "00",
                                     "10",
                                     "-1.5",
                                     "-0",
                                     "1.",
                                     ".5",
                                     "1.5.5",
                                     "1,5",
                                     "x",
                                     "287.12",
                                     "287.123",
                                     "1234567",
                                     "12345678",
                                     "123456789012345",
                                     "1234567890123456",
                                     "9007199254740993",
                                     "0.12345678901234567",
                                     "8.12345678901234567890",
                                     "8.123456789012345678901",
                                     "1.23456789012345678901234",
                                     "1/5",
                                     "1:5",
                                     "\"a\"",
                                     "null",
                                     "1e400",
                                     "1e-400",
                                     "[]"};

#define PIECES (sizeof pieces / sizeof pieces[0])

static void write_array(char *out, const char *const *elements, size_t count, const char *comma)
{
    strcpy(out, "[");
    for (size_t i = 0; i < count; i++)
        strcat(strcat(out, elements[i]), i + 1 < count ? comma : "]");
    strcat(out, PADDING);
}

/* Both texts must be accepted or refused together, with nodes of the same texts and properties. */
static void expect_same(const char *plain, const char *detour)
{
    struct json_read_document a = {0};
    struct json_read_document b = {0};
    struct json_read_fault fault;
    struct diag diag = {0};
    enum status first = json_read_parse(&a, plain, strlen(plain), &fault, &diag);
    enum status second = json_read_parse(&b, detour, strlen(detour), &fault, &diag);
    cr_assert_eq(first, second, "%s", plain);
    cr_assert_eq(a.count, b.count, "%s", plain);
    cr_assert_eq(a.flags, b.flags, "%s", plain);
    for (uint32_t i = 0; i < a.count; i++) {
        const struct json_read_node *x = &a.nodes[i];
        const struct json_read_node *y = &b.nodes[i];
        cr_assert(x->type == y->type && x->flags == y->flags && x->hash == y->hash &&
                      x->end == y->end,
                  "node %u of %s", (unsigned)i, plain);
        if (x->type == JSON_READ_NUMBER)
            cr_assert(x->length == y->length &&
                          memcmp(plain + x->offset, detour + y->offset, x->length) == 0,
                      "node %u of %s", (unsigned)i, plain);
    }
    json_read_fini(&a);
    json_read_fini(&b);
}

static void compare_ways(const char *const *elements, size_t count)
{
    static const char *const commas[] = {",", ", ", ",\n    ", ",\t\r\n "};
    static const char *const detours[] = {" ,", " , ", " ,\n    ", " ,\t\r\n "};
    char plain[4096];
    char detour[4096];
    for (size_t i = 0; i < sizeof commas / sizeof commas[0]; i++) {
        write_array(plain, elements, count, commas[i]);
        write_array(detour, elements, count, detours[i]);
        expect_same(plain, detour);
    }
}

Test(json_read_alike, every_pair_and_every_triple_of_one_kind_is_read_as_element_by_element)
{
    for (size_t i = 0; i < PIECES; i++) {
        for (size_t j = 0; j < PIECES; j++) {
            const char *const elements[] = {pieces[i], pieces[j], pieces[j], pieces[i], pieces[j]};
            compare_ways(elements, 2);
            compare_ways(elements, 5);
        }
    }
}

Test(json_read_alike, a_character_more_or_less_anywhere_is_not_overlooked)
{
    static const char odd[] = "09.,-+eE \n]}\"x/:\x01\x7f\x80\xff";
    const char *const alike[] = {"287.123", "12345", "8.1234567890123"};
    for (size_t i = 0; i < sizeof alike / sizeof alike[0]; i++) {
        for (size_t at = 0; at < strlen(alike[i]); at++) {
            for (size_t o = 0; o < sizeof odd - 1; o++) {
                char changed[32];
                strcpy(changed, alike[i]);
                changed[at] = odd[o];
                const char *const elements[] = {alike[i], changed, alike[i]};
                if (strchr(",]", odd[o]) == NULL) /* they would need a blank of their own */
                    compare_ways(elements, 3);
            }
        }
    }
}

/* Also NUL, which texts of other tests cannot hold. */
Test(json_read_alike, no_byte_but_a_digit_passes_as_one)
{
    static const char text[] = "[287.123,287.123,287.123,287.123]" PADDING;
    for (size_t at = 10; at < 15; at++) {
        for (int byte = 0; byte < 256; byte++) {
            char changed[sizeof text];
            memcpy(changed, text, sizeof text);
            changed[at] = (char)byte;
            struct json_read_document document = {0};
            struct json_read_fault fault;
            struct diag diag = {0};
            enum status status =
                json_read_parse(&document, changed, sizeof text - 1, &fault, &diag);
            bool digit = byte >= '0' && byte <= '9';
            if (byte == 0 || strchr(",.eE-", byte) == NULL) /* those may make other numbers */
                cr_assert_eq(status, digit || byte == text[at] ? STATUS_OK : STATUS_INPUT,
                             "byte %d at %zu", byte, at);
            json_read_fini(&document);
        }
    }
}

Test(json_read_alike, counts_the_elements_of_a_long_array)
{
    char text[4000] = "[";
    for (int i = 0; i < 300; i++)
        sprintf(text + strlen(text), "%d.%d, ", 100 + i, i % 10);
    strcat(text, "1.5]" PADDING);
    struct json_read_document document = {0};
    struct json_read_fault fault;
    struct diag diag = {0};
    cr_assert_eq(json_read_parse(&document, text, strlen(text), &fault, &diag), STATUS_OK);
    cr_assert_eq(json_read_count(&document, 0), 301);
    cr_assert_eq(document.count, 302);
    double value = 0;
    cr_assert(json_read_double(&document, 300, &value));
    cr_assert_eq(value, 399.9);
    json_read_fini(&document);
}
