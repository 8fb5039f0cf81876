#include "checkpoint_index.h"

#include <inttypes.h>
#include <string.h>

#include "json_read.h"
#include "text.h"

#define LARGEST_INDEX ((size_t)1 << 30)

/* One index being read. */
struct reading {
    const struct checkpoint_index_request *request;
    struct checkpoint_index *index;
    struct json_read_source source;
    struct diag *diag;
};

static enum status read_facts(struct reading *reading, struct checkpoint_facts_meaning *meaning)
{
    const struct json_read_document *document = reading->source.document;
    struct checkpoint_facts *facts = &reading->index->facts;
    uint32_t metadata = JSON_READ_NONE;
    enum status status = json_read_get_node(&reading->source, 0, "metadata", JSON_READ_OBJECT,
                                            JSON_READ_REQUIRED, &metadata, reading->diag);
    for (int fact = 0; fact < CHECKPOINT_FACT_COUNT && status == STATUS_OK; fact++) {
        const char *key = checkpoint_facts_key((enum checkpoint_fact)fact);
        uint32_t node = JSON_READ_NONE;
        status = json_read_get_node(&reading->source, metadata, key, JSON_READ_STRING,
                                    JSON_READ_REQUIRED, &node, reading->diag);
        if (status != STATUS_OK)
            return status;
        if (json_read_string(document, node, facts->text[fact], sizeof facts->text[fact]) >=
            sizeof facts->text[fact])
            return json_read_refuse(&reading->source, node, reading->diag,
                                    "longer than any such text");
    }
    if (status != STATUS_OK)
        return status;
    return checkpoint_facts_understand(facts, reading->request->own, reading->source.path, meaning,
                                       reading->diag);
}

/* Names of files beside the index: nothing outside its folder is opened. */
static enum status read_files(struct reading *reading)
{
    const struct json_read_document *document = reading->source.document;
    struct checkpoint_index *index = reading->index;
    uint32_t files = JSON_READ_NONE;
    enum status status = json_read_get_node(&reading->source, 0, "files", JSON_READ_ARRAY,
                                            JSON_READ_REQUIRED, &files, reading->diag);
    if (status != STATUS_OK)
        return status;
    index->files =
        arena_take_array(reading->request->arena, (size_t)json_read_count(document, files) + 1,
                         sizeof *index->files);
    if (index->files == NULL)
        return diag_no_memory(reading->diag);
    for (uint32_t node = json_read_first(document, files); node != JSON_READ_NONE;
         node = json_read_next(document, files, node)) {
        char *name = index->files[index->file_count++];
        if (!json_read_is(document, node, JSON_READ_STRING) ||
            json_read_string(document, node, name, sizeof *index->files) >= sizeof *index->files ||
            name[0] == '\0' || name[0] == '.' || strchr(name, '/') != NULL)
            return json_read_refuse(&reading->source, node, reading->diag,
                                    "expected the name of a file in this folder");
    }
    return STATUS_OK;
}

/* One run, which must begin where the one before ended. */
static enum status read_run(struct reading *reading, uint32_t node, uint64_t expected,
                            struct checkpoint_index_run *run)
{
    static const char *const names[] = {"file", "first", "count"};
    int64_t numbers[3] = {0};
    for (size_t i = 0; i < 3; i++) {
        enum status status = json_read_get_int64(&reading->source, node, names[i],
                                                 JSON_READ_REQUIRED, &numbers[i], reading->diag);
        if (status != STATUS_OK)
            return status;
        if (numbers[i] < 0)
            return json_read_refuse(&reading->source, node, reading->diag,
                                    "expected numbers from 0 on");
    }
    *run = (struct checkpoint_index_run){(size_t)numbers[0], (uint64_t)numbers[1],
                                         (uint64_t)numbers[2]};
    if (run->file >= reading->index->file_count)
        return json_read_refuse(&reading->source, node, reading->diag,
                                "file %zu of %zu files (they are counted from 0)", run->file,
                                reading->index->file_count);
    if (run->first != expected || run->count == 0)
        return json_read_refuse(&reading->source, node, reading->diag,
                                "expected elements from %" PRIu64 " on, found %" PRIu64
                                " from %" PRIu64 " on",
                                expected, run->count, run->first);
    return STATUS_OK;
}

