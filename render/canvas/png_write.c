#include "png_write.h"

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

/*
 * The rows are compressed in two stripes at the same time, whose streams are joined to one: the
 * first ends on a byte border without ending the stream (zlib's Z_SYNC_FLUSH), as pigz does. The
 * number of stripes is fixed, so that the bytes do not depend on the machine. On charts level 2
 * without filters takes a quarter to a third of the time of level 6 for a fifth more bytes; a
 * filter of all rows makes these pictures larger (measurements in tests/bench/README.md).
 */
#define STRIPES 2
#define COMPRESSION_LEVEL 2
#define RAW_STREAM (-15) /* window bits of a stream without header */
/* zlib moves its hash table with every 32 KiB that it reads: a small one is quicker, and nothing is
 * lost on rows that are mostly alike. */
#define MEMORY_LEVEL 6
#define CHUNK ((size_t)1 << 16)
#define FILTER_NONE 0
#define FILTER_UP 2
#define ADLER_BASE 65521u

struct stripe {
    const struct canvas_pixels *pixels;
    size_t first, end; /* rows */
    bool last;
    struct text_buffer out;
    uLong adler;
    size_t length; /* of what was compressed */
    bool failed;
};

/* Two of five rows of a chart are the same as the one above: the filter "up" makes zeros of them,
 * which cost neither a conversion nor, but for their number, a check sum. */
static bool repeats(const struct canvas_pixels *pixels, size_t y)
{
    const unsigned char *row = pixels->data + y * pixels->stride;
    return y > 0 && memcmp(row, row - pixels->stride, 4 * pixels->width) == 0;
}

/* The check sum with `count` zeros more (RFC 1950): the sum of bytes stays, the sum of sums grows
 * by it each time. */
static uLong add_zeros(uLong adler, size_t count)
{
    uint64_t bytes = adler & 0xFFFF;
    uint64_t sums = adler >> 16 & 0xFFFF;
    return (uLong)((sums + count % ADLER_BASE * bytes) % ADLER_BASE << 16 | bytes);
}

static void convert_row(unsigned char *row, const unsigned char *from, size_t width)
{
    row[0] = FILTER_NONE;
    for (size_t x = 0; x < width; x++) {
        uint32_t pixel;
        memcpy(&pixel, from + 4 * x, sizeof pixel);
        row[3 * x + 1] = (unsigned char)(pixel >> 16);
        row[3 * x + 2] = (unsigned char)(pixel >> 8);
        row[3 * x + 3] = (unsigned char)pixel;
    }
}

/* Compresses what `stream` has been given and moves it to the stripe's output. */
static void pump(struct stripe *stripe, z_stream *stream, unsigned char *chunk, int flush)
{
    do {
        stream->next_out = chunk;
        stream->avail_out = (uInt)CHUNK;
        if (deflate(stream, flush) == Z_STREAM_ERROR)
            stripe->failed = true;
        text_buffer_append(&stripe->out, (const char *)chunk, CHUNK - stream->avail_out);
    } while (stream->avail_out == 0 && !stripe->failed);
}

/* `row` and `same` are buffers of a row each, the second of zeros. */
static void compress_rows(struct stripe *stripe, z_stream *stream, unsigned char *row,
                          unsigned char *same, unsigned char *chunk)
{
    const struct canvas_pixels *pixels = stripe->pixels;
    size_t size = 3 * pixels->width + 1;
    same[0] = FILTER_UP;
    for (size_t y = stripe->first; y < stripe->end && !stripe->failed; y++) {
        bool again = repeats(pixels, y);
        if (again) {
            stripe->adler = add_zeros(adler32(stripe->adler, same, 1), size - 1);
        } else {
            convert_row(row, pixels->data + y * pixels->stride, pixels->width);
            stripe->adler = adler32(stripe->adler, row, (uInt)size);
        }
        stripe->length += size;
        stream->next_in = again ? same : row;
        stream->avail_in = (uInt)size;
        pump(stripe, stream, chunk, Z_NO_FLUSH);
    }
    pump(stripe, stream, chunk, stripe->last ? Z_FINISH : Z_SYNC_FLUSH);
}

