#include <stdlib.h>
#include <string.h>

#include "communicator_mpi.h"
#include "communicator_nccl.h"
#include "cuda_emulation.h"
#include "device_arrays.h"
#include "mpi_expect.h"
#include "nccl.h"

/*
 * NCCL's collectives behind the communicator, on emulated devices and with an emulated NCCL. Run
 * with 1, 2 and 3 ranks.
 */
enum { TICKETS = 4 };

static uint64_t rank, world_size;

struct fixture {
    struct backend_cuda *cuda;
    struct communicator *communicator;
};

static enum status try_connect(struct fixture *fixture, enum model_dtype wire, struct diag *diag)
{
    struct communicator *host = NULL;
    fixture->cuda = device_arrays_backend((int)rank, wire);
    enum status status = communicator_mpi_create(wire, TICKETS, &host, diag);
    mpi_expect(status == STATUS_OK, "%s", diag->text);
    status = communicator_nccl_connect(&fixture->cuda->base, host, TICKETS, &fixture->communicator,
                                       diag);
    if (status != STATUS_OK)
        communicator_destroy(host);
    return status;
}

static struct fixture start(enum model_dtype wire)
{
    struct fixture fixture = {0};
    struct diag diag = {0};
    mpi_expect(try_connect(&fixture, wire, &diag) == STATUS_OK, "%s", diag.text);
    return fixture;
}

static void stop(struct fixture *fixture)
{
    struct diag diag = {0};
    communicator_destroy(fixture->communicator);
    device_arrays_backend_free(fixture->cuda);
    cuda_emulation_heal();
    char alive[200];
    mpi_expect(cuda_emulation_alive(alive, sizeof alive) == 0, "all given back, not %s", alive);
    struct communicator *host = NULL;
    enum status status = communicator_mpi_create(MODEL_FP32, 1, &host, &diag);
    if (status == STATUS_OK)
        status = communicator_barrier(host, &diag);
    mpi_expect(status == STATUS_OK, "%s", diag.text);
    communicator_destroy(host);
}

static struct device_arrays make(const struct fixture *fixture, enum schedule_collective collective,
                                 size_t ticket)
{
    return device_arrays_make(fixture->cuda, fixture->communicator, collective, 1, true, ticket);
}

static void expect_ordered(void)
{
    char text[600];
    mpi_expect(cuda_emulation_log_ordered(CUDA_EMULATION_ALL_WAITS, text, sizeof text),
               "streams in order: %s", text);
}

/* --- what they do --- */

static void collectives_give_exact_numbers(enum model_dtype wire)
{
    struct fixture fixture = start(wire);
    for (int c = 0; c < SCHEDULE_COLLECTIVE_COUNT; c++)
        for (size_t count = 1; count <= DEVICE_ARRAYS_MOST; count += DEVICE_ARRAYS_MOST - 1)
            for (int apart = 0; apart < 2; apart++) {
                cuda_emulation_log_start();
                struct device_arrays arrays =
                    device_arrays_make(fixture.cuda, fixture.communicator,
                                       (enum schedule_collective)c, count, apart == 1, 1);
                device_arrays_post(&arrays);
                device_arrays_wait(&arrays);
                mpi_expect(device_arrays_right(&arrays), "exact numbers of collective %d", c);
                expect_ordered();
                cuda_emulation_log_stop();
                device_arrays_free(&arrays);
            }
    stop(&fixture);
}

static double sum_of(const struct fixture *fixture, double mine)
{
    struct diag diag = {0};
    void *device = NULL;
    double got = 0;
    mpi_expect(cudaMalloc(&device, sizeof mine) == cudaSuccess, "memory");
    cuda_emulation_log_start();
    backend_cuda_from_host(&fixture->cuda->base, device, &mine, sizeof mine);
    enum status status = communicator_sum(fixture->communicator, device, &diag);
    mpi_expect(status == STATUS_OK, "a sum: %s", diag.text);
    backend_cuda_to_host(&fixture->cuda->base, &got, device, sizeof got);
    status = backend_cuda_synchronise(&fixture->cuda->base, &diag);
    mpi_expect(status == STATUS_OK, "%s", diag.text);
    expect_ordered();
    if (world_size > 1)
        for (uint64_t wait = 0; wait < cuda_emulation_log_waits(); wait++) {
            char text[600];
            mpi_expect(!cuda_emulation_log_ordered(wait, text, sizeof text),
                       "a missing wait around a sum to be seen");
        }
    cuda_emulation_log_stop();
    (void)cudaFree(device);
    return got;
}

