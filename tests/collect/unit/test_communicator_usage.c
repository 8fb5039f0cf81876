#include <criterion/criterion.h>

#include "communicator.h"

/* A device whose time stands still but for what is told to pass: each mark is a place in `times`.
 */
struct device {
    uint64_t times[16];
    size_t marks, restarts;
    uint64_t now;
};

static void restart(void *context)
{
    struct device *device = context;
    device->marks = 0;
    device->restarts++;
}

static uint64_t mark(void *context, enum timeline_stream stream)
{
    (void)stream;
    struct device *device = context;
    device->times[device->marks] = device->now;
    return device->marks++;
}

static uint64_t ns(void *context, uint64_t mark)
{
    const struct device *device = context;
    return device->times[mark];
}

/* What the calls below find: the communicator is the first member. */
struct streaming {
    struct communicator communicator;
    struct device device;
    struct timeline timeline;
    size_t waits;
    uint64_t wait_ns; /* that each takes */
};

static struct streaming *of(struct communicator *communicator)
{
    return (struct streaming *)communicator;
}

static enum status post(struct communicator *communicator, const struct communicator_call *call,
                        bool *complete, struct diag *diag)
{
    (void)call;
    (void)complete;
    (void)diag;
    struct streaming *streaming = of(communicator);
    communicator->flight_begin = timeline_mark(communicator->timeline, TIMELINE_COMMUNICATION);
    streaming->device.now += 100;
    communicator->flight_end = timeline_mark(communicator->timeline, TIMELINE_COMMUNICATION);
    return STATUS_OK;
}

static enum status wait_for(struct communicator *communicator, size_t ticket, bool *complete,
                            struct diag *diag)
{
    (void)diag;
    struct streaming *streaming = of(communicator);
    streaming->waits++;
    streaming->device.now += streaming->wait_ns;
    complete[ticket] = true;
    return STATUS_OK;
}

static enum status sum(struct communicator *communicator, double *value, struct diag *diag)
{
    (void)value;
    struct communicator_call call = {.ticket = 0};
    return post(communicator, &call, NULL, diag);
}

static enum status drain(struct communicator *communicator, struct diag *diag)
{
    (void)diag;
    cr_assert_eq(*communicator->inside, 1, "a watchdog must see where the host waits");
    return STATUS_OK;
}

static const struct communicator_operations operations = {.name = "streaming",
                                                          .streams = true,
                                                          .post = post,
                                                          .wait = wait_for,
                                                          .sum = sum,
                                                          .drain = drain};

static volatile uint32_t inside;

static void begin(struct streaming *streaming)
{
    struct diag diag = {0};
    *streaming = (struct streaming){0};
    cr_assert_eq(
        communicator_init(&streaming->communicator, &operations, 0, 2, MODEL_FP32, 4, &diag),
        STATUS_OK);
    streaming->wait_ns = 30;
    streaming->timeline = (struct timeline){restart, mark, ns, &streaming->device};
    streaming->communicator.timeline = &streaming->timeline;
    streaming->communicator.inside = &inside;
    streaming->communicator.phase = SCHEDULE_PHASE_BACKWARD;
}

static const struct communicator_call reduction = {.collective = SCHEDULE_REDUCE_SCATTER,
                                                   .purpose = SCHEDULE_GRADIENT_REDUCTION,
                                                   .payload_bytes = 64,
                                                   .ticket = 1};