static void *compress_stripe(void *argument)
{
    struct stripe *stripe = argument;
    z_stream stream = {0};
    size_t size = 3 * stripe->pixels->width + 1;
    unsigned char *memory = calloc(1, 2 * size + CHUNK);
    bool ready = memory != NULL && deflateInit2(&stream, COMPRESSION_LEVEL, Z_DEFLATED, RAW_STREAM,
                                                MEMORY_LEVEL, Z_DEFAULT_STRATEGY) == Z_OK;
    stripe->adler = adler32(0, NULL, 0);
    if (ready) {
        compress_rows(stripe, &stream, memory, memory + size, memory + 2 * size);
        (void)deflateEnd(&stream);
    }
    free(memory);
    stripe->failed = stripe->failed || !ready || stripe->out.failed;
    return NULL;
}

static void compress_all(struct stripe stripes[STRIPES])
{
    pthread_t threads[STRIPES];
    bool started[STRIPES] = {false};
    for (size_t i = 1; i < STRIPES; i++)
        started[i] = pthread_create(&threads[i], NULL, compress_stripe, &stripes[i]) == 0;
    for (size_t i = 0; i < STRIPES; i++) {
        if (!started[i]) /* the first, and one for which there is no thread */
            compress_stripe(&stripes[i]);
    }
    for (size_t i = 1; i < STRIPES; i++) {
        if (started[i])
            (void)pthread_join(threads[i], NULL);
    }
}

static void put_be32(struct text_buffer *out, uLong value)
{
    char bytes[4] = {(char)(value >> 24), (char)(value >> 16), (char)(value >> 8), (char)value};
    text_buffer_append(out, bytes, sizeof bytes);
}

/* Begins a chunk; returns where its name stands, from which its check sum is taken. */
static size_t begin_chunk(struct text_buffer *out, const char *name, size_t length)
{
    put_be32(out, (uLong)length);
    text_buffer_append(out, name, 4);
    return out->length - 4;
}

static void end_chunk(struct text_buffer *out, size_t start)
{
    if (!out->failed)
        put_be32(out, crc32(0, (const Bytef *)out->text + start, (uInt)(out->length - start)));
}

static void put_header(struct text_buffer *out, const struct canvas_pixels *pixels)
{
    static const char signature[8] = {(char)0x89, 'P', 'N', 'G', '\r', '\n', 0x1A, '\n'};
    static const char kind[5] = {8, 2, 0, 0, 0}; /* 8 bits, RGB, deflate, filters, no interlace */
    text_buffer_append(out, signature, sizeof signature);
    size_t start = begin_chunk(out, "IHDR", 13);
    put_be32(out, (uLong)pixels->width);
    put_be32(out, (uLong)pixels->height);
    text_buffer_append(out, kind, sizeof kind);
    end_chunk(out, start);
}

static void put_stripes(struct text_buffer *out, const struct stripe stripes[STRIPES])
{
    /* A zlib header: window of 32 KiB, fast level, check bits that make it a multiple of 31. */
    static const char header[2] = {0x78, 0x01};
    size_t length = sizeof header + 4;
    uLong adler = stripes[0].adler;
    for (size_t i = 0; i < STRIPES; i++) {
        length += stripes[i].out.length;
        if (i > 0)
            adler = adler32_combine(adler, stripes[i].adler, (z_off_t)stripes[i].length);
    }
    size_t start = begin_chunk(out, "IDAT", length);
    text_buffer_append(out, header, sizeof header);
    for (size_t i = 0; i < STRIPES; i++)
        text_buffer_append(out, stripes[i].out.text, stripes[i].out.length);
    put_be32(out, adler);
    end_chunk(out, start);
}

enum status png_write(struct text_buffer *out, const struct canvas_pixels *pixels,
                      struct diag *diag)
{
    struct stripe stripes[STRIPES] = {{0}};
    enum status status = STATUS_OK;
    for (size_t i = 0; i < STRIPES; i++) {
        stripes[i].pixels = pixels;
        stripes[i].first = pixels->height * i / STRIPES;
        stripes[i].end = pixels->height * (i + 1) / STRIPES;
        stripes[i].last = i + 1 == STRIPES;
    }
    compress_all(stripes);
    for (size_t i = 0; i < STRIPES; i++) {
        if (stripes[i].failed)
            status = diag_no_memory(diag);
    }
    if (status == STATUS_OK) {
        put_header(out, pixels);
        put_stripes(out, stripes);
        end_chunk(out, begin_chunk(out, "IEND", 0));
        status = out->failed ? diag_no_memory(diag) : STATUS_OK;
    }
    for (size_t i = 0; i < STRIPES; i++)
        text_buffer_fini(&stripes[i].out);
    return status;
}