static void a_number_is_summed_on_the_device(void)
{
    struct fixture fixture = start(MODEL_BF16);
    double expected = 0;
    for (uint64_t r = 0; r < world_size; r++)
        expected += 1.0 / (double)(r + 3); /* no bf16 has it */
    const double got = sum_of(&fixture, 1.0 / (double)(rank + 3));
    mpi_expect(got == expected, "the sum %.17g, not %.17g", expected, got);
    stop(&fixture);
}

/* --- the order of the streams --- */

/* Each wait orders something: without it the log is not in order. */
static void every_wait_matters(void)
{
    struct fixture fixture = start(MODEL_FP32);
    char text[600];
    char wait_text[200];
    cuda_emulation_log_start();
    for (int c = 0; c < SCHEDULE_COLLECTIVE_COUNT; c++) {
        struct device_arrays arrays = make(&fixture, (enum schedule_collective)c, 0);
        device_arrays_post(&arrays);
        device_arrays_wait(&arrays);
        mpi_expect(device_arrays_right(&arrays), "exact numbers");
        device_arrays_free(&arrays);
    }
    expect_ordered();
    const uint64_t waits = cuda_emulation_log_waits();
    mpi_expect(waits == (world_size > 1 ? 2 * SCHEDULE_COLLECTIVE_COUNT : 2),
               "one wait for each post and each wait, not %d in all", (int)waits);
    for (uint64_t wait = 0; wait < waits; wait++) {
        cuda_emulation_log_wait_text(wait, wait_text, sizeof wait_text);
        mpi_expect(!cuda_emulation_log_ordered(wait, text, sizeof text),
                   "something out of order without %s", wait_text);
    }
    cuda_emulation_log_stop();
    stop(&fixture);
}

/* What an earlier wait implies, or the host has waited for, is not waited for again. */
static void implied_waits_are_left_out(void)
{
    struct fixture fixture = start(MODEL_FP32);
    struct diag diag = {0};
    struct device_arrays first = make(&fixture, SCHEDULE_ALL_GATHER, 0);
    struct device_arrays second = make(&fixture, SCHEDULE_ALL_GATHER, 1);
    struct device_arrays third = make(&fixture, SCHEDULE_ALL_GATHER, 2);
    cuda_emulation_log_start();
    device_arrays_post(&first);
    device_arrays_post(&second); /* nothing was computed since */
    device_arrays_wait(&second);
    device_arrays_wait(&first); /* is before the second on its stream */
    mpi_expect(cuda_emulation_log_waits() == 2, "two waits, not %d",
               (int)cuda_emulation_log_waits());
    device_arrays_post(&third); /* nothing was computed since */
    enum status status = communicator_drain(fixture.communicator, &diag);
    if (status == STATUS_OK)
        status = backend_cuda_synchronise(&fixture.cuda->base, &diag);
    mpi_expect(status == STATUS_OK, "%s", diag.text);
    device_arrays_wait(&third); /* the host has waited */
    mpi_expect(cuda_emulation_log_waits() == 2, "two waits, not %d",
               (int)cuda_emulation_log_waits());
    cuda_emulation_log_stop();
    mpi_expect(device_arrays_right(&first) && device_arrays_right(&second) &&
                   device_arrays_right(&third),
               "exact numbers");
    device_arrays_free(&first);
    device_arrays_free(&second);
    device_arrays_free(&third);
    stop(&fixture);
}

/* --- times and words --- */

