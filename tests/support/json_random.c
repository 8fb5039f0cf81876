#include "json_random.h"

#include <stdio.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

size_t json_random_below(struct json_random *random, size_t limit)
{
    random->state = random->state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (size_t)((random->state >> 33) % limit);
}

static void add(struct json_random *random, const char *bytes, size_t length)
{
    if (length > sizeof random->text - random->size)
        return;
    memcpy(random->text + random->size, bytes, length);
    random->size += length;
}

static void put(struct json_random *random, const char *text)
{
    add(random, text, strlen(text));
}

static void put_space(struct json_random *random)
{
    static const char *const spaces[] = {
        "", "", "", " ", "\n", "\r\n", "\t", "\n        ", "\n                  "};
    put(random, spaces[json_random_below(random, COUNT(spaces))]);
}

static void put_string(struct json_random *random)
{
    static const char *const parts[] = {"a",
                                        "key",
                                        "_",
                                        "\\u005f",
                                        "peak_memory_mb",
                                        "\\n",
                                        "\\\"",
                                        "\\\\",
                                        "\\/",
                                        "\\u00e9",
                                        "\xC3\xA9",
                                        "\xE4\xB8\xAD\xE6\x96\x87",
                                        "\xF0\x9F\x98\x80",
                                        "\\ud83d\\ude00",
                                        "\\ud800",
                                        "\\udc00",
                                        "\\u0000",
                                        "\x7f",
                                        "0123456789abcdef",
                                        "\\uFFFF",
                                        "~",
                                        "/",
                                        "\xEF\xBB\xBF"};
    put(random, "\"");
    for (size_t n = json_random_below(random, 5); n > 0; n--) {
        size_t common = json_random_below(random, 4) == 0 ? COUNT(parts) : 13;
        put(random, parts[json_random_below(random, common)]);
    }
    put(random, "\"");
}

static void put_number(struct json_random *random)
{
    static const char *const numbers[] = {"0",
                                          "-0",
                                          "1e309",
                                          "-1e400",
                                          "1e-400",
                                          "9007199254740993",
                                          "9223372036854775807",
                                          "-9223372036854775808",
                                          "9223372036854775808",
                                          "123456789012345678901234567890",
                                          "1.7976931348623158e308",
                                          "4.9e-324",
                                          "2.5E+3",
                                          "0.1",
                                          "1e22",
                                          "1e23",
                                          "0e5"};
    char text[64];
    int whole = (int)json_random_below(random, 1000000),
        part = (int)json_random_below(random, 1000);
    switch (json_random_below(random, 5)) {
    case 0:
        put(random, numbers[json_random_below(random, COUNT(numbers))]);
        return;
    case 1:
        snprintf(text, sizeof text, "%d", whole);
        break;
    case 2:
        snprintf(text, sizeof text, "-%d.%03d", whole, part);
        break;
    case 3:
        snprintf(text, sizeof text, "%d.%03d%06de%d", whole, part, whole, part % 700 - 350);
        break;
    default:
        snprintf(text, sizeof text, "0.%06d%06d%06d", whole, part, whole);
        break;
    }
    put(random, text);
}

static void put_scalar(struct json_random *random)
{
    static const char *const words[] = {"null", "true", "false"};
    size_t choice = json_random_below(random, 8);
    if (choice < 3)
        put_string(random);
    else if (choice < 7)
        put_number(random);
    else
        put(random, words[json_random_below(random, COUNT(words))]);
}

/* Nested at most `depth` deep. */
static void put_value(struct json_random *random, int depth)
{
    size_t choice = depth > 0 ? json_random_below(random, 3) : 2;
    if (choice == 2) {
        put_scalar(random);
        return;
    }
    put(random, choice == 0 ? "{" : "[");
    put_space(random);
    size_t count = json_random_below(random, 7);
    for (size_t i = 0; i < count && random->size < sizeof random->text / 4; i++) {
        if (i > 0) {
            put(random, ",");
            put_space(random);
        }
        if (choice == 0) {
            put_string(random);
            put(random, ":");
            put_space(random);
        }
        put_value(random, depth - 1);
        put_space(random);
    }
    put(random, choice == 0 ? "}" : "]");
}

void json_random_document(struct json_random *random)
{
    random->size = 0;
    if (json_random_below(random, 20) == 0)
        put(random, "\xEF\xBB\xBF");
    put_space(random);
    put_value(random, 5);
    put_space(random);
}

static void insert(struct json_random *random, size_t place, const char *bytes, size_t length)
{
    if (length > sizeof random->text - random->size)
        return;
    memmove(random->text + place + length, random->text + place, random->size - place);
    memcpy(random->text + place, bytes, length);
    random->size += length;
}

static void insert_piece(struct json_random *random, size_t place)
{
    static const char *const pieces[] = {"\"",
                                         "\\",
                                         "\\u",
                                         "\\u12",
                                         ",",
                                         ":",
                                         "[",
                                         "]",
                                         "{",
                                         "}",
                                         "-",
                                         "+",
                                         ".",
                                         "e",
                                         "E+",
                                         "0",
                                         "00",
                                         "NaN",
                                         "-Infinity",
                                         "None",
                                         "'",
                                         "//",
                                         "#",
                                         "\n",
                                         " ",
                                         "\t",
                                         "\v",
                                         "\x01",
                                         "\x1b",
                                         "\xFF",
                                         "\xC0\xAF",
                                         "\xED\xA0\x80",
                                         "\xF4\x90\x80\x80",
                                         "\xE2\x80",
                                         "\xC2\xA0",
                                         "\xEF\xBB",
                                         "tru",
                                         "null",
                                         "\\ud83d",
                                         "\\udc00",
                                         "{}",
                                         "[]",
                                         "\"\":1",
                                         "<html>",
                                         "\xE2\x80\x9C"};
    const char *piece = pieces[json_random_below(random, COUNT(pieces))];
    insert(random, place, piece, strlen(piece));
}

static void damage_once(struct json_random *random)
{
    size_t place = json_random_below(random, random->size + 1);
    size_t left = random->size - place;
    size_t length = left == 0 ? 0 : json_random_below(random, left < 9 ? left : 9) + 1;
    char copy[16];
    switch (json_random_below(random, 6)) {
    case 0: /* one byte of any value */
        if (left > 0)
            random->text[place] = (char)json_random_below(random, 256);
        break;
    case 1: /* cut out */
        memmove(random->text + place, random->text + place + length, left - length);
        random->size -= length;
        break;
    case 2: /* repeat */
        memcpy(copy, random->text + place, length);
        insert(random, place, copy, length);
        break;
    case 3: /* cut off */
        if (json_random_below(random, 4) == 0)
            random->size = place;
        break;
    case 4:
        insert(random, place, "\0\0", 1 + json_random_below(random, 2));
        break;
    default:
        insert_piece(random, place);
        break;
    }
}

void json_random_damage(struct json_random *random)
{
    for (size_t n = json_random_below(random, 4) + 1; n > 0; n--)
        damage_once(random);
}
