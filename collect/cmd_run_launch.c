#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd_run.h"
#include "launcher.h"
#include "progress.h"
#include "run_check.h"
#include "run_devices.h"
#include "run_folders.h"
#include "run_results.h"
#include "text.h"

/* Everything of one `run`. */
struct work {
    struct run_config config;
    struct host_info host;
    struct evidence_run run;
    struct run_results results;
    struct launcher launcher;
    struct launcher_job job;
    struct arena arena;
    struct progress progress;
};

/* ---- before anything starts ---- */

/* How many threads, on which cores, with which kernels. */
static void plan_job(struct work *work)
{
    const struct run_config *config = &work->config;
    work->job = (struct launcher_job){
        .arguments = config->argv,
        .step_capacity = config->training.warmup + config->training.repeats,
        .timeout_s = config->timeout_s,
        .look = progress_look,
        .context = &work->progress,
    };
    launcher_plan(&work->host, config->training.schedule.world_size, (uint64_t)config->threads,
                  &work->job);
    work->run.bound = work->job.bind;
    work->run.oversubscribed = work->job.oversubscribed;
    work->run.kernels_by = getenv("OPENBLAS_CORETYPE") != NULL ? "environment"
                           : work->job.kernels != NULL         ? "launcher"
                                                               : "library";
}

/* All ranks will be on this host, in order. */
static enum status place_ranks(struct work *work, struct diag *diag)
{
    const struct run_config *config = &work->config;
    const uint64_t ranks = config->training.schedule.world_size;
    struct run_devices devices;
    if (config->share_device)
        run_devices_separate(0); /* every rank does so with its own number */
    run_devices_look(config->backend, false, &devices);
    if (!devices.needed)
        return STATUS_OK;
    work->results.places = calloc(ranks, sizeof *work->results.places);
    if (work->results.places == NULL)
        return diag_no_memory(diag);
    for (uint64_t rank = 0; rank < ranks; rank++)
        run_devices_place(&devices, rank, &work->results.places[rank]);
    return STATUS_OK;
}

/* What each strategy will need, and whether it can be had. */
static void plan_strategies(struct work *work, struct run_faults *faults)
{
    struct diag planned = {0};
    plan_job(work);
    enum status status = place_ranks(work, &planned);
    if (status == STATUS_OK)
        status = run_results_init(&work->results, &work->config, work->job.threads, &planned);
    if (status == STATUS_OK && run_check_devices(&work->results))
        run_check_memory(&work->results, faults);
    run_faults_add_diag(faults, &planned);
}

static void prepare(struct work *work, struct run_faults *faults)
{
    char mpirun[PATH_MAX];
    struct diag found = {0};
    host_info_load(&work->host);
    run_results_begin(&work->run);
    work->results.host = &work->host;
    work->results.run = &work->run;
    if (launcher_find_mpirun(mpirun, &found) != STATUS_OK)
        run_faults_add_diag(faults, &found);
    if (faults->count == 0)
        plan_strategies(work, faults);
    run_check_places(&work->config, faults);
}

/* ---- the strategies, by turns ---- */

/* mpirun puts its own notices between lines of dashes. They repeat what the failure says already,
 * unless nothing was started. */
static void show_said(const struct text_buffer *said, const struct rank_failure *failure,
                      enum strategy strategy)
{
    static const char dashes[] = "--------------------";
    bool notice = false;
    struct text_buffer shown = {0};
    for (const char *at = said->text; at != NULL && *at != '\0';) {
        size_t length = strcspn(at, "\n");
        bool border = strncmp(at, dashes, sizeof dashes - 1) == 0;
        notice = border ? !notice : notice;
        if (failure->kind == RANK_FAILURE_LAUNCH || (!notice && !border && length > 0)) {
            text_buffer_puts(&shown, "  ");
            text_escape(&shown, at, length);
            text_buffer_puts(&shown, "\n");
        }
        at += length + (at[length] == '\n' ? 1 : 0);
    }
    if (!shown.failed && shown.length > 0)
        fprintf(stderr, "mpirun or a rank of %s said:\n%s", training_state_row(strategy)->name,
                shown.text);
    text_buffer_fini(&shown);
}

/* What a rank was writing when it died. */
static void discard_folders(const struct work *work, enum strategy strategy)
{
    const struct run_result *result = &work->results.of[strategy];
    const struct rank_board *board = &result->boards[result->round_count - 1];
    run_folders_discard(&work->config, strategy, (pid_t)rank_board_at(board, 0)->pid);
}

