#include "canvas_part.h"

#include <string.h>

static struct canvas_part *self(struct canvas *canvas)
{
    return (struct canvas_part *)canvas;
}

static struct canvas_font scaled_font(const struct canvas_part *part,
                                      const struct canvas_font *font)
{
    struct canvas_font scaled = *font;
    scaled.size *= part->scale;
    return scaled;
}

static struct canvas_point placed(const struct canvas_part *part, const struct canvas_point *point)
{
    return (struct canvas_point){part->corner.x + part->scale * point->x,
                                 part->corner.y + part->scale * point->y};
}

static struct canvas_paint scaled_paint(const struct canvas_part *part,
                                        const struct canvas_paint *paint)
{
    struct canvas_paint scaled = *paint;
    scaled.width *= part->scale;
    scaled.dash *= part->scale;
    return scaled;
}

static struct canvas_extent measure(struct canvas *base, const struct canvas_font *font,
                                    const char *text, size_t length)
{
    const struct canvas_part *part = self(base);
    struct canvas_font scaled = scaled_font(part, font);
    struct canvas_extent extent =
        part->measuring->backend->measure(part->measuring, &scaled, text, length);
    return (struct canvas_extent){extent.width / part->scale, extent.ascent / part->scale,
                                  extent.descent / part->scale};
}

static void begin(struct canvas *base, const struct canvas_page *page)
{
    struct canvas_part *part = self(base);
    part->scene = part->place(part->context, page->width * part->scale, page->height * part->scale,
                              &part->corner);
}

static void rectangle(struct canvas *base, const struct canvas_box *box,
                      const struct canvas_paint *paint)
{
    const struct canvas_part *part = self(base);
    if (part->scene == NULL)
        return;
    struct canvas_point corner = placed(part, &(struct canvas_point){box->x, box->y});
    struct canvas_paint scaled = scaled_paint(part, paint);
    scene_rectangle(part->scene,
                    (struct canvas_box){corner.x, corner.y, part->scale * box->width,
                                        part->scale * box->height},
                    &scaled);
}

static void polyline(struct canvas *base, const struct canvas_point *points, size_t count,
                     const struct canvas_paint *paint)
{
    const struct canvas_part *part = self(base);
    if (part->scene == NULL || count == 0)
        return;
    struct canvas_paint scaled = scaled_paint(part, paint);
    struct canvas_point *moved = arena_take_array(&part->scene->arena, count, sizeof *moved);
    part->scene->failed |= moved == NULL;
    if (moved == NULL)
        return;
    for (size_t i = 0; i < count; i++)
        moved[i] = placed(part, &points[i]);
    scene_polyline(part->scene, moved, count, &scaled);
}

static void text(struct canvas *base, const struct canvas_point *at, const struct canvas_font *font,
                 canvas_colour colour, const char *string)
{
    const struct canvas_part *part = self(base);
    if (part->scene == NULL)
        return;
    /* what is drawn may be gone when the scene is drawn */
    const char *kept = arena_copy(&part->scene->arena, string, strlen(string));
    part->scene->failed |= kept == NULL;
    struct canvas_font scaled = scaled_font(part, font);
    if (kept != NULL)
        scene_text(part->scene, placed(part, at), &scaled, colour, kept);
}

static enum status end(struct canvas *base, struct diag *diag)
{
    const struct canvas_part *part = self(base);
    return part->scene != NULL && part->scene->failed ? diag_no_memory(diag) : STATUS_OK;
}

void canvas_part_init(struct canvas_part *part, struct canvas *measuring, double scale)
{
    static const struct canvas_backend backend = {measure, begin, rectangle, polyline, text, end};
    *part = (struct canvas_part){.canvas = {&backend}, .measuring = measuring, .scale = scale};
}
