#include "communicator.h"

#include <stdlib.h>
#include <string.h>

#include "communicator_usage.h"
#include "stopwatch.h"

/* A call between its post and the moment its completion is seen. */
struct communicator_posted {
    bool active;
    enum schedule_collective collective;
    enum schedule_purpose purpose;
    uint64_t since_ns; /* of no meaning where there are streams */
};

/* For the watchdog (rank_record.h): whether this rank stands where it can wait for others. */
static void set_inside(const struct communicator *communicator, uint32_t inside)
{
    if (communicator->inside) {
        *communicator->inside = inside;
    }
}

enum status communicator_init(struct communicator *communicator,
                              const struct communicator_operations *operations, uint64_t rank,
                              uint64_t world_size, enum model_dtype wire, size_t ticket_count,
                              struct diag *diag)
{
    size_t count = ticket_count > 0 ? ticket_count : 1;
    *communicator = (struct communicator){.operations = operations,
                                          .rank = rank,
                                          .world_size = world_size,
                                          .wire = wire,
                                          .timeline = &timeline_host,
                                          .ticket_count = ticket_count};
    communicator->posted = calloc(count, sizeof *communicator->posted);
    communicator->in_flight = calloc(count, sizeof *communicator->in_flight);
    communicator->complete = calloc(count, sizeof *communicator->complete);
    if (!communicator->posted || !communicator->in_flight || !communicator->complete) {
        communicator_fini(communicator);
        return diag_no_memory(diag);
    }
    return STATUS_OK;
}

void communicator_fini(struct communicator *communicator)
{
    if (!communicator) {
        return;
    }
    free(communicator->bookings);
    free(communicator->posted);
    free(communicator->in_flight);
    free(communicator->complete);
    communicator->bookings = NULL;
    communicator->posted = NULL;
    communicator->in_flight = NULL;
    communicator->complete = NULL;
}

void communicator_copy_alone(enum model_dtype wire, const struct communicator_call *call)
{
    if (call->collective != SCHEDULE_ALL_GATHER) {
        return;
    }
    for (size_t i = 0; i < call->segment_count; i++) {
        const struct communicator_segment *segment = &call->segments[i];
        if (segment->whole && segment->shard && segment->shard != segment->whole) {
            memcpy(segment->whole, segment->shard,
                   segment->part_elements * model_dtype_bytes(wire));
        }
    }
}

void communicator_destroy(struct communicator *communicator)
{
    if (communicator) {
        communicator->operations->destroy(communicator);
    }
}

static void add_in_flight(struct communicator *communicator, const struct communicator_call *call,
                          uint64_t since_ns)
{
    if (communicator->posted_now == 0) {
        communicator->any_since_ns = since_ns;
    }
    communicator->in_flight[communicator->posted_now++] = call->ticket;
    communicator->posted[call->ticket] = (struct communicator_posted){
        .active = true,
        .collective = call->collective,
        .purpose = call->purpose,
        .since_ns = since_ns,
    };
}

/* Takes what has completed off the list, whose order stays. */
static void retire_complete(struct communicator *communicator, uint64_t end_ns)
{
    struct communicator_usage *usage = &communicator->usage;
    const bool timed = !communicator->operations->streams;
    size_t kept = 0;
    if (communicator->posted_now == 0) {
        return;
    }
    for (size_t i = 0; i < communicator->posted_now; i++) {
        size_t ticket = communicator->in_flight[i];
        struct communicator_posted *posted = &communicator->posted[ticket];
        if (!communicator->complete[ticket]) {
            communicator->in_flight[kept++] = ticket;
            continue;
        }
        communicator->complete[ticket] = false;
        posted->active = false;
        if (timed) {
            usage->in_flight_ns[posted->collective][posted->purpose] += end_ns - posted->since_ns;
        }
    }
    communicator->posted_now = kept;
    if (kept == 0 && timed) {
        usage->any_in_flight_ns += end_ns - communicator->any_since_ns;
    }
}

