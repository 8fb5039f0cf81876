#include "import_run.h"

#include <stdlib.h>

#include "import_finish.h"
#include "import_table.h"

static enum status append(struct import_batch *batch, const struct import_document *document,
                          struct diag *diag)
{
    if (batch->count == batch->capacity) {
        size_t capacity = batch->capacity > 0 ? 2 * batch->capacity : 16;
        struct import_document *documents =
            realloc(batch->documents, capacity * sizeof *batch->documents);
        if (documents == NULL)
            return diag_no_memory(diag);
        batch->documents = documents;
        batch->capacity = capacity;
    }
    batch->documents[batch->count++] = *document;
    json_incref(document->root);
    return STATUS_OK;
}

static enum status collect(struct import_batch *batch, struct import *import, const char *path,
                           struct diag *diag)
{
    size_t number = 0;
    enum status status = STATUS_OK;
    for (struct import_record *record = import->first; record != NULL && status == STATUS_OK;
         record = record->next) {
        struct import_document document = {.root = record->root,
                                           .path = path,
                                           .number = ++number,
                                           .calibration = record->calibration};
        import_finish_record(batch, record);
        status = import_record_status(import, diag);
        if (status == STATUS_OK && !document.calibration)
            status = import_finish_check(batch, &document, import->source->path, diag);
        if (status == STATUS_OK)
            status = append(batch, &document, diag);
    }
    return status;
}

static void warn_of_other(struct import *import, const struct import_format *also)
{
    if (also != NULL && import->first != NULL)
        import_warn(import->first, 0,
                    "%s is in it, too, and was not read: import it again with --from %s",
                    also->title, also->name);
}

static enum status read_source(struct import_batch *batch, const struct import_table_choice *choice,
                               const char *path, struct diag *diag)
{
    struct import import = {.format = choice->format,
                            .source = &batch->load.source,
                            .settings = &batch->request->settings};
    choice->format->read(&import, import.source);
    enum status status = import_record_status(&import, diag);
    if (status == STATUS_OK && import.first == NULL)
        status = diag_set(diag, STATUS_INPUT, "%s: nothing to import was found in this %s%s",
                          import.source->path, choice->format->title,
                          batch->request->format != NULL
                              ? "; without --from the tool is recognised from the content"
                              : "");
    warn_of_other(&import, choice->also);
    if (status == STATUS_OK)
        status = collect(batch, &import, path, diag);
    import_record_fini(&import);
    return status;
}

static enum status run_loaded(struct import_batch *batch, const char *path, struct diag *diag)
{
    struct import_table_choice choice = {.format = batch->request->format};
    enum status status = STATUS_OK;
    if (choice.format == NULL)
        status = import_table_recognise(&batch->load.source, &choice, diag);
    return status == STATUS_OK ? read_source(batch, &choice, path, diag) : status;
}

enum status import_run_file(struct import_batch *batch, const char *path, struct diag *diag)
{
    enum status status = import_load_file(&batch->load, path, batch->request->size_limit, diag);
    return status == STATUS_OK ? run_loaded(batch, path, diag) : status;
}

enum status import_run_bytes(struct import_batch *batch, const char *text, size_t size,
                             struct diag *diag)
{
    enum status status = import_load_bytes(&batch->load, text, size, diag);
    return status == STATUS_OK ? run_loaded(batch, "-", diag) : status;
}

void import_run_fini(struct import_batch *batch)
{
    for (size_t i = 0; i < batch->count; i++)
        json_decref(batch->documents[i].root);
    free(batch->documents);
    text_buffer_fini(&batch->notes);
    import_load_fini(&batch->load);
    document_reader_fini(&batch->reader);
    *batch = (struct import_batch){0};
}
