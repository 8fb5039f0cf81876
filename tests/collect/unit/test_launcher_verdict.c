#include "launcher_verdict.h"

#include <criterion/criterion.h>
#include <signal.h>
#include <string.h>

static struct rank_board board;
static struct launcher_end end;
static struct rank_failure failure;

static void make_board(void)
{
    struct diag diag = {0};
    cr_assert_eq(rank_board_create(NULL, 3, 4, &board, &diag), STATUS_OK);
    for (uint64_t rank = 0; rank < 3; rank++) {
        struct rank_record *record = rank_board_at(&board, rank);
        record->pid = 100 + (int64_t)rank;
        record->phase = RANK_BACKWARD;
        record->step = 5;
        record->progress = 9;
    }
    end = (struct launcher_end){.lost = -1, .culprit = -1, .said = ""};
}

static void free_board(void)
{
    rank_board_fini(&board);
}

TestSuite(launcher_verdict, .init = make_board, .fini = free_board);

static void judge(void)
{
    launcher_verdict(&board, &end, &failure);
}

static void note(uint64_t rank, enum rank_failure_kind kind, uint64_t at_ns)
{
    struct rank_record *record = rank_board_at(&board, rank);
    rank_record_fail(record, kind, -1, "words");
    record->failure.at_ns = at_ns;
}

Test(launcher_verdict, nothing_failed_if_every_rank_completed)
{
    for (uint64_t rank = 0; rank < 3; rank++)
        rank_board_at(&board, rank)->complete = true;
    end.signal = SIGINT; /* too late to matter */
    judge();
    cr_assert_eq(failure.kind, RANK_FAILURE_NONE);
}

Test(launcher_verdict, earliest_word_of_a_rank_counts)
{
    note(0, RANK_FAILURE_CHECKPOINT, 20);
    note(2, RANK_FAILURE_OUT_OF_MEMORY, 10);
    note(1, RANK_FAILURE_COMMUNICATION, 5);
    judge();
    cr_assert_eq(failure.kind, RANK_FAILURE_OUT_OF_MEMORY);
    cr_assert_eq(failure.rank, 2);
    cr_assert_eq(failure.step, 5);
    cr_assert_eq(failure.phase, RANK_BACKWARD);
}

Test(launcher_verdict, what_a_rank_says_of_itself_beats_what_others_say_of_it)
{
    note(0, RANK_FAILURE_CHECKPOINT, 5);
    rank_board_at(&board, 0)->failure.rank = 1;
    note(1, RANK_FAILURE_OUT_OF_MEMORY, 10);
    note(2, RANK_FAILURE_CHECKPOINT, 7);
    rank_board_at(&board, 2)->failure.rank = 1;
    judge();
    cr_assert_eq(failure.kind, RANK_FAILURE_OUT_OF_MEMORY);
    cr_assert_eq(failure.rank, 1);
}

Test(launcher_verdict, lost_rank_explains_failing_communication_of_the_others)
{
    note(0, RANK_FAILURE_COMMUNICATION, 5);
    end.lost = 1;
    end.said = "mpirun noticed that process rank 1 with PID 101 on node vm exited on signal 9 "
               "(Killed).";
    judge();
    cr_assert_eq(failure.kind, RANK_FAILURE_RANK_LOST);
    cr_assert_eq(failure.rank, 1);
    cr_assert(strstr(failure.detail, "signal 9") != NULL, "%s", failure.detail);
    cr_assert(strstr(failure.detail, "101") != NULL, "%s", failure.detail);
}

Test(launcher_verdict, what_the_launcher_saw_beats_what_mpirun_reports)
{
    end.lost = 2; /* mpirun reports one that it ended itself */
    end.said = "process rank 0 with PID 100 on node vm exited on signal 15 (Terminated)";
    judge();
    cr_assert_eq(failure.rank, 2);
    cr_assert(strstr(failure.detail, "without a word") != NULL, "%s", failure.detail);
}

Test(launcher_verdict, mpirun_report_alone_names_the_rank)
{
    end.exited = true;
    end.said = "process rank 2 with PID 102 on node vm exited on signal 11 (Segmentation fault)";
    judge();
    cr_assert_eq(failure.kind, RANK_FAILURE_RANK_LOST);
    cr_assert_eq(failure.rank, 2);
}

Test(launcher_verdict, report_of_an_impossible_rank_is_not_believed)
{
    end.exited = true;
    end.status = 137 << 8;
    end.said = "process rank 7 with PID 102 on node vm exited on signal 11";
    judge();
    cr_assert_eq(failure.kind, RANK_FAILURE_RANK_LOST);
    cr_assert_eq(failure.rank, -1);
    cr_assert(strstr(failure.detail, "code 137") != NULL, "%s", failure.detail);
}

Test(launcher_verdict, timeout_names_the_rank_that_hangs_and_where)
{
    end.timed_out = true;
    end.allowed_s = 2;
    end.culprit = 1;
    rank_board_at(&board, 1)->step = 4;
    rank_board_at(&board, 1)->phase = RANK_OPTIMIZER;
    judge();
    cr_assert_eq(failure.kind, RANK_FAILURE_TIMEOUT);
    cr_assert_eq(failure.rank, 1);
    cr_assert_eq(failure.step, 4);
    cr_assert_eq(failure.phase, RANK_OPTIMIZER);
}

Test(launcher_verdict, ranks_that_never_came_were_not_launched)
{
    end.timed_out = true;
    end.allowed_s = 120;
    end.culprit = 2;
    rank_board_at(&board, 2)->pid = 0;
    judge();
    cr_assert_eq(failure.kind, RANK_FAILURE_LAUNCH);
    cr_assert_eq(failure.rank, -1);
    cr_assert_str_eq(failure.detail, "2 of 3 ranks exist after 120 s");
}

Test(launcher_verdict, interrupt_says_where_the_group_stood)
{
    end.signal = SIGINT;
    rank_board_at(&board, 2)->progress = 8;
    rank_board_at(&board, 2)->step = 4;
    judge();
    cr_assert_eq(failure.kind, RANK_FAILURE_INTERRUPTED);
    cr_assert_eq(failure.rank, -1);
    cr_assert_eq(failure.step, 4);
}

Test(launcher_verdict, ranks_that_never_came_up_are_a_failed_launch)
{
    for (uint64_t rank = 0; rank < 3; rank++)
        rank_board_at(&board, rank)->phase = RANK_NOT_STARTED;
    end.exited = true;
    end.status = 1 << 8;
    end.said = "There are not enough slots\n\033[31m";
    judge();
    cr_assert_eq(failure.kind, RANK_FAILURE_LAUNCH);
    cr_assert(strstr(failure.detail, "code 1; it said: There are not enough") != NULL, "%s",
              failure.detail);
    cr_assert(strchr(failure.detail, '\033') == NULL);
}
