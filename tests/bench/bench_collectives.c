/*
 * The three collectives through communicator.h beside bare loops of every MPI call that serves the
 * same purpose, on touched, reused memory, in one process; forms take turns, so that a disturbance
 * meets them alike, and the quickest call counts: it was disturbed least.
 *
 * Usage: mpirun -n N bench_collectives [fp32|bf16] [rounds] [tables, as digits from 0]
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "collective_forms.h"
#include "communicator_mpi.h"
#include "huge_memory.h"
#include "wire_sum.h"

#define LARGEST_BYTES ((size_t)64 << 20)
#define ROUND_BYTES ((size_t)16 << 20) /* moved by a form in a round, two calls at least */
#define MOST_REPEATS 100
#define LOOPS 5
#define LOOP_CALLS 50
#define MOST_CALLS 16
#define FRESH_BYTES ((size_t)64 << 10)

/* The quickest of calls[0..count), each taken as its slowest rank's. */
static double quickest(const double *calls, size_t count)
{
    double slowest[MOST_REPEATS];
    double least = 1e9;
    MPI_Allreduce(calls, slowest, (int)count, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    for (size_t i = 0; i < count; i++) {
        least = slowest[i] < least ? slowest[i] : least;
    }
    return least;
}

/* By turns, so that neither lies nearer in the caches, and by ordinary stores, as computing does.
 */
static void write_both(struct collective_bench *bench, size_t bytes)
{
    uint32_t *array = (uint32_t *)bench->array;
    uint32_t *other = (uint32_t *)bench->other;
    for (size_t i = 0; i < bytes / sizeof *array; i++) {
        array[i] = (uint32_t)(i % 8) << 23; /* a small power of two, or zero */
        other[i] = (uint32_t)(i % 8) << 23;
    }
}

/*
 * As in a step: what is sent has just been written by this rank's own computing. A loop of calls
 * alone would find what it sends in every cache.
 */
static double time_fresh(struct collective_bench *bench, const struct collective_form *form,
                         size_t bytes)
{
    double calls[MOST_REPEATS];
    size_t repeats = ROUND_BYTES / bytes;
    repeats = repeats < 2 ? 2 : repeats > MOST_REPEATS ? MOST_REPEATS : repeats;
    for (size_t i = 0; i < repeats; i++) {
        write_both(bench, bytes);
        MPI_Barrier(MPI_COMM_WORLD);
        double begin = MPI_Wtime();
        form->run(bench, bytes);
        calls[i] = MPI_Wtime() - begin;
    }
    return quickest(calls, repeats);
}

/* So short that a barrier before each would be most of what is measured: several in a row. */
static double time_loop(struct collective_bench *bench, const struct collective_form *form,
                        size_t bytes)
{
    double calls[LOOPS];
    for (size_t i = 0; i < LOOPS; i++) {
        MPI_Barrier(MPI_COMM_WORLD);
        double begin = MPI_Wtime();
        for (size_t k = 0; k < LOOP_CALLS; k++) {
            form->run(bench, bytes);
        }
        calls[i] = (MPI_Wtime() - begin) / LOOP_CALLS;
    }
    return quickest(calls, LOOPS);
}

static void print_row(const struct collective_bench *bench, size_t bytes, const double *best,
                      enum collective_purpose purpose)
{
    double bare = 1e9;
    double ours = 1e9;
    if (bench->rank != 0) {
        return;
    }
    printf("%10zu", bytes);
    for (size_t i = 0; i < COLLECTIVE_FORMS; i++) {
        if (collective_forms[i].purpose == purpose) {
            printf("%11.1f", best[i] * 1e6);
            double *least = collective_forms[i].ours ? &ours : &bare;
            *least = best[i] < *least ? best[i] : *least;
        }
    }
    printf("   %4.0f %%\n", 100.0 * bare / ours);
    fflush(stdout);
}

static void print_head(const struct collective_bench *bench, enum collective_purpose purpose)
{
    if (bench->rank != 0) {
        return;
    }
    printf("\n%s, %s, %d ranks; us a call; last: the best bare call's time / ours\n     bytes",
           collective_forms_purposes[purpose], model_dtype_name(bench->wire), bench->world_size);
    for (size_t i = 0; i < COLLECTIVE_FORMS; i++) {
        if (collective_forms[i].purpose == purpose) {
            printf("%11s", collective_forms[i].name);
        }
    }
    printf("\n");
}

static void measure(struct collective_bench *bench, enum collective_purpose purpose, int rounds)
{
    print_head(bench, purpose);
    for (size_t bytes = 1024; bytes <= LARGEST_BYTES; bytes *= 4) {
        double best[COLLECTIVE_FORMS];
        size_t rounded = bytes / ((size_t)16 * (size_t)bench->world_size) *
                         ((size_t)16 * (size_t)bench->world_size);
        for (size_t i = 0; i < COLLECTIVE_FORMS; i++) {
            best[i] = 1e9;
        }
        for (int round = 0; round <= rounds; round++) {
            for (size_t i = 0; i < COLLECTIVE_FORMS; i++) {
                if (collective_forms[i].purpose == purpose) {
                    double seconds = rounded < FRESH_BYTES
                                         ? time_loop(bench, &collective_forms[i], rounded)
                                         : time_fresh(bench, &collective_forms[i], rounded);
                    best[i] = round > 0 && seconds < best[i] ? seconds : best[i];
                }
            }
        }
        print_row(bench, rounded, best, purpose);
    }
}

/* What a poll costs while nothing can move on: the other ranks have not posted yet. */
static void measure_polls(struct collective_bench *bench, size_t calls)
{
    struct diag diag = {0};
    struct communicator *communicator = bench->communicator;
    uint64_t part = ((uint64_t)1 << 20) / bench->element_bytes / (uint64_t)bench->world_size;
    size_t stride = (size_t)part * bench->element_bytes * (size_t)bench->world_size;
    enum status status = STATUS_OK;
    MPI_Barrier(MPI_COMM_WORLD);
    if (bench->rank > 0) {
        usleep(100000);
    }
    for (size_t i = 0; status == STATUS_OK && i < calls; i++) {
        struct communicator_segment segment = {bench->array + i * stride, NULL, part};
        struct communicator_call call = {.collective = SCHEDULE_REDUCE_SCATTER,
                                         .segments = &segment,
                                         .segment_count = 1,
                                         .payload_bytes = stride,
                                         .ticket = i};
        status = communicator_post(communicator, &call, &diag);
    }
    double begin = MPI_Wtime();
    for (int i = 0; bench->rank == 0 && status == STATUS_OK && i < 10000; i++) {
        status = communicator_poll(communicator, &diag);
    }
    double passed = MPI_Wtime() - begin;
    for (size_t i = 0; status == STATUS_OK && i < calls; i++) {
        status = communicator_wait(communicator, i, &diag);
    }
    if (status != STATUS_OK) {
        fprintf(stderr, "%s\n", diag.text);
        communicator_mpi_abort(1);
    }
    if (bench->rank == 0) {
        printf("a poll with %2zu reduce-scatters waiting: %.0f ns\n", calls, passed * 1e5);
    }
}

static void add_bf16(void *in, void *inout, int *count, MPI_Datatype *type)
{
    const void *from[2] = {in, inout};
    (void)type;
    wire_sum(MODEL_BF16, inout, from, 2, (size_t)*count);
}

int main(int argc, char **argv)
{
    struct collective_bench bench = {.type = MPI_FLOAT, .sum = MPI_SUM};
    struct diag diag = {0};
    int rounds = argc > 2 ? atoi(argv[2]) : 10;
    const char *only = argc > 3 ? argv[3] : NULL;
    bench.wire = argc > 1 && strcmp(argv[1], "bf16") == 0 ? MODEL_BF16 : MODEL_FP32;
    bench.element_bytes = model_dtype_bytes(bench.wire);
    if (communicator_mpi_start(&bench.rank, &bench.world_size, &diag) != STATUS_OK ||
        communicator_mpi_create(bench.wire, MOST_CALLS, &bench.communicator, &diag) != STATUS_OK) {
        fprintf(stderr, "%s\n", diag.text);
        return 1;
    }
    if (bench.wire == MODEL_BF16) {
        bench.type = MPI_UINT16_T;
        MPI_Op_create(add_bf16, 1, &bench.sum);
    }
    bench.array = huge_memory_map(LARGEST_BYTES);
    bench.other = huge_memory_map(LARGEST_BYTES);
    if (!bench.array || !bench.other) {
        communicator_mpi_abort(1);
    }
    for (int purpose = 0; purpose < COLLECTIVE_PURPOSES; purpose++) {
        if (!only || strchr(only, '0' + purpose)) {
            measure(&bench, (enum collective_purpose)purpose, rounds);
        }
    }
    measure_polls(&bench, 1);
    measure_polls(&bench, 4);
    measure_polls(&bench, MOST_CALLS);
    huge_memory_unmap(bench.array, LARGEST_BYTES);
    huge_memory_unmap(bench.other, LARGEST_BYTES);
    communicator_destroy(bench.communicator);
    communicator_mpi_finish();
    return 0;
}
