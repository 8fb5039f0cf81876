#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd_run.h"
#include "communicator_mpi.h"
#include "joined_watch.h"
#include "rank_identity.h"
#include "run_check.h"
#include "run_folders.h"
#include "run_results.h"
#include "session.h"

/* Set in our own environment when this program starts itself anew with other kernels. */
#define KERNELS_MARK "RANKLEDGER_KERNELS"
/* How long a failed rank waits for rank 0, which may be failing likewise and has evidence to write,
 * before it ends all. */
#define GRACE_SECONDS 5

/* Everything of one `run` under a foreign mpirun or srun. */
struct joined {
    uint64_t rank, ranks, local_ranks;
    struct run_config config;
    struct communicator *communicator; /* for what is said between strategies */
    struct host_info host;             /* host, run, results, watch: on rank 0 */
    struct evidence_run run;
    struct run_results results;
    struct joined_watch watch;
    bool left_out[STRATEGY_COUNT]; /* they do not fit the machine */
    enum strategy strategy;        /* in work */
    struct rank_board own;         /* this rank's record */
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

/* Rank 0: evidence of the strategy in work, from its own record alone, and of those before it. */
static void write_failed(struct joined *joined, const struct rank_failure *failure)
{
    struct run_results *results = &joined->results;
    struct diag diag = {0};
    struct rank_board *board = run_results_next(results, joined->strategy);
    if (rank_board_create(NULL, joined->ranks, rank_board_at(&joined->own, 0)->step_capacity, board,
                          &diag) == STATUS_OK) {
        memcpy(board->memory, joined->own.memory, joined->own.stride);
        run_results_add(results, joined->strategy, failure);
        run_results_write(results, joined->strategy, &joined->written);
    }
    for (int i = 0; i < STRATEGY_COUNT; i++) {
        struct run_result *result = &results->of[i];
        if (result->round_count == 0 || result->written)
            continue;
        result->failure =
            (struct rank_failure){.kind = RANK_FAILURE_INTERRUPTED, .rank = -1, .step = -1};
        snprintf(result->failure.detail, sizeof result->failure.detail,
                 "the run ended with the failure of %s",
                 training_state_row(joined->strategy)->name);
        run_results_write(results, (enum strategy)i, &joined->written);
    }
    enum status status = run_results_conclude(results, &joined->written);
    run_folders_discard(&joined->config, joined->strategy, getpid());
    end_all(&joined->written, status);
}

/* For the watch. */
static void end_watched(void *context, const struct rank_failure *failure)
{
    write_failed(context, failure);
}

static void end_failed(struct joined *joined, const struct diag *diag, enum status status)
{
    const struct rank_failure *failure = &rank_board_at(&joined->own, 0)->failure;
    if (!is_first(joined)) {
        sleep(GRACE_SECONDS);
        end_all(diag, status);
    }
    if (joined_watch_claim(&joined->watch))
        write_failed(joined, failure);
    for (;;)
        pause(); /* the watch writes, and ends us */
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

static enum status run_session(struct joined *joined, uint64_t round, struct diag *diag)
{
    const struct training *training = &joined->config.training;
    enum status status =
        rank_board_create(NULL, 1, training->warmup + training->repeats, &joined->own, diag);
    if (status != STATUS_OK)
        return status;
    struct rank_record *record = rank_board_at(&joined->own, 0);
    record->rank = joined->rank;
    record->world_size = joined->ranks;
    rank_identity_begin(record);
    rank_identity_fill(record, (uint64_t)joined->config.threads, joined->local_ranks);
    if (is_first(joined))
        atomic_store(&joined->watch.board, &joined->own);
    const struct session_request request = {
        .config = &joined->config,
        .strategy = joined->strategy,
        .round = round,
        .connect = communicator_mpi_create,
        .record = record,
    };
    return session_run(&request, diag);
}

/* One round of one strategy, and its evidence after the last. */
static void take_turn(struct joined *joined, uint64_t round)
{
    struct diag diag = {0};
    enum status status = run_session(joined, round, &diag);
    if (status == STATUS_OK)
        status = gather(joined, &diag);
    if (status != STATUS_OK)
        end_failed(joined, &diag, status);
    if (is_first(joined) && !joined_watch_claim(&joined->watch))
        for (;;)
            pause(); /* the watch writes, and ends us */
    if (is_first(joined)) {
        const struct rank_failure none = {.rank = -1, .step = -1};
        atomic_store(&joined->watch.board, NULL);
        run_results_add(&joined->results, joined->strategy, &none);
        if (round + 1 == joined->config.rounds)
            run_results_write(&joined->results, joined->strategy, &joined->written);
        joined_watch_release(&joined->watch);
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
    host_info_load(&joined->host);
    run_results_begin(&joined->run);
    joined->run.joined = true;
    joined->run.environment = environ;
    joined->run.kernels_by = getenv(KERNELS_MARK) != NULL          ? "launcher"
                             : getenv("OPENBLAS_CORETYPE") != NULL ? "environment"
                                                                   : "library";
    joined->results.host = &joined->host;
    joined->results.run = &joined->run;
    joined->results.local_ranks = joined->local_ranks;
    uint64_t threads =
        rank_identity_threads(&joined->host, (uint64_t)joined->config.threads, joined->local_ranks);
    struct diag planned = {0};
    if (run_results_init(&joined->results, &joined->config, threads, &planned) == STATUS_OK)
        run_check_memory(&joined->results, faults);
    run_faults_add_diag(faults, &planned);
    run_check_places(&joined->config, faults);
    return run_faults_report(faults, "run", diag);
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

static uint64_t local_ranks(uint64_t ranks)
{
    static const char *const names[] = {"OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS",
                                        "SLURM_NTASKS_PER_NODE"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const char *text = getenv(names[i]);
        long number = text != NULL ? strtol(text, NULL, 10) : 0;
        if (number > 0)
            return (uint64_t)number;
    }
    return ranks;
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

static enum status run(struct joined *joined, struct run_faults *faults, struct diag *diag)
{
    int rank;
    int ranks;
    enum status status = STATUS_OK;
    if (is_first(joined)) { /* before MPI makes its threads */
        joined->watch.timeout_s = joined->config.timeout_s;
        joined->watch.end = end_watched;
        joined->watch.context = joined;
        status = joined_watch_start(&joined->watch, diag);
    }
    if (status == STATUS_OK)
        status = communicator_mpi_start(&rank, &ranks, diag);
    if (status == STATUS_OK)
        status = communicator_mpi_create(MODEL_FP32, 1, &joined->communicator, diag);
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
    communicator_destroy(joined->communicator);
    communicator_mpi_finish();
    return status;
}

enum status cmd_run_joined(int argc, char **argv, struct diag *diag)
{
    int rank = 0;
    int ranks = 1;
    bool help = false;
    (void)communicator_mpi_joined(&rank, &ranks);
    choose_kernels(argv);
    struct joined *joined = calloc(1, sizeof *joined);
    struct run_faults faults = {0};
    if (joined == NULL)
        return diag_no_memory(diag);
    joined->rank = (uint64_t)rank;
    joined->ranks = (uint64_t)ranks;
    joined->local_ranks = local_ranks(joined->ranks);
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
