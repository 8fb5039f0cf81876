#include "evidence_write.h"

#include <criterion/criterion.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/*
 * Records made by hand, and the right metrics worked out by hand beside them: two ranks, one
 * warm-up and three measured steps, batches of B 1, G 2, N 2 and T 4: 16 tokens a step.
 */
#define MS UINT64_C(1000000)

static struct run_config config;
static struct run_plan plan;
static struct rank_board boards[2];
static struct rank_failure failure;
static struct host_info host;
static struct evidence_run run;
static struct evidence_source source;
static struct arena arena;
static char *arguments[] = {(char[]){"rankledger-collect"}, (char[]){"run"},
                            (char[]){"--output-dir"}, (char[]){"/home/carol/x"}, NULL};
static char *environment[] = {(char[]){"OMP_NUM_THREADS=3"}, (char[]){"AWS_SECRET=hunter2"}, NULL};

static void set_step(size_t round, uint64_t rank, uint64_t index, uint64_t total, uint64_t exposed)
{
    struct rank_record *record = rank_board_at(&boards[round], rank);
    record->steps[index] = (struct rank_step){.total_ns = total * MS,
                                              .forward_ns = (total - exposed) * MS,
                                              .exposed_ns = exposed * MS,
                                              .in_flight_ns = (exposed + 1) * MS,
                                              .loss_sum = rank == 0 ? 10 : 22,
                                              .grad_norm = 2.5};
    if (record->step_count <= index)
        record->step_count = index + 1;
}

/* What every rank of a completed round has. */
static void fill_round(size_t round)
{
    static const uint64_t total[2][4] = {{99, 10, 20, 40}, {99, 16, 10, 40}};
    static const uint64_t exposed[2][4] = {{0, 5, 5, 10}, {0, 4, 1, 30}};
    for (uint64_t rank = 0; rank < 2; rank++) {
        struct rank_record *record = rank_board_at(&boards[round], rank);
        record->pid = 100 + (int64_t)rank;
        record->warmup = 1;
        record->complete = true;
        record->arena_bytes = 8 << 20;
        record->process_peak_bytes = 20 << 20;
        record->phase_peak[SCHEDULE_PHASE_FORWARD] = (2 + rank) << 20;
        record->phase_peak[SCHEDULE_PHASE_BACKWARD] = 5 << 20;
        record->phase_peak[SCHEDULE_PHASE_CHECKPOINT_SAVE] = rank == 1 ? 7 << 20 : 0;
        record->at_peak[SCHEDULE_PHASE_FORWARD][SCHEDULE_ACTIVATIONS] = 77;
        record->matrix_product_flops = rank == 0 ? 1e9 : 3e9;
        record->usage.calls[SCHEDULE_ALL_REDUCE][SCHEDULE_GRADIENT_REDUCTION] = 6;
        record->usage.payload_bytes[SCHEDULE_ALL_REDUCE][SCHEDULE_GRADIENT_REDUCTION] = 3000;
        record->usage.exposed_ns[SCHEDULE_ALL_REDUCE][SCHEDULE_GRADIENT_REDUCTION] =
            (3 + 3 * rank) * MS;
        record->usage.in_flight_ns[SCHEDULE_ALL_REDUCE][SCHEDULE_GRADIENT_REDUCTION] = 12 * MS;
        for (uint64_t s = 0; s < 4; s++)
            set_step(round, rank, s, total[rank][s], exposed[rank][s]);
    }
}

