#include "pdf_page.h"

#include <string.h>

#include "text.h"

/* ---- Pages ---- */

struct pdf_page *pdf_document_add(struct pdf_document *document)
{
    struct pdf_page *page = arena_take(&document->arena, sizeof *page);
    document->failed |= page == NULL;
    if (page == NULL)
        return NULL;
    page->scene.canvas = document->canvas;
    page->number = ++document->page_count;
    if (document->last != NULL)
        document->last->next = page;
    else
        document->first = page;
    document->last = page;
    return page;
}

struct pdf_mark pdf_document_mark(const struct pdf_document *document)
{
    return (struct pdf_mark){document->last, document->last_entry};
}

void pdf_document_return(struct pdf_document *document, struct pdf_mark mark)
{
    struct pdf_page *page = mark.page != NULL ? mark.page->next : document->first;
    for (; page != NULL; page = page->next) {
        scene_fini(&page->scene);
        document->page_count--;
    }
    if (mark.page != NULL)
        mark.page->next = NULL;
    else
        document->first = NULL;
    document->last = mark.page;
    if (mark.entry != NULL)
        mark.entry->next = NULL;
    else
        document->entries = NULL;
    document->last_entry = mark.entry;
}

void pdf_document_fini(struct pdf_document *document)
{
    if (document == NULL)
        return;
    pdf_document_return(document, (struct pdf_mark){NULL, NULL});
    scene_fini(&document->spare.scene);
    arena_fini(&document->arena);
}

/* ---- Places ---- */

static void add_place(struct pdf_document *document, struct pdf_place **list, const char *anchor,
                      struct canvas_box box)
{
    struct pdf_place *place = arena_take(&document->arena, sizeof *place);
    document->failed |= place == NULL;
    if (place == NULL)
        return;
    *place = (struct pdf_place){*list, anchor, box};
    *list = place;
}

void pdf_document_link(struct pdf_document *document, const char *anchor, struct canvas_box area)
{
    if (document->last != NULL)
        add_place(document, &document->last->links, anchor, area);
}

void pdf_document_target(struct pdf_document *document, const char *anchor, struct canvas_point at,
                         unsigned level, const char *text)
{
    if (document->last == NULL)
        return;
    add_place(document, &document->last->targets, anchor, (struct canvas_box){at.x, at.y, 0, 0});
    struct pdf_entry *entry = level > 0 ? arena_take(&document->arena, sizeof *entry) : NULL;
    document->failed |= level > 0 && entry == NULL;
    if (entry == NULL)
        return;
    *entry = (struct pdf_entry){NULL, level, pdf_document_clean(document, text), anchor};
    if (document->last_entry != NULL)
        document->last_entry->next = entry;
    else
        document->entries = entry;
    document->last_entry = entry;
}

/* ---- Texts ---- */

const char *pdf_document_take(struct pdf_document *document, struct text_buffer *text)
{
    const char *kept =
        text->failed
            ? NULL
            : arena_copy(&document->arena, text->text != NULL ? text->text : "", text->length);
    document->failed |= kept == NULL;
    text_buffer_fini(text);
    return kept != NULL ? kept : "";
}

const char *pdf_document_clean(struct pdf_document *document, const char *text)
{
    size_t plain = 0;
    while (text[plain] >= ' ' && text[plain] < 0x7F)
        plain++;
    if (text[plain] == '\0')
        return text;
    struct text_buffer safe = {0};
    text_escape(&safe, text, plain + strlen(text + plain));
    return pdf_document_take(document, &safe);
}

struct text_lines pdf_document_lines(struct pdf_document *document, const struct canvas_font *font,
                                     const char *text, struct text_lines_room room)
{
    struct text_lines lines = {0};
    if (text == NULL || document->failed)
        return lines;
    if (text_lines(&document->arena, document->canvas, font, text, room, &lines, NULL) != STATUS_OK)
        document->failed = true;
    return lines;
}

struct text_lines pdf_document_lines_most(struct pdf_document *document,
                                          const struct canvas_font *font, const char *text,
                                          struct text_lines_room room, size_t most)
{
    struct text_lines lines = pdf_document_lines(document, font, text, room);
    if (lines.count <= most)
        return lines;
    struct text_fit last = {0};
    const struct text_fit_room one = {room.width, 1, false};
    const char *rest =
        arena_printf(&document->arena, "%s %s", lines.lines[most - 1].text, lines.lines[most].text);
    struct text_fit_line *kept = arena_take_array(&document->arena, most, sizeof *kept);
    if (rest == NULL || kept == NULL ||
        text_fit(&document->arena, document->canvas, font, rest, one, &last, NULL) != STATUS_OK ||
        last.count == 0) {
        document->failed = true;
        return (struct text_lines){NULL, 0};
    }
    memcpy(kept, lines.lines, (most - 1) * sizeof *kept);
    kept[most - 1] = last.lines[0];
    return (struct text_lines){kept, most};
}
