#include "import_calibration.h"

#include <string.h>

#include "import_table.h"
#include "text.h"

static const char schema[] = "rankledger.calibration/";

static size_t link_count(const json_t *document)
{
    return json_array_size(import_record_get(document, "calibration.links"));
}

static enum status append(struct import_load *load, json_t *document, json_t *calibrations,
                          struct diag *diag)
{
    struct json_write writer = {0};
    struct text_buffer path = {0};
    json_t *entry = json_write_object(&writer);
    json_t *source = json_write_object(&writer);
    text_redact(&path, load->source.path, strlen(load->source.path));
    json_write_set(&writer, source, "path",
                   path.failed ? NULL : json_write_string(&writer, path.text));
    json_write_set(&writer, source, "sha256", json_write_string(&writer, load->sha256));
    json_write_set(&writer, source, "bytes", json_write_integer(&writer, (int64_t)load->bytes));
    json_write_set(&writer, entry, "source", source);
    json_write_set(&writer, entry, "document", json_incref(document));
    json_write_append(&writer, calibrations, entry);
    text_buffer_fini(&path);
    return writer.status == STATUS_OK ? STATUS_OK : diag_no_memory(diag);
}

/* One document of ours, which the strict reader has to accept before jansson builds it. False: the
 * text is none. */
static enum status read_own(struct import_load *load, const char *text, size_t size,
                            json_t *calibrations, bool *own, struct diag *diag)
{
    struct json_read_document json = {0};
    struct json_read_fault fault;
    struct diag ignored = {0};
    char name[64] = "";
    enum status status = json_read_parse(&json, text, size, &fault, &ignored);
    if (status == STATUS_OK)
        json_read_string(&json, json_read_member(&json, 0, "schema"), name, sizeof name);
    *own = status == STATUS_OK && strncmp(name, schema, sizeof schema - 1) == 0 &&
           (json.flags & 15) == 0; /* the four faults */
    json_read_fini(&json);
    if (status == STATUS_ENVIRONMENT)
        return diag_no_memory(diag);
    if (!*own)
        return STATUS_OK;
    json_t *document = json_loadb(text, size, JSON_REJECT_DUPLICATES, NULL);
    status = document == NULL ? diag_no_memory(diag) : append(load, document, calibrations, diag);
    json_decref(document);
    return status;
}

/* Every line a document of ours; *own false at the first that is none. */
static enum status read_lines(struct import_load *load, json_t *calibrations, bool *own,
                              struct diag *diag)
{
    struct import_cursor lines = {.source = &load->source};
    struct import_line line;
    enum status status = STATUS_OK;
    *own = true;
    while (status == STATUS_OK && *own && import_scan_next(&lines, &line))
        if (import_scan_trim(line.span).length > 0)
            status = read_own(load, line.span.text, line.span.length, calibrations, own, diag);
    return status;
}

/* The output of the measuring program itself. */
static enum status read_output(struct import_load *load, const char *path, size_t size_limit,
                               json_t *calibrations, struct diag *diag)
{
    struct import_table_choice choice = {0};
    struct import_request request = {.size_limit = size_limit};
    struct import_batch batch = {.request = &request};
    enum status status = import_table_recognise(&load->source, &choice, diag);
    if (status != STATUS_OK)
        return status;
    request.format = choice.format;
    status = import_run_file(&batch, path, diag);
    for (size_t i = 0; i < batch.count && status == STATUS_OK; i++)
        status = batch.documents[i].calibration
                     ? append(load, batch.documents[i].root, calibrations, diag)
                     : diag_set(diag, STATUS_INPUT,
                                "--calibration %s: is a %s; expected rates of links: the output "
                                "of nccl-tests, or what import made of it",
                                load->source.path, choice.format->title);
    import_run_fini(&batch);
    return status;
}

enum status import_calibration_load(const char *path, size_t size_limit, json_t *calibrations,
                                    struct diag *diag)
{
    struct import_load load = {0};
    size_t before = json_array_size(calibrations);
    size_t links = 0;
    bool own = false;
    enum status status = import_load_file(&load, path, size_limit, diag);
    if (status == STATUS_OK)
        status = read_own(&load, load.source.text, load.source.size, calibrations, &own, diag);
    if (status == STATUS_OK && !own && load.source.text[0] == '{')
        status = read_lines(&load, calibrations, &own, diag);
    if (status == STATUS_OK && !own)
        status = read_output(&load, path, size_limit, calibrations, diag);
    for (size_t i = before; i < json_array_size(calibrations); i++)
        links += link_count(json_object_get(json_array_get(calibrations, i), "document"));
    if (status == STATUS_OK && links == 0)
        status = diag_set(diag, STATUS_INPUT,
                          "--calibration %s: has no links; nothing was measured", load.source.path);
    import_load_fini(&load);
    return status;
}

/* ---- Into a record ---- */

static void warn_of_others(struct import_record *record, const json_t *document)
{
    double ranks = 0;
    const json_t *of = import_record_get(document, "workload.world_size");
    const char *device = json_string_value(import_record_get(document, "hardware.device"));
    const char *own_device = NULL;
    if (json_is_number(of) && import_given_number(record, "workload.world_size", &ranks) &&
        json_number_value(of) != ranks)
        import_warn(record, 0, "the calibration is of %g ranks, the run of %g",
                    json_number_value(of), ranks);
    if (device != NULL && import_given_text(record, "hardware.device", &own_device) &&
        strcmp(device, own_device) != 0)
        import_warn(record, 0, "the calibration is of %s, the run of %s", device, own_device);
    if (json_is_object(json_object_get(document, "failure")))
        import_warn(record, 0, "the calibration is of a test that failed");
}

void import_calibration_apply(const json_t *calibrations, struct import_record *record)
{
    struct json_write *writer = &record->import->writer;
    size_t index = 0;
    json_t *entry = NULL;
    if (json_array_size(calibrations) == 0 || record->calibration)
        return;
    json_t *links = json_write_array(writer);
    json_t *sources = json_write_array(writer);
    json_array_foreach(calibrations, index, entry)
    {
        const json_t *document = json_object_get(entry, "document");
        size_t number = 0;
        json_t *link = NULL;
        json_array_foreach(import_record_get(document, "calibration.links"), number, link)
            json_write_append(writer, links, json_incref(link));
        json_write_append(writer, sources, json_incref(json_object_get(entry, "source")));
        warn_of_others(record, document);
    }
    import_json(record, "calibration.links", links, 0, 0);
    record->calibrations = sources;
}
