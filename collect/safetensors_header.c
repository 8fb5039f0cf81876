#include "safetensors_header.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "json_read.h"
#include "text.h"

#define NOTES "__metadata__"

/* One header being read. */
struct parsing {
    struct safetensors_reader *reader;
    struct json_read_source source;
    struct diag *diag;
};

/* A decoded copy of a text or name in the reader's arena. */
static const char *copy_text(struct parsing *parsing, uint32_t node)
{
    size_t capacity = (size_t)parsing->source.document->nodes[node].length + 1;
    char *text = arena_take(&parsing->reader->arena, capacity);
    if (text != NULL)
        json_read_string(parsing->source.document, node, text, capacity);
    return text;
}

static enum status read_notes(struct parsing *parsing, uint32_t object)
{
    const struct json_read_document *document = parsing->source.document;
    struct safetensors_reader *reader = parsing->reader;
    if (!json_read_is(document, object, JSON_READ_OBJECT))
        return json_read_refuse(&parsing->source, object, parsing->diag, "expected an object");
    reader->notes = arena_take_array(&reader->arena, (size_t)json_read_count(document, object) + 1,
                                     sizeof *reader->notes);
    if (reader->notes == NULL)
        return diag_no_memory(parsing->diag);
    for (uint32_t key = json_read_first(document, object); key != JSON_READ_NONE;
         key = json_read_next(document, object, key)) {
        struct safetensors_note *note = &reader->notes[reader->note_count++];
        if (!json_read_is(document, key + 1, JSON_READ_STRING))
            return json_read_refuse(&parsing->source, key + 1, parsing->diag,
                                    "expected a text: metadata are texts only");
        note->key = copy_text(parsing, key);
        note->value = copy_text(parsing, key + 1);
        if (note->key == NULL || note->value == NULL)
            return diag_no_memory(parsing->diag);
    }
    return STATUS_OK;
}

/* A number of `numbers`' elements as the format has them: a non-negative integer. */
static enum status read_count(struct parsing *parsing, uint32_t node, uint64_t *value)
{
    int64_t number = 0;
    const struct json_read_document *document = parsing->source.document;
    if (!json_read_is(document, node, JSON_READ_NUMBER) ||
        (document->nodes[node].flags & JSON_READ_INTEGER) == 0 ||
        !json_read_int64(document, node, &number) || number < 0)
        return json_read_refuse(&parsing->source, node, parsing->diag,
                                "expected an integer from 0 on");
    *value = (uint64_t)number;
    return STATUS_OK;
}

static enum status read_dtype(struct parsing *parsing, uint32_t object,
                              struct safetensors_tensor *tensor)
{
    uint32_t node = JSON_READ_NONE;
    enum status status = json_read_get_node(&parsing->source, object, "dtype", JSON_READ_STRING,
                                            JSON_READ_REQUIRED, &node, parsing->diag);
    if (status != STATUS_OK)
        return status;
    for (int dtype = 0; dtype < SAFETENSORS_DTYPE_COUNT; dtype++) {
        tensor->dtype = (enum safetensors_dtype)dtype;
        if (json_read_equals(parsing->source.document, node, safetensors_dtype_name(tensor->dtype)))
            return STATUS_OK;
    }
    return json_read_refuse(&parsing->source, node, parsing->diag,
                            "expected a dtype such as F32 or BF16");
}

/* The shape, and in tensor->bytes what dtype and shape ask for. */
static enum status read_shape(struct parsing *parsing, uint32_t object,
                              struct safetensors_tensor *tensor)
{
    const struct json_read_document *document = parsing->source.document;
    uint32_t shape = JSON_READ_NONE;
    enum status status = json_read_get_node(&parsing->source, object, "shape", JSON_READ_ARRAY,
                                            JSON_READ_REQUIRED, &shape, parsing->diag);
    if (status == STATUS_OK && json_read_count(document, shape) > SAFETENSORS_MAX_DIMENSIONS)
        return json_read_refuse(&parsing->source, shape, parsing->diag,
                                "expected at most %d dimensions", SAFETENSORS_MAX_DIMENSIONS);
    tensor->bytes = safetensors_dtype_bytes(tensor->dtype);
    for (uint32_t node = status == STATUS_OK ? json_read_first(document, shape) : JSON_READ_NONE;
         node != JSON_READ_NONE; node = json_read_next(document, shape, node)) {
        uint64_t *size = &tensor->shape[tensor->dimensions++];
        status = read_count(parsing, node, size);
        if (status != STATUS_OK)
            return status;
        if (__builtin_mul_overflow(tensor->bytes, *size, &tensor->bytes))
            return json_read_refuse(&parsing->source, node, parsing->diag,
                                    "the sizes are more than any file holds");
    }
    return status;
}