static enum status run_round(struct work *work, enum strategy strategy, uint64_t round,
                             struct diag *diag)
{
    struct rank_failure failure;
    struct text_buffer said = {0};
    work->job.strategy = strategy;
    work->job.round = round;
    work->progress.name = training_state_row(strategy)->name;
    work->progress.round = round;
    progress_start(&work->progress);
    enum status status =
        launcher_run(&work->launcher, &work->job, run_results_next(&work->results, strategy),
                     &failure, &said, diag);
    progress_end(&work->progress);
    if (status == STATUS_OK) {
        run_results_add(&work->results, strategy, &failure);
        show_said(&said, &failure, strategy);
    }
    text_buffer_fini(&said);
    if (status == STATUS_OK && failure.kind != RANK_FAILURE_NONE)
        discard_folders(work, strategy);
    return status;
}

static bool has_failed(const struct work *work, enum strategy strategy)
{
    return work->results.of[strategy].failure.kind != RANK_FAILURE_NONE;
}

/* One turn of every strategy that has not failed; the first of this round is the second of the one
 * before, so that none always follows the same. */
static enum status run_turns(struct work *work, uint64_t round, struct diag *diag)
{
    for (uint64_t turn = 0; turn < STRATEGY_COUNT; turn++) {
        enum strategy strategy = (enum strategy)((turn + round) % STRATEGY_COUNT);
        if (work->launcher.signal != 0)
            break;
        if (!work->results.of[strategy].asked || has_failed(work, strategy))
            continue;
        enum status status = run_round(work, strategy, round, diag);
        if (status != STATUS_OK)
            return status;
        if (has_failed(work, strategy) || round + 1 == work->config.rounds)
            run_results_write(&work->results, strategy, diag);
    }
    return STATUS_OK;
}

/* Strategies that had some of their rounds when the run was interrupted. */
static void write_interrupted(struct work *work, struct diag *diag)
{
    for (int i = 0; i < STRATEGY_COUNT; i++) {
        struct run_result *result = &work->results.of[i];
        if (result->round_count == 0 || result->written)
            continue;
        result->failure =
            (struct rank_failure){.kind = RANK_FAILURE_INTERRUPTED, .rank = -1, .step = -1};
        snprintf(result->failure.detail, sizeof result->failure.detail,
                 "the run was interrupted before round %zu of %llu", result->round_count + 1,
                 (unsigned long long)work->config.rounds);
        run_results_write(&work->results, (enum strategy)i, diag);
    }
}

static enum status run_all(struct work *work, struct diag *diag)
{
    enum status status = STATUS_OK;
    const struct training *training = &work->config.training;
    work->progress.rounds = work->config.rounds;
    work->progress.steps = work->job.step_capacity;
    work->progress.tokens =
        (double)training_global_batch(training) * (double)training->schedule.shape.seq_len;
    for (int i = 0; i < STRATEGY_COUNT; i++)
        if (work->results.of[i].asked && has_failed(work, (enum strategy)i)) /* does not fit */
            run_results_write(&work->results, (enum strategy)i, diag);
    for (uint64_t round = 0; round < work->config.rounds && status == STATUS_OK; round++)
        status = run_turns(work, round, diag);
    write_interrupted(work, diag);
    return status;
}

/* For the sweeper, should this process be killed. */
static void discard_leftovers(void *context, uint64_t strategy, pid_t rank_0)
{
    const struct work *work = context;
    if (strategy < STRATEGY_COUNT)
        run_folders_discard(&work->config, (enum strategy)strategy, rank_0);
}

static enum status launch(struct work *work, struct diag *diag)
{
    char **environment = NULL;
    const struct launcher_leftovers leftovers = {discard_leftovers, work};
    enum status status =
        launcher_open(launcher_shared_bytes(work->job.ranks), &leftovers, &work->launcher, diag);
    if (status != STATUS_OK)
        return status;
    status = launcher_environment(&work->launcher, &work->job, &work->arena, &environment, diag);
    work->run.environment = environment;
    if (status == STATUS_OK)
        status = run_all(work, diag);
    launcher_close(&work->launcher);
    if (status == STATUS_OK)
        status = run_results_conclude(&work->results, diag);
    return status;
}

enum status cmd_run_launch(int argc, char **argv, struct diag *diag)
{
    enum options_help help = OPTIONS_HELP_NONE;
    struct work *work = calloc(1, sizeof *work);
    struct run_faults faults = {0};
    struct run_config_input input = {.argc = argc, .argv = argv};
    if (work == NULL)
        return diag_no_memory(diag);
    enum status status = run_config_read(&input, &work->config, &faults, &help, diag);
    if (status == STATUS_OK && !help)
        prepare(work, &faults);
    if (status == STATUS_OK && !help)
        status = run_faults_report(&faults, "run", diag);
    if (status == STATUS_OK && !help)
        status = launch(work, diag);
    run_results_fini(&work->results);
    run_faults_fini(&faults);
    arena_fini(&work->arena);
    free(work);
    return status;
}
