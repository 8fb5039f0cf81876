#include "watchdog.h"

#include <criterion/criterion.h>

#define SECOND UINT64_C(1000000000)

static struct rank_board board;

static void make_board(void)
{
    struct diag diag = {0};
    cr_assert_eq(rank_board_create(NULL, 3, 4, &board, &diag), STATUS_OK);
}

static void free_board(void)
{
    rank_board_fini(&board);
}

TestSuite(watchdog, .init = make_board, .fini = free_board);

static void begin_training(void)
{
    for (uint64_t rank = 0; rank < 3; rank++)
        rank_board_at(&board, rank)->first_step_ns = 1;
}

Test(watchdog, start_up_has_ten_times_as_long)
{
    struct watchdog watchdog;
    watchdog_start(&watchdog, 2, 0);
    cr_assert_not(watchdog_check(&watchdog, &board, 20 * SECOND));
    cr_assert(watchdog_check(&watchdog, &board, 20 * SECOND + 1));
}

Test(watchdog, ranks_that_never_come_are_missed_sooner)
{
    struct watchdog watchdog;
    watchdog_start(&watchdog, 120, 0);
    rank_board_at(&board, 0)->pid = 100; /* the only one */
    cr_assert_not(watchdog_check(&watchdog, &board, 120 * SECOND));
    cr_assert(watchdog_check(&watchdog, &board, 120 * SECOND + 1));
    watchdog_start(&watchdog, 10, 0);
    cr_assert_not(watchdog_check(&watchdog, &board, 60 * SECOND));
    cr_assert(watchdog_check(&watchdog, &board, 60 * SECOND + 1));
    rank_board_at(&board, 1)->pid = 101;
    rank_board_at(&board, 2)->pid = 102;
    cr_assert_not(watchdog_check(&watchdog, &board, 61 * SECOND), "time runs anew");
    cr_assert_not(watchdog_check(&watchdog, &board, 161 * SECOND));
    cr_assert(watchdog_check(&watchdog, &board, 161 * SECOND + 1));
}

Test(watchdog, time_runs_anew_from_the_first_step)
{
    struct watchdog watchdog;
    watchdog_start(&watchdog, 2, 0);
    begin_training();
    cr_assert_not(watchdog_check(&watchdog, &board, 15 * SECOND));
    cr_assert_not(watchdog_check(&watchdog, &board, 17 * SECOND));
    cr_assert(watchdog_check(&watchdog, &board, 17 * SECOND + 1));
}

Test(watchdog, step_counts_when_every_rank_has_completed_it)
{
    struct watchdog watchdog;
    watchdog_start(&watchdog, 2, 0);
    begin_training();
    cr_assert_not(watchdog_check(&watchdog, &board, 0));
    rank_board_at(&board, 0)->progress = 5;
    rank_board_at(&board, 1)->progress = 5;
    cr_assert(watchdog_check(&watchdog, &board, 3 * SECOND), "rank 2 stands still");
    rank_board_at(&board, 2)->progress = 1;
    cr_assert_not(watchdog_check(&watchdog, &board, 3 * SECOND));
}

Test(watchdog, names_the_rank_that_does_not_wait_in_the_library)
{
    rank_board_at(&board, 0)->inside = 1;
    rank_board_at(&board, 2)->inside = 1;
    rank_board_at(&board, 1)->actions = 7; /* further than the others, and yet it is the one */
    cr_assert_eq(watchdog_culprit(&board, NULL), 1);
}

Test(watchdog, names_the_least_advanced_of_those_outside)
{
    /* Rank 0 computes on; rank 2 stopped before it posted what rank 1 waits for. */
    rank_board_at(&board, 0)->actions = 9;
    rank_board_at(&board, 1)->actions = 8;
    rank_board_at(&board, 1)->inside = 1;
    rank_board_at(&board, 2)->actions = 3;
    cr_assert_eq(watchdog_culprit(&board, NULL), 2);
}

Test(watchdog, names_the_last_of_all_if_all_wait)
{
    for (uint64_t rank = 0; rank < 3; rank++) {
        rank_board_at(&board, rank)->inside = 1;
        rank_board_at(&board, rank)->actions = rank == 0 ? 2 : 3;
    }
    cr_assert_eq(watchdog_culprit(&board, NULL), 0);
    rank_board_at(&board, 0)->actions = 3;
    cr_assert_eq(watchdog_culprit(&board, NULL), -1, "nothing tells them apart");
}

static bool is_second(int64_t pid)
{
    return pid == 102;
}

Test(watchdog, names_a_stopped_process_wherever_it_stands)
{
    for (uint64_t rank = 0; rank < 3; rank++) {
        rank_board_at(&board, rank)->inside = 1;
        rank_board_at(&board, rank)->pid = 100 + (int64_t)rank;
    }
    rank_board_at(&board, 0)->inside = 0;
    cr_assert_eq(watchdog_culprit(&board, is_second), 2);
}
