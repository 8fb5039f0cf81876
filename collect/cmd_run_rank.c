#include "cmd_run.h"
#include "communicator_mpi.h"
#include "launched_rank.h"
#include "run_devices.h"
#include "session.h"

/* What the session needs besides the record. */
struct work {
    const struct run_config *config;
    const struct launcher_marker *marker;
};

static enum status run(void *context, struct rank_record *record, struct diag *diag)
{
    const struct work *work = context;
    const struct session_request request = {
        .config = work->config,
        .strategy = (enum strategy)work->marker->strategy,
        .local_rank = record->rank, /* all are on this host */
        .round = work->marker->round,
        .connect = communicator_mpi_create,
        .record = record,
    };
    return session_run(&request, diag);
}

enum status cmd_run_rank(int argc, char **argv, const struct launcher_marker *marker,
                         struct diag *diag)
{
    int rank;
    int ranks;
    enum options_help help;
    struct run_config config;
    if (!communicator_mpi_joined(&rank, &ranks) || marker->strategy >= STRATEGY_COUNT)
        return diag_set(diag, STATUS_BUG, "this rank was not started by our launcher");
    struct run_config_input input = {argc, argv, (uint64_t)ranks, true};
    enum status status = run_config_parse(&input, &config, &help, diag);
    if (status != STATUS_OK)
        return status;
    if (config.share_device)
        run_devices_separate((uint64_t)rank);
    struct work work = {&config, marker};
    const struct launched_rank launched = {
        .marker = marker,
        .step_capacity = config.training.warmup + config.training.repeats,
        .work = run,
        .context = &work,
    };
    return launched_rank_run(&launched, diag);
}
