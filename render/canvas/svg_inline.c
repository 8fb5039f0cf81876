#include "svg_inline.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

void svg_inline_fini(struct svg_inline *page)
{
    text_buffer_fini(&page->outlines);
    free(page->glyphs);
    free(page->table);
    free(page->local);
    *page = (struct svg_inline){.glyphs = NULL};
}

/* ---- Arrays ---- */

/* Room for one more; false when memory is exhausted. */
static bool grow(void **items, size_t count, size_t *capacity, size_t size)
{
    if (count < *capacity)
        return true;
    size_t larger = *capacity > 0 ? 2 * *capacity : 256;
    void *moved = realloc(*items, larger * size);
    if (moved == NULL)
        return false;
    *items = moved;
    *capacity = larger;
    return true;
}

/* Twice as many places as glyphs, so that a free one is never far. */
static bool grow_table(struct svg_inline *page)
{
    if (2 * (page->glyph_count + 1) <= page->table_size)
        return true;
    size_t larger = page->table_size > 0 ? 2 * page->table_size : 1024;
    uint32_t *table = calloc(larger, sizeof *table);
    if (table == NULL)
        return false;
    for (size_t i = 0; i < page->glyph_count; i++) {
        size_t at = page->glyphs[i].hash & (larger - 1);
        while (table[at] != 0)
            at = (at + 1) & (larger - 1);
        table[at] = (uint32_t)i + 1;
    }
    free(page->table);
    page->table = table;
    page->table_size = larger;
    return true;
}

/* ---- Glyphs ---- */

/* FNV-1a, 32 bits. */
static uint32_t hash_of(const char *text, size_t length)
{
    uint32_t hash = 2166136261u;
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ (unsigned char)text[i]) * 16777619u;
    return hash;
}

static bool add_glyph(struct svg_inline *page, size_t place, uint32_t hash, const char *outline,
                      size_t length)
{
    void *glyphs = page->glyphs;
    if (!grow(&glyphs, page->glyph_count, &page->glyph_capacity, sizeof *page->glyphs))
        return false;
    page->glyphs = glyphs;
    page->glyphs[page->glyph_count] =
        (struct svg_inline_glyph){page->outlines.length, length, hash};
    text_buffer_append(&page->outlines, outline, length);
    page->table[place] = (uint32_t)++page->glyph_count;
    return !page->outlines.failed;
}

/* The number of a glyph with this outline, a new one where there is none; false: no memory. */
static bool find_glyph(struct svg_inline *page, const char *outline, size_t length,
                       uint32_t *number)
{
    if (!grow_table(page))
        return false;
    uint32_t hash = hash_of(outline, length);
    size_t at = hash & (page->table_size - 1);
    for (; page->table[at] != 0; at = (at + 1) & (page->table_size - 1)) {
        const struct svg_inline_glyph *glyph = &page->glyphs[page->table[at] - 1];
        if (glyph->hash == hash && glyph->length == length &&
            memcmp(page->outlines.text + glyph->offset, outline, length) == 0) {
            *number = page->table[at] - 1;
            return true;
        }
    }
    *number = (uint32_t)page->glyph_count;
    return add_glyph(page, at, hash, outline, length);
}

static bool take_glyph(struct svg_inline *page, const char *outline, size_t length)
{
    void *local = page->local;
    if (!grow(&local, page->local_count, &page->local_capacity, sizeof *page->local))
        return false;
    page->local = local;
    return find_glyph(page, outline, length, &page->local[page->local_count++]);
}

/* ---- A picture ---- */

/* What stands between `from` and `to` in the text from *at on; *at becomes the place after it. */
static const char *between(const char **at, const char *from, const char *to, size_t *length)
{
    const char *begin = strstr(*at, from);
    if (begin == NULL)
        return NULL;
    begin += strlen(from);
    const char *end = strstr(begin, to);
    if (end == NULL)
        return NULL;
    *length = (size_t)(end - begin);
    *at = end + strlen(to);
    return begin;
}

static void put_part(struct text_buffer *out, const char *before, const char *text, size_t length,
                     const char *after)
{
    text_buffer_puts(out, before);
    text_buffer_append(out, text, length);
    text_buffer_puts(out, after);
}

