#include <criterion/criterion.h>

#include "canvas_part.h"
#include "recording_canvas.h"

/* Where a page goes, and what it was found to need. */
struct place {
    struct scene *scene;
    double width, height;
};

static struct scene *place(void *context, double width, double height, struct canvas_point *corner)
{
    struct place *place = context;
    place->width = width;
    place->height = height;
    *corner = (struct canvas_point){100, 200};
    return place->scene;
}

static void draw(struct canvas_part *part)
{
    struct canvas *canvas = &part->canvas;
    const struct canvas_backend *backend = canvas->backend;
    char text[] = "kept";
    const struct canvas_font font = {.size = 10};
    const struct canvas_paint paint = {0xFF0000, CANVAS_NONE, 0x00FF00, 2, 4};
    backend->begin(canvas, &(struct canvas_page){.width = 80, .height = 60});
    backend->rectangle(canvas, &(struct canvas_box){10, 20, 30, 40}, &paint);
    backend->polyline(canvas, (struct canvas_point[]){{0, 0}, {80, 60}}, 2, &paint);
    backend->text(canvas, &(struct canvas_point){4, 8}, &font, 0x0000FF, text);
    text[0] = '?'; /* what was drawn is not borrowed */
    cr_assert_eq(backend->end(canvas, NULL), STATUS_OK);
}

Test(canvas_part, draws_at_a_place_and_scale)
{
    struct recording_canvas canvas;
    recording_canvas_init(&canvas, NULL);
    struct scene scene = {.canvas = &canvas.canvas};
    struct place where = {&scene, 0, 0};
    struct canvas_part part;
    canvas_part_init(&part, &canvas.canvas, 0.5);
    part.place = place;
    part.context = &where;
    draw(&part);
    cr_assert_eq(where.width, 40);
    cr_assert_eq(where.height, 30);
    cr_assert_eq(scene_draw(&scene, &(struct canvas_page){.width = 300, .height = 300}, NULL),
                 STATUS_OK);
    cr_assert_eq(canvas.count, 3);
    cr_assert_eq(canvas.items[0].box.x, 105);
    cr_assert_eq(canvas.items[0].box.y, 210);
    cr_assert_eq(canvas.items[0].box.width, 15);
    cr_assert_eq(canvas.items[0].paint.width, 1);
    cr_assert_eq(canvas.items[0].paint.dash, 2);
    cr_assert_eq(canvas.items[1].box.width, 40);
    cr_assert_str_eq(canvas.items[2].text, "kept");
    cr_assert_eq(canvas.items[2].font.size, 5);
    cr_assert_eq(canvas.items[2].box.x, 102);
    scene_fini(&scene);
    recording_canvas_fini(&canvas);
}

Test(canvas_part, drops_what_has_no_place)
{
    struct recording_canvas canvas;
    recording_canvas_init(&canvas, NULL);
    struct place where = {NULL, 0, 0};
    struct canvas_part part;
    canvas_part_init(&part, &canvas.canvas, 2);
    part.place = place;
    part.context = &where;
    draw(&part);
    cr_assert_eq(where.height, 120);
    cr_assert_eq(canvas.count, 0);
    recording_canvas_fini(&canvas);
}

Test(canvas_part, measures_in_its_own_units)
{
    struct recording_canvas canvas;
    recording_canvas_init(&canvas, NULL);
    struct canvas_part part;
    canvas_part_init(&part, &canvas.canvas, 0.25);
    const struct canvas_font font = {.size = 8};
    /* by the recording canvas' rule: half an em a column */
    cr_assert_eq(part.canvas.backend->measure(&part.canvas, &font, "12345", 5).width, 20);
    recording_canvas_fini(&canvas);
}