static enum status check_ticket(const struct communicator *communicator,
                                const struct communicator_call *call, struct diag *diag)
{
    size_t ticket = call->ticket;
    if (ticket < communicator->ticket_count && !communicator->posted[ticket].active) {
        return STATUS_OK;
    }
    return diag_set(diag, STATUS_BUG, "collective ticket %zu (%s, %s) is %s", ticket,
                    schedule_collective_name(call->collective),
                    schedule_purpose_name(call->purpose),
                    ticket < communicator->ticket_count ? "in flight already" : "unknown");
}

/* Until a call is complete: the host waits for it, or the compute stream will. */
static enum status wait_exposed(struct communicator *communicator, size_t ticket, struct diag *diag)
{
    const struct communicator_posted *posted = &communicator->posted[ticket];
    const uint64_t begin = timeline_mark(communicator->timeline, TIMELINE_COMPUTE);
    set_inside(communicator, 1);
    enum status status =
        communicator->operations->wait(communicator, ticket, communicator->complete, diag);
    set_inside(communicator, 0);
    const uint64_t end = timeline_mark(communicator->timeline, TIMELINE_COMPUTE);
    if (status == STATUS_OK) {
        const struct communicator_booking booking = {
            true, posted->collective, posted->purpose, communicator->phase, begin, end};
        status = communicator_usage_book(communicator, &booking, diag);
    }
    retire_complete(communicator, end);
    return status;
}

/* A post itself takes none of the device's time. */
static enum status post_on_stream(struct communicator *communicator,
                                  const struct communicator_call *call, struct diag *diag)
{
    add_in_flight(communicator, call, 0);
    set_inside(communicator, 1);
    enum status status = communicator->operations->post(
        communicator, call, &communicator->complete[call->ticket], diag);
    set_inside(communicator, 0);
    if (status == STATUS_OK) {
        const struct communicator_booking booking = {
            false,
            call->collective,
            call->purpose,
            communicator->phase,
            communicator->flight_begin,
            communicator->flight_end,
        };
        status = communicator_usage_book(communicator, &booking, diag);
    }
    if (status == STATUS_OK && communicator->blocking) {
        status = wait_exposed(communicator, call->ticket, diag);
    }
    return status;
}

static enum status post_from_host(struct communicator *communicator,
                                  const struct communicator_call *call, struct diag *diag)
{
    const uint64_t begin = stopwatch_ns();
    bool *complete = communicator->complete;
    add_in_flight(communicator, call, begin);
    set_inside(communicator, 1);
    enum status status =
        communicator->operations->post(communicator, call, &complete[call->ticket], diag);
    if (status == STATUS_OK && communicator->blocking && !complete[call->ticket]) {
        status = communicator->operations->wait(communicator, call->ticket, complete, diag);
    }
    set_inside(communicator, 0);
    const uint64_t end = stopwatch_ns();
    communicator_usage_add_exposed(communicator, call->collective, call->purpose, end - begin);
    retire_complete(communicator, end);
    return status;
}

enum status communicator_post(struct communicator *communicator,
                              const struct communicator_call *call, struct diag *diag)
{
    if (communicator->off) {
        return STATUS_OK;
    }
    enum status status = check_ticket(communicator, call, diag);
    if (status != STATUS_OK) {
        return status;
    }
    communicator->usage.calls[call->collective][call->purpose]++;
    communicator->usage.payload_bytes[call->collective][call->purpose] += call->payload_bytes;
    return communicator->operations->streams ? post_on_stream(communicator, call, diag)
                                             : post_from_host(communicator, call, diag);
}

enum status communicator_poll(struct communicator *communicator, struct diag *diag)
{
    if (communicator->posted_now == 0) {
        return STATUS_OK;
    }
    /* The oldest one is what a poll mostly works for. */
    const struct communicator_posted *oldest = &communicator->posted[communicator->in_flight[0]];
    enum schedule_collective collective = oldest->collective;
    enum schedule_purpose purpose = oldest->purpose;
    uint64_t begin = stopwatch_ns();
    enum status status = communicator->operations->poll(communicator, communicator->complete, diag);
    uint64_t end = stopwatch_ns();
    if (!communicator->operations->streams) {
        communicator_usage_add_exposed(communicator, collective, purpose, end - begin);
        retire_complete(communicator, end);
    }
    return status;
}

