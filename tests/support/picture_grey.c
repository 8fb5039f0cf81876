#include "picture_grey.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "theme_default.h"

/* Letters and characters of both languages, in regular and in bold. */
static const char probe_text[] =
    "Memory 13.76 GiB, \xE5\x86\x85\xE5\xAD\x98\xE9\x99\x90\xE5\x88\xB6";

static double probe(struct canvas *canvas)
{
    const struct canvas_font regular = {.size = 13};
    const struct canvas_font bold = {.size = 20, .bold = true};
    return canvas->backend->measure(canvas, &regular, probe_text, strlen(probe_text)).width +
           canvas->backend->measure(canvas, &bold, probe_text, strlen(probe_text)).width;
}

static unsigned char mean_of(const struct canvas_pixels *pixels, size_t left, size_t top)
{
    double sum = 0;
    size_t count = 0;
    for (size_t y = top; y < top + PICTURE_GREY_CELL && y < pixels->height; y++) {
        for (size_t x = left; x < left + PICTURE_GREY_CELL && x < pixels->width; x++) {
            uint32_t pixel;
            memcpy(&pixel, pixels->data + y * pixels->stride + 4 * x, sizeof pixel);
            /* ITU-R BT.601's weights of red, green and blue */
            sum +=
                0.299 * (pixel >> 16 & 0xFF) + 0.587 * (pixel >> 8 & 0xFF) + 0.114 * (pixel & 0xFF);
            count++;
        }
    }
    return (unsigned char)lround(sum / (double)count);
}

static void take(struct picture_grey *picture, size_t width, size_t height)
{
    picture->width = width;
    picture->height = height;
    picture->cells = malloc(width * height + 1);
    if (picture->cells == NULL)
        abort();
}

void picture_grey_draw(struct picture_grey *picture, const struct chart_recorder *recorder,
                       const char *chart)
{
    struct diag diag = {0};
    struct canvas_cairo *canvas = NULL;
    struct chart_input input = {.summary = &recorder->summary,
                                .texts = &recorder->texts,
                                .theme = theme_default(),
                                .width = recorder->width};
    cr_assert_eq(
        canvas_cairo_create(recorder->texts.language, theme_default()->families, &canvas, &diag),
        STATUS_OK, "%s", diag.text);
    picture->probe = probe(canvas_cairo_canvas(canvas));
    cr_assert_eq(chart_recorder_row(chart)->draw(&input, canvas_cairo_canvas(canvas), &diag),
                 STATUS_OK, "%s", diag.text);
    struct canvas_pixels pixels = canvas_cairo_pixels(canvas);
    take(picture, (pixels.width + PICTURE_GREY_CELL - 1) / PICTURE_GREY_CELL,
         (pixels.height + PICTURE_GREY_CELL - 1) / PICTURE_GREY_CELL);
    for (size_t i = 0; i < picture->width * picture->height; i++)
        picture->cells[i] = mean_of(&pixels, i % picture->width * PICTURE_GREY_CELL,
                                    i / picture->width * PICTURE_GREY_CELL);
    canvas_cairo_destroy(canvas);
}

bool picture_grey_read(struct picture_grey *picture, const char *path)
{
    FILE *file = fopen(path, "rb");
    size_t width;
    size_t height;
    if (file == NULL)
        return false;
    bool sound =
        fscanf(file, "P5\n# probe %lf\n%zu %zu\n255", &picture->probe, &width, &height) == 3 &&
        fgetc(file) == '\n' && width < 10000 && height < 10000;
    if (sound) {
        take(picture, width, height);
        sound = fread(picture->cells, 1, width * height, file) == width * height;
    }
    fclose(file);
    return sound;
}

void picture_grey_write(const struct picture_grey *picture, const char *path)
{
    FILE *file = fopen(path, "wb");
    cr_assert_not_null(file);
    fprintf(file, "P5\n# probe %.3f\n%zu %zu\n255\n", picture->probe, picture->width,
            picture->height);
    fwrite(picture->cells, 1, picture->width * picture->height, file);
    fclose(file);
}

void picture_grey_fini(struct picture_grey *picture)
{
    free(picture->cells);
    *picture = (struct picture_grey){0};
}

struct picture_grey_difference picture_grey_compare(const struct picture_grey *a,
                                                    const struct picture_grey *b)
{
    struct picture_grey_difference result = {.same_size =
                                                 a->width == b->width && a->height == b->height};
    for (size_t i = 0; result.same_size && i < a->width * a->height; i++) {
        double apart = fabs((double)a->cells[i] - (double)b->cells[i]);
        result.mean += apart / (double)(a->width * a->height);
        if (apart <= result.largest)
            continue;
        result.largest = apart;
        result.column = i % a->width;
        result.row = i / a->width;
    }
    return result;
}
