/*
 * The three collectives through communicator.h beside bare loops of every MPI call that serves the
 * same purpose, on touched, reused memory, in one process; forms take turns, so that a disturbance
 * meets them alike.
 *
 * Usage: mpirun -n N bench_collectives [fp32|bf16] [rounds]
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "communicator_mpi.h"
#include "wire_sum.h"

#define LARGEST_BYTES ((size_t)64 << 20)
#define ROUND_BYTES ((size_t)16 << 20) /* moved by a form in a round, at least once */
#define MOST_REPEATS 200
#define FRESH_BYTES ((size_t)64 << 10)

struct bench {
    struct communicator *communicator;
    int rank, world_size;
    enum model_dtype wire;
    size_t element_bytes;
    MPI_Datatype type;
    MPI_Op sum;
    unsigned char *array, *other;
};

struct form {
    enum schedule_collective collective;
    const char *name;
    void (*run)(struct bench *bench, size_t bytes);
    bool ours;
};

static int count_of(const struct bench *bench, size_t bytes)
{
    return (int)(bytes / bench->element_bytes);
}

static int part_of(const struct bench *bench, size_t bytes)
{
    return count_of(bench, bytes) / bench->world_size;
}

static void finish(MPI_Request *request)
{
    MPI_Wait(request, MPI_STATUS_IGNORE);
}

static void all_reduce(struct bench *bench, size_t bytes)
{
    MPI_Allreduce(MPI_IN_PLACE, bench->array, count_of(bench, bytes), bench->type, bench->sum,
                  MPI_COMM_WORLD);
}

static void all_reduce_apart(struct bench *bench, size_t bytes)
{
    MPI_Allreduce(bench->array, bench->other, count_of(bench, bytes), bench->type, bench->sum,
                  MPI_COMM_WORLD);
}

static void all_reduce_started(struct bench *bench, size_t bytes)
{
    MPI_Request request;
    MPI_Iallreduce(MPI_IN_PLACE, bench->array, count_of(bench, bytes), bench->type, bench->sum,
                   MPI_COMM_WORLD, &request);
    finish(&request);
}

static void reduce_scatter(struct bench *bench, size_t bytes)
{
    MPI_Reduce_scatter_block(MPI_IN_PLACE, bench->array, part_of(bench, bytes), bench->type,
                             bench->sum, MPI_COMM_WORLD);
}

static void reduce_scatter_apart(struct bench *bench, size_t bytes)
{
    MPI_Reduce_scatter_block(bench->array, bench->other, part_of(bench, bytes), bench->type,
                             bench->sum, MPI_COMM_WORLD);
}

static void reduce_scatter_started(struct bench *bench, size_t bytes)
{
    MPI_Request request;
    MPI_Ireduce_scatter_block(MPI_IN_PLACE, bench->array, part_of(bench, bytes), bench->type,
                              bench->sum, MPI_COMM_WORLD, &request);
    finish(&request);
}

static void reduce_scatter_apart_started(struct bench *bench, size_t bytes)
{
    MPI_Request request;
    MPI_Ireduce_scatter_block(bench->array, bench->other, part_of(bench, bytes), bench->type,
                              bench->sum, MPI_COMM_WORLD, &request);
    finish(&request);
}

