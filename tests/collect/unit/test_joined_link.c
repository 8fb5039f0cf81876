#include "joined_link.h"

#include <criterion/criterion.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "joined_report.h"

#define STEPS 100 /* more than travel with one report */

/* Rank 0 hears rank 1 of 2, which is a thread here. */
static struct joined_link link_0;
static struct joined_report report;
static struct rank_board heard, own;
static struct diag diag;

static void set_up(void)
{
    cr_assert_eq(joined_link_open(&link_0, 2, &diag), STATUS_OK);
    cr_assert_eq(rank_board_create(NULL, 2, STEPS, &heard, &diag), STATUS_OK);
    cr_assert_eq(rank_board_create(NULL, 1, STEPS, &own, &diag), STATUS_OK);
    rank_board_at(&own, 0)->pid = 77;
    rank_board_at(&own, 0)->host_number = 3;
    if (link_0.address.count == 0)
        cr_skip_test("no network at all");
}

static void clean_up(void)
{
    joined_report_stop(&report);
    joined_link_fini(&link_0);
    rank_board_fini(&heard);
    rank_board_fini(&own);
}

TestSuite(joined_link, .init = set_up, .fini = clean_up, .timeout = 30);

static struct rank_record *theirs(void)
{
    return rank_board_at(&own, 0);
}

static const struct rank_record *ours(void)
{
    return rank_board_at(&heard, 1);
}

static void receive(struct rank_board *board, uint64_t turn)
{
    const struct timespec moment = {.tv_nsec = 5000000};
    joined_link_receive(&link_0, board, turn);
    nanosleep(&moment, NULL);
}

static void *answer(void *stop)
{
    while (!atomic_load((atomic_bool *)stop))
        receive(NULL, 0);
    return NULL;
}

/* Connects while another thread answers, as rank 0's watch does. */
static bool connect_to(const struct joined_link_address *address)
{
    pthread_t thread;
    atomic_bool stop = false;
    cr_assert_eq(joined_report_start(&report, 1, 2, &diag), STATUS_OK);
    cr_assert_eq(pthread_create(&thread, NULL, answer, &stop), 0);
    bool connected = joined_report_connect(&report, address);
    atomic_store(&stop, true);
    pthread_join(thread, NULL);
    return connected;
}

Test(joined_link, hears_where_a_rank_is_and_every_sample)
{
    cr_assert_not(joined_link_is_whole(&link_0));
    cr_assert(connect_to(&link_0.address));
    for (uint64_t step = 0; step < STEPS; step++)
        theirs()->steps[step].total_ns = 1000 + step;
    theirs()->step_count = STEPS;
    joined_report_begin(&report, theirs());
    while (ours()->step_count < STEPS)
        receive(&heard, 1);
    cr_assert(joined_link_is_whole(&link_0));
    cr_assert_eq(ours()->pid, 77);
    cr_assert_eq(ours()->host_number, 3);
    cr_assert_eq(ours()->rank, 1, "the connection's, not what the record says");
    cr_assert_eq(ours()->world_size, 2);
    for (uint64_t step = 0; step < STEPS; step++)
        cr_assert_eq(ours()->steps[step].total_ns, 1000 + step);
}

Test(joined_link, hears_a_failure_at_the_time_it_is_heard)
{
    cr_assert(connect_to(&link_0.address));
    joined_report_begin(&report, theirs());
    rank_record_fail(theirs(), RANK_FAILURE_OUT_OF_MEMORY, 1, "too much");
    theirs()->failure.at_ns = 1; /* of another clock */
    while (ours()->failure.kind == RANK_FAILURE_NONE)
        receive(&heard, 1);
    cr_assert_str_eq(ours()->failure.detail, "too much");
    const uint64_t at_ns = ours()->failure.at_ns;
    cr_assert_gt(at_ns, 1);
    theirs()->progress = 9;
    while (ours()->progress != 9)
        receive(&heard, 1);
    cr_assert_eq(ours()->failure.at_ns, at_ns, "the first time counts");
}

Test(joined_link, keeps_a_report_until_its_turn_begins_here)
{
    cr_assert(connect_to(&link_0.address));
    joined_report_begin(&report, theirs());
    joined_report_stop(&report); /* it has told once, and is gone */
    for (int i = 0; i < 20; i++)
        receive(NULL, 0);
    cr_assert_eq(link_0.lost, -1, "not before its last word was taken");
    for (int i = 0; i < 20; i++)
        receive(&heard, 1);
    cr_assert_eq(ours()->pid, 77);
    cr_assert_eq(link_0.lost, 1);
}

Test(joined_link, drops_what_is_of_a_turn_that_is_over)
{
    cr_assert(connect_to(&link_0.address));
    joined_report_begin(&report, theirs());
    for (int i = 0; i < 20; i++)
        receive(&heard, 2);
    cr_assert_eq(ours()->pid, 0);
    cr_assert(joined_link_is_whole(&link_0), "heard it was");
}

Test(joined_link, lets_nobody_in_without_the_secret)
{
    struct joined_link_address address = link_0.address;
    address.secret[3] ^= 1;
    cr_assert_not(connect_to(&address));
    cr_assert_eq(link_0.peer_count, 0);
    cr_assert_eq(link_0.lost, -1);
}

Test(joined_link, is_not_taken_in_by_another_listener)
{
    struct joined_link_address address = link_0.address;
    address.answer[3] ^= 1; /* as if another run listened there */
    cr_assert_not(connect_to(&address));
}

Test(joined_link, tells_a_rank_that_is_ended_from_one_that_dies)
{
    cr_assert(connect_to(&link_0.address));
    joined_report_begin(&report, theirs());
    receive(&heard, 1);
    pthread_kill(report.thread, SIGTERM);
    while (link_0.left < 0)
        receive(&heard, 1);
    cr_assert_eq(link_0.left, 1);
    cr_assert_eq(link_0.left_signal, SIGTERM);
    joined_report_stop(&report);
    for (int i = 0; i < 20; i++)
        receive(&heard, 1);
    cr_assert_eq(link_0.lost, -1);
}
