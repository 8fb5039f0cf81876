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

/* Nanoseconds of one settlement, by collective and purpose. */
struct settled {
    uint64_t exposed[SCHEDULE_COLLECTIVE_COUNT][SCHEDULE_PURPOSE_COUNT];
    uint64_t in_flight[SCHEDULE_COLLECTIVE_COUNT][SCHEDULE_PURPOSE_COUNT];
};

/* The compute stream also waits for a collective to be started and for the news that it is done:
 * a call is in flight no shorter than it was waited for. Collectives follow one another on their
 * stream, so that the times in flight add up. */
static void add_in_flight(struct communicator_usage *usage, const struct settled *settled)
{
    uint64_t exposed = 0, in_flight = 0;
    for (int c = 0; c < SCHEDULE_COLLECTIVE_COUNT; c++) {
        for (int p = 0; p < SCHEDULE_PURPOSE_COUNT; p++) {
            const uint64_t waited = settled->exposed[c][p], flown = settled->in_flight[c][p];
            usage->in_flight_ns[c][p] += waited > flown ? waited : flown;
            exposed += waited;
            in_flight += flown;
        }
    }
    usage->any_in_flight_ns += exposed > in_flight ? exposed : in_flight;
}

void communicator_settle(struct communicator *communicator)
{
    const struct timeline *timeline = communicator->timeline;
    struct settled settled = {0};
    for (size_t i = 0; i < communicator->booking_count; i++) {
        const struct communicator_booking *booking = &communicator->bookings[i];
        const uint64_t ns =
            timeline_ns(timeline, booking->end) - timeline_ns(timeline, booking->begin);
        if (booking->exposed) {
            add_exposed(&communicator->usage, booking, ns);
            settled.exposed[booking->collective][booking->purpose] += ns;
        } else {
            settled.in_flight[booking->collective][booking->purpose] += ns;
        }
    }
    add_in_flight(&communicator->usage, &settled);
    communicator->booking_count = 0;
}

void communicator_clear_usage(struct communicator *communicator)
{
    communicator->usage = (struct communicator_usage){0};
    if (communicator->posted_now > 0) {
        communicator->any_since_ns = stopwatch_ns();
    }
}
