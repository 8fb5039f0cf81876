#include "communicator_mpi_exchange.h"

#include <stdlib.h>
#include <string.h>

#include "wire_sum.h"

/*
 * Measured with tests/bench/bench_collectives.c; see tests/bench/README.md, section Collectives.
 * All ranks must agree in them.
 */
#define SLOT_COUNT 2                          /* pieces received ahead of the sum */
#define BUFFER_LIMIT (UINT64_C(2) << 20)      /* of all slots together */
#define SUM_PIECE_BYTES (UINT64_C(256) << 10) /* with its peers' pieces in a second-level cache */
#define SUM_PIECE_LEAST (UINT64_C(16) << 10)
#define GATHER_PIECE_BYTES (UINT64_C(4) << 20) /* far below MPI's limit of 2^31-1 */
#define DIRECT_BYTES (UINT64_C(128) << 10) /* an all-reduce of payload x N up to this goes whole   \
                                            */

/* A run of bytes of every rank's part: rank r's at base + r * stride (direct: everyone's the same).
 */
struct exchange_piece {
    unsigned char *base;
    uint64_t stride;
    size_t bytes;
};

/*
 * One call. Requests: [2][piece][peer]. First half: gathers and results on their way in, once what
 * stood there before (contributions on their way out) is gone. Second half: parts and results on
 * their way out.
 */
struct exchange_transfer {
    enum schedule_collective collective;
    enum schedule_purpose purpose;
    bool direct;
    int tag;
    struct exchange_piece *pieces;
    size_t piece_count, piece_capacity;
    MPI_Request *requests;
    size_t request_capacity;
    size_t awaited; /* pieces that a slot has been given */
    size_t summed;
    size_t cleared; /* all-reduce: pieces whose results may come in */
    size_t in_done, out_done;
};

struct exchange_slot {
    size_t ticket, piece;
};

static size_t peers_of(const struct exchange *exchange)
{
    return (size_t)exchange->world_size - 1;
}

/* The k-th rank to send to, the k-th to receive from: so that no two ranks crowd a third. */
static int target_of(const struct exchange *exchange, size_t k)
{
    return (exchange->rank + 1 + (int)k) % exchange->world_size;
}

static int source_of(const struct exchange *exchange, size_t k)
{
    return (exchange->rank + exchange->world_size - 1 - (int)k) % exchange->world_size;
}

static size_t sum_piece_bytes(uint64_t world_size)
{
    uint64_t share = BUFFER_LIMIT / SLOT_COUNT / (world_size > 1 ? world_size - 1 : 1);
    uint64_t bytes = SUM_PIECE_BYTES;
    while (bytes > share && bytes > SUM_PIECE_LEAST) {
        bytes /= 2;
    }
    return (size_t)bytes;
}

uint64_t exchange_buffer_bytes(uint64_t world_size)
{
    return world_size < 2 ? 0 : SLOT_COUNT * (world_size - 1) * sum_piece_bytes(world_size);
}

enum status exchange_fault(int code, const char *what, const char *purpose, int rank,
                           struct diag *diag)
{
    char words[MPI_MAX_ERROR_STRING] = "unknown error";
    int length = 0;
    MPI_Error_string(code, words, &length);
    return diag_set(diag, STATUS_ENVIRONMENT, "rank %d: MPI refused the %s%s%s%s: %s", rank, what,
                    purpose ? " (" : "", purpose ? purpose : "", purpose ? ")" : "", words);
}

static enum status fault_of(const struct exchange *exchange,
                            const struct exchange_transfer *transfer, int code, struct diag *diag)
{
    return exchange_fault(code, schedule_collective_name(transfer->collective),
                          schedule_purpose_name(transfer->purpose), exchange->rank, diag);
}

enum status exchange_init(struct exchange *exchange, MPI_Comm comm, enum model_dtype wire,
                          size_t ticket_count, struct diag *diag)
{
    size_t tickets = ticket_count > 0 ? ticket_count : 1;
    *exchange = (struct exchange){.comm = comm, .wire = wire, .ticket_count = ticket_count};
    MPI_Comm_rank(comm, &exchange->rank);
    MPI_Comm_size(comm, &exchange->world_size);
    size_t peers = peers_of(exchange);
    exchange->transfers = calloc(tickets, sizeof *exchange->transfers);
    exchange->active = calloc(tickets, sizeof *exchange->active);
    exchange->slots = calloc(SLOT_COUNT, sizeof *exchange->slots);
    exchange->slot_requests = calloc(SLOT_COUNT * (peers + 1), sizeof(MPI_Request));
    exchange->sources = calloc(peers + 1, sizeof *exchange->sources);
    if (!exchange->transfers || !exchange->active || !exchange->slots || !exchange->slot_requests ||
        !exchange->sources) {
        exchange_fini(exchange);
        return diag_no_memory(diag);
    }
    return STATUS_OK;
}

