#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd_run.h"
#include "communicator_mpi.h"
#include "joined_hosts.h"
#include "joined_report.h"
#include "joined_watch.h"
#include "rank_identity.h"
#include "run_check.h"
#include "run_devices.h"
#include "run_folders.h"
#include "run_results.h"
#include "session.h"

/* Set in our own environment when this program starts itself anew with other kernels. */
#define KERNELS_MARK "RANKLEDGER_KERNELS"
/* How long a failed rank waits for rank 0, which has evidence to write, before it ends all. */
#define GRACE_SECONDS 5

/* Everything of one `run` under a foreign mpirun or srun. */
struct joined {
    uint64_t rank, ranks;
    struct run_config config;
    struct communicator *communicator; /* for what is said between strategies */
    struct host_info host;
    struct communicator_mpi_place place;
    struct joined_hosts hosts;
    struct joined_report report; /* on every rank but 0 */
    struct evidence_run run;     /* run, results, watch: on rank 0 */
    struct run_results results;
    struct joined_watch watch;
    bool left_out[STRATEGY_COUNT]; /* they do not fit the machine */
    enum strategy strategy;        /* in work */
    struct rank_board own;         /* this rank's record */
    uint64_t device_before_bytes;  /* as the first session found it */
    struct diag written;           /* what went wrong with the evidence */
};

static bool is_first(const struct joined *joined)
{
    return joined->rank == 0;
}

/* ---- the end with a failure ---- */

/* Nobody comes back from here: other ranks may stand in a collective, and MPI cannot be ended in
 * order any more. So what main would print is printed here. */
static void end_all(const struct diag *diag, enum status status)
{
    (void)fflush(stdout);
    if (diag->text[0] != '\0')
        fprintf(stderr, "rankledger-collect: %s\n", diag->text);
    communicator_mpi_abort((int)status);
    _exit((int)status);
}

/* Evidence of the strategies that had some of their rounds before the one in work failed. */
static void write_those_before(struct joined *joined)
{
    for (int i = 0; i < STRATEGY_COUNT; i++) {
        struct run_result *result = &joined->results.of[i];
        if (result->round_count == 0 || result->written)
            continue;
        result->failure =
            (struct rank_failure){.kind = RANK_FAILURE_INTERRUPTED, .rank = -1, .step = -1};
        snprintf(result->failure.detail, sizeof result->failure.detail,
                 "the run ended with the failure of %s",
                 training_state_row(joined->strategy)->name);
        run_results_write(&joined->results, (enum strategy)i, &joined->written);
    }
}

/* For the watch: evidence of the strategy in work, from what was heard of every rank. */
static void end_watched(void *context, const struct rank_failure *failure)
{
    struct joined *joined = context;
    struct run_results *results = &joined->results;
    *run_results_next(results, joined->strategy) = joined->watch.board;
    run_results_add(results, joined->strategy, failure);
    run_results_write(results, joined->strategy, &joined->written);
    write_those_before(joined);
    enum status status = run_results_conclude(results, &joined->written);
    run_folders_discard(&joined->config, joined->strategy, getpid());
    end_all(&joined->written, status);
}

static void end_failed(struct joined *joined, const struct diag *diag, enum status status)
{
    struct rank_record *record = rank_board_at(&joined->own, 0);
    /* Also where the turn was over for this rank, and the records did not come together. */
    rank_record_fail(record, RANK_FAILURE_COMMUNICATION, -1, diag->text);
    if (!is_first(joined)) {
        sleep(GRACE_SECONDS); /* the report tells rank 0 */
        end_all(diag, status);
    }
    for (;;)
        pause(); /* the watch sees it, writes, and ends us */
}

/* ---- the turns ---- */

/* Records of all ranks to rank 0's board. */
static enum status gather(struct joined *joined, struct diag *diag)
{
    struct rank_board *board = NULL;
    enum status status = STATUS_OK;
    uint64_t capacity = rank_board_at(&joined->own, 0)->step_capacity;
    if (is_first(joined)) {
        board = run_results_next(&joined->results, joined->strategy);
        status = rank_board_create(NULL, joined->ranks, capacity, board, diag);
        if (status != STATUS_OK)
            return status;
    }
    return joined->communicator->operations->gather(joined->communicator, joined->own.memory,
                                                    joined->own.stride,
                                                    board != NULL ? board->memory : NULL, 0, diag);
}

