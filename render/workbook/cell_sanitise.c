#include "cell.h"

#include <string.h>

#include "text.h"

/* Room that the longest mark of a cut text needs, in UTF-16 units. */
#define CUT_ROOM ((size_t)96)

/* "_xHHHH_" at `text`: spreadsheets would read it as one character. */
static bool is_encoded_character(const char *text, size_t length)
{
    if (length < 7 || text[0] != '_' || text[1] != 'x' || text[6] != '_')
        return false;
    return strspn(text + 2, "0123456789abcdefABCDEF") >= 4;
}

/* Appends what stands in a cell for the code point of `size` bytes at `text`. */
static void append_code_point(struct text_buffer *out, const char *text, size_t left, size_t size)
{
    uint32_t code = 0;
    (void)text_decode(text, size, &code);
    if (code == 0xFFFE || code == 0xFFFF) /* not in XML 1.0 (section 2.2) */
        text_buffer_printf(out, "\\u%04x", (unsigned)code);
    else if (is_encoded_character(text, left))
        text_buffer_puts(out, "_x005F_");
    else
        text_buffer_append(out, text, size);
}

/* Appends `text` from its `start` on as far as `units` UTF-16 units allow; the number of bytes
 * taken. */
static size_t append_within(struct text_buffer *out, const char *text, size_t length, size_t units)
{
    size_t used = 0;
    size_t at = 0;
    while (at < length && !out->failed) {
        uint32_t code = 0;
        size_t size = text_decode(text + at, length - at, &code);
        size = size == 0 ? 1 : size;
        size_t before = out->length;
        append_code_point(out, text + at, length - at, size);
        if (out->failed)
            break;
        used += text_utf16_units(out->text + before, out->length - before);
        if (used > units) {
            out->length = before;
            out->text[before] = '\0';
            break;
        }
        at += size;
    }
    return at;
}

static size_t count_code_points(const char *text, size_t length)
{
    size_t count = 0;
    for (size_t i = 0; i < length; i++)
        count += ((unsigned char)text[i] & 0xC0) != 0x80;
    return count;
}

void cell_sanitise(struct text_buffer *out, const struct texts *texts, const char *text)
{
    struct text_buffer safe = {0};
    text_redact(&safe, text, strlen(text));
    size_t start = out->length;
    size_t taken = safe.failed ? 0 : append_within(out, safe.text, safe.length, CELL_MAX_UNITS);
    if (!safe.failed && !out->failed && taken < safe.length) {
        out->length = start;
        taken = append_within(out, safe.text, safe.length, CELL_MAX_UNITS - CUT_ROOM);
        struct sentence_value cut = {
            .name = "characters",
            .number = (double)count_code_points(safe.text + taken, safe.length - taken)};
        texts_fill(out, texts, "word.cut_text", &cut, 1);
    }
    out->failed |= safe.failed;
    text_buffer_fini(&safe);
}