void exchange_fini(struct exchange *exchange)
{
    for (size_t i = 0; exchange->transfers && i < exchange->ticket_count; i++) {
        free(exchange->transfers[i].pieces);
        free(exchange->transfers[i].requests);
    }
    free(exchange->transfers);
    free(exchange->active);
    free(exchange->slots);
    free(exchange->slot_requests);
    free(exchange->sources);
    *exchange = (struct exchange){0};
}

static MPI_Request *incoming(const struct exchange *exchange,
                             const struct exchange_transfer *transfer, size_t piece)
{
    return transfer->requests + piece * peers_of(exchange);
}

static MPI_Request *outgoing(const struct exchange *exchange,
                             const struct exchange_transfer *transfer, size_t piece)
{
    return transfer->requests + (transfer->piece_count + piece) * peers_of(exchange);
}

/* Sends piece `piece` to every peer: of the peer's own part (a contribution), or of this rank's. */
static enum status send_piece(struct exchange *exchange, struct exchange_transfer *transfer,
                              size_t index, bool contribution, struct diag *diag)
{
    const struct exchange_piece *piece = &transfer->pieces[index];
    MPI_Request *requests =
        contribution ? incoming(exchange, transfer, index) : outgoing(exchange, transfer, index);
    for (size_t k = 0; k < peers_of(exchange); k++) {
        int target = target_of(exchange, k);
        uint64_t part = (uint64_t)(contribution ? target : exchange->rank);
        int code = MPI_Isend(piece->base + part * piece->stride, (int)piece->bytes, MPI_BYTE,
                             target, transfer->tag + !contribution, exchange->comm, &requests[k]);
        if (code != MPI_SUCCESS) {
            return fault_of(exchange, transfer, code, diag);
        }
    }
    return STATUS_OK;
}

/* Receives every peer's part of a piece where it belongs. */
static enum status receive_piece(struct exchange *exchange, struct exchange_transfer *transfer,
                                 size_t index, struct diag *diag)
{
    const struct exchange_piece *piece = &transfer->pieces[index];
    MPI_Request *requests = incoming(exchange, transfer, index);
    for (size_t k = 0; k < peers_of(exchange); k++) {
        int source = source_of(exchange, k);
        int code = MPI_Irecv(piece->base + (uint64_t)source * piece->stride, (int)piece->bytes,
                             MPI_BYTE, source, transfer->tag + 1, exchange->comm, &requests[k]);
        if (code != MPI_SUCCESS) {
            return fault_of(exchange, transfer, code, diag);
        }
    }
    return STATUS_OK;
}

/* True in *done if all requests of one piece are complete. */
static enum status test_piece(const struct exchange *exchange,
                              const struct exchange_transfer *transfer, MPI_Request *requests,
                              bool *done, struct diag *diag)
{
    int flag = 0;
    int code = MPI_Testall((int)peers_of(exchange), requests, &flag, MPI_STATUSES_IGNORE);
    *done = flag != 0;
    return code == MPI_SUCCESS ? STATUS_OK : fault_of(exchange, transfer, code, diag);
}

static enum status reserve_pieces(struct exchange_transfer *transfer, size_t count,
                                  struct diag *diag)
{
    if (count <= transfer->piece_capacity) {
        return STATUS_OK;
    }
    struct exchange_piece *pieces = realloc(transfer->pieces, count * sizeof *pieces);
    if (!pieces) {
        return diag_no_memory(diag);
    }
    transfer->pieces = pieces;
    transfer->piece_capacity = count;
    return STATUS_OK;
}

/* Grown at a ticket's first use; every later step finds it large enough. */
static enum status reserve_requests(const struct exchange *exchange,
                                    struct exchange_transfer *transfer, struct diag *diag)
{
    size_t count = 2 * transfer->piece_count * peers_of(exchange);
    if (count > transfer->request_capacity) {
        MPI_Request *requests = realloc(transfer->requests, count * sizeof(MPI_Request));
        if (!requests) {
            return diag_no_memory(diag);
        }
        transfer->requests = requests;
        transfer->request_capacity = count;
    }
    for (size_t i = 0; i < count; i++) {
        transfer->requests[i] = MPI_REQUEST_NULL;
    }
    return STATUS_OK;
}

