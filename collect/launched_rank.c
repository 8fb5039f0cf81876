#include "launched_rank.h"

#include <inttypes.h>
#include <unistd.h>

#include "communicator_mpi.h"
#include "rank_identity.h"

static enum status start_mpi(const struct launched_rank *launched, struct rank_record *record,
                             struct diag *diag)
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
    rank_identity_fill(record, launched->marker->threads);
    return STATUS_OK;
}

enum status launched_rank_run(const struct launched_rank *launched, struct diag *diag)
{
    int rank;
    int ranks;
    char path[PATH_MAX];
    struct rank_board board;
    if (!launcher_marker_bind_to_parent() || !communicator_mpi_joined(&rank, &ranks))
        return diag_set(diag, STATUS_BUG, "this rank was not started by our launcher");
    launcher_marker_board(launched->marker, path);
    enum status status =
        rank_board_open(path, (uint64_t)ranks, launched->step_capacity, &board, diag);
    if (status != STATUS_OK)
        return status;
    struct rank_record *record = rank_board_at(&board, (uint64_t)rank);
    rank_identity_begin(record);
    status = start_mpi(launched, record, diag);
    if (status == STATUS_OK)
        status = launched->work(launched->context, record, diag);
    if (status != STATUS_OK)
        _exit((int)status);
    communicator_mpi_finish();
    rank_board_fini(&board);
    return STATUS_OK;
}
