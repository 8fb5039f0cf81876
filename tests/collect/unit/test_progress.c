#include "progress.h"

#include <criterion/criterion.h>

#define SECOND UINT64_C(1000000000)

static struct rank_board board;
static char text[160];

static void make_board(void)
{
    struct diag diag = {0};
    cr_assert_eq(rank_board_create(NULL, 2, 8, &board, &diag), STATUS_OK);
}

static void free_board(void)
{
    rank_board_fini(&board);
}

TestSuite(progress, .init = make_board, .fini = free_board);

static struct progress progress = {
    .name = "zero1", .round = 1, .rounds = 3, .steps = 8, .tokens = 1000};

Test(progress, before_the_first_step_it_names_the_phase)
{
    rank_board_at(&board, 0)->phase = RANK_INIT;
    cr_assert_str_eq(progress_line(&progress, &board, text, sizeof text), "zero1  round 2/3  init");
}

Test(progress, shows_the_slower_rank_with_its_speed_and_what_is_left)
{
    for (uint64_t rank = 0; rank < 2; rank++) {
        struct rank_record *record = rank_board_at(&board, rank);
        record->step_count = rank == 0 ? 4 : 3;
        record->progress = record->step_count;
        record->steps[0].total_ns = 50 * SECOND; /* the first step is slower and does not count */
        for (int s = 1; s < 4; s++)
            record->steps[s].total_ns = 2 * SECOND;
    }
    cr_assert_str_eq(progress_line(&progress, &board, text, sizeof text),
                     "zero1  round 2/3  step 3/8  500 tokens/s  10 s left");
}

Test(progress, after_the_last_step_it_names_the_phase)
{
    for (uint64_t rank = 0; rank < 2; rank++) {
        struct rank_record *record = rank_board_at(&board, rank);
        record->step_count = 8;
        record->steps[1].total_ns = SECOND;
        record->phase = RANK_CHECKPOINT_SAVE;
    }
    cr_assert_str_eq(progress_line(&progress, &board, text, sizeof text),
                     "zero1  round 2/3  checkpoint_save");
}