static void make_source(void)
{
    struct diag diag = {0};
    struct schedule_request request = {.strategy = STRATEGY_DDP,
                                       .shape = {8, 1, 2, 16, 4, 1},
                                       .dtype = MODEL_FP32,
                                       .world_size = 2,
                                       .gradient_accumulation = 2,
                                       .bucket_bytes = 1 << 20,
                                       .prefetch = 1,
                                       .overlap = true};
    config = (struct run_config){.training = {.schedule = request,
                                              .warmup = 1,
                                              .repeats = 3,
                                              .seed = 7,
                                              .learning_rate = 3e-4,
                                              .max_grad_norm = 1},
                                 .backend = "cpu",
                                 .argc = 4,
                                 .argv = arguments};
    cr_assert_eq(schedule_build(&request, &arena, &plan.schedule, &diag), STATUS_OK);
    cr_assert_eq(schedule_walk_of(&plan.schedule, &plan.walk, &diag), STATUS_OK);
    plan.count = schedule_count_of(&plan.schedule);
    plan.ledger = schedule_ledger_of(&plan.schedule);
    for (size_t i = 0; i < 2; i++)
        cr_assert_eq(rank_board_create(NULL, 2, 4, &boards[i], &diag), STATUS_OK);
    failure = (struct rank_failure){.rank = -1, .step = -1};
    snprintf(host.cpu, sizeof host.cpu, "Test CPU");
    host.packages = 1;
    run = (struct evidence_run){.id = "0123456789abcdef0123456789abcdef",
                                .started_utc = "2026-01-31T12:00:00Z",
                                .kernels_by = "library",
                                .environment = environment};
    source = (struct evidence_source){&config,  STRATEGY_DDP, &plan, boards, 1,
                                      &failure, &host,        &run,  NULL};
    fill_round(0);
}

static void free_source(void)
{
    rank_board_fini(&boards[0]);
    rank_board_fini(&boards[1]);
    arena_fini(&arena);
}

TestSuite(evidence_write, .init = make_source, .fini = free_source);

static json_t *written(void)
{
    struct text_buffer text = {0};
    struct diag diag = {0};
    json_error_t error;
    cr_assert_eq(evidence_write_text(&source, &text, &diag), STATUS_OK, "%s", diag.text);
    json_t *document = json_loads(text.text, JSON_REJECT_DUPLICATES, &error);
    cr_assert_not_null(document, "%s", error.text);
    text_buffer_fini(&text);
    return document;
}

/* The member at a path such as "metrics.step_time_ms" or "rounds.1.steps"; must exist. */
static json_t *at(json_t *document, const char *path)
{
    char copy[128];
    snprintf(copy, sizeof copy, "%s", path);
    json_t *node = document;
    for (char *word = strtok(copy, "."); word != NULL; word = strtok(NULL, "."))
        node = json_is_array(node) ? json_array_get(node, (size_t)atoi(word))
                                   : json_object_get(node, word);
    cr_assert_not_null(node, "%s is not there", path);
    return node;
}

static void expect_number(json_t *document, const char *path, double value)
{
    double found = json_number_value(at(document, path));
    cr_assert(json_is_number(at(document, path)) &&
                  fabs(found - value) <= 1e-12 * fabs(value), /* a few roundings of a double */
              "%s is %.17g, not %.17g", path, found, value);
}

Test(evidence_write, metrics_are_those_of_the_contract)
{
    json_t *document = written();
    /* The slowest rank: 16, 20, 40 ms. */
    expect_number(document, "metrics.step_time_ms", 20);
    expect_number(document, "metrics.throughput", 800);
    /* The largest rank's share: 5/10, 5/20, 30/40. */
    expect_number(document, "metrics.communication_ratio", 0.5);
    /* (5+1)/10, (5+1)/20, (30+1)/40. */
    expect_number(document, "metrics.communication_in_flight_ratio", 0.6);
    expect_number(document, "timing.exposed_times_ms.0.1", 5);
    expect_number(document, "timing.exposed_times_ms.1.2", 30);
    expect_number(document, "timing.in_flight_times_ms.1.2", 31);
    cr_assert(json_is_null(at(document, "metrics.skew_ratio")));
    expect_number(document, "metrics.peak_memory_mb", 5);
    expect_number(document, "metrics.peak_memory_mb_per_rank.0", 5);
    expect_number(document, "metrics.checkpoint_peak_memory_mb", 7);
    /* (10 + 22) / 16 tokens; warm-up included. */
    cr_assert_eq(json_array_size(at(document, "metrics.losses")), 4);
    expect_number(document, "metrics.losses.0", 2);
    expect_number(document, "metrics.grad_norms.3", 2.5);
    cr_assert_eq(json_array_size(at(document, "metrics.step_times_ms")), 2);
    cr_assert_eq(json_array_size(at(document, "metrics.step_times_ms.1")), 3);
    expect_number(document, "metrics.step_times_ms.1.0", 16);
    /* Shape C 8, L 1, V 16, T 4: P - embeddings = 12*64 + 13*8 + 2*8 = 888; 6 (888 + 128) + 12*8*4
     * = 6480 FLOPs a token, 800 tokens/s on 2 ranks. */
    expect_number(document, "metrics.achieved_tflops", 6480.0 * 400 / 1e12);
    expect_number(document, "metrics.utilisation", 6480.0 * 400 / 2e9);
    expect_number(document, "calibration.matrix_product_tflops", 0.002);
    json_decref(document);
}

