#include "png_write.h"

#include <png.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

/*
 * Measured on charts of 1920 x 1000 pixels (tests/bench/README.md): libpng's defaults try five
 * filters a row at level 6 and take ten times as long for files a third smaller.
 */
#define COMPRESSION_LEVEL 2

struct sink {
    struct text_buffer *out;
    struct diag *diag;
};

static void write_bytes(png_structp png, png_bytep data, png_size_t length)
{
    struct sink *sink = png_get_io_ptr(png);
    text_buffer_append(sink->out, (const char *)data, length);
    if (sink->out->failed) {
        (void)diag_no_memory(sink->diag);
        png_error(png, "out of memory");
    }
}

static void flush_bytes(png_structp png)
{
    (void)png;
}

static void refuse(png_structp png, png_const_charp message)
{
    struct sink *sink = png_get_error_ptr(png);
    (void)diag_set(sink->diag, STATUS_ENVIRONMENT, "cannot write a PNG: %s", message);
    png_longjmp(png, 1);
}

static void ignore(png_structp png, png_const_charp message)
{
    (void)png;
    (void)message;
}

static void convert_row(unsigned char *rgb, const unsigned char *from, size_t width)
{
    for (size_t x = 0; x < width; x++) {
        uint32_t pixel;
        memcpy(&pixel, from + 4 * x, sizeof pixel);
        rgb[3 * x] = (unsigned char)(pixel >> 16);
        rgb[3 * x + 1] = (unsigned char)(pixel >> 8);
        rgb[3 * x + 2] = (unsigned char)pixel;
    }
}

/* Runs under the caller's setjmp, so that it has no local that must outlive a jump. */
static void write_rows(png_structp png, png_infop info, const struct canvas_pixels *pixels,
                       unsigned char *row)
{
    png_set_compression_level(png, COMPRESSION_LEVEL);
    png_set_compression_strategy(png, Z_DEFAULT_STRATEGY);
    png_set_filter(png, PNG_FILTER_TYPE_BASE, PNG_FILTER_NONE);
    png_set_IHDR(png, info, (png_uint_32)pixels->width, (png_uint_32)pixels->height, 8,
                 PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
                 PNG_FILTER_TYPE_DEFAULT);
    png_write_info(png, info);
    for (size_t y = 0; y < pixels->height; y++) {
        convert_row(row, pixels->data + y * pixels->stride, pixels->width);
        png_write_row(png, row);
    }
    png_write_end(png, info);
}

enum status png_write(struct text_buffer *out, const struct canvas_pixels *pixels,
                      struct diag *diag)
{
    struct sink sink = {out, diag};
    enum status status = STATUS_OK;
    png_infop info = NULL;
    unsigned char *row = malloc(3 * pixels->width + 1);
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, &sink, refuse, ignore);
    if (png != NULL)
        info = png_create_info_struct(png);
    if (row == NULL || info == NULL) {
        status = diag_no_memory(diag);
    } else if (setjmp(png_jmpbuf(png)) != 0) {
        status = STATUS_ENVIRONMENT;
    } else {
        png_set_write_fn(png, &sink, write_bytes, flush_bytes);
        write_rows(png, info, pixels, row);
    }
    png_destroy_write_struct(&png, &info);
    free(row);
    return status;
}
