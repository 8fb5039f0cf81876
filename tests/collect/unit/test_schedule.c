#include <criterion/criterion.h>
#include <string.h>

#include "schedule.h"
#include "schedule_case.h"
#include "schedule_walk.h"

static struct schedule_request sound(void)
{
    return (struct schedule_request){
        .strategy = STRATEGY_ZERO3,
        .shape = {.width = 8, .layers = 2, .heads = 2, .vocab = 11, .seq_len = 4, .micro_batch = 2},
        .world_size = 3,
        .gradient_accumulation = 2,
        .bucket_bytes = SCHEDULE_DEFAULT_BUCKET_BYTES,
        .prefetch = 1,
        .overlap = true,
    };
}

static void expect_refusal(struct schedule_request request, const char *words)
{
    struct arena arena = {0};
    struct diag diag = {0};
    struct schedule schedule;
    cr_assert_eq(schedule_build(&request, &arena, &schedule, &diag), STATUS_USAGE, "%s", words);
    cr_assert_not_null(strstr(diag.text, words), "\"%s\" does not say \"%s\"", diag.text, words);
    arena_fini(&arena);
}

Test(schedule, refuses_a_request_that_makes_no_sense)
{
    struct schedule_request request = sound();
    request.world_size = 0;
    expect_refusal(request, "world size 0");
    request.world_size = UINT64_MAX;
    expect_refusal(request, "world size 18446744073709551615");
    request = sound();
    request.gradient_accumulation = 0;
    expect_refusal(request, "gradient accumulation 0");
    request.gradient_accumulation = UINT64_MAX;
    expect_refusal(request, "gradient accumulation 18446744073709551615");
    request = sound();
    request.shape.heads = 3;
    expect_refusal(request, "width 8 is not a multiple of heads 3");
    request = sound();
    request.strategy = STRATEGY_COUNT;
    expect_refusal(request, "strategy number 5");
    request = sound();
    request.shape = (struct model_shape){1 << 20, 8, 1, 1 << 20, 8, 1};
    request.gradient_accumulation = 100000;
    expect_refusal(request, "more bytes a step");
}

/* A list is built in linear time and taken once: the largest depth, many micro-batches. */
Test(schedule, is_built_for_thousands_of_layers)
{
    struct arena arena = {0};
    struct diag diag = {0};
    struct schedule schedule;
    struct schedule_walk walk;
    struct schedule_request request = sound();
    request.shape.layers = 4096;
    request.gradient_accumulation = 16;
    request.prefetch = UINT64_MAX;
    cr_assert_eq(schedule_build(&request, &arena, &schedule, &diag), STATUS_OK, "%s", diag.text);
    cr_assert_eq(schedule.unit_count, 12 * 4096 + 4);
    cr_assert_eq(schedule_walk_of(&schedule, &walk, &diag), STATUS_OK, "%s", diag.text);
    arena_fini(&arena);
}

/* C 8: a bias of 8 in a unit padded to 48 for 3 ranks lies wholly in the first part of 16. */
Test(schedule, knows_which_elements_of_a_shard_are_no_padding)
{
    struct arena arena = {0};
    struct diag diag = {0};
    struct schedule schedule;
    struct schedule_request request = sound();
    cr_assert_eq(schedule_build(&request, &arena, &schedule, &diag), STATUS_OK);
    cr_assert_eq(schedule_valid_elements(&schedule, 3, 0), 8);
    cr_assert_eq(schedule_valid_elements(&schedule, 3, 1), 0);
    cr_assert_eq(schedule_valid_elements(&schedule, 3, 2), 0);
    cr_assert_eq(schedule_valid_elements(&schedule, 0, 0), 32); /* 88 padded to 96 */
    cr_assert_eq(schedule_valid_elements(&schedule, 0, 1), 32);
    cr_assert_eq(schedule_valid_elements(&schedule, 0, 2), 24);
    arena_fini(&arena);
}

/* Buckets of one model at two world sizes hold the same tensors. */
Test(schedule, has_borders_that_do_not_depend_on_the_world_size)
{
    for (int strategy = 0; strategy < STRATEGY_COUNT; strategy++) {
        struct arena arena = {0};
        struct diag diag = {0};
        struct schedule one, many;
        struct schedule_request request = sound();
        request.strategy = (enum strategy)strategy;
        request.bucket_bytes = 3000;
        request.world_size = 1;
        cr_assert_eq(schedule_build(&request, &arena, &one, &diag), STATUS_OK);
        request.world_size = 64;
        cr_assert_eq(schedule_build(&request, &arena, &many, &diag), STATUS_OK);
        cr_assert_eq(one.unit_count, many.unit_count);
        for (size_t i = 0; i < one.tensor_count; i++) {
            cr_assert_eq(one.places[i].unit, many.places[i].unit);
            cr_assert_eq(one.places[i].offset, many.places[i].offset);
        }
        arena_fini(&arena);
    }
}

/* A weight and its bias are reduced together, so that one action completes both. */
Test(schedule, keeps_a_weight_and_its_bias_in_one_bucket)
{
    struct arena arena = {0};
    struct diag diag = {0};
    struct schedule schedule;
    struct schedule_request request = sound();
    request.strategy = STRATEGY_ZERO2;
    request.bucket_bytes = 0;
    cr_assert_eq(schedule_build(&request, &arena, &schedule, &diag), STATUS_OK);
    cr_assert_eq(schedule.unit_count, 6 * 2 + 3);
    for (size_t i = 2; i < schedule.tensor_count; i += 2)
        cr_assert_eq(schedule.places[i].unit, schedule.places[i + 1].unit);
    arena_fini(&arena);
}