/* Cuts the call's arrays into pieces. */
static enum status cut(const struct exchange *exchange, const struct communicator_call *call,
                       struct exchange_transfer *transfer, struct diag *diag)
{
    uint64_t element = model_dtype_bytes(exchange->wire);
    uint64_t world_size = (uint64_t)exchange->world_size;
    uint64_t limit =
        call->collective == SCHEDULE_ALL_GATHER ? GATHER_PIECE_BYTES : sum_piece_bytes(world_size);
    transfer->piece_count = 0;
    for (size_t i = 0; i < call->segment_count; i++) {
        uint64_t part = call->segments[i].part_elements * element;
        uint64_t run = transfer->direct ? part * world_size : part;
        size_t count = (size_t)((run + limit - 1) / limit);
        enum status status = reserve_pieces(transfer, transfer->piece_count + count, diag);
        if (status != STATUS_OK) {
            return status;
        }
        for (uint64_t offset = 0; offset < run; offset += limit) {
            transfer->pieces[transfer->piece_count++] = (struct exchange_piece){
                .base = (unsigned char *)call->segments[i].whole + offset,
                .stride = transfer->direct ? 0 : part,
                .bytes = (size_t)(run - offset < limit ? run - offset : limit),
            };
        }
    }
    return reserve_requests(exchange, transfer, diag);
}

/* The rank's own part of every array, where it lies elsewhere. */
static void copy_shards(const struct exchange *exchange, const struct communicator_call *call)
{
    for (size_t i = 0; i < call->segment_count; i++) {
        const struct communicator_segment *segment = &call->segments[i];
        uint64_t bytes = segment->part_elements * model_dtype_bytes(exchange->wire);
        unsigned char *own = (unsigned char *)segment->whole + (uint64_t)exchange->rank * bytes;
        if (segment->shard != own) {
            memcpy(own, segment->shard, bytes);
        }
    }
}

enum status exchange_post(struct exchange *exchange, const struct communicator_call *call,
                          struct diag *diag)
{
    struct exchange_transfer *transfer = &exchange->transfers[call->ticket];
    bool gather = call->collective == SCHEDULE_ALL_GATHER;
    transfer->collective = call->collective;
    transfer->purpose = call->purpose;
    transfer->direct = call->collective == SCHEDULE_ALL_REDUCE &&
                       call->payload_bytes * (uint64_t)exchange->world_size <= DIRECT_BYTES;
    transfer->tag = (int)(2 * call->ticket);
    transfer->awaited = transfer->summed = transfer->cleared = 0;
    transfer->in_done = transfer->out_done = 0;
    enum status status = cut(exchange, call, transfer, diag);
    if (status == STATUS_OK && gather) {
        copy_shards(exchange, call);
    }
    for (size_t i = 0; status == STATUS_OK && i < transfer->piece_count; i++) {
        status = send_piece(exchange, transfer, i, !gather, diag);
        if (status == STATUS_OK && gather) {
            status = receive_piece(exchange, transfer, i, diag);
        }
    }
    if (status == STATUS_OK) {
        exchange->active[exchange->active_count++] = call->ticket;
    }
    return status;
}

static bool reduces(const struct exchange_transfer *transfer)
{
    return transfer->collective != SCHEDULE_ALL_GATHER;
}

static unsigned char *slot_memory(const struct exchange *exchange, size_t slot, size_t k)
{
    size_t bytes = sum_piece_bytes((uint64_t)exchange->world_size);
    return exchange->buffer + (slot * peers_of(exchange) + k) * bytes;
}

/* Receives the contributions to one more piece of the oldest call that has one left. */
static enum status fill_slot(struct exchange *exchange, bool *filled, struct diag *diag)
{
    size_t position = 0;
    struct exchange_transfer *transfer = NULL;
    *filled = false;
    for (; position < exchange->active_count; position++) {
        transfer = &exchange->transfers[exchange->active[position]];
        if (reduces(transfer) && transfer->awaited < transfer->piece_count) {
            break;
        }
    }
    if (position == exchange->active_count) {
        return STATUS_OK;
    }
    size_t slot = (exchange->first_slot + exchange->used_slots) % SLOT_COUNT;
    const struct exchange_piece *piece = &transfer->pieces[transfer->awaited];
    MPI_Request *requests = exchange->slot_requests + slot * peers_of(exchange);
    for (size_t k = 0; k < peers_of(exchange); k++) {
        int code = MPI_Irecv(slot_memory(exchange, slot, k), (int)piece->bytes, MPI_BYTE,
                             source_of(exchange, k), transfer->tag, exchange->comm, &requests[k]);
        if (code != MPI_SUCCESS) {
            return fault_of(exchange, transfer, code, diag);
        }
    }
    exchange->slots[slot] =
        (struct exchange_slot){.ticket = exchange->active[position], .piece = transfer->awaited};
    transfer->awaited++;
    exchange->used_slots++;
    *filled = true;
    return STATUS_OK;
}