Test(evidence_write, collectives_are_per_step_and_of_the_largest_rank)
{
    json_t *document = written();
    expect_number(document, "communication.collectives.0.calls", 2);
    expect_number(document, "communication.collectives.0.payload_bytes", 1000);
    expect_number(document, "communication.collectives.0.exposed_ms", 2);
    expect_number(document, "communication.collectives.0.in_flight_ms", 4);
    /* All-reduce on 2 ranks: factor 1; 1000 bytes in 4 ms. */
    expect_number(document, "communication.collectives.0.bus_gb_per_s", 1000 / 4e-3 / 1e9);
    /* V C + T C + 12 C^2 + 13 C + 2 C = 128 + 32 + 768 + 104 + 16 = 1048 parameters of 4 bytes, wte
     * and the rest each padded to a multiple of 32: 128 and 928. */
    expect_number(document, "workload.parameters", 1048);
    expect_number(document, "communication.collectives.0.expected_bytes", 4 * (128 + 928));
    json_decref(document);
}

Test(evidence_write, rounds_are_pooled_with_their_offsets)
{
    fill_round(1);
    set_step(1, 0, 1, 100, 0);
    source.round_count = 2;
    json_t *document = written();
    cr_assert_eq(json_array_size(at(document, "metrics.step_times_ms.0")), 6);
    /* 16, 20, 40, 100, 20, 40: the middle two are 20 and 40. */
    expect_number(document, "metrics.step_time_ms", 30);
    expect_number(document, "rounds.1.first_step", 3);
    expect_number(document, "rounds.1.steps", 3);
    expect_number(document, "rounds.0.step_time_ms", 20);
    expect_number(document, "communication.collectives.0.calls", 2);
    cr_assert(json_is_true(at(document, "correctness.rounds_agree_on_losses")));
    json_decref(document);
}

Test(evidence_write, category_peaks_are_the_most_of_all_rounds)
{
    fill_round(1);
    source.round_count = 2;
    for (size_t round = 0; round < 2; round++) { /* a checkpoint takes workspace, once */
        struct rank_record *record = rank_board_at(&boards[round], 0);
        record->process_peak_bytes = (20 + round) << 20;
        record->category_peak[SCHEDULE_WORKSPACE] = round == 0 ? 900 : 500;
        record->category_peak[SCHEDULE_ACTIVATIONS] = round == 0 ? 70 : 77;
    }
    json_t *document = written();
    expect_number(document, "memory.per_rank.0.process_peak_bytes", 21 << 20);
    expect_number(document, "memory.per_rank.0.category_peaks.workspace", 900);
    expect_number(document, "memory.per_rank.0.category_peaks.activations", 77);
    json_decref(document);
}

Test(evidence_write, lost_rank_leaves_what_was_measured_before)
{
    failure = (struct rank_failure){.kind = RANK_FAILURE_RANK_LOST,
                                    .phase = RANK_BACKWARD,
                                    .rank = 1,
                                    .step = 3,
                                    .detail = "ended by signal 9 (Killed)"};
    rank_board_at(&boards[0], 1)->step_count = 3; /* its last step is missing */
    json_t *document = written();
    /* 16 and 20 ms. */
    expect_number(document, "metrics.step_time_ms", 18);
    cr_assert_eq(json_array_size(at(document, "metrics.step_times_ms.0")), 3);
    cr_assert_eq(json_array_size(at(document, "metrics.step_times_ms.1")), 2);
    cr_assert_eq(json_array_size(at(document, "metrics.losses")), 3);
    cr_assert_str_eq(json_string_value(at(document, "failure.reason")),
                     "rank 1 was lost in step 3 (backward): ended by signal 9 (Killed)");
    cr_assert_str_eq(json_string_value(at(document, "failure.kind")), "rank_lost");
    expect_number(document, "failure.step", 3);
    cr_assert_str_eq(json_string_value(at(document, "decision")), "failed");
    json_decref(document);
}

