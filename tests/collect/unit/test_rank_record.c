#include "rank_record.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char path[64];

static void make_path(void)
{
    snprintf(path, sizeof path, "/tmp/rankledger-board-%ld", (long)getpid());
}

static void remove_file(void)
{
    unlink(path);
}

TestSuite(rank_record, .init = make_path, .fini = remove_file);

Test(rank_record, board_in_memory_has_one_untouched_record_a_rank)
{
    struct rank_board board;
    struct diag diag = {0};
    cr_assert_eq(rank_board_create(NULL, 3, 5, &board, &diag), STATUS_OK, "%s", diag.text);
    for (uint64_t rank = 0; rank < 3; rank++) {
        const struct rank_record *record = rank_board_at(&board, rank);
        cr_assert_eq(record->rank, rank);
        cr_assert_eq(record->world_size, 3);
        cr_assert_eq(record->step_capacity, 5);
        cr_assert_eq(record->step, -1);
        cr_assert_eq(record->phase, RANK_NOT_STARTED);
        cr_assert_eq(record->failure.kind, RANK_FAILURE_NONE);
        cr_assert(isnan(record->blocking_ms));
    }
    rank_board_fini(&board);
}

Test(rank_record, what_a_killed_process_wrote_is_read_afterwards)
{
    struct rank_board board;
    struct diag diag = {0};
    cr_assert_eq(rank_board_create(path, 2, 4, &board, &diag), STATUS_OK, "%s", diag.text);
    pid_t child = fork();
    if (child == 0) {
        struct rank_board own;
        if (rank_board_open(path, 2, 4, &own, &diag) != STATUS_OK)
            _exit(1);
        struct rank_record *record = rank_board_at(&own, 1);
        record->steps[3].total_ns = 77; /* the last of the last record */
        record->progress = 5;
        raise(SIGKILL);
    }
    int state = 0;
    waitpid(child, &state, 0);
    cr_assert(WIFSIGNALED(state) && WTERMSIG(state) == SIGKILL);
    cr_assert_eq(rank_board_at(&board, 1)->steps[3].total_ns, 77);
    cr_assert_eq(rank_board_at(&board, 1)->progress, 5);
    cr_assert_eq(rank_board_at(&board, 0)->progress, 0);
    rank_board_fini(&board);
}

Test(rank_record, existing_file_is_not_taken_for_a_new_board)
{
    struct rank_board board;
    struct diag diag = {0};
    cr_assert_eq(rank_board_create(path, 1, 1, &board, &diag), STATUS_OK);
    struct rank_board second;
    cr_assert_eq(rank_board_create(path, 1, 1, &second, &diag), STATUS_ENVIRONMENT);
    cr_assert(strstr(diag.text, "cannot create") != NULL, "%s", diag.text);
    rank_board_fini(&board);
}

Test(rank_record, board_of_another_size_is_refused)
{
    struct rank_board board;
    struct diag diag = {0};
    cr_assert_eq(rank_board_create(path, 1, 1, &board, &diag), STATUS_OK);
    struct rank_board other;
    cr_assert_eq(rank_board_open(path, 2, 1, &other, &diag), STATUS_BUG);
    rank_board_fini(&board);
}

Test(rank_record, board_beyond_reason_is_refused_and_leaves_no_file)
{
    struct rank_board board;
    struct diag diag = {0};
    cr_assert_neq(rank_board_create(path, UINT64_C(1) << 40, 10, &board, &diag), STATUS_OK);
    cr_assert_neq(access(path, F_OK), 0, "the file stayed behind");
}

Test(rank_record, first_failure_stays_with_its_time_and_place)
{
    struct rank_board board;
    struct diag diag = {0};
    cr_assert_eq(rank_board_create(NULL, 2, 1, &board, &diag), STATUS_OK);
    struct rank_record *record = rank_board_at(&board, 1);
    record->phase = RANK_BACKWARD;
    record->step = 7;
    rank_record_fail(record, RANK_FAILURE_NON_FINITE, -1, "the norm is\nnot finite");
    record->phase = RANK_FINISH;
    rank_record_fail(record, RANK_FAILURE_COMMUNICATION, 0, "later");
    cr_assert_eq(record->failure.kind, RANK_FAILURE_NON_FINITE);
    cr_assert_eq(record->failure.phase, RANK_BACKWARD);
    cr_assert_eq(record->failure.rank, 1);
    cr_assert_eq(record->failure.step, 7);
    cr_assert_gt(record->failure.at_ns, 0);
    cr_assert_str_eq(record->failure.detail, "the norm is\\nnot finite");
    rank_board_fini(&board);
}

Test(rank_record, every_phase_and_kind_has_a_name)
{
    for (int phase = RANK_NOT_STARTED; phase <= RANK_DONE; phase++)
        cr_assert_str_neq(rank_phase_name((enum rank_phase)phase), "unknown");
    for (int kind = RANK_FAILURE_NONE; kind <= RANK_FAILURE_INTERRUPTED; kind++)
        cr_assert_str_neq(rank_failure_kind_name((enum rank_failure_kind)kind), "unknown");
    cr_assert_str_eq(rank_failure_kind_name(RANK_FAILURE_OUT_OF_MEMORY), "out_of_memory");
}

Test(rank_record, message_of_another_rank_names_it)
{
    const char *message = "rank 12: disk full";
    cr_assert_eq(rank_record_origin(&message), 12);
    cr_assert_str_eq(message, "disk full");
    static const char *const others[] = {"rank x: y", "rank 3", "a rank 3: y", "rank -1: y", ""};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        message = others[i];
        cr_assert_eq(rank_record_origin(&message), -1, "%s", others[i]);
        cr_assert_str_eq(message, others[i]);
    }
}