Test(communicator_usage, a_wait_on_a_stream_is_booked_in_its_phase_when_it_is_settled)
{
    struct streaming streaming;
    struct diag diag = {0};
    begin(&streaming);
    struct communicator *communicator = &streaming.communicator;
    const struct communicator_usage *usage = &communicator->usage;
    cr_assert_eq(communicator_post(communicator, &reduction, &diag), STATUS_OK);
    communicator->phase = SCHEDULE_PHASE_OPTIMIZER;
    cr_assert_eq(communicator_wait(communicator, 1, &diag), STATUS_OK);
    cr_assert_eq(communicator->posted_now, 0);
    communicator->phase = SCHEDULE_PHASE_INIT;
    cr_assert_eq(usage->exposed_phase_ns[SCHEDULE_PHASE_OPTIMIZER], 0, "times are not known yet");
    cr_assert_eq(communicator_drain(communicator, &diag), STATUS_OK);
    communicator_settle(communicator);
    communicator_settle(communicator); /* once */
    cr_assert_eq(usage->exposed_phase_ns[SCHEDULE_PHASE_OPTIMIZER], 30);
    cr_assert_eq(usage->exposed_ns[SCHEDULE_REDUCE_SCATTER][SCHEDULE_GRADIENT_REDUCTION], 30);
    cr_assert_eq(usage->in_flight_ns[SCHEDULE_REDUCE_SCATTER][SCHEDULE_GRADIENT_REDUCTION], 100);
    cr_assert_eq(usage->any_in_flight_ns, 100);
    cr_assert_eq(usage->calls[SCHEDULE_REDUCE_SCATTER][SCHEDULE_GRADIENT_REDUCTION], 1);
    communicator_fini(communicator);
}

Test(communicator_usage, blocking_waits_at_once_and_a_sum_exposes_all_of_itself)
{
    struct streaming streaming;
    struct diag diag = {0};
    double value = 1;
    begin(&streaming);
    struct communicator *communicator = &streaming.communicator;
    communicator->blocking = true;
    cr_assert_eq(communicator_post(communicator, &reduction, &diag), STATUS_OK);
    cr_assert_eq(streaming.waits, 1);
    cr_assert_eq(communicator_wait(communicator, 1, &diag), STATUS_OK);
    cr_assert_eq(streaming.waits, 1, "it is complete already");
    cr_assert_eq(communicator_sum(communicator, &value, &diag), STATUS_OK);
    communicator_settle(communicator);
    const struct communicator_usage *usage = &communicator->usage;
    cr_assert_eq(usage->exposed_ns[SCHEDULE_ALL_REDUCE][SCHEDULE_SCALAR], 100);
    cr_assert_eq(usage->exposed_phase_ns[SCHEDULE_PHASE_BACKWARD], 130);
    cr_assert_eq(usage->any_in_flight_ns, 200);
    cr_assert_eq(usage->payload_bytes[SCHEDULE_ALL_REDUCE][SCHEDULE_SCALAR], 8);
    communicator_fini(communicator);
}

/* The device begins a collective some time after the compute stream has begun to wait for it. */
Test(communicator_usage, a_call_is_in_flight_no_shorter_than_it_is_waited_for)
{
    struct streaming streaming;
    struct diag diag = {0};
    begin(&streaming);
    struct communicator *communicator = &streaming.communicator;
    const struct communicator_usage *usage = &communicator->usage;
    streaming.wait_ns = 130;
    cr_assert_eq(communicator_post(communicator, &reduction, &diag), STATUS_OK);
    cr_assert_eq(communicator_wait(communicator, 1, &diag), STATUS_OK);
    communicator_settle(communicator);
    cr_assert_eq(usage->exposed_ns[SCHEDULE_REDUCE_SCATTER][SCHEDULE_GRADIENT_REDUCTION], 130);
    cr_assert_eq(usage->in_flight_ns[SCHEDULE_REDUCE_SCATTER][SCHEDULE_GRADIENT_REDUCTION], 130);
    cr_assert_eq(usage->any_in_flight_ns, 130);
    communicator_fini(communicator);
}

Test(communicator_usage, more_calls_than_there_was_room_for)
{
    struct streaming streaming;
    struct diag diag = {0};
    begin(&streaming);
    struct communicator *communicator = &streaming.communicator;
    for (int i = 0; i < 200; i++) {
        timeline_restart(communicator->timeline); /* the marks' places are used again: same times */
        streaming.device.now = 0;
        cr_assert_eq(communicator_post(communicator, &reduction, &diag), STATUS_OK);
        cr_assert_eq(communicator_wait(communicator, 1, &diag), STATUS_OK);
    }
    communicator_settle(communicator);
    cr_assert_eq(communicator->usage.any_in_flight_ns, 200 * 100);
    cr_assert_eq(communicator->usage.exposed_phase_ns[SCHEDULE_PHASE_BACKWARD], 200 * 30);
    communicator_fini(communicator);
}
