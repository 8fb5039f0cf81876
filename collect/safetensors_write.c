#include "safetensors.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "json_write.h"
#include "text.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
               "safetensors stores little-endian numbers; this machine's would need swapping");

#define ALIGNMENT 8 /* of the data in the file */
/* From this size on the disk is asked to start at once, while the next part is being prepared. */
#define EARLY_BYTES (UINT64_C(1) << 20)

static enum status refuse(const struct safetensors_writer *writer, int error_number,
                          struct diag *diag)
{
    return diag_set(diag, STATUS_ENVIRONMENT, "%s: cannot write: %s", writer->path,
                    diag_reason(error_number));
}

/* Offsets and sizes; the sum of all. */
static uint64_t place_tensors(struct safetensors_layout *layout)
{
    uint64_t end = 0;
    for (size_t i = 0; i < layout->tensor_count; i++) {
        struct safetensors_tensor *tensor = &layout->tensors[i];
        tensor->bytes = safetensors_dtype_bytes(tensor->dtype);
        for (unsigned d = 0; d < tensor->dimensions; d++)
            tensor->bytes *= tensor->shape[d];
        tensor->offset = end;
        end += tensor->bytes;
    }
    return end;
}

static json_t *describe(struct json_write *json, const struct safetensors_tensor *tensor)
{
    json_t *object = json_write_object(json), *shape = json_write_array(json),
           *offsets = json_write_array(json);
    for (unsigned d = 0; d < tensor->dimensions; d++)
        json_write_append(json, shape, json_write_integer(json, (int64_t)tensor->shape[d]));
    json_write_append(json, offsets, json_write_integer(json, (int64_t)tensor->offset));
    json_write_append(json, offsets,
                      json_write_integer(json, (int64_t)(tensor->offset + tensor->bytes)));
    json_write_set(json, object, "dtype",
                   json_write_string(json, safetensors_dtype_name(tensor->dtype)));
    json_write_set(json, object, "shape", shape);
    json_write_set(json, object, "data_offsets", offsets);
    return object;
}

static json_t *build_header(struct json_write *json, const struct safetensors_layout *layout)
{
    json_t *root = json_write_object(json), *notes = json_write_object(json);
    for (size_t i = 0; i < layout->note_count; i++)
        json_write_set(json, notes, layout->notes[i].key,
                       json_write_string(json, layout->notes[i].value));
    json_write_set(json, root, "__metadata__", notes);
    for (size_t i = 0; i < layout->tensor_count; i++)
        json_write_set(json, root, layout->tensors[i].name, describe(json, &layout->tensors[i]));
    return root;
}

/* The file's beginning: length, header, spaces up to the alignment. */
static enum status begin_text(const struct safetensors_layout *layout, struct text_buffer *text,
                              struct diag *diag)
{
    static const char length_bytes[8] = {0};
    struct json_write json = {0};
    json_t *root = build_header(&json, layout);
    text_buffer_append(text, length_bytes, sizeof length_bytes);
    enum status status = json_write_text(&json, root, text, diag);
    json_decref(root);
    if (status != STATUS_OK)
        return status;
    text_buffer_fill(text, ' ', (ALIGNMENT - text->length % ALIGNMENT) % ALIGNMENT);
    if (text->failed)
        return diag_no_memory(diag);
    uint64_t length = text->length - sizeof length_bytes;
    memcpy(text->text, &length, sizeof length);
    return STATUS_OK;
}

/* pwrite(2) through short writes and interruptions; 0 or an errno value. */
static int write_all(int descriptor, const char *data, uint64_t bytes, uint64_t offset)
{
    while (bytes > 0) {
        ssize_t count = pwrite(descriptor, data, bytes, (off_t)offset);
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0)
            return errno;
        data += count;
        bytes -= (uint64_t)count;
        offset += (uint64_t)count;
    }
    return 0;
}

/* A disk without enough room is found out before hours of work; some file systems cannot say. */
static int reserve(int descriptor, uint64_t bytes)
{
    if (bytes == 0)
        return 0;
    while (fallocate(descriptor, 0, 0, (off_t)bytes) != 0)
        if (errno == EOPNOTSUPP || errno == ENOSYS)
            return 0;
        else if (errno != EINTR)
            return errno;
    return 0;
}

static enum status create_file(struct safetensors_writer *writer, const char *path,
                               const struct text_buffer *text, struct diag *diag)
{
    writer->descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (writer->descriptor < 0)
        return refuse(writer, errno, diag);
    int error_number = reserve(writer->descriptor, writer->data_begin + writer->data_bytes);
    if (error_number == 0)
        error_number = write_all(writer->descriptor, text->text, text->length, 0);
    return error_number == 0 ? STATUS_OK : refuse(writer, error_number, diag);
}

enum status safetensors_create(struct safetensors_writer *writer, const char *path,
                               struct safetensors_layout *layout, struct diag *diag)
{
    *writer = (struct safetensors_writer){.descriptor = -1, .full_at = UINT64_MAX};
    struct text_buffer printed = {0}, text = {0};
    text_escape(&printed, path, strlen(path));
    writer->path = printed.text; /* the writer's from here on */
    writer->data_bytes = place_tensors(layout);
    enum status status = printed.failed ? diag_no_memory(diag) : begin_text(layout, &text, diag);
    writer->data_begin = text.length;
    if (status == STATUS_OK)
        status = create_file(writer, path, &text, diag);
    text_buffer_fini(&text);
    if (status != STATUS_OK)
        safetensors_abandon(writer);
    return status;
}

enum status safetensors_write(struct safetensors_writer *writer, uint64_t offset, const void *data,
                              uint64_t bytes, struct diag *diag)
{
    if (offset > writer->data_bytes || bytes > writer->data_bytes - offset)
        return diag_set(diag, STATUS_BUG, "%s: %" PRIu64 " bytes at %" PRIu64 " of %" PRIu64,
                        writer->path, bytes, offset, writer->data_bytes);
    if (writer->written + bytes > writer->full_at)
        return refuse(writer, ENOSPC, diag);
    uint64_t at = writer->data_begin + offset;
    int error_number = write_all(writer->descriptor, data, bytes, at);
    if (error_number != 0)
        return refuse(writer, error_number, diag);
    writer->written += bytes;
    /* What goes wrong here, fsync reports. */
    if (bytes >= EARLY_BYTES)
        (void)sync_file_range(writer->descriptor, (off_t)at, (off_t)bytes, SYNC_FILE_RANGE_WRITE);
    return STATUS_OK;
}

enum status safetensors_finish(struct safetensors_writer *writer, struct diag *diag)
{
    enum status status = STATUS_OK;
    if (writer->written != writer->data_bytes)
        status = diag_set(diag, STATUS_BUG, "%s: %" PRIu64 " of %" PRIu64 " bytes were written",
                          writer->path, writer->written, writer->data_bytes);
    else if (fsync(writer->descriptor) != 0)
        status = refuse(writer, errno, diag);
    if (close(writer->descriptor) != 0 && status == STATUS_OK && errno != EINTR)
        status = refuse(writer, errno, diag);
    writer->descriptor = -1;
    safetensors_abandon(writer);
    return status;
}

void safetensors_abandon(struct safetensors_writer *writer)
{
    if (writer == NULL)
        return;
    if (writer->path != NULL && writer->descriptor >= 0)
        close(writer->descriptor);
    free(writer->path);
    *writer = (struct safetensors_writer){.descriptor = -1};
}