static void times_are_booked_after_the_step(void)
{
    struct fixture fixture = start(MODEL_FP32);
    struct communicator *communicator = fixture.communicator;
    const struct communicator_usage *usage = &communicator->usage;
    struct diag diag = {0};
    struct device_arrays arrays = make(&fixture, SCHEDULE_ALL_GATHER, 3);
    device_arrays_post(&arrays);
    device_arrays_wait(&arrays);
    mpi_expect(usage->in_flight_ns[SCHEDULE_ALL_GATHER][SCHEDULE_PARAMETER_GATHER] == 0,
               "no time before the device has passed the marks");
    mpi_expect(device_arrays_right(&arrays), "exact numbers");
    mpi_expect(communicator_drain(communicator, &diag) == STATUS_OK, "%s", diag.text);
    communicator_settle(communicator);
    mpi_expect(usage->calls[SCHEDULE_ALL_GATHER][SCHEDULE_PARAMETER_GATHER] == 1 &&
                   usage->in_flight_ns[SCHEDULE_ALL_GATHER][SCHEDULE_PARAMETER_GATHER] > 0 &&
                   usage->any_in_flight_ns > 0,
               "one call, with its time in flight");
    device_arrays_free(&arrays);
    stop(&fixture);
}

static void it_says_what_it_is(void)
{
    struct fixture fixture = start(MODEL_FP32);
    const struct communicator_operations *operations = fixture.communicator->operations;
    char version[32];
    communicator_nccl_version(version, sizeof version);
    mpi_expect(strcmp(version, "2.28.9") == 0, "the version 2.28.9, not %s", version);
    mpi_expect(operations->streams && strcmp(operations->progress, "stream") == 0 &&
                   strcmp(operations->name, "nccl") == 0,
               "streams");
    mpi_expect(strstr(operations->algorithm, world_size == 1 ? "one rank" : "NCCL 2.28.9") != NULL,
               "its algorithm in words, not %s", operations->algorithm);
    stop(&fixture);
}

static void host_data_reaches_every_rank(void)
{
    struct fixture fixture = start(MODEL_FP32);
    struct diag diag = {0};
    uint64_t value = rank == 0 ? 42 : 0;
    uint64_t all[8] = {0};
    enum status status =
        communicator_broadcast(fixture.communicator, &value, sizeof value, 0, &diag);
    mpi_expect(status == STATUS_OK && value == 42, "a broadcast value: %s", diag.text);
    status = communicator_gather(fixture.communicator, &rank, sizeof rank, rank == 0 ? all : NULL,
                                 0, &diag);
    mpi_expect(status == STATUS_OK && (rank != 0 || all[world_size - 1] == world_size - 1),
               "gathered values: %s", diag.text);
    mpi_expect(communicator_barrier(fixture.communicator, &diag) == STATUS_OK, "a barrier");
    stop(&fixture);
}

/* --- failures, the same on all ranks --- */

static void expect_words(const struct diag *diag, const char *words)
{
    mpi_expect(strstr(diag->text, words) != NULL, "\"%s\" in: %s", words, diag->text);
}

static void expect_gone(const struct fixture *fixture, struct device_arrays *arrays)
{
    struct diag diag = {0};
    arrays->call.ticket = 2;
    enum status status = communicator_post(fixture->communicator, &arrays->call, &diag);
    mpi_expect(status == STATUS_ENVIRONMENT, "no collective after a failure");
    expect_words(&diag, "earlier failure");
}

static void a_refused_collective_is_told(void)
{
    struct fixture fixture = start(MODEL_FP32);
    struct diag diag = {0};
    struct device_arrays arrays = make(&fixture, SCHEDULE_REDUCE_SCATTER, 0);
    cuda_emulation_fail(-1, "ncclReduceScatter", 1, ncclInvalidUsage);
    arrays.call.segments = arrays.segments;
    enum status status = communicator_post(fixture.communicator, &arrays.call, &diag);
    mpi_expect(status == STATUS_ENVIRONMENT, "a refusal to be told");
    expect_words(&diag, "NCCL failed in reduce_scatter on GPU ");
    expect_words(&diag, "invalid usage; its own words: ncclReduceScatter was told to fail");
    expect_gone(&fixture, &arrays);
    device_arrays_free(&arrays);
    stop(&fixture);
}

