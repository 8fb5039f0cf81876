#include <string.h>

#include "fuzz_require.h"
#include "import_run.h"
#include "import_table.h"

/*
 * Any bytes as another tool's output, read by the importer that recognises them, or by one that is
 * named: refused in words, or imported twice to the same documents and the same notes. An input's
 * size chooses, so that a changed byte changes nothing else.
 */

static void require_lines(const json_t *lines, size_t count)
{
    const char *field;
    json_t *where;
    json_object_foreach((json_t *)(uintptr_t)lines, field, where)
    {
        json_int_t first = json_integer_value(json_array_get(where, 0));
        json_int_t last = json_integer_value(json_array_get(where, json_array_size(where) - 1));
        fuzz_require(first >= 1 && first <= last && (size_t)last <= count,
                     "a field's lines lie in the file, in order");
    }
}

/* Everything that one import gives, as one text. */
static void write_documents(const struct import_batch *batch, size_t lines, struct text_buffer *out)
{
    for (size_t i = 0; i < batch->count; i++) {
        const struct import_document *document = &batch->documents[i];
        const json_t *section = json_object_get(document->root, "import");
        struct json_write writer = {0};
        struct diag diag = {0};
        size_t begin = out->length;
        fuzz_require(json_write_text(&writer, document->root, out, &diag) == STATUS_OK,
                     "a document is written");
        fuzz_require_json(out->text + begin, out->length - begin);
        fuzz_require(json_is_object(section), "a document says where it is from");
        require_lines(json_object_get(section, "lines"), lines);
    }
    text_buffer_append(out, batch->notes.text == NULL ? "" : batch->notes.text,
                       batch->notes.length);
}

static enum status import_bytes(const struct import_request *request, const uint8_t *data,
                                size_t size, struct text_buffer *out, struct diag *diag)
{
    /* Kept, as building the index of validation's rules takes longer than all the rest. */
    static struct document_reader reader;
    struct import_batch batch = {.request = request, .reader = reader};
    size_t lines = 1;
    for (size_t i = 0; i < size; i++)
        lines += data[i] == '\n' || data[i] == '\r';
    enum status status = import_run_bytes(&batch, (const char *)data, size, diag);
    fuzz_require_lines(batch.notes.text == NULL ? "" : batch.notes.text, batch.notes.length);
    if (status == STATUS_OK) {
        fuzz_require(batch.count > 0, "there is a document");
        write_documents(&batch, lines, out);
    }
    reader = batch.reader;
    batch.reader = (struct document_reader){0};
    import_run_fini(&batch);
    return status;
}

static void run(const struct import_request *request, const uint8_t *data, size_t size)
{
    struct text_buffer once = {0};
    struct text_buffer twice = {0};
    struct diag diag = {0};
    struct diag again = {0};
    enum status status = import_bytes(request, data, size, &once, &diag);
    fuzz_require(status == STATUS_OK || status == STATUS_INPUT || status == STATUS_USAGE,
                 "no other status");
    if (status != STATUS_OK) {
        for (const char *line = strtok(diag.text, "\n"); line != NULL; line = strtok(NULL, "\n"))
            fuzz_require_line(line, SIZE_MAX);
    } else if (size % 4 == 0) {
        fuzz_require(import_bytes(request, data, size, &twice, &again) == status,
                     "the same status");
        fuzz_require_same(&once, &twice, "the same documents and notes");
    }
    text_buffer_fini(&twice);
    text_buffer_fini(&once);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const given[] = {"workload.world_size=8", "strategy=zero2",
                                        "workload.seq_len=1024"};
    struct import_request request = {.size_limit = INPUT_DEFAULT_LIMIT};
    struct diag diag = {0};
    size_t formats = 0;
    while (import_table[formats] != NULL)
        formats++;
    if (size % 3 == 0)
        request.format = import_table[size / 3 % formats];
    enum status status =
        import_settings_read(&request.settings, given, size % 5 == 0 ? 3 : 0, &diag);
    fuzz_require(status == STATUS_OK, "settings are read");
    run(&request, data, size);
    import_settings_fini(&request.settings);
    return 0;
}
