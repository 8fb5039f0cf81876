#include "cmd_run.h"

#include <stdlib.h>

#include "communicator_mpi.h"

enum status cmd_run(int argc, char **argv, struct diag *diag)
{
    struct launcher_marker marker;
    int rank;
    int ranks;
    if (launcher_marker_parse(getenv(LAUNCHER_MARKER_NAME), &marker))
        return cmd_run_rank(argc, argv, &marker, diag);
    if (communicator_mpi_joined(&rank, &ranks))
        return cmd_run_joined(argc, argv, diag);
    return cmd_run_launch(argc, argv, diag);
}