Test(evidence_write, step_that_was_not_finite_has_its_loss_and_no_time)
{
    for (uint64_t rank = 0; rank < 2; rank++) {
        struct rank_record *record = rank_board_at(&boards[0], rank);
        record->steps[3].grad_norm = NAN;
        record->failure = (struct rank_failure){.kind = RANK_FAILURE_NON_FINITE, .step = 3};
    }
    failure = rank_board_at(&boards[0], 0)->failure;
    failure.phase = RANK_OPTIMIZER;
    failure.rank = -1;
    json_t *document = written();
    expect_number(document, "metrics.step_time_ms", 18);
    cr_assert_eq(json_array_size(at(document, "metrics.grad_norms")), 4);
    cr_assert(json_is_null(at(document, "metrics.grad_norms.3")));
    cr_assert(json_is_null(at(document, "failure.rank")));
    json_decref(document);
}

Test(evidence_write, out_of_memory_before_the_first_step_has_amounts_and_no_peak)
{
    for (uint64_t rank = 0; rank < 2; rank++)
        rank_board_at(&boards[0], rank)->step_count = 0;
    failure = (struct rank_failure){.kind = RANK_FAILURE_OUT_OF_MEMORY,
                                    .phase = RANK_INIT,
                                    .rank = 0,
                                    .step = -1,
                                    .asked_bytes = 100,
                                    .in_use_bytes = 50,
                                    .limit_bytes = 120,
                                    .category = SCHEDULE_OPTIMIZER_STATE};
    json_t *document = written();
    cr_assert_eq(json_object_size(at(document, "metrics")), 0);
    expect_number(document, "failure.asked_bytes", 100);
    expect_number(document, "failure.in_use_bytes", 50);
    expect_number(document, "failure.limit_bytes", 120);
    cr_assert_str_eq(json_string_value(at(document, "failure.category")), "optimizer_state");
    cr_assert_str_eq(json_string_value(at(document, "failure.reason")),
                     "rank 0 ran out of memory in init");
    cr_assert(json_is_null(at(document, "failure.step")));
    json_decref(document);
}

Test(evidence_write, what_never_started_has_no_records)
{
    source.round_count = 0;
    failure = (struct rank_failure){.kind = RANK_FAILURE_PREFLIGHT,
                                    .rank = -1,
                                    .step = -1,
                                    .detail = "2 ranks need 10 GiB, 3 GiB are available"};
    json_t *document = written();
    cr_assert_eq(json_object_size(at(document, "metrics")), 0);
    cr_assert_str_eq(json_string_value(at(document, "failure.reason")),
                     "not started: 2 ranks need 10 GiB, 3 GiB are available");
    json_decref(document);
}

Test(evidence_write, environment_is_an_allow_list_and_paths_have_no_user_names)
{
    struct text_buffer text = {0};
    struct diag diag = {0};
    cr_assert_eq(evidence_write_text(&source, &text, &diag), STATUS_OK);
    cr_assert(strstr(text.text, "OMP_NUM_THREADS") != NULL);
    cr_assert(strstr(text.text, "hunter2") == NULL);
    cr_assert(strstr(text.text, "carol") == NULL);
    text_buffer_fini(&text);
}

Test(evidence_write, ranks_that_disagree_are_told)
{
    json_t *document = written();
    cr_assert(json_is_true(at(document, "correctness.ranks_agree_on_grad_norms")));
    json_decref(document);
    rank_board_at(&boards[0], 1)->steps[2].grad_norm = 2.4;
    document = written();
    cr_assert(json_is_false(at(document, "correctness.ranks_agree_on_grad_norms")));
    json_decref(document);
}

