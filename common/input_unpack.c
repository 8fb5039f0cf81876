#include "input_unpack.h"

#include <stdint.h>
#include <string.h>

#define RAW_CAPACITY ((size_t)64 << 10)

enum position { IN_MEMBER, BEHIND_MEMBER, IN_PADDING };

static void take(struct input_stream *stream, size_t size)
{
    if (stream->wants_digest)
        sha256_add(&stream->digest, stream->raw.data + stream->raw.size, size);
    stream->raw.size += size;
    stream->raw_total += size;
}

enum status input_unpack_begin(struct input_stream *stream, const char *data, size_t size,
                               struct diag *diag)
{
    stream->raw.size = stream->raw_begin = 0;
    stream->raw_total = 0;
    enum status status =
        input_buffer_reserve(&stream->raw, size > RAW_CAPACITY ? size : RAW_CAPACITY, diag);
    if (status != STATUS_OK)
        return status;
    if (stream->gzip == NULL)
        stream->gzip = input_gzip_create();
    else
        input_gzip_restart(stream->gzip);
    if (stream->gzip == NULL)
        return diag_no_memory(diag);
    sha256_begin(&stream->digest);
    memcpy(stream->raw.data, data, size);
    take(stream, size);
    stream->compressed = true;
    stream->position = IN_MEMBER;
    return STATUS_OK;
}

/* At least `wanted` bytes that are not used yet, unless the file has no more. */
static enum status refill(struct input_stream *stream, size_t wanted, struct diag *diag)
{
    struct input_buffer *raw = &stream->raw;
    enum status status = STATUS_OK;
    while (status == STATUS_OK && raw->size - stream->raw_begin < wanted && !stream->ended) {
        size_t left = raw->size - stream->raw_begin;
        size_t count = 0;
        memmove(raw->data, raw->data + stream->raw_begin, left);
        raw->size = left;
        stream->raw_begin = 0;
        status = input_unpack_fill(stream, raw->data + left, raw->capacity - left, &count, diag);
        take(stream, count);
    }
    return status;
}

/* Offset in the file of the first byte that is not used yet. */
static uint64_t place(const struct input_stream *stream)
{
    return stream->raw_total - (stream->raw.size - stream->raw_begin);
}

static enum status refuse_truncated(struct input_stream *stream, struct diag *diag)
{
    stream->fault = INPUT_FAULT_GZIP_TRUNCATED;
    return diag_set(diag, STATUS_INPUT,
                    "%s: the gzip data stop in the middle, after %ju bytes: the file was cut off "
                    "while it was written or copied",
                    stream->name, (uintmax_t)stream->raw_total);
}

static enum status refuse_damaged(struct input_stream *stream, struct diag *diag)
{
    stream->fault = INPUT_FAULT_GZIP_DAMAGED;
    return diag_set(diag, STATUS_INPUT,
                    "%s: the gzip data are damaged before byte %ju (%s): copy the file again from "
                    "where it is whole",
                    stream->name, (uintmax_t)place(stream), input_gzip_reason(stream->gzip));
}

static enum status refuse_trailing(struct input_stream *stream, struct diag *diag)
{
    stream->fault = INPUT_FAULT_GZIP_TRAILING;
    return diag_set(diag, STATUS_INPUT,
                    "%s: behind the gzip data, from byte %ju on, stands something that is none: "
                    "something else was appended to the file",
                    stream->name, (uintmax_t)place(stream) + 1);
}

/* Decompresses some; *count may stay 0 although there is more. */
static enum status run_member(struct input_stream *stream, char *data, size_t size, size_t *count,
                              struct diag *diag)
{
    enum status status = refill(stream, 1, diag);
    struct input_gzip_flow flow = {stream->raw.data + stream->raw_begin,
                                   stream->raw.size - stream->raw_begin, data, size};
    if (status != STATUS_OK)
        return status;
    size_t before = flow.in_size;
    enum input_gzip_state state = input_gzip_run(stream->gzip, &flow);
    stream->raw_begin += before - flow.in_size;
    *count = size - flow.out_size;
    if (state == INPUT_GZIP_NO_MEMORY)
        return diag_no_memory(diag);
    if (state == INPUT_GZIP_END)
        stream->position = BEHIND_MEMBER;
    if (*count > 0 || state == INPUT_GZIP_END)
        return STATUS_OK; /* what is wrong behind it is found by the next call */
    if (state == INPUT_GZIP_DAMAGED)
        return refuse_damaged(stream, diag);
    return before == 0 ? refuse_truncated(stream, diag) : STATUS_OK;
}

/* Another member, the end, or zeros to the end, as tapes and some stores pad files. */
static enum status pass_member_end(struct input_stream *stream, bool *end, struct diag *diag)
{
    enum status status = refill(stream, 3, diag);
    const char *raw = stream->raw.data + stream->raw_begin;
    size_t size = stream->raw.size - stream->raw_begin;
    *end = size == 0;
    if (status != STATUS_OK || *end)
        return status;
    if (stream->position == BEHIND_MEMBER && input_gzip_begins(raw, size)) {
        input_gzip_restart(stream->gzip);
        stream->position = IN_MEMBER;
        return STATUS_OK;
    }
    stream->position = IN_PADDING;
    for (size_t i = 0; i < size && *raw == '\0'; i++, raw++)
        stream->raw_begin++;
    return stream->raw_begin == stream->raw.size ? STATUS_OK : refuse_trailing(stream, diag);
}

enum status input_unpack_read(struct input_stream *stream, char *data, size_t size, size_t *count,
                              struct diag *diag)
{
    enum status status = STATUS_OK;
    bool end = false;
    *count = 0;
    while (status == STATUS_OK && *count == 0 && !end)
        status = stream->position == IN_MEMBER ? run_member(stream, data, size, count, diag)
                                               : pass_member_end(stream, &end, diag);
    return status;
}
