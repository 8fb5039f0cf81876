#include "chart.h"

#include <math.h>
#include <stdlib.h>

#include "canvas_cairo.h"
#include "chart_changes.h"
#include "chart_frame.h"
#include "png_write.h"

size_t chart_rows(const struct chart_row *row, const struct chart_input *input)
{
    size_t count = input->summary->groups[input->group].candidate_count;
    if (!row->has_rows || count == 0)
        return 1;
    return count < CHART_FRAME_ROWS ? count : CHART_FRAME_ROWS;
}

bool chart_has_content(const struct chart_row *row, const struct chart_input *input)
{
    bool of_changes = row->draw == chart_changes_draw;
    if (of_changes != (input->summary->changes != NULL))
        return false; /* a comparison has nothing for the charts of runs, nor runs for its chart */
    return row->has_content == NULL || row->has_content(input);
}

/* Moves or copies the forms into the image; nothing is written if one fails. */
static enum status take_forms(const struct canvas_cairo *canvas, struct chart_forms forms,
                              struct chart_image *image, struct diag *diag)
{
    struct text_buffer svg = {0};
    struct text_buffer png = {0};
    struct canvas_pixels pixels = canvas_cairo_pixels(canvas);
    enum status status = forms.png ? png_write(&png, &pixels, diag) : STATUS_OK;
    if (forms.svg)
        text_buffer_append(&svg, canvas_cairo_svg(canvas)->text, canvas_cairo_svg(canvas)->length);
    if (status == STATUS_OK && svg.failed)
        status = diag_no_memory(diag);
    if (status != STATUS_OK) {
        text_buffer_fini(&svg);
        text_buffer_fini(&png);
        return status;
    }
    *image = (struct chart_image){
        .svg = svg.text,
        .svg_size = svg.length,
        .png = (unsigned char *)png.text,
        .png_size = png.length,
        .width = (unsigned)(pixels.width / CANVAS_CAIRO_SCALE),
        .height = (unsigned)(pixels.height / CANVAS_CAIRO_SCALE),
        .head = (unsigned)canvas_cairo_head(canvas),
        .glyphs_missing = canvas_cairo_glyphs_missing(canvas),
    };
    return STATUS_OK;
}

enum status chart_render(const struct chart_row *row, const struct chart_input *input,
                         struct chart_forms forms, struct chart_image *image, struct diag *diag)
{
    struct canvas_cairo *canvas = NULL;
    enum status status =
        canvas_cairo_create(input->texts->language, input->theme->families, &canvas, diag);
    if (status == STATUS_OK)
        status = row->draw(input, canvas_cairo_canvas(canvas), diag);
    if (status == STATUS_OK)
        status = take_forms(canvas, forms, image, diag);
    canvas_cairo_destroy(canvas);
    return status;
}

void chart_image_fini(struct chart_image *image)
{
    if (image == NULL)
        return;
    free(image->svg);
    free(image->png);
    *image = (struct chart_image){0};
}
