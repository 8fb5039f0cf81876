#include <inttypes.h>
#include <unistd.h>

#include "cmd_run.h"
#include "communicator_mpi.h"
#include "rank_identity.h"
#include "session.h"

/* Starts MPI and runs the session; what goes wrong stands in the record. */
static enum status run(const struct run_config *config, const struct launcher_marker *marker,
                       struct rank_record *record, struct diag *diag)
{
    int rank;
    int ranks;
    enum status status = communicator_mpi_start(&rank, &ranks, diag);
    if (status == STATUS_OK &&
        ((uint64_t)rank != record->rank || (uint64_t)ranks != record->world_size))
        status = diag_set(diag, STATUS_BUG,
                          "mpirun said rank %" PRIu64 " of %" PRIu64 ", MPI says %d of %d",
                          record->rank, record->world_size, rank, ranks);
    if (status != STATUS_OK) {
        rank_record_fail(record, RANK_FAILURE_LAUNCH, -1, diag->text);
        return status;
    }
    record->progress++;
    rank_identity_fill(record, marker->threads, record->world_size);
    const struct session_request request = {
        .config = config,
        .strategy = (enum strategy)marker->strategy,
        .round = marker->round,
        .connect = communicator_mpi_create,
        .communicator_bytes = communicator_mpi_buffer_bytes(record->world_size),
        .record = record,
    };
    return session_run(&request, diag);
}

enum status cmd_run_rank(int argc, char **argv, const struct launcher_marker *marker,
                         struct diag *diag)
{
    int rank;
    int ranks;
    bool help;
    char path[PATH_MAX];
    struct run_config config;
    struct rank_board board = {0};
    if (!launcher_marker_bind_to_parent() || !communicator_mpi_joined(&rank, &ranks) ||
        marker->strategy >= STRATEGY_COUNT)
        return diag_set(diag, STATUS_BUG, "this rank was not started by our launcher");
    struct run_config_input input = {argc, argv, (uint64_t)ranks, true};
    enum status status = run_config_parse(&input, &config, &help, diag);
    if (status != STATUS_OK)
        return status;
    launcher_marker_board(marker, path);
    status = rank_board_open(path, (uint64_t)ranks,
                             config.training.warmup + config.training.repeats, &board, diag);
    if (status != STATUS_OK)
        return status;
    struct rank_record *record = rank_board_at(&board, (uint64_t)rank);
    rank_identity_begin(record);
    status = run(&config, marker, record, diag);
    /* At once and without a word: the record has the words, other ranks may stand in a collective,
     * and the launcher ends them. */
    if (status != STATUS_OK)
        _exit((int)status);
    communicator_mpi_finish();
    rank_board_fini(&board);
    return STATUS_OK;
}
