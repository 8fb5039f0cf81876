#include "cmd_import.h"

#include <stdio.h>
#include <string.h>

#include "import_calibration.h"
#include "import_output.h"
#include "import_run.h"
#include "import_table.h"
#include "options.h"

struct settings {
    int from; /* a row of import_table */
    bool has_from;
    const char *formats[IMPORT_TABLE_MOST + 1]; /* their names, for --from */
    struct options_list set;
    struct options_list calibration;
    const char *output;
    const char *folder;
    bool strict;
    int64_t limit_mib;
};

#define ROW_COUNT 7

static void fill_rows(struct settings *settings, struct options_row rows[ROW_COUNT])
{
    for (size_t i = 0; i < IMPORT_TABLE_MOST && import_table[i] != NULL; i++)
        settings->formats[i] = import_table[i]->name;
    const struct options_row all[ROW_COUNT] = {
        {"from", OPTIONS_CHOICE, "TOOL", "the tool that wrote it, where it is not recognised",
         &settings->from, &settings->has_from, 0, 0, settings->formats},
        {"set", OPTIONS_LIST, "FIELD=VALUE", "what the log does not tell (workload.world_size=8)",
         &settings->set, NULL, 0, 0, NULL},
        {"calibration", OPTIONS_LIST, "FILE", "rates of links, of nccl-tests, for the records",
         &settings->calibration, NULL, 0, 0, NULL},
        {"output", OPTIONS_TEXT, "FILE", "write to FILE, whole or not at all", &settings->output,
         NULL, 0, 0, NULL},
        {"output-dir", OPTIONS_TEXT, "DIR", "write a file a record into DIR", &settings->folder,
         NULL, 0, 0, NULL},
        {"strict", OPTIONS_FLAG, NULL, "exit 1 if a record would not pass validate --strict",
         &settings->strict, NULL, 0, 0, NULL},
        {"size-limit", OPTIONS_COUNT, "MIB", "largest file that is read (256)",
         &settings->limit_mib, NULL, 1, 4095, NULL},
    };
    memcpy(rows, all, sizeof all);
}

static enum status write_documents(const struct settings *settings,
                                   const struct import_batch *batch, struct diag *diag)
{
    return settings->folder != NULL ? import_output_folder(batch, settings->folder, diag)
                                    : import_output_file(batch, settings->output, diag);
}

/* Under --strict a record must be evidence that `validate --strict` lets pass. */
static enum status conclude(const struct settings *settings, const struct import_batch *batch)
{
    for (size_t i = 0; settings->strict && i < batch->count; i++)
        if (batch->documents[i].errors + batch->documents[i].warnings > 0)
            return STATUS_NEGATIVE;
    return STATUS_OK;
}

static enum status prepare(const struct settings *settings, struct import_request *request,
                           struct diag *diag)
{
    enum status status =
        import_settings_read(&request->settings, settings->set.values, settings->set.count, diag);
    if (settings->has_from)
        request->format = import_table[settings->from];
    if (status != STATUS_OK || settings->calibration.count == 0)
        return status;
    request->calibrations = json_array();
    if (request->calibrations == NULL)
        return diag_no_memory(diag);
    for (size_t i = 0; i < settings->calibration.count && status == STATUS_OK; i++)
        status = import_calibration_load(settings->calibration.values[i], request->size_limit,
                                         request->calibrations, diag);
    return status;
}

static enum status import_files(const struct options_list *operands, struct import_batch *batch,
                                struct diag *diag)
{
    enum status status = STATUS_OK;
    size_t inputs = 0;
    for (size_t i = 0; i < operands->count && status == STATUS_OK; i++) {
        inputs += strcmp(operands->values[i], "-") == 0 ? 1 : 0;
        status = inputs > 1
                     ? diag_set(diag, STATUS_USAGE, "import: - (standard input) is given twice")
                     : import_run_file(batch, operands->values[i], diag);
    }
    if (batch->notes.length > 0 && !batch->notes.failed)
        fputs(batch->notes.text, stderr);
    if (status == STATUS_OK && batch->notes.failed)
        status = diag_no_memory(diag);
    return status;
}

/* All or nothing: a file that cannot be imported ends the command before anything is written. */
static enum status import_all(void *context, const struct options_list *operands, struct diag *diag)
{
    const struct settings *settings = context;
    if (operands->count == 0)
        return diag_set(diag, STATUS_USAGE,
                        "import: no path given; type rankledger import PATH... (a file or -)");
    if (settings->output != NULL && settings->folder != NULL)
        return diag_set(diag, STATUS_USAGE,
                        "import: --output and --output-dir exclude each other; give one");
    struct import_request request = {.size_limit = (size_t)settings->limit_mib << 20};
    struct import_batch batch = {.request = &request};
    enum status status = prepare(settings, &request, diag);
    if (status == STATUS_OK)
        status = import_files(operands, &batch, diag);
    if (status == STATUS_OK)
        status = write_documents(settings, &batch, diag);
    if (status == STATUS_OK)
        status = conclude(settings, &batch);
    import_run_fini(&batch);
    import_settings_fini(&request.settings);
    json_decref(request.calibrations);
    return status;
}

enum status cmd_import(int argc, char **argv, struct diag *diag)
{
    struct settings settings = {.limit_mib = 256};
    struct options_row rows[ROW_COUNT];
    fill_rows(&settings, rows);
    const struct options_command command = {
        .program = "rankledger",
        .name = "import",
        .operands = "PATH...",
        .summary = "Makes evidence of another tool's log.",
        .notes =
            "TOOL is nccl-tests, deepspeed, deepspeed-autotuner, hf-trainer, llm.c, megatron,\n"
            "torchtitan or nccl-watchdog.\n"
            "The tool is recognised from the content. What a log does not say stays absent,\n"
            "and --set gives it. Several records are written one a line.\n"
            "exit codes: 0 imported, 1 not all valid (--strict), 2 usage, 3 unreadable or no\n"
            "known tool's output, 4 output not writable",
        .rows = rows,
        .row_count = ROW_COUNT,
        .act = import_all,
        .context = &settings,
    };
    return options_run(&command, argc, argv, diag);
}