static enum status read_offsets(struct parsing *parsing, uint32_t object,
                                struct safetensors_tensor *tensor)
{
    const struct json_read_document *document = parsing->source.document;
    uint32_t offsets = JSON_READ_NONE;
    enum status status =
        json_read_get_node(&parsing->source, object, "data_offsets", JSON_READ_ARRAY,
                           JSON_READ_REQUIRED, &offsets, parsing->diag);
    if (status == STATUS_OK && json_read_count(document, offsets) != 2)
        return json_read_refuse(&parsing->source, offsets, parsing->diag,
                                "expected two numbers, the first byte and the one after the last");
    uint64_t end = 0;
    if (status == STATUS_OK)
        status = read_count(parsing, json_read_first(document, offsets), &tensor->offset);
    if (status == STATUS_OK)
        status = read_count(parsing, json_read_first(document, offsets) + 1, &end);
    if (status != STATUS_OK)
        return status;
    if (tensor->offset > end || end > parsing->reader->data_bytes)
        return json_read_refuse(&parsing->source, offsets, parsing->diag,
                                "bytes %" PRIu64 " to %" PRIu64 " are not inside the %" PRIu64
                                " bytes of data that the file has (is it cut off?)",
                                tensor->offset, end, parsing->reader->data_bytes);
    if (end - tensor->offset != tensor->bytes)
        return json_read_refuse(&parsing->source, offsets, parsing->diag,
                                "%" PRIu64 " bytes, but dtype and shape ask for %" PRIu64,
                                end - tensor->offset, tensor->bytes);
    return STATUS_OK;
}

static enum status read_tensor(struct parsing *parsing, uint32_t key)
{
    const struct json_read_document *document = parsing->source.document;
    struct safetensors_reader *reader = parsing->reader;
    struct safetensors_tensor *tensor = &reader->tensors[reader->tensor_count++];
    uint32_t object = key + 1;
    tensor->name = copy_text(parsing, key);
    if (tensor->name == NULL)
        return diag_no_memory(parsing->diag);
    enum status status = read_dtype(parsing, object, tensor);
    if (status == STATUS_OK)
        status = read_shape(parsing, object, tensor);
    if (status == STATUS_OK)
        status = read_offsets(parsing, object, tensor);
    if (status == STATUS_OK && json_read_count(document, object) != 3)
        return json_read_refuse(&parsing->source, object, parsing->diag,
                                "expected dtype, shape and data_offsets, and nothing else");
    return status;
}

static int by_offset(const void *a, const void *b)
{
    const struct safetensors_tensor *left = a, *right = b;
    if (left->offset != right->offset)
        return left->offset < right->offset ? -1 : 1;
    return (left->bytes > right->bytes) - (left->bytes < right->bytes); /* empty ones first */
}

static int by_name(const void *a, const void *b)
{
    const struct safetensors_tensor *const *left = a, *const *right = b;
    return strcmp((*left)->name, (*right)->name);
}

/* The data are the tensors one after the other, and nothing else. */
static enum status check_order(struct parsing *parsing)
{
    struct safetensors_reader *reader = parsing->reader;
    uint64_t end = 0;
    for (size_t i = 0; i < reader->tensor_count; i++) {
        const struct safetensors_tensor *tensor = &reader->tensors[i];
        char name[128];
        text_escape_into(name, sizeof name, tensor->name, strlen(tensor->name));
        if (tensor->offset != end)
            return diag_set(parsing->diag, STATUS_INPUT,
                            "%s: tensor %s begins at byte %" PRIu64
                            " of the data, the one before it ends at %" PRIu64 ": %s",
                            reader->path, name, tensor->offset, end,
                            tensor->offset < end ? "they overlap" : "a hole");
        end += tensor->bytes;
    }
    if (end != reader->data_bytes)
        return diag_set(parsing->diag, STATUS_INPUT,
                        "%s: the tensors end at byte %" PRIu64 " of %" PRIu64
                        " bytes of data: the rest belongs to none",
                        reader->path, end, reader->data_bytes);
    return STATUS_OK;
}

static enum status read_members(struct parsing *parsing)
{
    const struct json_read_document *document = parsing->source.document;
    struct safetensors_reader *reader = parsing->reader;
    if (!json_read_is(document, 0, JSON_READ_OBJECT))
        return json_read_refuse(&parsing->source, 0, parsing->diag, "expected an object");
    size_t members = json_read_count(document, 0);
    reader->tensors = arena_take_array(&reader->arena, members + 1, sizeof *reader->tensors);
    reader->by_name = arena_take_array(&reader->arena, members + 1, sizeof *reader->by_name);
    if (reader->tensors == NULL || reader->by_name == NULL)
        return diag_no_memory(parsing->diag);
    enum status status = STATUS_OK;
    for (uint32_t key = json_read_first(document, 0); key != JSON_READ_NONE && status == STATUS_OK;
         key = json_read_next(document, 0, key))
        status = json_read_equals(document, key, NOTES) ? read_notes(parsing, key + 1)
                                                        : read_tensor(parsing, key);
    if (status != STATUS_OK)
        return status;
    qsort(reader->tensors, reader->tensor_count, sizeof *reader->tensors, by_offset);
    for (size_t i = 0; i < reader->tensor_count; i++)
        reader->by_name[i] = &reader->tensors[i];
    qsort(reader->by_name, reader->tensor_count, sizeof *reader->by_name, by_name);
    return check_order(parsing);
}

enum status safetensors_header_parse(struct safetensors_reader *reader, const char *text,
                                     size_t length, struct diag *diag)
{
    struct json_read_document document = {0};
    struct parsing parsing = {reader, {&document, reader->path}, diag};
    /* json_read_parse_strict refuses a name that occurs twice. */
    enum status status = json_read_parse_strict(&document, reader->path, text, length, diag);
    if (status == STATUS_OK)
        status = read_members(&parsing);
    json_read_fini(&document);
    return status;
}
