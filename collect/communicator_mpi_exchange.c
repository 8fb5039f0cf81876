#include "communicator_mpi_exchange.h"

#include <stdlib.h>
#include <string.h>

#include "wire_sum.h"

uint64_t communicator_mpi_exchange_buffer_bytes(uint64_t world_size)
{
    uint64_t peers = world_size > 1 ? world_size - 1 : 0;
    return COMMUNICATOR_MPI_SLOTS * peers * communicator_mpi_transfer_sum_bytes(world_size);
}

enum status communicator_mpi_exchange_init(struct communicator_mpi_exchange *exchange,
                                           MPI_Comm comm, enum model_dtype wire,
                                           size_t ticket_count, struct diag *diag)
{
    size_t tickets = ticket_count > 0 ? ticket_count : 1;
    *exchange = (struct communicator_mpi_exchange){.ticket_count = ticket_count};
    struct communicator_mpi_ranks *ranks = &exchange->ranks;
    ranks->comm = comm;
    ranks->wire = wire;
    MPI_Comm_rank(comm, &ranks->rank);
    MPI_Comm_size(comm, &ranks->world_size);
    ranks->peers = (size_t)ranks->world_size - 1;
    exchange->sum_bytes = communicator_mpi_transfer_sum_bytes((uint64_t)ranks->world_size);
    exchange->transfers = calloc(tickets, sizeof *exchange->transfers);
    exchange->active = calloc(tickets, sizeof *exchange->active);
    exchange->slot_requests =
        calloc(COMMUNICATOR_MPI_SLOTS * (ranks->peers + 1), sizeof(MPI_Request));
    exchange->sources = calloc(ranks->peers + 1, sizeof *exchange->sources);
    if (!exchange->transfers || !exchange->active || !exchange->slot_requests ||
        !exchange->sources) {
        communicator_mpi_exchange_fini(exchange);
        return diag_no_memory(diag);
    }
    return STATUS_OK;
}

void communicator_mpi_exchange_fini(struct communicator_mpi_exchange *exchange)
{
    for (size_t i = 0; exchange->transfers && i < exchange->ticket_count; i++) {
        communicator_mpi_transfer_fini(&exchange->transfers[i]);
    }
    free(exchange->transfers);
    free(exchange->active);
    free(exchange->slot_requests);
    free(exchange->sources);
    *exchange = (struct communicator_mpi_exchange){0};
}

/* The rank's own part of every array, where it lies elsewhere. */
static void copy_shards(const struct communicator_mpi_ranks *ranks,
                        const struct communicator_call *call)
{
    for (size_t i = 0; i < call->segment_count; i++) {
        const struct communicator_segment *segment = &call->segments[i];
        uint64_t bytes = segment->part_elements * model_dtype_bytes(ranks->wire);
        unsigned char *own = (unsigned char *)segment->whole + (uint64_t)ranks->rank * bytes;
        if (segment->shard != own) {
            memcpy(own, segment->shard, bytes);
        }
    }
}

enum status communicator_mpi_exchange_post(struct communicator_mpi_exchange *exchange,
                                           const struct communicator_call *call, struct diag *diag)
{
    const struct communicator_mpi_ranks *ranks = &exchange->ranks;
    struct communicator_mpi_transfer *transfer = &exchange->transfers[call->ticket];
    enum status status = communicator_mpi_transfer_begin(ranks, call, transfer, diag);
    enum communicator_mpi_half half =
        transfer->reduces ? COMMUNICATOR_MPI_FIRST : COMMUNICATOR_MPI_SECOND;
    if (status == STATUS_OK && !transfer->reduces) {
        copy_shards(ranks, call);
    }
    for (size_t i = 0; status == STATUS_OK && i < transfer->piece_count; i++) {
        status = communicator_mpi_transfer_send(ranks, transfer, i, half, diag);
        if (status == STATUS_OK && !transfer->reduces) {
            status = communicator_mpi_transfer_receive(ranks, transfer, i, diag);
        }
    }
    if (status == STATUS_OK) {
        exchange->active[exchange->active_count++] = call->ticket;
    }
    return status;
}

static unsigned char *slot_memory(const struct communicator_mpi_exchange *exchange, size_t slot)
{
    return exchange->buffer + slot * exchange->ranks.peers * exchange->sum_bytes;
}

/* The oldest ticket with a piece that no slot waits for; false if there is none. */
static bool next_awaited(const struct communicator_mpi_exchange *exchange, size_t *ticket)
{
    for (size_t i = 0; i < exchange->active_count; i++) {
        const struct communicator_mpi_transfer *transfer =
            &exchange->transfers[exchange->active[i]];
        if (transfer->reduces && transfer->awaited < transfer->piece_count) {
            *ticket = exchange->active[i];
            return true;
        }
    }
    return false;
}

/* Receives the contributions to one more piece, if a slot is free and there is a piece. */
static enum status fill_slot(struct communicator_mpi_exchange *exchange, bool *filled,
                             struct diag *diag)
{
    size_t ticket = 0;
    size_t slot = (exchange->first_slot + exchange->used_slots) % COMMUNICATOR_MPI_SLOTS;
    *filled = false;
    if (exchange->used_slots == COMMUNICATOR_MPI_SLOTS || !next_awaited(exchange, &ticket)) {
        return STATUS_OK;
    }
    struct communicator_mpi_transfer *transfer = &exchange->transfers[ticket];
    size_t piece = transfer->awaited++;
    exchange->slots[slot] = (struct communicator_mpi_slot){.ticket = ticket, .piece = piece};
    exchange->used_slots++;
    *filled = true;
    return communicator_mpi_transfer_collect(
        &exchange->ranks, transfer, piece, slot_memory(exchange, slot), exchange->sum_bytes,
        exchange->slot_requests + slot * exchange->ranks.peers, diag);
}

