#include "bandwidth_ranks.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "bandwidth_link.h"
#include "communicator_mpi.h"
#include "communicator_mpi_place.h"
#include "launched_rank.h"
#include "launcher.h"
#include "output.h"
#include "rank_identity.h"

/* A size takes seconds at most; the largest is 64 MiB. */
#define TIMEOUT_S 60

/* ---- a rank ---- */

struct work {
    const struct cmd_bandwidth *command;
    uint64_t local_rank;
};

/* After a failure nothing is handed back: other ranks may stand in a collective. */
static enum status measure(const struct work *work, struct rank_record *record, struct diag *diag)
{
    struct bandwidth_link link;
    enum status status = bandwidth_link_open(work->command, work->local_rank, record, &link, diag);
    record->first_step_ns = record->started_ns; /* start-up is over for the watchdog */
    if (status == STATUS_OK)
        status = cmd_bandwidth_rank(link.communicator, link.memory, record, diag);
    if (status != STATUS_OK) {
        rank_record_fail(record, RANK_FAILURE_COMMUNICATION, -1, diag->text);
        return status;
    }
    bandwidth_link_close(&link);
    record->phase = RANK_DONE;
    return STATUS_OK;
}

/* All launched ranks are on this host. */
static enum status measure_launched(void *context, struct rank_record *record, struct diag *diag)
{
    const struct work work = {context, record->rank};
    return measure(&work, record, diag);
}

static enum status print(const struct cmd_bandwidth *command, const struct rank_record *record,
                         struct diag *diag)
{
    struct text_buffer out = {0};
    enum status status = cmd_bandwidth_format(command, record, &out, diag);
    if (status == STATUS_OK)
        status = output_write_file(NULL, out.text, out.length, diag);
    text_buffer_fini(&out);
    return status;
}

/* ---- started by hand ---- */

static enum status run_launched(const struct cmd_bandwidth *command, char **argv,
                                struct launcher *launcher, struct diag *diag)
{
    struct host_info host;
    struct rank_failure failure;
    struct rank_board board = {0};
    struct text_buffer said = {0};
    struct launcher_job job = {.arguments = argv, .timeout_s = TIMEOUT_S};
    host_info_load(&host);
    launcher_plan(&host, command->world_size, 1, &job);
    enum status status = launcher_run(launcher, &job, &board, &failure, &said, diag);
    if (status == STATUS_OK && failure.kind != RANK_FAILURE_NONE)
        status = diag_set(diag, STATUS_ENVIRONMENT, "the ranks failed (%s, %s): %s",
                          rank_failure_kind_name(failure.kind), rank_phase_name(failure.phase),
                          failure.detail);
    else if (status == STATUS_OK)
        status = print(command, rank_board_at(&board, 0), diag);
    text_buffer_fini(&said);
    rank_board_fini(&board);
    return status;
}

static enum status launch(const struct cmd_bandwidth *command, char **argv, struct diag *diag)
{
    struct launcher launcher;
    enum status status = bandwidth_link_check(command, command->world_size, diag);
    if (status == STATUS_OK)
        status = launcher_open(launcher_shared_bytes(command->world_size), NULL, &launcher, diag);
    if (status != STATUS_OK)
        return status;
    status = run_launched(command, argv, &launcher, diag);
    launcher_close(&launcher);
    return status;
}

/* ---- joined to a foreign mpirun or srun ---- */

/* Other ranks may stand in a collective: nobody comes back from here, so what main would print is
 * printed here. */
static void end_all(const struct diag *diag, enum status status)
{
    fprintf(stderr, "rankledger-collect: %s\n", diag->text);
    communicator_mpi_abort((int)status);
    _exit((int)status);
}

/* Between the start of MPI and its end. */
static enum status run_joined(const struct cmd_bandwidth *command, struct rank_record *record,
                              struct diag *diag)
{
    struct communicator_mpi_place place = {0};
    rank_identity_begin(record);
    rank_identity_fill(record, 1);
    enum status status = communicator_mpi_place(&place, diag);
    const struct work work = {command, place.local_rank};
    if (status == STATUS_OK)
        status = measure(&work, record, diag);
    if (status != STATUS_OK)
        end_all(diag, status);
    if (record->rank == 0)
        status = print(command, record, diag);
    communicator_mpi_finish();
    return status;
}

static enum status check_joined(const struct cmd_bandwidth *command, int rank, int ranks,
                                struct diag *diag)
{
    if (!command->world_size_given || command->world_size == (uint64_t)ranks)
        return STATUS_OK;
    if (rank != 0)
        return STATUS_USAGE; /* rank 0 says the same */
    return diag_set(diag, STATUS_USAGE,
                    "--world-size is %" PRIu64 ", but mpirun or srun started %d ranks",
                    command->world_size, ranks);
}

static enum status join(const struct cmd_bandwidth *command, int rank, int ranks, struct diag *diag)
{
    struct rank_board board;
    enum status status = check_joined(command, rank, ranks, diag);
    if (status == STATUS_OK)
        status = rank_board_create(NULL, 1, 0, &board, diag);
    if (status != STATUS_OK)
        return status;
    struct rank_record *record = rank_board_at(&board, 0);
    status = communicator_mpi_start(&rank, &ranks, diag);
    record->rank = (uint64_t)rank;
    record->world_size = (uint64_t)ranks;
    if (status == STATUS_OK)
        status = run_joined(command, record, diag);
    rank_board_fini(&board);
    return status;
}

enum status bandwidth_ranks(int argc, char **argv, struct diag *diag)
{
    int rank;
    int ranks;
    enum options_help help;
    struct launcher_marker marker;
    struct cmd_bandwidth command;
    enum status status = cmd_bandwidth_parse(argc - 2, argv + 2, &command, &help, diag);
    if (status != STATUS_OK || help)
        return status;
    if (launcher_marker_parse(getenv(LAUNCHER_MARKER_NAME), &marker)) {
        const struct launched_rank launched = {
            .marker = &marker, .work = measure_launched, .context = &command};
        return launched_rank_run(&launched, diag);
    }
    if (communicator_mpi_joined(&rank, &ranks))
        return join(&command, rank, ranks, diag);
    return launch(&command, argv, diag);
}
