#include "cmd_preflight.h"

#include <stdio.h>
#include <stdlib.h>

#include "communicator_mpi.h"
#include "json_write.h"
#include "launched_rank.h"
#include "options.h"
#include "output.h"
#include "preflight_checks.h"
#include "run_options.h"

/* ---- a rank that is started to see whether ranks start ---- */

static enum status meet(void *context, struct rank_record *record, struct diag *diag)
{
    (void)context;
    struct communicator *communicator = NULL;
    enum status status = communicator_mpi_create(MODEL_FP32, 1, &communicator, diag);
    if (status == STATUS_OK)
        status = communicator->operations->barrier(communicator, diag);
    if (status != STATUS_OK) {
        rank_record_fail(record, RANK_FAILURE_COMMUNICATION, -1, diag->text);
        return status;
    }
    communicator_destroy(communicator);
    record->phase = RANK_DONE;
    __atomic_store_n(&record->complete, true, __ATOMIC_RELEASE);
    return STATUS_OK;
}

/* ---- printing ---- */

static void print_text(const struct preflight_checks *checks)
{
    for (size_t i = 0; i < checks->count; i++) {
        const struct preflight_check *check = &checks->items[i];
        printf("%-8s %-14s %s\n", preflight_checks_state(check->state), check->name, check->found);
        if (check->advice[0] != '\0')
            printf("%-8s %-14s %s\n", "", "", check->advice);
    }
    printf("%s\n", preflight_checks_ready(checks) ? "Ready." : "Not ready.");
}

static json_t *document_of(struct json_write *writer, const struct preflight_checks *checks)
{
    json_t *document = json_write_object(writer);
    json_t *rows = json_write_array(writer);
    for (size_t i = 0; i < checks->count; i++) {
        const struct preflight_check *check = &checks->items[i];
        json_t *row = json_write_object(writer);
        json_write_set(writer, row, "name", json_write_string(writer, check->name));
        json_write_set(writer, row, "state",
                       json_write_string(writer, preflight_checks_state(check->state)));
        json_write_set(writer, row, "found", json_write_string(writer, check->found));
        json_write_set(writer, row, "advice",
                       json_write_string(writer, check->advice[0] != '\0' ? check->advice : NULL));
        json_write_append(writer, rows, row);
    }
    json_write_set(writer, document, "schema", json_write_string(writer, "rankledger.preflight/1"));
    json_write_set(writer, document, "ready",
                   json_write_bool(writer, preflight_checks_ready(checks)));
    json_write_set(writer, document, "world_size",
                   json_write_integer(writer, (int64_t)checks->world_size));
    json_write_set(writer, document, "checks", rows);
    return document;
}

static enum status report(const struct preflight_checks *checks, const char *output,
                          struct diag *diag)
{
    struct json_write writer = {0};
    enum status status = STATUS_OK;
    print_text(checks);
    if (output != NULL) {
        json_t *document = document_of(&writer, checks);
        status = json_write_file(&writer, document, output, diag);
        json_decref(document);
    }
    if (status == STATUS_OK && !preflight_checks_ready(checks))
        status = diag_set(diag, STATUS_ENVIRONMENT, "this machine is not ready to run");
    return status;
}

/* What was asked for. */
struct asked {
    int64_t world_size;
    int backend;
    bool share_device;
    const char *output;
};

static enum status parse(int argc, char **argv, struct asked *asked, enum options_help *help, struct diag *diag)
{
    const struct options_row rows[] = {
        {.name = "backend",
         .type = OPTIONS_CHOICE,
         .argument = "auto|cpu|cuda",
         .help = "what shall compute (auto)",
         .value = &asked->backend,
         .choices = run_options_backends},
        {.name = "world-size",
         .type = OPTIONS_COUNT,
         .argument = "N",
         .help = "number of ranks (2)",
         .value = &asked->world_size,
         .minimum = 1,
         .maximum = 1024},
        {.name = "share-device",
         .type = OPTIONS_FLAG,
         .help = "ranks may share a GPU, as an experiment",
         .value = &asked->share_device},
        {.name = "output",
         .type = OPTIONS_TEXT,
         .argument = "FILE",
         .help = "write the same as JSON, too",
         .value = &asked->output},
    };
    const struct options_command command = {
        .program = "rankledger-collect",
        .name = "preflight",
        .summary = "Says what this machine can run and what is missing, and starts ranks once.",
        .notes = "Exit codes: 0 ready, 4 not.\n",
        .rows = rows,
        .row_count = sizeof rows / sizeof rows[0],
    };
    struct options_list operands = {0};
    enum status status = options_parse(&command, argc, argv, &operands, help, diag);
    options_fini(&command, &operands);
    if (status == STATUS_OK && *help)
        options_print_help(&command, *help, stdout);
    return status;
}

enum status cmd_preflight(int argc, char **argv, struct diag *diag)
{
    int rank;
    int ranks;
    enum options_help help = OPTIONS_HELP_NONE;
    struct launcher_marker marker;
    struct preflight_checks checks;
    struct asked asked = {.world_size = 2};
    if (launcher_marker_parse(getenv(LAUNCHER_MARKER_NAME), &marker)) {
        const struct launched_rank launched = {.marker = &marker, .work = meet};
        return launched_rank_run(&launched, diag);
    }
    enum status status = parse(argc - 2, argv + 2, &asked, &help, diag);
    if (status != STATUS_OK || help)
        return status;
    if (communicator_mpi_joined(&rank, &ranks))
        return rank != 0 ? STATUS_USAGE /* rank 0 says it */
                         : diag_set(diag, STATUS_USAGE,
                                    "preflight starts ranks itself: start it without mpirun or "
                                    "srun");
    const struct preflight_request request = {
        .world_size = (uint64_t)asked.world_size,
        .backend = run_options_backends[asked.backend],
        .share_device = asked.share_device,
        .argv = argv,
    };
    preflight_checks_make(&request, &checks);
    return report(&checks, asked.output, diag);
}