/* The runs of a tensor, behind those of the tensors before it. */
static enum status read_tensor(struct reading *reading, uint32_t tensors, size_t tensor)
{
    const struct json_read_document *document = reading->source.document;
    const struct model_shape *shape = reading->request->shape;
    struct checkpoint_index *index = reading->index;
    char name[MODEL_TENSOR_NAME_SIZE];
    model_tensor_name(shape, tensor, name);
    uint32_t runs = JSON_READ_NONE;
    enum status status = json_read_get_node(&reading->source, tensors, name, JSON_READ_ARRAY,
                                            JSON_READ_REQUIRED, &runs, reading->diag);
    uint64_t end = 0;
    size_t at = index->begin[tensor];
    for (uint32_t node = status == STATUS_OK ? json_read_first(document, runs) : JSON_READ_NONE;
         node != JSON_READ_NONE && status == STATUS_OK;
         node = json_read_next(document, runs, node)) {
        status = read_run(reading, node, end, &index->runs[at]);
        end += index->runs[at++].count;
        if (status == STATUS_OK && end > model_tensor(shape, tensor).elements)
            break;
    }
    index->begin[tensor + 1] = at;
    if (status == STATUS_OK && end != model_tensor(shape, tensor).elements)
        return json_read_refuse(&reading->source, runs, reading->diag,
                                "%" PRIu64 " elements, the tensor has %" PRIu64, end,
                                model_tensor(shape, tensor).elements);
    return status;
}

static enum status read_tensors(struct reading *reading)
{
    struct checkpoint_index *index = reading->index;
    struct arena *arena = reading->request->arena;
    const size_t count = model_tensor_count(reading->request->shape);
    uint32_t tensors = JSON_READ_NONE;
    enum status status = json_read_get_node(&reading->source, 0, "tensors", JSON_READ_OBJECT,
                                            JSON_READ_REQUIRED, &tensors, reading->diag);
    if (status != STATUS_OK)
        return status;
    /* Each run is several nodes of the document. */
    index->runs =
        arena_take_array(arena, (size_t)reading->source.document->count + 1, sizeof *index->runs);
    index->begin = arena_take_array(arena, count + 1, sizeof *index->begin);
    if (index->runs == NULL || index->begin == NULL)
        return diag_no_memory(reading->diag);
    for (size_t tensor = 0; tensor < count && status == STATUS_OK; tensor++)
        status = read_tensor(reading, tensors, tensor);
    if (status == STATUS_OK && json_read_count(reading->source.document, tensors) != count)
        return json_read_refuse(&reading->source, tensors, reading->diag,
                                "%" PRIu32 " tensors, the model has %zu",
                                json_read_count(reading->source.document, tensors), count);
    return status;
}

enum status checkpoint_index_read(const struct checkpoint_index_request *request,
                                  struct checkpoint_index *index,
                                  struct checkpoint_facts_meaning *meaning, struct diag *diag)
{
    struct json_read_document document = {0};
    struct input_buffer input = {0};
    enum input_fault fault;
    char printed[1024];
    text_escape_into(printed, sizeof printed, request->path, strlen(request->path));
    *index = (struct checkpoint_index){0};
    struct reading reading = {request, index, {&document, printed}, diag};
    enum status status = input_read_file(&input, request->path, LARGEST_INDEX, &fault, diag);
    if (status == STATUS_OK)
        status = json_read_parse_strict(&document, printed, input.data, input.size, diag);
    if (status == STATUS_OK)
        status = read_facts(&reading, meaning);
    if (status == STATUS_OK)
        status = read_files(&reading);
    if (status == STATUS_OK)
        status = read_tensors(&reading);
    json_read_fini(&document);
    input_fini(&input);
    return status;
}
