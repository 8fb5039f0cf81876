#include "verify_compare.h"

#include <math.h>
#include <string.h>

#include "text.h"

/* Numbers may differ by rounding between builds. */
#define TOLERANCE 1e-12
/* Of a value shown, in bytes. */
#define SHOWN_LENGTH 80

struct comparison {
    const struct json_read_document *stored, *found;
    struct verify_result *result;
    bool failed; /* memory exhausted */
};

static const char *show(struct comparison *comparison, const struct json_read_document *json,
                        uint32_t node)
{
    char text[SHOWN_LENGTH + 8];
    struct arena *arena = &comparison->result->arena;
    if (node == JSON_READ_NONE)
        return "absent";
    const struct json_read_node *value = &json->nodes[node];
    if (value->type == JSON_READ_ARRAY)
        return arena_printf(arena, "an array of %u", json_read_count(json, node));
    if (value->type == JSON_READ_OBJECT)
        return arena_printf(arena, "an object of %u", json_read_count(json, node));
    size_t length = value->length;
    text_escape_into(text, sizeof text, json->text + value->offset,
                     length > SHOWN_LENGTH * 4 ? SHOWN_LENGTH * 4 : length);
    return arena_printf(arena, value->type == JSON_READ_STRING ? "\"%s\"" : "%s", text);
}

/* Differs at `stored` or, where that is absent, at `found`. */
static void add(struct comparison *comparison, uint32_t stored, uint32_t found)
{
    struct verify_result *result = comparison->result;
    char pointer[512];
    if (result->count++ >= VERIFY_MAX_DIFFERENCES || comparison->failed)
        return;
    if (stored != JSON_READ_NONE)
        json_read_pointer(comparison->stored, stored, pointer, sizeof pointer);
    else
        json_read_pointer(comparison->found, found, pointer, sizeof pointer);
    struct verify_difference *place = &result->differences[result->shown];
    place->pointer = arena_copy(&result->arena, pointer, strlen(pointer));
    place->stored = show(comparison, comparison->stored, stored);
    place->found = show(comparison, comparison->found, found);
    comparison->failed = place->pointer == NULL || place->stored == NULL || place->found == NULL;
    if (!comparison->failed)
        result->shown++;
}

static bool same_raw(const struct comparison *comparison, uint32_t stored, uint32_t found)
{
    const struct json_read_node *a = &comparison->stored->nodes[stored];
    const struct json_read_node *b = &comparison->found->nodes[found];
    return a->length == b->length && memcmp(comparison->stored->text + a->offset,
                                            comparison->found->text + b->offset, a->length) == 0;
}

/* Integers exactly, for digests and counts must not drift; others by value. */
static bool same_number(const struct comparison *comparison, uint32_t stored, uint32_t found)
{
    const struct json_read_node *a = &comparison->stored->nodes[stored];
    const struct json_read_node *b = &comparison->found->nodes[found];
    double left, right;
    if (same_raw(comparison, stored, found))
        return true;
    if ((a->flags & b->flags & JSON_READ_INTEGER) != 0)
        return false;
    if (!json_read_double(comparison->stored, stored, &left) ||
        !json_read_double(comparison->found, found, &right))
        return false;
    return fabs(left - right) <= TOLERANCE * fmax(fabs(left), fabs(right));
}

/* Both in one escaping, whoever wrote them. */
static bool same_text(struct comparison *comparison, uint32_t stored, uint32_t found)
{
    if (same_raw(comparison, stored, found))
        return true;
    const struct json_read_node *a = &comparison->stored->nodes[stored];
    if (((a->flags | comparison->found->nodes[found].flags) & JSON_READ_ESCAPED) == 0)
        return false;
    size_t capacity = (size_t)a->length + 1;
    char *text = arena_take(&comparison->result->arena, capacity);
    if (text == NULL) {
        comparison->failed = true;
        return false;
    }
    size_t length = json_read_string(comparison->stored, stored, text, capacity);
    return strlen(text) == length && json_read_equals(comparison->found, found, text);
}

