#include "input_gzip.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
/* zlib.h: input is not written to, and then says so. */
#define ZLIB_CONST
#include <zlib.h>

struct input_gzip {
    z_stream zlib;
};

/* RFC 1952, 2.3.1: the two bytes of ID, and the one method there is. */
static const char magic[] = {0x1F, (char)0x8B, 8};

bool input_gzip_begins(const char *data, size_t size)
{
    return size >= 2 && memcmp(data, magic, size < sizeof magic ? size : sizeof magic) == 0;
}

struct input_gzip *input_gzip_create(void)
{
    struct input_gzip *gzip = calloc(1, sizeof *gzip);
    /* zlib.h, inflateInit2: 16 more than the window's bits asks for the gzip format alone. */
    if (gzip != NULL && inflateInit2(&gzip->zlib, MAX_WBITS + 16) != Z_OK) {
        free(gzip);
        return NULL;
    }
    return gzip;
}

void input_gzip_restart(struct input_gzip *gzip)
{
    (void)inflateReset(&gzip->zlib); /* fails only for a stream that is none */
}

static uInt at_most(size_t size)
{
    return size < UINT_MAX ? (uInt)size : UINT_MAX;
}

enum input_gzip_state input_gzip_run(struct input_gzip *gzip, struct input_gzip_flow *flow)
{
    z_stream *zlib = &gzip->zlib;
    zlib->next_in = (const Bytef *)flow->in;
    zlib->avail_in = at_most(flow->in_size);
    zlib->next_out = (Bytef *)flow->out;
    zlib->avail_out = at_most(flow->out_size);
    uInt in_before = zlib->avail_in;
    uInt out_before = zlib->avail_out;
    int result = inflate(zlib, Z_NO_FLUSH);
    flow->in += in_before - zlib->avail_in;
    flow->in_size -= in_before - zlib->avail_in;
    flow->out += out_before - zlib->avail_out;
    flow->out_size -= out_before - zlib->avail_out;
    if (result == Z_STREAM_END)
        return INPUT_GZIP_END;
    if (result == Z_MEM_ERROR)
        return INPUT_GZIP_NO_MEMORY;
    /* Z_BUF_ERROR: neither input nor room was left, which is none. */
    return result == Z_OK || result == Z_BUF_ERROR ? INPUT_GZIP_GOING : INPUT_GZIP_DAMAGED;
}

const char *input_gzip_reason(const struct input_gzip *gzip)
{
    return gzip->zlib.msg != NULL ? gzip->zlib.msg : "no valid data";
}

void input_gzip_destroy(struct input_gzip *gzip)
{
    if (gzip == NULL)
        return;
    (void)inflateEnd(&gzip->zlib);
    free(gzip);
}
