#include "json_read_code.h"
#include "json_read_parser.h"

/*
 * Duplicate names. Few keys are compared pair by pair. Many are sorted by their hashes, and those
 * with equal hashes by name, so that a hostile object costs O(n log n) name comparisons even if
 * all its hashes are the same.
 */

#define FEW_KEYS 32

/* The order of decoded names: by code points, which is also that of UTF-8 bytes. */
static int compare_names(const struct json_read_document *document, uint32_t left, uint32_t right)
{
    const struct json_read_node *a = &document->nodes[left], *b = &document->nodes[right];
    const char *p = document->text + a->offset, *p_end = p + a->length;
    const char *q = document->text + b->offset, *q_end = q + b->length;
    if (((a->flags | b->flags) & JSON_READ_ESCAPED) == 0) {
        int order = memcmp(p, q, a->length < b->length ? a->length : b->length);
        return order != 0 ? order : (a->length > b->length) - (a->length < b->length);
    }
    while (p < p_end && q < q_end) {
        uint32_t x, y;
        p = json_read_code_next(p, p_end, &x);
        q = json_read_code_next(q, q_end, &y);
        if (x != y)
            return x < y ? -1 : 1;
    }
    return (p < p_end) - (q < q_end);
}

static void flag_key(struct json_read_document *document, uint32_t key, unsigned *flags)
{
    document->nodes[key].flags |= JSON_READ_DUPLICATE_KEY;
    *flags |= JSON_READ_DUPLICATE_KEY;
}

static void compare_pairs(struct json_read_document *document, uint32_t object, unsigned *flags)
{
    uint32_t keys[FEW_KEYS], hashes[FEW_KEYS], count = document->nodes[object].hash;
    uint32_t key = object + 1;
    uint64_t seen = 0; /* a bit for each value of the lowest six bits of the hashes so far */
    for (uint32_t i = 0; i < count; i++) {
        keys[i] = key;
        hashes[i] = document->nodes[key].hash;
        key = document->nodes[key].end;
        uint64_t bit = UINT64_C(1) << (hashes[i] & 63);
        bool is_new = (seen & bit) == 0;
        seen |= bit;
        for (uint32_t j = 0; j < i && !is_new; j++)
            if (hashes[j] == hashes[i] && compare_names(document, keys[j], keys[i]) == 0) {
                flag_key(document, keys[i], flags);
                break;
            }
    }
}

/* Sorts `keys` (hash above, node below) by hash; equal ones stay in order. The result lies in
 * `keys` again after four passes. */
static void sort_by_hash(uint64_t *keys, uint64_t *spare, size_t count)
{
    for (int shift = 32; shift < 64; shift += 8) {
        size_t begin[256] = {0}, sum = 0;
        for (size_t i = 0; i < count; i++)
            begin[keys[i] >> shift & 255]++;
        for (int digit = 0; digit < 256; digit++) {
            size_t size = begin[digit];
            begin[digit] = sum;
            sum += size;
        }
        for (size_t i = 0; i < count; i++)
            spare[begin[keys[i] >> shift & 255]++] = keys[i];
        uint64_t *other = keys;
        keys = spare;
        spare = other;
    }
}

/* A stable merge sort by name, bottom up. */
static void sort_by_name(const struct json_read_document *document, uint64_t *keys, uint64_t *spare,
                         size_t count)
{
    for (size_t width = 1; width < count; width *= 2) {
        for (size_t low = 0; low < count; low += 2 * width) {
            size_t middle = count - low < width ? count : low + width;
            size_t high = count - middle < width ? count : middle + width;
            size_t left = low, right = middle;
            for (size_t i = low; i < high; i++) {
                bool take_left =
                    left < middle && (right == high || compare_names(document, (uint32_t)keys[left],
                                                                     (uint32_t)keys[right]) <= 0);
                spare[i] = take_left ? keys[left++] : keys[right++];
            }
        }
        memcpy(keys, spare, count * sizeof *keys);
    }
}

static bool compare_sorted(struct json_read_document *document, uint32_t object, unsigned *flags)
{
    size_t count = document->nodes[object].hash;
    if (count > SIZE_MAX / (2 * sizeof(uint64_t)))
        return false;
    uint64_t *keys = json_read_parser_scratch(document, 2 * count * sizeof *keys);
    if (keys == NULL)
        return false;
    uint64_t *spare = keys + count;
    uint32_t key = object + 1;
    for (size_t i = 0; i < count; i++) {
        keys[i] = (uint64_t)document->nodes[key].hash << 32 | key;
        key = document->nodes[key].end;
    }
    sort_by_hash(keys, spare, count);
    for (size_t low = 0, high; low < count; low = high) {
        for (high = low + 1; high < count && keys[high] >> 32 == keys[low] >> 32;)
            high++;
        if (high - low == 1)
            continue;
        sort_by_name(document, keys + low, spare, high - low);
        for (size_t i = low + 1; i < high; i++)
            if (compare_names(document, (uint32_t)keys[i - 1], (uint32_t)keys[i]) == 0)
                flag_key(document, (uint32_t)keys[i], flags);
    }
    return true;
}

bool json_read_parser_duplicates(struct json_read_document *document, uint32_t object,
                                 unsigned *flags)
{
    if (document->nodes[object].hash > FEW_KEYS)
        return compare_sorted(document, object, flags);
    compare_pairs(document, object, flags);
    return true;
}