/* Adds up the oldest slot's piece, in the order of the ranks, into this rank's part. */
static void sum_slot(struct communicator_mpi_exchange *exchange,
                     const struct communicator_mpi_piece *piece)
{
    const struct communicator_mpi_ranks *ranks = &exchange->ranks;
    unsigned char *own = piece->base + (uint64_t)ranks->rank * piece->stride;
    unsigned char *memory = slot_memory(exchange, exchange->first_slot);
    exchange->sources[ranks->rank] = own;
    for (size_t k = 0; k < ranks->peers; k++) {
        int source = communicator_mpi_transfer_source(ranks, k);
        exchange->sources[source] = memory + k * exchange->sum_bytes;
    }
    wire_sum(ranks->wire, own, exchange->sources, (size_t)ranks->world_size,
             piece->bytes / model_dtype_bytes(ranks->wire));
}

/* Adds up the oldest slot's piece if all of it is there, and frees the slot. */
static enum status empty_slot(struct communicator_mpi_exchange *exchange, bool *emptied,
                              struct diag *diag)
{
    const struct communicator_mpi_ranks *ranks = &exchange->ranks;
    const struct communicator_mpi_slot *slot = &exchange->slots[exchange->first_slot];
    struct communicator_mpi_transfer *transfer = &exchange->transfers[slot->ticket];
    enum status status = communicator_mpi_transfer_test(
        ranks, transfer, exchange->slot_requests + exchange->first_slot * ranks->peers, emptied,
        diag);
    if (status == STATUS_OK && *emptied && transfer->whole) {
        /* The sum goes where the piece is still being sent from. */
        status = communicator_mpi_transfer_test(
            ranks, transfer,
            communicator_mpi_transfer_requests(ranks, transfer, COMMUNICATOR_MPI_FIRST,
                                               slot->piece),
            emptied, diag);
    }
    if (status != STATUS_OK || !*emptied) {
        return status;
    }
    sum_slot(exchange, &transfer->pieces[slot->piece]);
    transfer->summed++;
    exchange->first_slot = (exchange->first_slot + 1) % COMMUNICATOR_MPI_SLOTS;
    exchange->used_slots--;
    return transfer->results ? communicator_mpi_transfer_send(ranks, transfer, slot->piece,
                                                              COMMUNICATOR_MPI_SECOND, diag)
                             : STATUS_OK;
}

/*
 * A piece that is already there is added up before the next one is asked for, while it lies in the
 * cache; only while one is not there are others asked for ahead.
 */
static enum status advance_sums(struct communicator_mpi_exchange *exchange, struct diag *diag)
{
    enum status status = STATUS_OK;
    bool moved = true;
    while (status == STATUS_OK && moved) {
        moved = false;
        if (exchange->used_slots > 0) {
            status = empty_slot(exchange, &moved, diag);
        }
        if (status == STATUS_OK && !moved) {
            status = fill_slot(exchange, &moved, diag);
        }
    }
    return status;
}

/* Sums come in over what was sent out as contribution, so that must be gone first. */
static enum status clear_results(struct communicator_mpi_exchange *exchange,
                                 struct communicator_mpi_transfer *transfer, struct diag *diag)
{
    size_t before = transfer->cleared;
    enum status status =
        communicator_mpi_transfer_advance(&exchange->ranks, transfer, COMMUNICATOR_MPI_FIRST,
                                          transfer->piece_count, &transfer->cleared, diag);
    for (size_t i = before; status == STATUS_OK && i < transfer->cleared; i++) {
        status = communicator_mpi_transfer_receive(&exchange->ranks, transfer, i, diag);
    }
    return status;
}

static enum status advance_transfer(struct communicator_mpi_exchange *exchange,
                                    struct communicator_mpi_transfer *transfer, bool *complete,
                                    struct diag *diag)
{
    size_t count = transfer->piece_count;
    enum status status = STATUS_OK;
    if (transfer->results) {
        status = clear_results(exchange, transfer, diag);
    }
    if (status == STATUS_OK) {
        status = communicator_mpi_transfer_advance(
            &exchange->ranks, transfer, COMMUNICATOR_MPI_FIRST,
            transfer->results ? transfer->cleared : count, &transfer->in_done, diag);
    }
    if (status == STATUS_OK) {
        status = communicator_mpi_transfer_advance(
            &exchange->ranks, transfer, COMMUNICATOR_MPI_SECOND,
            transfer->results ? transfer->summed : count, &transfer->out_done, diag);
    }
    *complete = transfer->in_done == count && transfer->out_done == count &&
                (!transfer->reduces || transfer->summed == count);
    return status;
}

enum status communicator_mpi_exchange_advance(struct communicator_mpi_exchange *exchange,
                                              bool *complete, struct diag *diag)
{
    size_t kept = 0;
    enum status status = advance_sums(exchange, diag);
    if (status != STATUS_OK) {
        return status;
    }
    for (size_t i = 0; i < exchange->active_count; i++) {
        size_t ticket = exchange->active[i];
        bool done = false;
        if (status == STATUS_OK) {
            status = advance_transfer(exchange, &exchange->transfers[ticket], &done, diag);
        }
        if (done) {
            complete[ticket] = true;
        } else {
            exchange->active[kept++] = ticket;
        }
    }
    exchange->active_count = kept;
    return status;
}