/* Adds up the oldest slot's piece, in the order of the ranks, into this rank's part. */
static void sum_slot(struct exchange *exchange, const struct exchange_piece *piece)
{
    unsigned char *own = piece->base + (uint64_t)exchange->rank * piece->stride;
    exchange->sources[exchange->rank] = own;
    for (size_t k = 0; k < peers_of(exchange); k++) {
        exchange->sources[source_of(exchange, k)] = slot_memory(exchange, exchange->first_slot, k);
    }
    wire_sum(exchange->wire, own, exchange->sources, (size_t)exchange->world_size,
             piece->bytes / model_dtype_bytes(exchange->wire));
}

/* Sums the oldest slot's piece if all of it is there. */
static enum status empty_slot(struct exchange *exchange, bool *emptied, struct diag *diag)
{
    const struct exchange_slot *slot = &exchange->slots[exchange->first_slot];
    struct exchange_transfer *transfer = &exchange->transfers[slot->ticket];
    MPI_Request *requests = exchange->slot_requests + exchange->first_slot * peers_of(exchange);
    enum status status = test_piece(exchange, transfer, requests, emptied, diag);
    if (status == STATUS_OK && *emptied && transfer->direct) {
        /* The sum goes where the piece is still being sent from. */
        status = test_piece(exchange, transfer, incoming(exchange, transfer, slot->piece), emptied,
                            diag);
    }
    if (status != STATUS_OK || !*emptied) {
        return status;
    }
    sum_slot(exchange, &transfer->pieces[slot->piece]);
    transfer->summed++;
    if (transfer->collective == SCHEDULE_ALL_REDUCE && !transfer->direct) {
        status = send_piece(exchange, transfer, slot->piece, false, diag);
    }
    exchange->first_slot = (exchange->first_slot + 1) % SLOT_COUNT;
    exchange->used_slots--;
    return status;
}

static enum status advance_sums(struct exchange *exchange, struct diag *diag)
{
    enum status status = STATUS_OK;
    bool moved = true;
    while (status == STATUS_OK && moved) {
        bool filled = true;
        while (status == STATUS_OK && filled && exchange->used_slots < SLOT_COUNT) {
            status = fill_slot(exchange, &filled, diag);
        }
        moved = false;
        if (status == STATUS_OK && exchange->used_slots > 0) {
            status = empty_slot(exchange, &moved, diag);
        }
    }
    return status;
}

/* Counts on over pieces from *done up to `limit` whose requests are complete. */
static enum status advance_row(const struct exchange *exchange,
                               const struct exchange_transfer *transfer, MPI_Request *row,
                               size_t limit, size_t *done, struct diag *diag)
{
    enum status status = STATUS_OK;
    bool complete = true;
    while (status == STATUS_OK && complete && *done < limit) {
        status = test_piece(exchange, transfer, row + *done * peers_of(exchange), &complete, diag);
        if (status == STATUS_OK && complete) {
            (*done)++;
        }
    }
    return status;
}

/* Results come in over what was sent out as contribution, so that must be gone first. */
static enum status clear_results(struct exchange *exchange, struct exchange_transfer *transfer,
                                 struct diag *diag)
{
    size_t before = transfer->cleared;
    enum status status = advance_row(exchange, transfer, transfer->requests, transfer->piece_count,
                                     &transfer->cleared, diag);
    for (size_t i = before; status == STATUS_OK && i < transfer->cleared; i++) {
        status = receive_piece(exchange, transfer, i, diag);
    }
    return status;
}

static enum status advance_transfer(struct exchange *exchange, struct exchange_transfer *transfer,
                                    bool *complete, struct diag *diag)
{
    bool results = transfer->collective == SCHEDULE_ALL_REDUCE && !transfer->direct;
    enum status status = STATUS_OK;
    if (results) {
        status = clear_results(exchange, transfer, diag);
    }
    size_t in_limit = results ? transfer->cleared : transfer->piece_count;
    size_t out_limit = results ? transfer->summed : transfer->piece_count;
    if (status == STATUS_OK) {
        status =
            advance_row(exchange, transfer, transfer->requests, in_limit, &transfer->in_done, diag);
    }
    if (status == STATUS_OK) {
        status = advance_row(exchange, transfer, outgoing(exchange, transfer, 0), out_limit,
                             &transfer->out_done, diag);
    }
    *complete = transfer->in_done == transfer->piece_count &&
                transfer->out_done == transfer->piece_count &&
                (!reduces(transfer) || transfer->summed == transfer->piece_count);
    return status;
}

enum status exchange_advance(struct exchange *exchange, bool *complete, struct diag *diag)
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
