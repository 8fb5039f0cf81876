#ifndef RANKLEDGER_SCENE_H
#define RANKLEDGER_SCENE_H

#include <stdbool.h>
#include <stddef.h>

#include "arena.h"
#include "canvas.h"
#include "text_fit.h"

/*
 * A page being laid out: everything gets its place before anything is drawn. Adding never fails
 * visibly: when memory is exhausted `failed` is set and scene_draw reports it. Items are drawn in
 * the order in which they were added. A scene with a canvas is ready for use; scene_fini releases
 * it.
 */

struct scene {
    struct canvas *canvas; /* measures now, draws later; borrowed */
    struct arena arena;
    struct scene_item *first, *last;
    bool failed;
};

void scene_rectangle(struct scene *scene, struct canvas_box box, const struct canvas_paint *paint);
/* Copies the points. */
void scene_polyline(struct scene *scene, const struct canvas_point *points, size_t count,
                    const struct canvas_paint *paint);
/* `text` must live as long as the scene (its arena, a constant). */
void scene_text(struct scene *scene, struct canvas_point at, const struct canvas_font *font,
                canvas_colour colour, const char *text);

/* A straight line. */
void scene_line(struct scene *scene, struct canvas_point from, struct canvas_point to,
                const struct canvas_paint *paint);

/* A text in the scene's arena, formatted as by printf; "" when memory is exhausted. */
const char *scene_format(struct scene *scene, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* text_fit into the scene's arena; no lines when memory is exhausted. */
struct text_fit scene_fit(struct scene *scene, const struct canvas_font *font, const char *text,
                          struct text_fit_room room);

/* Width of a text that is known to be clean. */
double scene_width(const struct scene *scene, const struct canvas_font *font, const char *text);

/* Measures all texts, for a canvas that must know them before it draws. */
void scene_measure(const struct scene *scene);

/* Draws all of it as one page on the scene's canvas. */
enum status scene_draw(struct scene *scene, const struct canvas_page *page,
                       struct diag *diag) STATUS_CHECKED;
/* The same in two steps, for what a canvas can draw beyond a scene before the page ends. */
enum status scene_begin(const struct scene *scene, const struct canvas_page *page,
                        struct diag *diag) STATUS_CHECKED;
enum status scene_end(const struct scene *scene, struct diag *diag) STATUS_CHECKED;
void scene_fini(struct scene *scene);

#endif