enum status communicator_wait(struct communicator *communicator, size_t ticket, struct diag *diag)
{
    if (ticket >= communicator->ticket_count) {
        return diag_set(diag, STATUS_BUG, "collective ticket %zu is unknown", ticket);
    }
    return communicator->posted[ticket].active ? wait_exposed(communicator, ticket, diag)
                                               : STATUS_OK;
}

static enum status sum_on_stream(struct communicator *communicator, uint64_t begin,
                                 struct diag *diag)
{
    struct communicator_booking booking = {
        true,
        SCHEDULE_ALL_REDUCE,
        SCHEDULE_SCALAR,
        communicator->phase,
        begin,
        timeline_mark(communicator->timeline, TIMELINE_COMPUTE),
    };
    enum status status = communicator_usage_book(communicator, &booking, diag);
    if (status != STATUS_OK) {
        return status;
    }
    booking.exposed = false;
    booking.begin = communicator->flight_begin;
    booking.end = communicator->flight_end;
    return communicator_usage_book(communicator, &booking, diag);
}

static void book_sum(struct communicator *communicator, uint64_t passed)
{
    struct communicator_usage *usage = &communicator->usage;
    usage->in_flight_ns[SCHEDULE_ALL_REDUCE][SCHEDULE_SCALAR] += passed;
    if (communicator->posted_now == 0) {
        usage->any_in_flight_ns += passed;
    }
    communicator_usage_add_exposed(communicator, SCHEDULE_ALL_REDUCE, SCHEDULE_SCALAR, passed);
}

enum status communicator_sum(struct communicator *communicator, double *value, struct diag *diag)
{
    if (communicator->off) {
        return STATUS_OK;
    }
    const uint64_t begin = timeline_mark(communicator->timeline, TIMELINE_COMPUTE);
    set_inside(communicator, 1);
    enum status status = communicator->operations->sum(communicator, value, diag);
    set_inside(communicator, 0);
    communicator->usage.calls[SCHEDULE_ALL_REDUCE][SCHEDULE_SCALAR]++;
    communicator->usage.payload_bytes[SCHEDULE_ALL_REDUCE][SCHEDULE_SCALAR] +=
        SCHEDULE_SCALAR_BYTES;
    if (status == STATUS_OK && communicator->operations->streams) {
        status = sum_on_stream(communicator, begin, diag);
    } else if (status == STATUS_OK) {
        book_sum(communicator, timeline_mark(communicator->timeline, TIMELINE_COMPUTE) - begin);
    }
    return status;
}

enum status communicator_drain(struct communicator *communicator, struct diag *diag)
{
    if (communicator->operations->drain == NULL) {
        return STATUS_OK;
    }
    set_inside(communicator, 1);
    enum status status = communicator->operations->drain(communicator, diag);
    set_inside(communicator, 0);
    return status;
}

enum status communicator_barrier(struct communicator *communicator, struct diag *diag)
{
    set_inside(communicator, 1);
    enum status status = communicator->operations->barrier(communicator, diag);
    set_inside(communicator, 0);
    return status;
}

enum status communicator_broadcast(struct communicator *communicator, void *host, uint64_t bytes,
                                   int root, struct diag *diag)
{
    set_inside(communicator, 1);
    enum status status = communicator->operations->broadcast(communicator, host, bytes, root, diag);
    set_inside(communicator, 0);
    return status;
}

enum status communicator_gather(struct communicator *communicator, const void *host, uint64_t bytes,
                                void *all, int root, struct diag *diag)
{
    set_inside(communicator, 1);
    enum status status =
        communicator->operations->gather(communicator, host, bytes, all, root, diag);
    set_inside(communicator, 0);
    return status;
}
