#include "collective_forms.h"

#include <stdio.h>
#include <string.h>

#include "communicator_mpi.h"
#include "wire_sum.h"

const char *const collective_forms_purposes[COLLECTIVE_PURPOSES] = {
    "all-reduce", "reduce-scatter", "all-gather in place", "all-gather from elsewhere"};

static int count_of(const struct collective_bench *bench, size_t bytes)
{
    return (int)(bytes / bench->element_bytes);
}

static int part_of(const struct collective_bench *bench, size_t bytes)
{
    return count_of(bench, bytes) / bench->world_size;
}

static void finish(MPI_Request *request)
{
    MPI_Wait(request, MPI_STATUS_IGNORE);
}

static void all_reduce(struct collective_bench *bench, size_t bytes)
{
    MPI_Allreduce(MPI_IN_PLACE, bench->array, count_of(bench, bytes), bench->type, bench->sum,
                  MPI_COMM_WORLD);
}

/* The sum has to end where the terms were: what a call puts elsewhere is copied back. */
static void all_reduce_apart(struct collective_bench *bench, size_t bytes)
{
    MPI_Allreduce(bench->array, bench->other, count_of(bench, bytes), bench->type, bench->sum,
                  MPI_COMM_WORLD);
    memcpy(bench->array, bench->other, bytes);
}

static void all_reduce_started(struct collective_bench *bench, size_t bytes)
{
    MPI_Request request;
    MPI_Iallreduce(MPI_IN_PLACE, bench->array, count_of(bench, bytes), bench->type, bench->sum,
                   MPI_COMM_WORLD, &request);
    finish(&request);
}

static void copy_part(struct collective_bench *bench, size_t bytes)
{
    size_t part = (size_t)part_of(bench, bytes) * bench->element_bytes;
    memcpy(bench->array + (size_t)bench->rank * part, bench->other, part);
}

static void reduce_scatter(struct collective_bench *bench, size_t bytes)
{
    MPI_Reduce_scatter_block(MPI_IN_PLACE, bench->array, part_of(bench, bytes), bench->type,
                             bench->sum, MPI_COMM_WORLD);
}

static void reduce_scatter_apart(struct collective_bench *bench, size_t bytes)
{
    MPI_Reduce_scatter_block(bench->array, bench->other, part_of(bench, bytes), bench->type,
                             bench->sum, MPI_COMM_WORLD);
    copy_part(bench, bytes);
}

static void reduce_scatter_started(struct collective_bench *bench, size_t bytes)
{
    MPI_Request request;
    MPI_Ireduce_scatter_block(MPI_IN_PLACE, bench->array, part_of(bench, bytes), bench->type,
                              bench->sum, MPI_COMM_WORLD, &request);
    finish(&request);
}

static void reduce_scatter_apart_started(struct collective_bench *bench, size_t bytes)
{
    MPI_Request request;
    MPI_Ireduce_scatter_block(bench->array, bench->other, part_of(bench, bytes), bench->type,
                              bench->sum, MPI_COMM_WORLD, &request);
    finish(&request);
    copy_part(bench, bytes);
}

/* What two ranks would write by hand: swap the parts that are not one's own, add. */
static void reduce_scatter_swapped(struct collective_bench *bench, size_t bytes)
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

static void all_gather(struct collective_bench *bench, size_t bytes)
{
    MPI_Allgather(MPI_IN_PLACE, 0, bench->type, bench->array, part_of(bench, bytes), bench->type,
                  MPI_COMM_WORLD);
}

static void all_gather_apart(struct collective_bench *bench, size_t bytes)
{
    MPI_Allgather(bench->other, part_of(bench, bytes), bench->type, bench->array,
                  part_of(bench, bytes), bench->type, MPI_COMM_WORLD);
}

static void all_gather_started(struct collective_bench *bench, size_t bytes)
{
    MPI_Request request;
    MPI_Iallgather(MPI_IN_PLACE, 0, bench->type, bench->array, part_of(bench, bytes), bench->type,
                   MPI_COMM_WORLD, &request);
    finish(&request);
}

static void all_gather_swapped(struct collective_bench *bench, size_t bytes)
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

/* `own`: where this rank's part of a gather lies. */
static void through_communicator(struct collective_bench *bench,
                                 enum schedule_collective collective, size_t bytes,
                                 const unsigned char *own)
{
    struct diag diag = {0};
    size_t part = (size_t)part_of(bench, bytes);
    struct communicator_segment segment = {
        .whole = bench->array,
        .shard = own,
        .part_elements = part,
    };
    struct communicator_call call = {
        .collective = collective,
        .purpose = SCHEDULE_GRADIENT_REDUCTION, /* of no importance here */
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

static void our_all_reduce(struct collective_bench *bench, size_t bytes)
{
    through_communicator(bench, SCHEDULE_ALL_REDUCE, bytes, NULL);
}

static void our_reduce_scatter(struct collective_bench *bench, size_t bytes)
{
    through_communicator(bench, SCHEDULE_REDUCE_SCATTER, bytes, NULL);
}

static void our_all_gather(struct collective_bench *bench, size_t bytes)
{
    size_t part = (size_t)part_of(bench, bytes) * bench->element_bytes;
    through_communicator(bench, SCHEDULE_ALL_GATHER, bytes,
                         bench->array + (size_t)bench->rank * part);
}

static void our_all_gather_apart(struct collective_bench *bench, size_t bytes)
{
    through_communicator(bench, SCHEDULE_ALL_GATHER, bytes, bench->other);
}

const struct collective_form collective_forms[COLLECTIVE_FORMS] = {
    {COLLECTIVE_ALL_REDUCE, "Allreduce", all_reduce, false},
    {COLLECTIVE_ALL_REDUCE, "apart", all_reduce_apart, false},
    {COLLECTIVE_ALL_REDUCE, "Iallred.", all_reduce_started, false},
    {COLLECTIVE_ALL_REDUCE, "ours", our_all_reduce, true},
    {COLLECTIVE_REDUCE_SCATTER, "Red_sc_bl", reduce_scatter, false},
    {COLLECTIVE_REDUCE_SCATTER, "apart", reduce_scatter_apart, false},
    {COLLECTIVE_REDUCE_SCATTER, "Ired_sc_b", reduce_scatter_started, false},
    {COLLECTIVE_REDUCE_SCATTER, "I apart", reduce_scatter_apart_started, false},
    {COLLECTIVE_REDUCE_SCATTER, "Sendrecv+", reduce_scatter_swapped, false},
    {COLLECTIVE_REDUCE_SCATTER, "ours", our_reduce_scatter, true},
    {COLLECTIVE_ALL_GATHER, "Allgather", all_gather, false},
    {COLLECTIVE_ALL_GATHER_APART, "Allgather", all_gather_apart, false},
    {COLLECTIVE_ALL_GATHER_APART, "ours", our_all_gather_apart, true},
    {COLLECTIVE_ALL_GATHER, "Iallgath.", all_gather_started, false},
    {COLLECTIVE_ALL_GATHER, "Sendrecv", all_gather_swapped, false},
    {COLLECTIVE_ALL_GATHER, "ours", our_all_gather, true},
};
