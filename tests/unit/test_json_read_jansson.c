#include "parsed_json.h"

#include <dirent.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>

#include "json_random.h"

/*
 * The same texts through jansson: both accept or both refuse, and what they read is the same.
 * Where the two differ on purpose, this reader accepts and marks what jansson refuses:
 *
 * - half of a surrogate pair and a number beyond the doubles (flags, to report their places);
 * - an integer beyond 64 bits (kept digit by digit);
 * - a byte order mark (skipped);
 * - a NUL in a member's name (flag), which jansson refuses even with JSON_ALLOW_NUL.
 *
 * jansson overlooks a NUL byte that follows a number or a word; this reader refuses every NUL byte.
 */

#define SUITE TESTS_SOURCE_DIR "/../../shared/cases/jsontestsuite"

static bool jansson_refuses_by_choice(const struct json_read_document *d)
{
    if (d->has_bom || (d->flags & (JSON_READ_LONE_SURROGATE | JSON_READ_NUMBER_OUT_OF_RANGE)) != 0)
        return true;
    for (uint32_t i = 0; i < d->count; i++) {
        int64_t value;
        unsigned flags = d->nodes[i].flags;
        if ((flags & JSON_READ_KEY) != 0 && (flags & JSON_READ_NUL_IN_STRING) != 0)
            return true;
        if ((flags & JSON_READ_INTEGER) != 0 && !json_read_int64(d, i, &value))
            return true;
    }
    return false;
}

/* jansson keeps a NUL in a string where this reader writes U+FFFD. */
static bool same_string(const struct json_read_document *d, uint32_t node, const char *text,
                        size_t length)
{
    static char decoded[16384], expected[16384];
    size_t size = json_read_string(d, node, decoded, sizeof decoded), used = 0;
    for (size_t i = 0; i < length && used + 4 < sizeof expected; i++) {
        if (text[i] == '\0') {
            memcpy(expected + used, "\xEF\xBF\xBD", 3);
            used += 3;
        } else {
            expected[used++] = text[i];
        }
    }
    return size == used && memcmp(decoded, expected, used) == 0;
}

static bool same_number(const struct json_read_document *d, uint32_t node, json_t *other)
{
    double value = 0, expected;
    if (!json_read_double(d, node, &value))
        return false;
    if (json_is_integer(other)) {
        int64_t integer;
        return (d->nodes[node].flags & JSON_READ_INTEGER) != 0 &&
               json_read_int64(d, node, &integer) && integer == json_integer_value(other) &&
               value == (double)integer;
    }
    expected = json_real_value(other);
    return memcmp(&value, &expected, sizeof value) == 0;
}

static bool same(const struct json_read_document *d, uint32_t node, json_t *other)
{
    switch ((enum json_read_type)d->nodes[node].type) {
    case JSON_READ_NULL:
        return json_is_null(other);
    case JSON_READ_FALSE:
        return json_is_false(other);
    case JSON_READ_TRUE:
        return json_is_true(other);
    case JSON_READ_NUMBER:
        return json_is_number(other) && same_number(d, node, other);
    case JSON_READ_STRING:
        return json_is_string(other) &&
               same_string(d, node, json_string_value(other), json_string_length(other));
    case JSON_READ_ARRAY: {
        size_t index = 0;
        if (!json_is_array(other) || json_array_size(other) != json_read_count(d, node))
            return false;
        for (uint32_t i = json_read_first(d, node); i != JSON_READ_NONE;
             i = json_read_next(d, node, i))
            if (!same(d, i, json_array_get(other, index++)))
                return false;
        return true;
    }
    case JSON_READ_OBJECT:
        if (!json_is_object(other) || json_object_size(other) != json_read_count(d, node))
            return false;
        for (uint32_t key = json_read_first(d, node); key != JSON_READ_NONE;
             key = json_read_next(d, node, key)) {
            static char name[16384]; /* used up before the next level */
            json_read_string(d, key, name, sizeof name);
            json_t *value = json_object_get(other, name);
            if (value == NULL || json_read_member(d, node, name) != key + 1 ||
                !same(d, key + 1, value))
                return false;
        }
        return true;
    }
    return false;
}

struct tally {
    long accepted, refused, by_choice, compared;
};

static void compare(const char *text, size_t size, struct tally *tally)
{
    struct parsed_json p = parsed_json_bytes(text, size);
    json_t *other = json_loadb(text, size, JSON_DECODE_ANY | JSON_ALLOW_NUL, NULL);
    bool accepted = p.status == STATUS_OK;
    bool by_choice = accepted && jansson_refuses_by_choice(&p.document);
    if (memchr(text, '\0', size) != NULL)
        cr_assert_not(accepted, "%.*s", (int)size, text);
    else
        cr_assert_eq(accepted && !by_choice, other != NULL, "%.*s: %s", (int)size, text,
                     p.fault.message);
    tally->accepted += accepted;
    tally->refused += !accepted;
    tally->by_choice += by_choice;
    /* Of duplicate names jansson keeps the last value, this reader all. */
    if (accepted && other != NULL && (p.document.flags & JSON_READ_DUPLICATE_KEY) == 0) {
        cr_assert(same(&p.document, 0, other), "%.*s", (int)size, text);
        tally->compared++;
    }
    json_decref(other);
    parsed_json_fini(&p);
}

Test(json_read_jansson, reads_random_documents_as_jansson_does)
{
    struct json_random random = {.state = 1};
    struct tally tally = {0};
    for (int i = 0; i < 5000; i++) {
        json_random_document(&random);
        compare(random.text, random.size, &tally);
    }
    cr_assert_eq(tally.refused, 0);
    cr_assert_gt(tally.compared, 2000);
    cr_assert_gt(tally.by_choice, 100);
}

Test(json_read_jansson, accepts_and_refuses_damaged_documents_as_jansson_does)
{
    struct json_random random = {.state = 2};
    struct tally tally = {0};
    for (int i = 0; i < 40000; i++) {
        json_random_document(&random);
        json_random_damage(&random);
        compare(random.text, random.size, &tally);
    }
    cr_assert_gt(tally.refused, 10000);
    cr_assert_gt(tally.compared, 1000);
}

Test(json_read_jansson, agrees_on_the_json_test_suite)
{
    DIR *folder = opendir(SUITE);
    if (folder == NULL)
        cr_skip_test("JSONTestSuite is not there (looked for ../shared/cases/jsontestsuite)");
    static char data[1 << 20];
    struct tally tally = {0};
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        char path[4096];
        snprintf(path, sizeof path, "%s/%s", SUITE, entry->d_name);
        FILE *file = strstr(entry->d_name, ".json") != NULL ? fopen(path, "rb") : NULL;
        if (file == NULL)
            continue;
        size_t size = fread(data, 1, sizeof data, file);
        fclose(file);
        compare(data, size, &tally);
    }
    closedir(folder);
    cr_assert(tally.accepted > 90 && tally.refused > 180, "%ld accepted, %ld refused",
              tally.accepted, tally.refused);
}