/* The kernel of the collective never ends; draining sees why, and ends it. */
static void a_failure_under_way_is_told(void)
{
    struct fixture fixture = start(MODEL_FP32);
    struct diag diag = {0};
    struct device_arrays arrays = make(&fixture, SCHEDULE_ALL_REDUCE, 0);
    cuda_emulation_fail(-1, "ncclAsync", 1, ncclRemoteError);
    arrays.call.segments = arrays.segments;
    enum status status = communicator_post(fixture.communicator, &arrays.call, &diag);
    if (status == STATUS_OK)
        status = communicator_wait(fixture.communicator, 0, &diag);
    if (status == STATUS_OK)
        status = communicator_drain(fixture.communicator, &diag);
    mpi_expect(status == STATUS_ENVIRONMENT, "a failure to be told");
    expect_words(&diag, "remote process exited or there was a network error");
    mpi_expect(cudaStreamQuery(fixture.cuda->communication) == cudaSuccess,
               "the collective's kernel to be ended");
    expect_gone(&fixture, &arrays);
    device_arrays_free(&arrays);
    stop(&fixture);
}

static void a_lost_device_is_told(void)
{
    struct fixture fixture = start(MODEL_FP32);
    struct diag diag = {0};
    struct device_arrays arrays = make(&fixture, SCHEDULE_ALL_REDUCE, 0);
    device_arrays_post(&arrays);
    cuda_emulation_lose((int)rank, cudaErrorECCUncorrectable);
    enum status status = communicator_drain(fixture.communicator, &diag);
    mpi_expect(status == STATUS_ENVIRONMENT && fixture.cuda->base.lost, "a lost device");
    expect_words(&diag, "was lost");
    cuda_emulation_heal();
    device_arrays_free(&arrays);
    stop(&fixture);
}

/* The library fails because of the device, and is asked first. */
static void a_lost_device_is_told_though_the_library_says_it(void)
{
    struct fixture fixture = start(MODEL_FP32);
    struct diag diag = {0};
    struct device_arrays arrays = make(&fixture, SCHEDULE_REDUCE_SCATTER, 0);
    arrays.call.segments = arrays.segments;
    mpi_expect(backend_cuda_synchronise(&fixture.cuda->base, &diag) == STATUS_OK, "no failure yet");
    cuda_emulation_lose((int)rank, cudaErrorECCUncorrectable);
    enum status status = communicator_post(fixture.communicator, &arrays.call, &diag);
    mpi_expect(status == STATUS_ENVIRONMENT && fixture.cuda->base.lost, "a lost device");
    expect_words(&diag, "was lost");
    cuda_emulation_heal();
    device_arrays_free(&arrays);
    stop(&fixture);
}

static void ranks_that_cannot_connect_are_told(void)
{
    struct fixture fixture = {0};
    struct diag diag = {0};
    cuda_emulation_fail(-1, "ncclCommInitRankConfig", 1, ncclSystemError);
    mpi_expect(try_connect(&fixture, MODEL_FP32, &diag) == STATUS_ENVIRONMENT, "no connection");
    expect_words(&diag, "NCCL failed in connecting the ranks on GPU ");
    stop(&fixture);
}

/* Rank 0 alone names the group; the others learn that it could not. */
static void a_group_without_a_name_is_told(void)
{
    struct fixture fixture = {0};
    struct diag diag = {0};
    cuda_emulation_fail(-1, "ncclGetUniqueId", 1, ncclSystemError);
    mpi_expect(try_connect(&fixture, MODEL_FP32, &diag) == STATUS_ENVIRONMENT, "no connection");
    expect_words(&diag, "NCCL failed in naming the group");
    stop(&fixture);
}

int main(void)
{
    mpi_expect_start(&rank, &world_size);
    setenv("CUDA_EMULATION_DEVICES", "3", 1);
    collectives_give_exact_numbers(MODEL_FP32);
    collectives_give_exact_numbers(MODEL_BF16);
    a_number_is_summed_on_the_device();
    every_wait_matters();
    implied_waits_are_left_out();
    times_are_booked_after_the_step();
    it_says_what_it_is();
    host_data_reaches_every_rank();
    if (world_size > 1) {
        a_refused_collective_is_told();
        a_failure_under_way_is_told();
        ranks_that_cannot_connect_are_told();
        a_group_without_a_name_is_told();
        a_lost_device_is_told_though_the_library_says_it();
    }
    a_lost_device_is_told();
    communicator_mpi_finish();
    return EXIT_SUCCESS;
}
