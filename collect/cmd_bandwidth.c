#include "cmd_bandwidth.h"

#include <inttypes.h>
#include <string.h>

#include "calibration.h"
#include "json_write.h"
#include "options.h"
#include "run_config.h"
#include "run_options.h"
#include "schedule_count.h"

/* Three collectives of each: no more rows than a record has. */
static const uint64_t payloads[] = {UINT64_C(1) << 10,    UINT64_C(8) << 10, UINT64_C(64) << 10,
                                    UINT64_C(512) << 10,  UINT64_C(4) << 20, UINT64_C(16) << 20,
                                    CMD_BANDWIDTH_LARGEST};
#define LEAST_CALLS 9
#define MOST_RANKS 1024

static enum status parse(int argc, char **argv, struct cmd_bandwidth *command, enum options_help *help,
                         struct diag *diag)
{
    static const char *const formats[] = {"text", "json", NULL};
    static const char *const dtypes[] = {"fp32", "bf16", NULL};
    int64_t world_size = 2;
    int format = 0;
    int dtype = 0;
    int backend = 0;
    const struct options_row rows[] = {
        {"world-size", OPTIONS_COUNT, "N", "number of ranks (2)", &world_size,
         &command->world_size_given, 1, MOST_RANKS, NULL},
        {"backend", OPTIONS_CHOICE, "auto|cpu|cuda", "between what (auto)", &backend, NULL, 0, 0,
         run_options_backends},
        {"dtype", OPTIONS_CHOICE, "fp32|bf16", "of what is added up (fp32)", &dtype, NULL, 0, 0,
         dtypes},
        {"format", OPTIONS_CHOICE, "text|json", "of the output (text)", &format, NULL, 0, 0,
         formats},
    };
    const struct options_command description = {
        .program = "rankledger-collect",
        .name = "bandwidth",
        .summary = "Measures all-reduce, reduce-scatter and all-gather over a sweep of sizes.",
        .notes =
            "Payload is the whole array. Algorithm bandwidth is payload / time; bus bandwidth\n"
            "is that times 2(N-1)/N for all-reduce, (N-1)/N for the others (as nccl-tests).\n"
            "Between GPUs through NCCL (cuda), between processes of the CPUs through MPI (cpu).\n"
            "Exit codes: 0 done, 2 usage, 4 environment.\n",
        .rows = rows,
        .row_count = sizeof rows / sizeof *rows,
    };
    struct options_list none = {0};
    enum status status = options_parse(&description, argc, argv, &none, help, diag);
    if (status == STATUS_OK && *help) {
        options_print_help(&description, *help, stdout);
    }
    options_fini(&description, &none);
    command->world_size = (uint64_t)world_size;
    command->dtype = dtype == 0 ? MODEL_FP32 : MODEL_BF16;
    command->json = format == 1;
    command->backend = run_config_backend(run_options_backends[backend]);
    if (status == STATUS_OK && command->backend == NULL)
        return diag_set(diag, STATUS_ENVIRONMENT, "backend %s is not part of this build",
                        run_options_backends[backend]);
    return status;
}

enum status cmd_bandwidth_parse(int argc, char **argv, struct cmd_bandwidth *command, enum options_help *help,
                                struct diag *diag)
{
    struct cmd_bandwidth parsed = {0};
    enum status status = parse(argc, argv, &parsed, help, diag);
    if (status == STATUS_OK) {
        *command = parsed;
    }
    return status;
}

enum status cmd_bandwidth_rank(struct communicator *communicator, void *memory,
                               struct rank_record *record, struct diag *diag)
{
    enum status status = STATUS_OK;
    struct calibration_request request = {.communicator = communicator,
                                          .memory = memory,
                                          .bytes = CMD_BANDWIDTH_LARGEST,
                                          .payload_count = 1,
                                          .least_calls = LEAST_CALLS};
    record->phase = RANK_CALIBRATION;
    record->link_count = 0;
    for (size_t i = 0; status == STATUS_OK && i < sizeof payloads / sizeof *payloads; i++) {
        uint64_t added = 0;
        request.payloads = &payloads[i];
        request.links = record->links + record->link_count;
        request.capacity = RANK_RECORD_LINKS - (size_t)record->link_count;
        status = calibration_measure(&request, &added, diag);
        record->link_count += added;
        record->progress++;
    }
    record->complete = status == STATUS_OK;
    return status;
}