/* What two ranks would write by hand: swap the parts that are not one's own, add. */
static void reduce_scatter_swapped(struct bench *bench, size_t bytes)
{
    if (bench->world_size != 2) {
        reduce_scatter(bench, bytes);
        return;
    }
    size_t part = (size_t)part_of(bench, bytes) * bench->element_bytes;
    int other = 1 - bench->rank;
    unsigned char *own = bench->array + (size_t)bench->rank * part;
    const void *from[2] = {own, bench->other};
    MPI_Sendrecv(bench->array + (size_t)other * part, (int)part, MPI_BYTE, other, 0, bench->other,
                 (int)part, MPI_BYTE, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    wire_sum(bench->wire, own, from, 2, (size_t)part_of(bench, bytes));
}

static void all_gather(struct bench *bench, size_t bytes)
{
    MPI_Allgather(MPI_IN_PLACE, 0, bench->type, bench->array, part_of(bench, bytes), bench->type,
                  MPI_COMM_WORLD);
}

static void all_gather_apart(struct bench *bench, size_t bytes)
{
    MPI_Allgather(bench->other, part_of(bench, bytes), bench->type, bench->array,
                  part_of(bench, bytes), bench->type, MPI_COMM_WORLD);
}

static void all_gather_started(struct bench *bench, size_t bytes)
{
    MPI_Request request;
    MPI_Iallgather(MPI_IN_PLACE, 0, bench->type, bench->array, part_of(bench, bytes), bench->type,
                   MPI_COMM_WORLD, &request);
    finish(&request);
}

static void all_gather_swapped(struct bench *bench, size_t bytes)
{
    if (bench->world_size != 2) {
        all_gather(bench, bytes);
        return;
    }
    size_t part = (size_t)part_of(bench, bytes) * bench->element_bytes;
    int other = 1 - bench->rank;
    MPI_Sendrecv(bench->array + (size_t)bench->rank * part, (int)part, MPI_BYTE, other, 0,
                 bench->array + (size_t)other * part, (int)part, MPI_BYTE, other, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
}

static void through_communicator(struct bench *bench, enum schedule_collective collective,
                                 size_t bytes)
{
    struct diag diag = {0};
    size_t part = (size_t)part_of(bench, bytes);
    struct communicator_segment segment = {
        .whole = bench->array,
        .shard = bench->array + (size_t)bench->rank * part * bench->element_bytes,
        .part_elements = part,
    };
    struct communicator_call call = {
        .collective = collective,
        .purpose = SCHEDULE_GRADIENT_REDUCTION,
        .segments = &segment,
        .segment_count = 1,
        .payload_bytes = bytes,
    };
    if (communicator_post(bench->communicator, &call, &diag) != STATUS_OK ||
        communicator_wait(bench->communicator, 0, &diag) != STATUS_OK) {
        fprintf(stderr, "%s\n", diag.text);
        communicator_mpi_abort(1);
    }
}

static void our_all_reduce(struct bench *bench, size_t bytes)
{
    through_communicator(bench, SCHEDULE_ALL_REDUCE, bytes);
}

static void our_reduce_scatter(struct bench *bench, size_t bytes)
{
    through_communicator(bench, SCHEDULE_REDUCE_SCATTER, bytes);
}

static void our_all_gather(struct bench *bench, size_t bytes)
{
    through_communicator(bench, SCHEDULE_ALL_GATHER, bytes);
}

static const struct form forms[] = {
    {SCHEDULE_ALL_REDUCE, "Allreduce", all_reduce, false},
    {SCHEDULE_ALL_REDUCE, "apart", all_reduce_apart, false},
    {SCHEDULE_ALL_REDUCE, "Iallred.", all_reduce_started, false},
    {SCHEDULE_ALL_REDUCE, "ours", our_all_reduce, true},
    {SCHEDULE_REDUCE_SCATTER, "Red_sc_bl", reduce_scatter, false},
    {SCHEDULE_REDUCE_SCATTER, "apart", reduce_scatter_apart, false},
    {SCHEDULE_REDUCE_SCATTER, "Ired_sc_b", reduce_scatter_started, false},
    {SCHEDULE_REDUCE_SCATTER, "I apart", reduce_scatter_apart_started, false},
    {SCHEDULE_REDUCE_SCATTER, "Sendrecv+", reduce_scatter_swapped, false},
    {SCHEDULE_REDUCE_SCATTER, "ours", our_reduce_scatter, true},
    {SCHEDULE_ALL_GATHER, "Allgather", all_gather, false},
    {SCHEDULE_ALL_GATHER, "apart", all_gather_apart, false},
    {SCHEDULE_ALL_GATHER, "Iallgath.", all_gather_started, false},
    {SCHEDULE_ALL_GATHER, "Sendrecv", all_gather_swapped, false},
    {SCHEDULE_ALL_GATHER, "ours", our_all_gather, true},
};
enum { FORMS = sizeof forms / sizeof *forms };

/*
 * As in a step: what is sent has just been written by this rank's own computing. A loop of calls
 * alone would find what it sends in every cache. Returns the seconds of the calls.
 */
static double time_fresh(struct bench *bench, const struct form *form, size_t bytes, size_t repeats)
{
    double passed = 0;
    for (size_t i = 0; i < repeats; i++) {
        memset(bench->array, 0, bytes);
        memset(bench->other, 0, bytes);
        MPI_Barrier(MPI_COMM_WORLD);
        double begin = MPI_Wtime();
        form->run(bench, bytes);
        passed += MPI_Wtime() - begin;
    }
    return passed;
}

/* So short that a barrier before each would be most of what is measured. */
static double time_loop(struct bench *bench, const struct form *form, size_t bytes, size_t repeats)
{
    MPI_Barrier(MPI_COMM_WORLD);
    double begin = MPI_Wtime();
    for (size_t i = 0; i < repeats; i++) {
        form->run(bench, bytes);
    }
    return MPI_Wtime() - begin;
}

/* Seconds of one call, the slowest rank's. */
static double time_of(struct bench *bench, const struct form *form, size_t bytes)
{
    size_t repeats = ROUND_BYTES / bytes;
    repeats = repeats < 1 ? 1 : repeats > MOST_REPEATS ? MOST_REPEATS : repeats;
    double passed = (bytes < FRESH_BYTES ? time_loop(bench, form, bytes, repeats)
                                         : time_fresh(bench, form, bytes, repeats)) /
                    (double)repeats;
    double slowest = passed;
    MPI_Allreduce(&passed, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return slowest;
}

static void print_row(const struct bench *bench, size_t bytes, const double *best,
                      enum schedule_collective collective)
{
    double bare = 1e9;
    double ours = 1e9;
    if (bench->rank != 0) {
        return;
    }
    printf("%10zu", bytes);
    for (size_t i = 0; i < FORMS; i++) {
        if (forms[i].collective == collective) {
            printf("%11.1f", best[i] * 1e6);
            double *least = forms[i].ours ? &ours : &bare;
            *least = best[i] < *least ? best[i] : *least;
        }
    }
    printf("   %4.0f %%\n", 100.0 * bare / ours);
    fflush(stdout);
}

static void print_head(const struct bench *bench, enum schedule_collective collective)
{
    if (bench->rank != 0) {
        return;
    }
    printf("\n%s, %s, %d ranks; us a call; last: the best bare call's time / ours\n     bytes",
           schedule_collective_name(collective), model_dtype_name(bench->wire), bench->world_size);
    for (size_t i = 0; i < FORMS; i++) {
        if (forms[i].collective == collective) {
            printf("%11s", forms[i].name);
        }
    }
    printf("\n");
}

static void measure(struct bench *bench, enum schedule_collective collective, int rounds)
{
    print_head(bench, collective);
    for (size_t bytes = 1024; bytes <= LARGEST_BYTES; bytes *= 4) {
        double best[FORMS];
        size_t rounded = bytes / ((size_t)16 * (size_t)bench->world_size) *
                         ((size_t)16 * (size_t)bench->world_size);
        for (size_t i = 0; i < FORMS; i++) {
            best[i] = 1e9;
        }
        for (int round = 0; round <= rounds; round++) {
            for (size_t i = 0; i < FORMS; i++) {
                if (forms[i].collective == collective) {
                    double seconds = time_of(bench, &forms[i], rounded);
                    best[i] = round > 0 && seconds < best[i] ? seconds : best[i];
                }
            }
        }
        print_row(bench, rounded, best, collective);
    }
}

static void add_bf16(void *in, void *inout, int *count, MPI_Datatype *type)
{
    const void *from[2] = {in, inout};
    (void)type;
    wire_sum(MODEL_BF16, inout, from, 2, (size_t)*count);
}

static unsigned char *touched(size_t bytes)
{
    unsigned char *memory = aligned_alloc((size_t)2 << 20, bytes);
    if (!memory) {
        communicator_mpi_abort(1);
    }
    madvise(memory, bytes, MADV_HUGEPAGE);
    memset(memory, 0, bytes);
    return memory;
}

int main(int argc, char **argv)
{
    struct bench bench = {.type = MPI_FLOAT, .sum = MPI_SUM};
    struct diag diag = {0};
    int rounds = argc > 2 ? atoi(argv[2]) : 10;
    bench.wire = argc > 1 && strcmp(argv[1], "bf16") == 0 ? MODEL_BF16 : MODEL_FP32;
    bench.element_bytes = model_dtype_bytes(bench.wire);
    if (communicator_mpi_start(&bench.rank, &bench.world_size, &diag) != STATUS_OK ||
        communicator_mpi_create(bench.wire, 1, &bench.communicator, &diag) != STATUS_OK) {
        fprintf(stderr, "%s\n", diag.text);
        return 1;
    }
    if (bench.wire == MODEL_BF16) {
        bench.type = MPI_UINT16_T;
        MPI_Op_create(add_bf16, 1, &bench.sum);
    }
    bench.array = touched(LARGEST_BYTES);
    bench.other = touched(LARGEST_BYTES);
    measure(&bench, SCHEDULE_ALL_REDUCE, rounds);
    measure(&bench, SCHEDULE_REDUCE_SCATTER, rounds);
    measure(&bench, SCHEDULE_ALL_GATHER, rounds);
    free(bench.array);
    free(bench.other);
    communicator_destroy(bench.communicator);
    communicator_mpi_finish();
    return 0;
}
