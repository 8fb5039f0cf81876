#include <criterion/criterion.h>
#include <string.h>

#include "layout_check.h"

/* That the check of layouts finds what it is for. A text "abcd" of 10 pixels is 20 pixels wide by
 * the rule of the recording canvas, its box from 8.8 above the baseline to 2.4 below. */

#define INK 0x1B2430
#define PAPER 0xFFFFFF

static struct recording_canvas canvas;

static void set_up(void)
{
    struct canvas_page page = {200, 100, NULL, NULL, PAPER, 0};
    recording_canvas_init(&canvas, NULL);
    canvas.canvas.backend->begin(&canvas.canvas, &page);
}

static void tear_down(void)
{
    recording_canvas_fini(&canvas);
}

TestSuite(layout_check, .init = set_up, .fini = tear_down);

static void put_text(double x, double y, const char *text)
{
    struct canvas_font font = {.size = 10};
    canvas.canvas.backend->text(&canvas.canvas, &(struct canvas_point){x, y}, &font, INK, text);
}

static void put_line(double x0, double y0, double x1, double y1)
{
    struct canvas_paint paint = {CANVAS_NONE, CANVAS_NONE, INK, 1, 0};
    struct canvas_point points[] = {{x0, y0}, {x1, y1}};
    canvas.canvas.backend->polyline(&canvas.canvas, points, 2, &paint);
}

static void put_area(double x, double y, double width, double height, canvas_colour fill)
{
    struct canvas_paint paint = {fill, CANVAS_NONE, CANVAS_NONE, 0, 0};
    canvas.canvas.backend->rectangle(&canvas.canvas, &(struct canvas_box){x, y, width, height},
                                     &paint);
}

static void expect(size_t faults, const char *words)
{
    struct layout_check check = layout_check_page(&canvas);
    cr_assert_eq(check.faults, faults, "%zu: %s", check.faults, check.first);
    cr_assert(words == NULL || strstr(check.first, words) != NULL, "%s", check.first);
}

Test(layout_check, texts_beside_each_other_are_fine)
{
    put_text(10, 20, "abcd");
    put_text(30, 20, "abcd");
    put_text(10, 31.2, "abcd");
    expect(0, NULL);
}

Test(layout_check, finds_texts_that_overlap)
{
    put_text(10, 20, "abcd");
    put_text(29, 20, "abcd");
    expect(1, "overlaps");
}

Test(layout_check, finds_what_leaves_the_page)
{
    put_text(181, 20, "abcd");
    put_area(0, 90, 10, 11, 0xEEEEEE);
    expect(2, "leaves the page");
}

Test(layout_check, finds_lines_through_texts_also_slanted_ones)
{
    put_line(0, 0, 100, 40); /* through (45, 18) */
    put_text(35, 20, "abcd");
    put_text(35, 60, "abcd");
    expect(1, "crosses \"abcd\"");
}

Test(layout_check, lets_lines_pass_beside_texts_and_below_grounds)
{
    put_line(0, 10, 200, 10);
    put_area(8, 5, 24, 20, 0xF5F7F9);
    put_text(10, 20, "abcd");
    put_line(10, 22.4, 30, 22.4);
    expect(0, NULL);
}

Test(layout_check, finds_a_line_drawn_over_a_text)
{
    put_area(8, 5, 24, 20, 0xF5F7F9);
    put_text(10, 20, "abcd");
    put_line(0, 18, 200, 18);
    expect(1, "crosses");
}

Test(layout_check, finds_the_end_of_an_area_within_a_text)
{
    put_area(0, 5, 20, 20, 0xEEEEEE);
    put_text(10, 20, "abcd");
    expect(1, "the edge of an area");
}

Test(layout_check, finds_a_text_below_an_area)
{
    put_text(10, 20, "abcd");
    put_area(0, 5, 60, 20, 0xEEEEEE);
    expect(1, "hides");
}

Test(layout_check, finds_too_little_contrast)
{
    put_area(0, 5, 60, 20, 0x4A5563);
    put_text(10, 20, "abcd");
    expect(1, "contrast");
}

Test(layout_check, finds_a_hatch_below_a_text)
{
    struct canvas_paint paint = {PAPER, 0x888888, CANVAS_NONE, 0, 0};
    canvas.canvas.backend->rectangle(&canvas.canvas, &(struct canvas_box){0, 5, 60, 20}, &paint);
    put_text(10, 20, "abcd");
    expect(1, "hatch");
}

Test(layout_check, finds_cut_texts)
{
    put_text(10, 20, "abcd");
    cr_assert_null(layout_check_cut(&canvas));
    put_text(10, 40, "abc...");
    cr_assert_str_eq(layout_check_cut(&canvas), "abc...");
}