/* Who and where this rank is, and who looks on. */
static enum status begin_turn(struct joined *joined, struct diag *diag)
{
    const struct training *training = &joined->config.training;
    const uint64_t steps = training->warmup + training->repeats;
    struct rank_board all = {0};
    enum status status = rank_board_create(NULL, 1, steps, &joined->own, diag);
    if (status == STATUS_OK && is_first(joined))
        status = rank_board_create(NULL, joined->ranks, steps, &all, diag);
    if (status != STATUS_OK)
        return status;
    struct rank_record *record = rank_board_at(&joined->own, 0);
    record->rank = joined->rank;
    record->world_size = joined->ranks;
    rank_identity_begin(record);
    rank_identity_fill(record, joined->hosts.threads);
    record->host_number = joined->place.host;
    if (is_first(joined))
        joined_watch_begin(&joined->watch, record, &all);
    else
        joined_report_begin(&joined->report, record);
    return STATUS_OK;
}

static enum status run_session(struct joined *joined, uint64_t round, struct diag *diag)
{
    const struct session_request request = {
        .config = &joined->config,
        .strategy = joined->strategy,
        .local_rank = joined->place.local_rank,
        .device_before_bytes = joined->device_before_bytes,
        .round = round,
        .connect = communicator_mpi_create,
        .record = rank_board_at(&joined->own, 0),
    };
    return session_run(&request, diag);
}

/* One round of one strategy, and its evidence after the last. */
static void take_turn(struct joined *joined, uint64_t round)
{
    struct diag diag = {0};
    enum status status = begin_turn(joined, &diag);
    if (status != STATUS_OK)
        end_all(&diag, status);
    status = run_session(joined, round, &diag);
    if (status == STATUS_OK)
        status = gather(joined, &diag);
    if (status != STATUS_OK)
        end_failed(joined, &diag, status);
    joined->device_before_bytes = rank_board_at(&joined->own, 0)->gpu.before_bytes;
    if (is_first(joined)) {
        const struct rank_failure none = {.rank = -1, .step = -1};
        joined_watch_end(&joined->watch);
        run_results_add(&joined->results, joined->strategy, &none);
        if (round + 1 == joined->config.rounds)
            run_results_write(&joined->results, joined->strategy, &joined->written);
    } else {
        joined_report_end(&joined->report);
    }
    rank_board_fini(&joined->own);
}

static void run_turns(struct joined *joined)
{
    for (uint64_t round = 0; round < joined->config.rounds; round++)
        for (uint64_t turn = 0; turn < STRATEGY_COUNT; turn++) {
            joined->strategy = (enum strategy)((turn + round) % STRATEGY_COUNT);
            if (joined->config.strategies[joined->strategy] && !joined->left_out[joined->strategy])
                take_turn(joined, round);
        }
}

/* ---- before ---- */

/* Rank 0's checks. */
static enum status check(struct joined *joined, struct run_faults *faults, struct diag *diag)
{
    struct run_results *results = &joined->results;
    run_results_begin(&joined->run);
    joined->run.joined = true;
    joined->run.hosts = joined->hosts.hosts;
    joined->run.bound = joined->hosts.bound;
    joined->run.oversubscribed = joined->hosts.oversubscribed;
    joined->run.environment = environ;
    joined->run.kernels_by = getenv(KERNELS_MARK) != NULL          ? "launcher"
                             : getenv("OPENBLAS_CORETYPE") != NULL ? "environment"
                                                                   : "library";
    results->host = &joined->host;
    results->run = &joined->run;
    results->room = (struct run_room){
        .ranks = joined->hosts.tightest_ranks,
        .bytes = joined->hosts.tightest_bytes,
        .host = joined->hosts.hosts > 1 ? (int64_t)joined->hosts.tightest : -1,
        .name = joined->hosts.tightest_name,
    };
    struct diag planned = {0};
    if (run_results_init(results, &joined->config, joined->hosts.threads, &planned) == STATUS_OK &&
        run_check_devices(results))
        run_check_memory(results, faults);
    run_faults_add_diag(faults, &planned);
    run_check_places(&joined->config, faults);
    return run_faults_report(faults, "run", diag);
}

/* Where all ranks compute, to rank 0, if that is not on their hosts themselves. */
static enum status gather_places(struct joined *joined, struct diag *diag)
{
    struct run_devices devices;
    struct run_devices_place own;
    run_devices_look(joined->config.backend, false, &devices);
    if (!devices.needed)
        return STATUS_OK;
    run_devices_place(&devices, joined->place.local_rank, &own);
    own.host = joined->place.host;
    if (is_first(joined))
        joined->results.places = calloc(joined->ranks, sizeof *joined->results.places);
    if (is_first(joined) && joined->results.places == NULL)
        return diag_no_memory(diag);
    return communicator_gather(joined->communicator, &own, sizeof own, joined->results.places, 0,
                               diag);
}

