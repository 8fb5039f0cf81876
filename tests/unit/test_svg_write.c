#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "canvas_hatch.h"
#include "svg_write.h"

static struct svg_write svg;
static struct text_buffer out;

static void tear_down(void)
{
    svg_write_fini(&svg);
    text_buffer_fini(&out);
}

TestSuite(svg_write, .fini = tear_down);

static const char *finish(const char *title, const char *description)
{
    struct canvas_page page = {100, 50.5, title, description, 0xFFFFFF, 0};
    text_buffer_clear(&out);
    svg_write_finish(&svg, &page, &out);
    cr_assert_not(out.failed);
    return out.text;
}

static bool says(const char *text, const char *part)
{
    return strstr(text, part) != NULL;
}

Test(svg_write, a_page_says_its_size_and_what_it_is_about)
{
    const char *text = finish("a < b & c", "one\ntwo > one");
    cr_assert(says(text, "width=\"100\" height=\"50.5\" viewBox=\"0 0 100 50.5\""));
    cr_assert(says(text, "<title>a &lt; b &amp; c</title>"));
    cr_assert(says(text, "<desc>one\ntwo &gt; one</desc>"));
    cr_assert_not(says(text, "<defs>"), "nothing is defined");
    cr_assert_not(says(finish(NULL, NULL), "title"));
}

Test(svg_write, numbers_have_at_most_two_decimals_and_no_zeros_at_the_end)
{
    static const struct {
        double value;
        const char *text;
    } rows[] = {
        {0, "x=\"0\""},          {-0.001, "x=\"0\""},      {1, "x=\"1\""},
        {0.5, "x=\"0.5\""},      {0.05, "x=\"0.05\""},     {-0.25, "x=\"-0.25\""},
        {12.345, "x=\"12.35\""}, {12.3449, "x=\"12.34\""}, {1234567.891, "x=\"1234567.89\""},
        {10, "x=\"10\""},        {NAN, "x=\"0\""},         {INFINITY, "x=\"10000000\""}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct canvas_box box = {rows[i].value, 1, 2, 3};
        struct canvas_paint paint = {0x123456, CANVAS_NONE, CANVAS_NONE, 0, 0};
        svg_write_clear(&svg);
        svg_write_rectangle(&svg, &box, &paint);
        cr_assert(says(finish(NULL, NULL), rows[i].text), "%g: %s", rows[i].value, out.text);
    }
}

Test(svg_write, a_rectangle_is_filled_hatched_and_stroked_inside_its_edges)
{
    struct canvas_box box = {10, 10, 20, 8};
    struct canvas_paint paint = {0x12436D, 0xFFFFFF, 0x8E99A6, 2, 3};
    svg_write_rectangle(&svg, &box, &paint);
    const char *text = finish(NULL, NULL);
    cr_assert(says(text, "<rect x=\"10\" y=\"10\" width=\"20\" height=\"8\" "
                         "fill=\"#12436d\"/>"));
    cr_assert(says(text, "stroke=\"#ffffff\" stroke-width=\"1.2\"/>"));
    cr_assert(says(text, "<rect x=\"11\" y=\"11\" width=\"18\" height=\"6\" fill=\"none\" "
                         "stroke=\"#8e99a6\" stroke-width=\"2\" stroke-dasharray=\"3\"/>"));
}

Test(svg_write, a_glyph_is_written_once_and_used_by_number)
{
    struct canvas_point points[3] = {{0, 0}, {1, -2}, {3, -4.5}};
    struct canvas_point at = {20, 30};
    struct canvas_point offset = {7.25, 0};
    svg_write_glyph_begin(&svg);
    svg_write_glyph_piece(&svg, 'M', points);
    svg_write_glyph_piece(&svg, 'C', points);
    svg_write_glyph_piece(&svg, 'Z', points);
    size_t glyph = svg_write_glyph_end(&svg);
    svg_write_text_begin(&svg, &at, 0x1B2430);
    svg_write_text_glyph(&svg, glyph, &points[0]);
    svg_write_text_glyph(&svg, glyph, &offset);
    svg_write_text_end(&svg);
    const char *text = finish(NULL, NULL);
    cr_assert(says(text, "<path id=\"g0\" d=\"M0 0C0 0 1 -2 3 -4.5Z\"/>"));
    cr_assert(says(text, "<g transform=\"translate(20 30)\" fill=\"#1b2430\">"
                         "<use xlink:href=\"#g0\"/><use xlink:href=\"#g0\" x=\"7.25\"/></g>"));
    cr_assert_eq(glyph, 0);
}

Test(svg_write, hatch_lines_stay_in_their_box)
{
    static const struct canvas_box boxes[] = {
        {0, 0, 20, 8}, {10, 5, 3, 40}, {1, 1, 0.5, 0.5}, {0, 0, 0, 0}, {5, 5, 100, 22}};
    for (size_t b = 0; b < sizeof boxes / sizeof boxes[0]; b++) {
        const struct canvas_box *box = &boxes[b];
        struct canvas_point line[2];
        size_t count = 0;
        for (; canvas_hatch_line(box, count, line); count++) {
            for (size_t i = 0; i < 2; i++) {
                /* 1e-9: sums of a few coordinates */
                cr_assert(line[i].x >= box->x - 1e-9 && line[i].x <= box->x + box->width + 1e-9);
                cr_assert(line[i].y >= box->y - 1e-9 && line[i].y <= box->y + box->height + 1e-9);
            }
            cr_assert(fabs((line[0].x - line[1].x) + (line[0].y - line[1].y)) < 1e-9,
                      "from lower left to upper right");
        }
        cr_assert_eq(count, (size_t)ceil((box->width + box->height) / CANVAS_HATCH_SPACING - 0.5));
    }
}
