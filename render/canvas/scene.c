#include "scene.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum kind { RECTANGLE, POLYLINE, TEXT };

struct scene_item {
    struct scene_item *next;
    enum kind kind;
    struct canvas_paint paint;
    struct canvas_box box;
    const struct canvas_point *points;
    size_t count;
    struct canvas_font font;
    canvas_colour colour;
    const char *text;
};

static struct scene_item *add(struct scene *scene, enum kind kind)
{
    struct scene_item *item = arena_take(&scene->arena, sizeof *item);
    if (item == NULL) {
        scene->failed = true;
        return NULL;
    }
    item->kind = kind;
    if (scene->last != NULL)
        scene->last->next = item;
    else
        scene->first = item;
    scene->last = item;
    return item;
}

static const struct canvas_point *copy_points(struct scene *scene,
                                              const struct canvas_point *points, size_t count)
{
    struct canvas_point *copy = arena_take_array(&scene->arena, count, sizeof *copy);
    if (copy == NULL)
        scene->failed = true;
    else
        memcpy(copy, points, count * sizeof *copy);
    return copy;
}

void scene_rectangle(struct scene *scene, struct canvas_box box, const struct canvas_paint *paint)
{
    struct scene_item *item = add(scene, RECTANGLE);
    if (item == NULL)
        return;
    item->box = box;
    item->paint = *paint;
}

void scene_polyline(struct scene *scene, const struct canvas_point *points, size_t count,
                    const struct canvas_paint *paint)
{
    struct scene_item *item = add(scene, POLYLINE);
    if (item == NULL)
        return;
    item->points = copy_points(scene, points, count);
    item->count = item->points != NULL ? count : 0;
    item->paint = *paint;
}

void scene_line(struct scene *scene, struct canvas_point from, struct canvas_point to,
                const struct canvas_paint *paint)
{
    scene_polyline(scene, (struct canvas_point[]){from, to}, 2, paint);
}

void scene_text(struct scene *scene, struct canvas_point at, const struct canvas_font *font,
                canvas_colour colour, const char *text)
{
    struct scene_item *item = add(scene, TEXT);
    if (item == NULL)
        return;
    item->points = copy_points(scene, &at, 1);
    item->font = *font;
    item->colour = colour;
    item->text = text;
}

const char *scene_format(struct scene *scene, const char *format, ...)
{
    char local[1024];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(local, sizeof local, format, arguments);
    va_end(arguments);
    char *text = length < 0 ? NULL : arena_take(&scene->arena, (size_t)length + 1);
    if (text == NULL) {
        scene->failed = true;
        return "";
    }
    va_start(arguments, format);
    vsnprintf(text, (size_t)length + 1, format, arguments);
    va_end(arguments);
    return text;
}

struct text_fit scene_fit(struct scene *scene, const struct canvas_font *font, const char *text,
                          struct text_fit_room room)
{
    struct text_fit fit = {0};
    if (text_fit(&scene->arena, scene->canvas, font, text, room, &fit, NULL) != STATUS_OK)
        scene->failed = true;
    return fit;
}

double scene_width(const struct scene *scene, const struct canvas_font *font, const char *text)
{
    return scene->canvas->backend->measure(scene->canvas, font, text, strlen(text)).width;
}

void scene_measure(const struct scene *scene)
{
    for (const struct scene_item *item = scene->first; item != NULL; item = item->next)
        if (item->kind == TEXT)
            (void)scene_width(scene, &item->font, item->text);
}

static void draw_item(struct canvas *canvas, const struct scene_item *item)
{
    const struct canvas_backend *backend = canvas->backend;
    switch (item->kind) {
    case RECTANGLE:
        backend->rectangle(canvas, &item->box, &item->paint);
        break;
    case POLYLINE:
        backend->polyline(canvas, item->points, item->count, &item->paint);
        break;
    case TEXT:
        backend->text(canvas, item->points, &item->font, item->colour, item->text);
        break;
    }
}

enum status scene_begin(const struct scene *scene, const struct canvas_page *page,
                        struct diag *diag)
{
    if (scene->failed)
        return diag_no_memory(diag);
    scene->canvas->backend->begin(scene->canvas, page);
    for (const struct scene_item *item = scene->first; item != NULL; item = item->next)
        draw_item(scene->canvas, item);
    return STATUS_OK;
}

enum status scene_end(const struct scene *scene, struct diag *diag)
{
    return scene->canvas->backend->end(scene->canvas, diag);
}

enum status scene_draw(struct scene *scene, const struct canvas_page *page, struct diag *diag)
{
    enum status status = scene_begin(scene, page, diag);
    return status == STATUS_OK ? scene_end(scene, diag) : status;
}

void scene_fini(struct scene *scene)
{
    if (scene == NULL)
        return;
    arena_fini(&scene->arena);
    scene->first = scene->last = NULL;
}