static void compare(struct comparison *comparison, uint32_t stored, uint32_t found);

static void compare_arrays(struct comparison *comparison, uint32_t stored, uint32_t found)
{
    const struct json_read_document *a = comparison->stored;
    const struct json_read_document *b = comparison->found;
    if (json_read_count(a, stored) != json_read_count(b, found)) {
        add(comparison, stored, found);
        return;
    }
    uint32_t left = json_read_first(a, stored);
    uint32_t right = json_read_first(b, found);
    while (left != JSON_READ_NONE) {
        compare(comparison, left, right);
        left = json_read_next(a, stored, left);
        right = json_read_next(b, found, right);
    }
}

/* Both objects are usually in one order, so that the counterpart is looked up only where it is not
 * the next member. */
static uint32_t counterpart(const struct json_read_document *from, uint32_t key,
                            const struct json_read_document *in, uint32_t object, uint32_t next,
                            char *name)
{
    json_read_string(from, key, name, (size_t)from->nodes[key].length + 1);
    if (next != JSON_READ_NONE && json_read_equals(in, next, name))
        return next + 1;
    return json_read_member(in, object, name);
}

/* Members of `from` that `in` lacks are differences; those in both are compared once. */
static void compare_members(struct comparison *comparison, bool forward, uint32_t object,
                            uint32_t other)
{
    const struct json_read_document *from = forward ? comparison->stored : comparison->found;
    const struct json_read_document *in = forward ? comparison->found : comparison->stored;
    uint32_t next = json_read_first(in, other);
    for (uint32_t key = json_read_first(from, object); key != JSON_READ_NONE;
         key = json_read_next(from, object, key)) {
        char *name = arena_take(&comparison->result->arena, (size_t)from->nodes[key].length + 1);
        if (name == NULL) {
            comparison->failed = true;
            return;
        }
        uint32_t value = counterpart(from, key, in, other, next, name);
        if (value == JSON_READ_NONE)
            add(comparison, forward ? key + 1 : JSON_READ_NONE, forward ? JSON_READ_NONE : key + 1);
        else if (forward)
            compare(comparison, key + 1, value);
        if (next != JSON_READ_NONE)
            next = json_read_next(in, other, next);
    }
}

static void compare(struct comparison *comparison, uint32_t stored, uint32_t found)
{
    uint8_t type = comparison->stored->nodes[stored].type;
    if (comparison->failed)
        return;
    bool same = type == comparison->found->nodes[found].type;
    if (same && type == JSON_READ_OBJECT) {
        compare_members(comparison, true, stored, found);
        compare_members(comparison, false, found, stored);
        return;
    }
    if (same && type == JSON_READ_ARRAY) {
        compare_arrays(comparison, stored, found);
        return;
    }
    if (same && type == JSON_READ_NUMBER)
        same = same_number(comparison, stored, found);
    else if (same && type == JSON_READ_STRING)
        same = same_text(comparison, stored, found);
    if (!same)
        add(comparison, stored, found);
}

/* The program's version alone is no difference: it is reported by itself. */
static void drop_version(struct comparison *comparison)
{
    struct verify_result *result = comparison->result;
    for (size_t i = 0; i < result->shown; i++) {
        if (strcmp(result->differences[i].pointer, "/program/version") != 0)
            continue;
        memmove(&result->differences[i], &result->differences[i + 1],
                (result->shown - i - 1) * sizeof result->differences[i]);
        result->shown--;
        result->count--;
        return;
    }
}

enum status verify_compare(const struct json_read_document *stored,
                           const struct json_read_document *found, struct verify_result *result,
                           struct diag *diag)
{
    struct comparison comparison = {stored, found, result, false};
    result->differences =
        arena_take_array(&result->arena, VERIFY_MAX_DIFFERENCES, sizeof *result->differences);
    if (result->differences == NULL)
        return diag_no_memory(diag);
    compare(&comparison, 0, 0);
    drop_version(&comparison);
    return comparison.failed ? diag_no_memory(diag) : STATUS_OK;
}