Test(evidence_write, file_that_appeared_meanwhile_stays_and_the_evidence_goes_beside_it)
{
    char path[64];
    char aside[80];
    struct diag diag = {0};
    snprintf(path, sizeof path, "/tmp/rankledger-evidence-%ld.json", (long)getpid());
    snprintf(aside, sizeof aside, "%s.01234567", path);
    FILE *file = fopen(path, "w");
    cr_assert_not_null(file);
    fclose(file);
    cr_assert_eq(evidence_write(&source, path, false, &diag), STATUS_ENVIRONMENT);
    cr_assert(strstr(diag.text, "appeared while") != NULL, "%s", diag.text);
    cr_assert_eq(access(aside, F_OK), 0);
    cr_assert_eq(unlink(aside), 0);
    struct diag second = {0};
    cr_assert_eq(evidence_write(&source, path, true, &second), STATUS_OK, "%s", second.text);
    cr_assert_eq(unlink(path), 0);
}

/* ---- on GPUs ---- */

static struct run_devices_place places[2];

/* Both ranks on a GPU of their own, of 80 GiB: 3 and 4 MiB were in use before, the ranks' arenas
 * are 8 MiB, and what the device says reaches 20 and 26 MiB in training. */
static void put_on_devices(void)
{
    config.backend = "cuda";
    source.places = places;
    for (uint64_t rank = 0; rank < 2; rank++) {
        struct rank_record *record = rank_board_at(&boards[0], rank);
        record->gpu = (struct rank_device){
            .used = true,
            .index = (uint32_t)rank,
            .name = "Test GPU",
            .driver = "580.1",
            .driver_cuda = "13.0",
            .runtime = "12.9",
            .blas = "12.9.1",
            .nccl = "2.28.9",
            .memory_bytes = UINT64_C(80) << 30,
            .capability_major = 9,
            .multiprocessors = 132,
            .peers = rank == 0 ? 2 : 1,
            .before_bytes = (3 + rank) << 20,
            .training_peak_bytes = rank == 0 ? 20 << 20 : 26 << 20,
            .peak_bytes = 30 << 20,
        };
        snprintf(record->gpu.bus, sizeof record->gpu.bus, "0000:0%d:00.0", (int)rank + 1);
        snprintf(record->moved_by, sizeof record->moved_by, "stream");
        snprintf(record->algorithm, sizeof record->algorithm, "NCCL");
        places[rank] = (struct run_devices_place){.device = record->gpu, .visible = 2};
    }
}

static void expect_level(const char *level)
{
    json_t *document = written();
    cr_assert_str_eq(json_string_value(at(document, "evidence_level")), level);
    json_decref(document);
}

Test(evidence_write, devices_are_told_with_libraries_and_neighbours)
{
    put_on_devices();
    json_t *document = written();
    cr_assert_str_eq(json_string_value(at(document, "evidence_level")), "multi_gpu");
    cr_assert_str_eq(json_string_value(at(document, "hardware.device")), "Test GPU");
    cr_assert_str_eq(json_string_value(at(document, "hardware.processor")), "Test CPU");
    expect_number(document, "hardware.device_count", 2);
    expect_number(document, "hardware.ranks_per_device", 1);
    cr_assert_null(json_object_get(at(document, "hardware"), "device_note"));
    expect_number(document, "hardware.devices.1.index", 1);
    expect_number(document, "hardware.devices.1.peers.0", 0);
    cr_assert_str_eq(json_string_value(at(document, "hardware.devices.0.compute_capability")),
                     "9.0");
    cr_assert_str_eq(json_string_value(at(document, "hardware.devices.1.pci")), "0000:02:00.0");
    expect_number(document, "environment.per_rank.1.gpu", 1);
    cr_assert_str_eq(json_string_value(at(document, "environment.driver")), "580.1");
    cr_assert_str_eq(json_string_value(at(document, "environment.nccl")), "2.28.9");
    cr_assert_str_eq(json_string_value(at(document, "communication.progress")), "stream");
    cr_assert(json_is_false(at(document, "strategy_options.bf16_emulated")));
    json_decref(document);
}