/* All ranks go on, or none, and with the same strategies: those that fit this machine. */
static enum status agree(struct joined *joined, enum status own, struct diag *diag)
{
    uint32_t words[1 + STRATEGY_COUNT] = {(uint32_t)own};
    for (int i = 0; i < STRATEGY_COUNT; i++)
        words[1 + i] = joined->results.of[i].failure.kind == RANK_FAILURE_PREFLIGHT;
    enum status status = joined->communicator->operations->broadcast(joined->communicator, words,
                                                                     sizeof words, 0, diag);
    if (status != STATUS_OK)
        return status;
    for (int i = 0; i < STRATEGY_COUNT; i++)
        joined->left_out[i] = words[1 + i] != 0;
    return is_first(joined) ? own : (enum status)words[0]; /* rank 0 says why */
}

/* The evidence of those that do not fit. */
static void write_left_out(struct joined *joined)
{
    for (int i = 0; i < STRATEGY_COUNT && is_first(joined); i++)
        if (joined->left_out[i])
            run_results_write(&joined->results, (enum strategy)i, &joined->written);
}

/* OpenBLAS reads its choice when it is loaded, so the program starts anew with it; MPI, which has
 * not started yet, does not notice. */
static void choose_kernels(char **argv)
{
    struct host_info_blas blas;
    host_info_load_blas(&blas);
    const char *kernels = host_info_better_kernels(&blas);
    if (kernels == NULL || setenv("OPENBLAS_CORETYPE", kernels, 1) != 0 ||
        setenv(KERNELS_MARK, "1", 1) != 0)
        return;
    (void)execv("/proc/self/exe", argv);
}

/* Before MPI makes its threads. */
static enum status start_threads(struct joined *joined, struct diag *diag)
{
    if (!is_first(joined))
        return joined_report_start(&joined->report, joined->rank, joined->ranks, diag);
    joined->watch.timeout_s = joined->config.timeout_s;
    joined->watch.end = end_watched;
    joined->watch.context = joined;
    return joined_watch_start(&joined->watch, joined->ranks, diag);
}

/* Where all ranks are, and rank 0's ear for them. One that rank 0 will not hear trains all the
 * same. */
static enum status meet(struct joined *joined, struct diag *diag)
{
    struct joined_link_address address = joined->watch.link.address;
    enum status status = communicator_mpi_place(&joined->place, diag);
    host_info_load(&joined->host);
    if (status == STATUS_OK)
        status = joined_hosts_gather(joined->communicator, &joined->place, &joined->host,
                                     (uint64_t)joined->config.threads, &joined->hosts, diag);
    if (status == STATUS_OK)
        status = communicator_broadcast(joined->communicator, &address, sizeof address, 0, diag);
    if (status == STATUS_OK && !is_first(joined))
        (void)joined_report_connect(&joined->report, &address);
    return status;
}

static enum status run(struct joined *joined, struct run_faults *faults, struct diag *diag)
{
    int rank;
    int ranks;
    if (joined->config.share_device)
        run_devices_separate(joined->rank);
    enum status status = start_threads(joined, diag);
    if (status == STATUS_OK)
        status = communicator_mpi_start(&rank, &ranks, diag);
    if (status == STATUS_OK)
        status = communicator_mpi_create(MODEL_FP32, 1, &joined->communicator, diag);
    if (status == STATUS_OK)
        status = meet(joined, diag);
    if (status != STATUS_OK)
        return status;
    status = gather_places(joined, diag);
    if (status != STATUS_OK)
        return status;
    if (is_first(joined))
        status = check(joined, faults, diag);
    status = agree(joined, status, diag);
    if (status == STATUS_OK) {
        write_left_out(joined);
        run_turns(joined);
        if (is_first(joined))
            status = run_results_conclude(&joined->results, &joined->written);
        if (status != STATUS_OK)
            (void)diag_set(diag, status, "%s", joined->written.text);
    }
    joined_report_stop(&joined->report); /* before rank 0's end, which it would take for a loss */
    communicator_destroy(joined->communicator);
    communicator_mpi_finish();
    return status;
}

enum status cmd_run_joined(int argc, char **argv, struct diag *diag)
{
    int rank = 0;
    int ranks = 1;
    enum options_help help = OPTIONS_HELP_NONE;
    (void)communicator_mpi_joined(&rank, &ranks);
    choose_kernels(argv);
    struct joined *joined = calloc(1, sizeof *joined);
    struct run_faults faults = {0};
    if (joined == NULL)
        return diag_no_memory(diag);
    joined->rank = (uint64_t)rank;
    joined->ranks = (uint64_t)ranks;
    struct run_config_input input = {argc, argv, joined->ranks, rank != 0};
    enum status status = run_config_read(&input, &joined->config, &faults, &help, diag);
    if (status == STATUS_OK)
        status = run_faults_report(&faults, "run", diag);
    if (status == STATUS_OK && !help)
        status = run(joined, &faults, diag);
    if (rank != 0)
        diag->text[0] = '\0'; /* rank 0 has the same to say */
    joined_watch_stop(&joined->watch);
    run_results_fini(&joined->results);
    run_faults_fini(&faults);
    free(joined);
    return status;
}