/* From `head` on; what is above is not drawn. */
static void put_view(struct text_buffer *out, const char *width, const char *height, unsigned head)
{
    char *fraction;
    unsigned long whole = strtoul(height, &fraction, 10);
    text_buffer_printf(out, "<svg class=\"chart\" viewBox=\"0 %u ", head);
    text_buffer_append(out, width, strcspn(width, "\""));
    text_buffer_printf(out, " %lu", whole > head ? whole - head : 0);
    text_buffer_append(out, fraction, strcspn(fraction, "\""));
}

static void put_head(const struct svg_inline *page, struct text_buffer *out, const char **at,
                     unsigned cut)
{
    size_t lengths[4];
    const char *width = between(at, " width=\"", "\"", &lengths[0]);
    const char *height = width != NULL ? between(at, " height=\"", "\"", &lengths[1]) : NULL;
    const char *title = height != NULL ? between(at, "<title>", "</title>", &lengths[2]) : NULL;
    const char *after = title != NULL ? *at : NULL;
    const char *words = after != NULL ? between(at, "<desc>", "</desc>", &lengths[3]) : NULL;
    if (title == NULL) {
        out->failed = true;
        return;
    }
    size_t n = page->picture_count;
    put_view(out, width, height, cut);
    text_buffer_puts(out, "\" role=\"img\" style=\"width:");
    put_part(out, "", width, lengths[0], "px\"");
    text_buffer_printf(out, " aria-labelledby=\"title_%zu%s", n, words != NULL ? " desc_" : "\"");
    if (words != NULL)
        text_buffer_printf(out, "%zu\"", n);
    text_buffer_printf(out, ">\n<title id=\"title_%zu\">", n);
    put_part(out, "", title, lengths[2], "</title>\n");
    if (words == NULL)
        return;
    text_buffer_printf(out, "<desc id=\"desc_%zu\">", n);
    put_part(out, "", words, lengths[3], "</desc>\n");
}

static bool take_glyphs(struct svg_inline *page, const char **at)
{
    page->local_count = 0;
    const char *end = strstr(*at, "</defs>\n");
    if (end == NULL)
        return true; /* a picture without texts */
    size_t length;
    bool taken = true;
    while (taken && strstr(*at, " d=\"") != NULL && strstr(*at, " d=\"") < end) {
        const char *outline = between(at, " d=\"", "\"", &length);
        taken = outline != NULL && take_glyph(page, outline, length);
    }
    *at = end + strlen("</defs>\n");
    return taken;
}

/* The drawing, with the glyphs' numbers in the page in place of those in the picture. */
static void put_body(const struct svg_inline *page, struct text_buffer *out, const char *at,
                     const char *end)
{
    static const char use[] = "xlink:href=\"#g";
    for (const char *next = strstr(at, use); next != NULL; next = strstr(at, use)) {
        char *rest;
        text_buffer_append(out, at, (size_t)(next - at));
        unsigned long glyph = strtoul(next + strlen(use), &rest, 10);
        if (glyph >= page->local_count) {
            out->failed = true;
            return;
        }
        text_buffer_printf(out, "href=\"#g_%u", (unsigned)page->local[glyph]);
        at = rest;
    }
    text_buffer_append(out, at, (size_t)(end - at));
}

void svg_inline_add(struct svg_inline *page, struct text_buffer *out,
                    const struct svg_inline_picture *picture)
{
    const char *at = picture->svg;
    put_head(page, out, &at, picture->head);
    if (out->failed || !take_glyphs(page, &at)) {
        out->failed = true;
        return;
    }
    if (page->local_count == 0) {
        const char *head = strchr(at, '\n');
        at = head != NULL ? head + 1 : at;
    }
    put_body(page, out, at, picture->svg + picture->size);
    page->picture_count++;
}

void svg_inline_finish(const struct svg_inline *page, struct text_buffer *out)
{
    if (page->glyph_count == 0)
        return;
    text_buffer_puts(out, "<svg class=\"glyphs\" aria-hidden=\"true\"><defs>\n");
    for (size_t i = 0; i < page->glyph_count; i++) {
        text_buffer_printf(out, "<path id=\"g_%zu\" d=\"", i);
        put_part(out, "", page->outlines.text + page->glyphs[i].offset, page->glyphs[i].length,
                 "\"/>\n");
    }
    text_buffer_puts(out, "</defs></svg>\n");
    out->failed |= page->outlines.failed;
}