Test(evidence_write, device_memory_is_what_was_in_use_less_what_was_before)
{
    put_on_devices();
    json_t *document = written();
    /* 26 - 4 MiB of rank 1, against 20 - 3 of rank 0. */
    expect_number(document, "metrics.peak_device_mb", 22);
    expect_number(document, "metrics.peak_memory_mb", 5);
    expect_number(document, "memory.per_rank.0.device_before_bytes", 3 << 20);
    expect_number(document, "memory.per_rank.0.device_training_peak_bytes", 20 << 20);
    expect_number(document, "memory.per_rank.0.device_peak_bytes", 30 << 20);
    expect_number(document, "memory.per_rank.0.device_residual_bytes", (20 - 3 - 8) << 20);
    cr_assert_null(json_object_get(at(document, "memory.per_rank.0"), "process_residual_bytes"));
    json_decref(document);
}

Test(evidence_write, device_memory_that_another_process_gave_back_is_not_told)
{
    put_on_devices();
    rank_board_at(&boards[0], 1)->gpu.before_bytes = 19 << 20; /* 26 - 19 is less than the arena */
    json_t *document = written();
    cr_assert_null(json_object_get(at(document, "metrics"), "peak_device_mb"));
    expect_number(document, "memory.per_rank.1.device_before_bytes", 19 << 20);
    cr_assert_null(json_object_get(at(document, "memory.per_rank.1"), "device_residual_bytes"));
    json_decref(document);
}

Test(evidence_write, device_memory_before_that_is_not_known_is_not_subtracted)
{
    put_on_devices();
    rank_board_at(&boards[0], 1)->gpu.before_bytes = 0;
    json_t *document = written();
    expect_number(document, "metrics.peak_device_mb", 26);
    cr_assert_null(json_object_get(at(document, "memory.per_rank.1"), "device_before_bytes"));
    cr_assert_null(json_object_get(at(document, "memory.per_rank.1"), "device_residual_bytes"));
    json_decref(document);
}

Test(evidence_write, level_follows_from_the_devices)
{
    expect_level("cpu_multi_process");
    put_on_devices();
    places[1].host = 1;
    expect_level("multi_node_gpu");
    rank_board_at(&boards[0], 1)->gpu.emulated = true;
    expect_level("emulated_cuda");
    put_on_devices();
    source.round_count = 0; /* none was started: as it was planned */
    expect_level("multi_gpu");
    places[1].device.used = false;
    expect_level("predicted");
}

Test(evidence_write, shared_device_is_one_whose_memory_cannot_be_told_apart)
{
    put_on_devices();
    places[1].device = places[0].device;
    rank_board_at(&boards[0], 1)->gpu = rank_board_at(&boards[0], 0)->gpu;
    json_t *document = written();
    cr_assert_str_eq(json_string_value(at(document, "evidence_level")), "single_gpu_shared");
    expect_number(document, "hardware.device_count", 1);
    expect_number(document, "hardware.ranks_per_device", 2);
    expect_number(document, "environment.per_rank.1.gpu", 0);
    cr_assert_null(json_object_get(at(document, "metrics"), "peak_device_mb"));
    json_decref(document);
}

Test(evidence_write, mixed_devices_are_named_together)
{
    put_on_devices();
    snprintf(rank_board_at(&boards[0], 1)->gpu.name, sizeof places[0].device.name, "Other GPU");
    json_t *document = written();
    cr_assert_str_eq(json_string_value(at(document, "hardware.device")), "Test GPU and Other GPU");
    cr_assert_not_null(json_object_get(at(document, "hardware"), "device_note"));
    json_decref(document);
}

Test(evidence_write, backend_that_cannot_be_had_leaves_what_it_would_need_open)
{
    put_on_devices();
    plan.incomplete = true;
    source.round_count = 0;
    json_t *document = written();
    cr_assert_null(json_object_get(at(document, "ledger"), "predicted_peak_bytes"));
    cr_assert_null(json_object_get(at(document, "ledger"), "temporary"));
    expect_number(document, "ledger.parameters_bytes", 1048 * 4);
    json_decref(document);
}
