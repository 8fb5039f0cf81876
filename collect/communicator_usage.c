#include "communicator_usage.h"

#include <stdlib.h>

#include "stopwatch.h"

static void add_exposed(struct communicator_usage *usage,
                        const struct communicator_booking *booking, uint64_t ns)
{
    usage->exposed_ns[booking->collective][booking->purpose] += ns;
    usage->exposed_phase_ns[booking->phase] += ns;
}

void communicator_usage_add_exposed(struct communicator *communicator,
                                    enum schedule_collective collective,
                                    enum schedule_purpose purpose, uint64_t ns)
{
    const struct communicator_booking booking = {true, collective, purpose, communicator->phase,
                                                 0,    0};
    add_exposed(&communicator->usage, &booking, ns);
}

/* Twice as much room each time: after the first steps there is enough for every other. */
static enum status make_room(struct communicator *communicator, struct diag *diag)
{
    if (communicator->booking_count < communicator->booking_capacity) {
        return STATUS_OK;
    }
    size_t capacity = communicator->booking_capacity > 0 ? 2 * communicator->booking_capacity : 64;
    struct communicator_booking *grown = realloc(communicator->bookings, capacity * sizeof *grown);
    if (grown == NULL) {
        return diag_no_memory(diag);
    }
    communicator->bookings = grown;
    communicator->booking_capacity = capacity;
    return STATUS_OK;
}

enum status communicator_usage_book(struct communicator *communicator,
                                    const struct communicator_booking *booking, struct diag *diag)
{
    if (!communicator->operations->streams) {
        add_exposed(&communicator->usage, booking, booking->end - booking->begin);
        return STATUS_OK;
    }
    enum status status = make_room(communicator, diag);
    if (status == STATUS_OK) {
        communicator->bookings[communicator->booking_count++] = *booking;
    }
    return status;
}

/* Collectives follow one another on their stream, so that the times in flight add up. */
void communicator_settle(struct communicator *communicator)
{
    const struct timeline *timeline = communicator->timeline;
    struct communicator_usage *usage = &communicator->usage;
    for (size_t i = 0; i < communicator->booking_count; i++) {
        const struct communicator_booking *booking = &communicator->bookings[i];
        const uint64_t ns =
            timeline_ns(timeline, booking->end) - timeline_ns(timeline, booking->begin);
        if (booking->exposed) {
            add_exposed(usage, booking, ns);
            continue;
        }
        usage->in_flight_ns[booking->collective][booking->purpose] += ns;
        usage->any_in_flight_ns += ns;
    }
    communicator->booking_count = 0;
}

void communicator_clear_usage(struct communicator *communicator)
{
    communicator->usage = (struct communicator_usage){0};
    if (communicator->posted_now > 0) {
        communicator->any_since_ns = stopwatch_ns();
    }
}
