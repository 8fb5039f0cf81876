#include <criterion/criterion.h>
#include <string.h>

#include "communicator_count.h"

static struct communicator *create(uint64_t rank, uint64_t world_size, size_t tickets)
{
    struct communicator *made = NULL;
    struct diag diag = {0};
    cr_assert_eq(communicator_count_create(rank, world_size, MODEL_FP32, tickets, &made, &diag),
                 STATUS_OK);
    return made;
}

static struct communicator_call call_of(enum schedule_collective collective,
                                        enum schedule_purpose purpose, uint64_t bytes,
                                        size_t ticket)
{
    return (struct communicator_call){
        .collective = collective, .purpose = purpose, .payload_bytes = bytes, .ticket = ticket};
}

static void post(struct communicator *communicator, struct communicator_call call)
{
    struct diag diag = {0};
    cr_assert_eq(communicator_post(communicator, &call, &diag), STATUS_OK, "%s", diag.text);
}

Test(communicator_count, counts_calls_and_bytes_by_collective_and_purpose)
{
    struct communicator *one = create(3, 64, 4);
    struct diag diag = {0};
    double value = 2.5;
    post(one, call_of(SCHEDULE_ALL_REDUCE, SCHEDULE_GRADIENT_REDUCTION, 100, 0));
    post(one, call_of(SCHEDULE_ALL_REDUCE, SCHEDULE_GRADIENT_REDUCTION, 23, 1));
    post(one, call_of(SCHEDULE_ALL_GATHER, SCHEDULE_PARAMETER_GATHER, 7, 2));
    post(one, call_of(SCHEDULE_ALL_GATHER, SCHEDULE_PARAMETER_SYNC, 11, 3));
    cr_assert_eq(communicator_wait(one, 1, &diag), STATUS_OK);
    cr_assert_eq(communicator_sum(one, &value, &diag), STATUS_OK);
    const struct communicator_usage *usage = &one->usage;
    cr_assert_eq(usage->calls[SCHEDULE_ALL_REDUCE][SCHEDULE_GRADIENT_REDUCTION], 2);
    cr_assert_eq(usage->payload_bytes[SCHEDULE_ALL_REDUCE][SCHEDULE_GRADIENT_REDUCTION], 123);
    cr_assert_eq(usage->calls[SCHEDULE_ALL_GATHER][SCHEDULE_PARAMETER_GATHER], 1);
    cr_assert_eq(usage->payload_bytes[SCHEDULE_ALL_GATHER][SCHEDULE_PARAMETER_SYNC], 11);
    cr_assert_eq(usage->calls[SCHEDULE_REDUCE_SCATTER][SCHEDULE_GRADIENT_REDUCTION], 0);
    cr_assert_eq(usage->calls[SCHEDULE_ALL_REDUCE][SCHEDULE_SCALAR], 1);
    cr_assert_eq(usage->payload_bytes[SCHEDULE_ALL_REDUCE][SCHEDULE_SCALAR], 8);
    cr_assert_eq(value, 2.5);
    communicator_destroy(one);
}

Test(communicator_count, counts_nothing_while_it_is_off)
{
    struct communicator *one = create(0, 2, 1);
    struct communicator_usage none = {0};
    struct diag diag = {0};
    double value = 1.0;
    one->off = true;
    post(one, call_of(SCHEDULE_ALL_REDUCE, SCHEDULE_GRADIENT_REDUCTION, 100, 0));
    cr_assert_eq(communicator_wait(one, 0, &diag), STATUS_OK);
    cr_assert_eq(communicator_sum(one, &value, &diag), STATUS_OK);
    cr_assert_eq(memcmp(&one->usage, &none, sizeof none), 0);
    communicator_destroy(one);
}

Test(communicator_count, starts_again_from_nothing_when_cleared)
{
    struct communicator *one = create(0, 2, 1);
    struct communicator_usage none = {0};
    post(one, call_of(SCHEDULE_ALL_REDUCE, SCHEDULE_GRADIENT_REDUCTION, 100, 0));
    communicator_clear_usage(one);
    cr_assert_eq(memcmp(&one->usage, &none, sizeof none), 0);
    communicator_destroy(one);
}

Test(communicator_count, refuses_a_ticket_that_create_was_not_told_of)
{
    struct communicator *one = create(0, 2, 2);
    struct diag diag = {0};
    struct communicator_call call =
        call_of(SCHEDULE_REDUCE_SCATTER, SCHEDULE_GRADIENT_REDUCTION, 8, 2);
    cr_assert_eq(communicator_post(one, &call, &diag), STATUS_BUG);
    cr_assert_str_eq(diag.text,
                     "collective ticket 2 (reduce_scatter, gradient_reduction) is unknown");
    communicator_destroy(one);
}

Test(communicator_count, books_exposed_time_in_the_phase_it_is_told)
{
    struct communicator *one = create(0, 2, 1);
    one->phase = SCHEDULE_PHASE_BACKWARD;
    post(one, call_of(SCHEDULE_ALL_REDUCE, SCHEDULE_GRADIENT_REDUCTION, 100, 0));
    uint64_t booked = one->usage.exposed_phase_ns[SCHEDULE_PHASE_BACKWARD];
    cr_assert_gt(booked, 0);
    cr_assert_eq(booked, one->usage.exposed_ns[SCHEDULE_ALL_REDUCE][SCHEDULE_GRADIENT_REDUCTION]);
    cr_assert_eq(one->usage.exposed_phase_ns[SCHEDULE_PHASE_FORWARD], 0);
    communicator_destroy(one);
}

Test(communicator_count, gathers_by_copying_where_there_is_one_rank)
{
    struct communicator *one = create(0, 1, 1);
    float whole[3] = {0};
    float shard[3] = {1, 2, 3};
    struct communicator_segment segment = {.whole = whole, .shard = shard, .part_elements = 3};
    struct communicator_call call =
        call_of(SCHEDULE_ALL_GATHER, SCHEDULE_PARAMETER_GATHER, sizeof whole, 0);
    call.segments = &segment;
    call.segment_count = 1;
    post(one, call);
    cr_assert_eq(memcmp(whole, shard, sizeof whole), 0);
    communicator_destroy(one);
}

Test(communicator_count, gives_every_rank_what_this_one_has)
{
    struct communicator *one = create(1, 3, 0);
    struct diag diag = {0};
    int mine = 7;
    int all[3] = {0};
    cr_assert_eq(communicator_gather(one, &mine, sizeof mine, all, 1, &diag), STATUS_OK);
    cr_assert(all[0] == 7 && all[1] == 7 && all[2] == 7);
    communicator_destroy(one);
}

Test(communicator_count, can_be_destroyed_when_there_is_none)
{
    communicator_destroy(NULL);
}
