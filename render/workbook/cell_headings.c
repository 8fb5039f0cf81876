#include <stdio.h>
#include <string.h>

#include "cell.h"
#include "text.h"

/* Of a table's heading (ECMA-376, part 1, 18.5.1.3 has none; Excel's own is 255 characters). */
#define MAX_UNITS ((size_t)255)
/* Room for " (256)" behind a heading that another one has. */
#define NUMBER_UNITS ((size_t)8)

/* Simple case folding of the letters whose cases are a fixed distance apart: ASCII, Latin-1, Greek
 * and Cyrillic. What it does not fold is told apart by spreadsheets or rare enough. */
static uint32_t fold(uint32_t code)
{
    bool distant = (code >= 'A' && code <= 'Z') || (code >= 0xC0 && code <= 0xDE && code != 0xD7) ||
                   (code >= 0x391 && code <= 0x3A9) || (code >= 0x410 && code <= 0x42F);
    if (distant)
        return code + 0x20;
    return code >= 0x400 && code <= 0x40F ? code + 0x50 : code;
}

static bool is_alike(const char *left, const char *right)
{
    while (*left != '\0' && *right != '\0') {
        uint32_t a = 0;
        uint32_t b = 0;
        size_t left_size = text_decode(left, strlen(left), &a);
        size_t right_size = text_decode(right, strlen(right), &b);
        if (fold(a) != fold(b))
            return false;
        left += left_size > 0 ? left_size : 1;
        right += right_size > 0 ? right_size : 1;
    }
    return *left == *right;
}

/* True if one of the NUL-terminated texts from `list` to `end` is like the one at `end`. */
static bool is_taken(const char *list, const char *end)
{
    for (; list < end; list += strlen(list) + 1)
        if (is_alike(list, end))
            return true;
    return false;
}

/* The heading, cut to `units`, and a number from 2 on behind it. */
static void append_try(struct text_buffer *out, const char *heading, size_t number)
{
    char suffix[32] = "";
    size_t length = strlen(heading);
    size_t units = MAX_UNITS;
    if (number > 1) {
        snprintf(suffix, sizeof suffix, " (%zu)", number);
        units -= NUMBER_UNITS;
    }
    text_buffer_append(out, heading, text_utf16_prefix(heading, length, units));
    text_buffer_puts(out, suffix);
}

bool cell_headings(struct text_buffer *out, const struct texts *texts, const char *const *headings,
                   size_t count)
{
    struct text_buffer safe = {0};
    size_t first = out->length;
    for (size_t i = 0; i < count && !out->failed; i++) {
        text_buffer_clear(&safe);
        cell_sanitise(&safe, texts, headings[i]);
        if (safe.length == 0)
            text_buffer_printf(&safe, "%zu", i + 1);
        out->failed |= safe.failed;
        size_t start = out->length;
        size_t number = 1;
        do {
            if (out->text != NULL && !out->failed) {
                out->length = start;
                out->text[start] = '\0';
            }
            if (!safe.failed)
                append_try(out, safe.text, number++);
        } while (!out->failed && is_taken(out->text + first, out->text + start));
        text_buffer_append(out, "", 1);
    }
    bool whole = !out->failed;
    text_buffer_fini(&safe);
    return whole;
}
