#include "canvas_lines.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "arena.h"

#define SLOTS ((size_t)1 << 15) /* a power of two */
/* So many lines are kept: of a kilobyte each, about. Then all are forgotten. */
#define LINES_MOST (SLOTS / 2)

struct entry {
    const char *text; /* NULL: free */
    size_t length;
    bool bold, fixed;
    struct canvas_line line;
};

struct canvas_lines {
    struct canvas_text *shaper;
    struct arena arena; /* the texts */
    struct entry *entries;
    size_t count;
};

struct canvas_lines *canvas_lines_create(struct canvas_text *text)
{
    struct canvas_lines *lines = calloc(1, sizeof *lines);
    if (lines == NULL)
        return NULL;
    lines->shaper = text;
    lines->entries = calloc(SLOTS, sizeof *lines->entries);
    if (lines->entries == NULL) {
        free(lines);
        return NULL;
    }
    return lines;
}

static void forget(struct canvas_lines *lines)
{
    for (size_t i = 0; i < SLOTS; i++)
        if (lines->entries[i].text != NULL)
            pango_layout_line_unref(lines->entries[i].line.line);
    memset(lines->entries, 0, SLOTS * sizeof *lines->entries);
    arena_clear(&lines->arena);
    lines->count = 0;
}

void canvas_lines_destroy(struct canvas_lines *lines)
{
    if (lines == NULL)
        return;
    forget(lines);
    arena_fini(&lines->arena);
    free(lines->entries);
    free(lines);
}

/* FNV-1a (Fowler, Noll, Vo), 64 bits. */
static size_t hash(const struct canvas_font *font, const char *text, size_t length)
{
    uint64_t value = UINT64_C(14695981039346656037) ^ (font->bold ? 1 : 0) ^ (font->fixed ? 2 : 0);
    for (size_t i = 0; i < length; i++)
        value = (value ^ (unsigned char)text[i]) * UINT64_C(1099511628211);
    return (size_t)(value ^ value >> 32);
}

/* The entry of a text, or the free one where it goes. */
static struct entry *find(const struct canvas_lines *lines, const struct canvas_font *font,
                          const char *text, size_t length)
{
    size_t slot = hash(font, text, length) & (SLOTS - 1);
    for (;; slot = (slot + 1) & (SLOTS - 1)) {
        struct entry *entry = &lines->entries[slot];
        if (entry->text == NULL ||
            (entry->length == length && entry->bold == font->bold && entry->fixed == font->fixed &&
             memcmp(entry->text, text, length) == 0))
            return entry;
    }
}

const struct canvas_line *canvas_lines_get(struct canvas_lines *lines,
                                           const struct canvas_font *font, const char *text,
                                           size_t length)
{
    struct entry *entry = find(lines, font, text, length);
    if (entry->text != NULL)
        return &entry->line;
    if (lines->count == LINES_MOST) {
        forget(lines);
        entry = find(lines, font, text, length);
    }
    const char *kept = arena_copy(&lines->arena, text, length);
    if (kept == NULL) {
        lines->shaper->memory_ended = true;
        return NULL;
    }
    struct canvas_font reference = *font;
    reference.size = CANVAS_LINES_SIZE;
    PangoLayoutLine *line = canvas_text_shape(lines->shaper, &reference, kept, length);
    *entry = (struct entry){kept,
                            length,
                            font->bold,
                            font->fixed,
                            {pango_layout_line_ref(line), canvas_text_extent(&reference, line),
                             canvas_text_lacks_glyphs(lines->shaper)}};
    lines->count++;
    return &entry->line;
}