/* 10^9 bytes a second. */
static double algorithm_gb_per_s(const struct rank_link *link)
{
    return link->ms > 0 ? (double)link->payload_bytes / link->ms / 1e6 : 0;
}

static double bus_gb_per_s(const struct rank_link *link, uint64_t world_size)
{
    return algorithm_gb_per_s(link) * schedule_count_bus_factor(link->collective, world_size);
}

static const char *library_of(const struct rank_record *record)
{
    return strcmp(record->moved_by, "stream") == 0 ? record->algorithm : record->mpi;
}

static void format_text(const struct cmd_bandwidth *command, const struct rank_record *record,
                        struct text_buffer *out)
{
    if (record->world_size == 1) {
        text_buffer_puts(out, "1 rank: nothing is sent\n");
        return;
    }
    text_buffer_printf(out, "%" PRIu64 " ranks, %s, %s%s\n", record->world_size,
                       model_dtype_name(command->dtype), library_of(record),
                       record->gpu.emulated ? " (emulated: times mean nothing)" : "");
    text_buffer_printf(out, "%-16s %12s %12s %10s %10s\n", "collective", "payload B", "ms",
                       "alg GB/s", "bus GB/s");
    for (int c = 0; c < SCHEDULE_COLLECTIVE_COUNT; c++) {
        for (uint64_t i = 0; i < record->link_count; i++) {
            const struct rank_link *link = &record->links[i];
            if (link->collective == (enum schedule_collective)c) {
                text_buffer_printf(out, "%-16s %12" PRIu64 " %12.4f %10.3f %10.3f\n",
                                   schedule_collective_name(link->collective), link->payload_bytes,
                                   link->ms, algorithm_gb_per_s(link),
                                   bus_gb_per_s(link, record->world_size));
            }
        }
    }
}

static json_t *row_of(struct json_write *writer, const struct rank_link *link, uint64_t world_size)
{
    json_t *row = json_write_object(writer);
    const char *collective = schedule_collective_name(link->collective);
    double bus = bus_gb_per_s(link, world_size);
    json_write_set(writer, row, "collective", json_write_string(writer, collective));
    json_write_set(writer, row, "payload_bytes",
                   json_write_integer(writer, (int64_t)link->payload_bytes));
    json_write_set(writer, row, "ms", json_write_real(writer, link->ms));
    json_write_set(writer, row, "algorithm_gb_per_s",
                   json_write_real(writer, algorithm_gb_per_s(link)));
    json_write_set(writer, row, "bus_gb_per_s", json_write_real(writer, bus));
    return row;
}

static enum status format_json(const struct cmd_bandwidth *command,
                               const struct rank_record *record, struct text_buffer *out,
                               struct diag *diag)
{
    struct json_write writer = {0};
    json_t *root = json_write_object(&writer);
    json_t *rows = json_write_array(&writer);
    const char *dtype = model_dtype_name(command->dtype);
    for (uint64_t i = 0; i < record->link_count; i++) {
        json_write_append(&writer, rows, row_of(&writer, &record->links[i], record->world_size));
    }
    json_write_set(&writer, root, "world_size",
                   json_write_integer(&writer, (int64_t)record->world_size));
    json_write_set(&writer, root, "dtype", json_write_string(&writer, dtype));
    json_write_set(&writer, root, "backend", json_write_string(&writer, command->backend));
    json_write_set(&writer, root, "library", json_write_string(&writer, library_of(record)));
    json_write_set(&writer, root, "emulated", json_write_bool(&writer, record->gpu.emulated));
    json_write_set(&writer, root, "rows", rows);
    enum status status = json_write_text(&writer, root, out, diag);
    json_decref(root);
    return status;
}

enum status cmd_bandwidth_format(const struct cmd_bandwidth *command,
                                 const struct rank_record *record, struct text_buffer *out,
                                 struct diag *diag)
{
    enum status status = STATUS_OK;
    if (command->json) {
        status = format_json(command, record, out, diag);
    } else {
        format_text(command, record, out);
    }
    return status == STATUS_OK && out->failed ? diag_no_memory(diag) : status;
}
