#include <criterion/criterion.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "png_write.h"

static uint32_t be32(const unsigned char *bytes)
{
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

struct png {
    uint32_t width, height;
    unsigned char kind[5]; /* depth, colour, compression, filter, interlace */
    const unsigned char *data;
    size_t size;
};

/* Reads signature and chunks, checks every check sum, and that there is nothing else. */
static struct png parse(const struct text_buffer *out)
{
    struct png png = {0};
    const unsigned char *bytes = (const unsigned char *)out->text;
    size_t at = 8;
    cr_assert(out->length > 8 && memcmp(bytes, "\x89PNG\r\n\x1a\n", 8) == 0);
    while (at < out->length) {
        uint32_t size = be32(bytes + at);
        const unsigned char *name = bytes + at + 4;
        cr_assert(at + 12 + size <= out->length);
        cr_assert_eq(crc32(0, name, size + 4), be32(name + 4 + size));
        if (memcmp(name, "IHDR", 4) == 0) {
            png.width = be32(name + 4);
            png.height = be32(name + 8);
            memcpy(png.kind, name + 12, 5);
        } else if (memcmp(name, "IDAT", 4) == 0) {
            cr_assert_null(png.data, "one chunk of data");
            png.data = name + 4;
            png.size = size;
        } else {
            cr_assert(memcmp(name, "IEND", 4) == 0 && at + 12 == out->length);
        }
        at += 12 + size;
    }
    return png;
}

/* Undoes the filters "none" and "up"; `rows` begin with the type of their filter. Returns how many
 * were "up". */
static size_t unfilter(unsigned char *rows, size_t size, size_t height)
{
    size_t up = 0;
    for (size_t y = 0; y < height; y++) {
        unsigned char *row = rows + y * size;
        cr_assert(row[0] == 0 || (row[0] == 2 && y > 0), "filter type %d", row[0]);
        for (size_t i = 1; row[0] == 2 && i < size; i++)
            row[i] = (unsigned char)(row[i] + row[i - size]);
        up += row[0] == 2;
    }
    return up;
}

/* Rows of noise, each drawn `times` times; returns how many were written as the one above. */
static size_t check_round_trip(size_t width, size_t height, size_t times)
{
    size_t stride = 4 * width + 12;
    unsigned char *pixels = malloc(stride * height);
    cr_assert_not_null(pixels);
    uint32_t state = 12345;
    for (size_t y = 0; y < height; y++) {
        for (size_t x = 0; x < width; x++) {
            state = state * 1664525 + 1013904223; /* any noise will do */
            uint32_t pixel = x % 7 < 3 ? state | 0xFF000000 : 0xFF00FF00;
            memcpy(pixels + y * stride + 4 * x, &pixel, 4);
        }
        if (y % times > 0)
            memcpy(pixels + y * stride, pixels + (y - 1) * stride, 4 * width);
    }
    struct canvas_pixels image = {pixels, width, height, stride};
    struct text_buffer out = {0};
    struct diag diag = {0};
    cr_assert_eq(png_write(&out, &image, &diag), STATUS_OK);
    struct png png = parse(&out);
    cr_assert(png.width == width && png.height == height);
    cr_assert(memcmp(png.kind, "\x08\x02\x00\x00\x00", 5) == 0, "8-bit RGB");
    uLongf size = (uLongf)((3 * width + 1) * height);
    unsigned char *rows = malloc(size);
    cr_assert_not_null(rows);
    cr_assert_eq(uncompress(rows, &size, png.data, png.size), Z_OK);
    cr_assert_eq(size, (3 * width + 1) * height);
    size_t up = unfilter(rows, 3 * width + 1, height);
    for (size_t y = 0; y < height; y++) {
        const unsigned char *row = rows + y * (3 * width + 1);
        for (size_t x = 0; x < width; x++) {
            uint32_t pixel;
            memcpy(&pixel, pixels + y * stride + 4 * x, 4);
            uint32_t got =
                (uint32_t)row[3 * x + 1] << 16 | (uint32_t)row[3 * x + 2] << 8 | row[3 * x + 3];
            cr_assert_eq(got, pixel & 0xFFFFFF, "pixel %zu,%zu", x, y);
        }
    }
    free(rows);
    free(pixels);
    text_buffer_fini(&out);
    return up;
}

Test(png_write, reads_back_as_the_same_pixels)
{
    cr_assert_eq(check_round_trip(1, 1, 1), 0);
    check_round_trip(1, 2, 1);
    cr_assert_eq(check_round_trip(7, 3, 1), 0);
    cr_assert_eq(check_round_trip(333, 200, 1), 0);
    cr_assert_eq(check_round_trip(1920, 64, 1), 0);
}

Test(png_write, rows_like_the_one_above_read_back_too)
{
    cr_assert_eq(check_round_trip(333, 200, 2), 100);
    cr_assert_eq(check_round_trip(1920, 64, 64), 63, "over the border of the stripes, too");
    cr_assert_eq(check_round_trip(40000, 3, 3), 2, "more zeros than the check sum's base has");
}

Test(png_write, same_pixels_give_same_bytes)
{
    static unsigned char pixels[64 * 64 * 4];
    for (size_t i = 0; i < sizeof pixels; i++)
        pixels[i] = (unsigned char)(i * i >> 5);
    struct canvas_pixels image = {pixels, 64, 64, 64 * 4};
    struct text_buffer first = {0};
    cr_assert_eq(png_write(&first, &image, NULL), STATUS_OK);
    for (int i = 0; i < 20; i++) {
        struct text_buffer again = {0};
        cr_assert_eq(png_write(&again, &image, NULL), STATUS_OK);
        cr_assert(again.length == first.length &&
                  memcmp(again.text, first.text, first.length) == 0);
        text_buffer_fini(&again);
    }
    text_buffer_fini(&first);
}
