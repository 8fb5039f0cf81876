#include <criterion/criterion.h>
#include <inttypes.h>

#include "schedule_case.h"
#include "schedule_count.h"
#include "schedule_reference.h"
#include "schedule_walk.h"

/* Every sum over the list against closed forms written down a second time
 * (support/schedule_reference*.c). All are integers: no tolerance. */

static void check_count(const struct schedule *schedule, const struct schedule_reference *expected,
                        const char *where)
{
    struct schedule_count count = schedule_count_of(schedule);
    for (int i = 0; i < SCHEDULE_COLLECTIVE_COUNT; i++) {
        for (int j = 0; j < SCHEDULE_PURPOSE_COUNT; j++) {
            cr_assert_eq(count.calls[i][j], expected->calls[i][j],
                         "%s: %s for %s: %" PRIu64 " calls, not %" PRIu64, where,
                         schedule_collective_name(i), schedule_purpose_name(j), count.calls[i][j],
                         expected->calls[i][j]);
            cr_assert_eq(count.payload_bytes[i][j], expected->payload[i][j],
                         "%s: %s for %s: %" PRIu64 " bytes, not %" PRIu64, where,
                         schedule_collective_name(i), schedule_purpose_name(j),
                         count.payload_bytes[i][j], expected->payload[i][j]);
        }
    }
}

static void check_walk(const struct schedule *schedule, const struct schedule_reference *expected,
                       const char *where)
{
    struct diag diag = {0};
    struct schedule_walk walk;
    cr_assert_eq(schedule_walk_of(schedule, &walk, &diag), STATUS_OK, "%s: %s", where, diag.text);
    uint64_t largest = 0;
    for (int i = 0; i < SCHEDULE_CATEGORY_COUNT; i++) {
        cr_assert_eq(walk.resident[i], expected->resident[i],
                     "%s: resident %s %" PRIu64 ", not %" PRIu64, where, schedule_category_name(i),
                     walk.resident[i], expected->resident[i]);
        cr_assert_eq(walk.category_peak[i], expected->category_peak[i],
                     "%s: peak of %s %" PRIu64 ", not %" PRIu64, where, schedule_category_name(i),
                     walk.category_peak[i], expected->category_peak[i]);
    }
    for (int i = 0; i <= SCHEDULE_PHASE_OPTIMIZER; i++) {
        uint64_t sum = 0;
        cr_assert_eq(walk.phase_peak[i], expected->phase_peak[i],
                     "%s: peak in %s %" PRIu64 ", not %" PRIu64, where, schedule_phase_name(i),
                     walk.phase_peak[i], expected->phase_peak[i]);
        for (int j = 0; j < SCHEDULE_CATEGORY_COUNT; j++)
            sum += walk.at_peak[i][j];
        cr_assert_eq(sum, walk.phase_peak[i], "%s: the parts of a peak add up to it", where);
        largest = sum > largest ? sum : largest;
    }
    cr_assert_eq(walk.peak, largest, "%s: the peak is the largest of the phases'", where);
}

static void check_ledger(const struct schedule *schedule, const struct schedule_reference *expected,
                         const char *where)
{
    struct schedule_ledger ledger = schedule_ledger_of(schedule);
    cr_assert_eq(ledger.parameters, expected->parameters, "%s: parameters", where);
    cr_assert_eq(ledger.gradients, expected->gradients, "%s: gradients", where);
    cr_assert_eq(ledger.optimizer_state, expected->optimizer_state, "%s: optimizer", where);
    cr_assert_eq(ledger.persistent, expected->persistent, "%s: persistent", where);
    cr_assert_eq(ledger.padding, expected->padding, "%s: padding", where);
}

static void check_request(const struct schedule_request *request)
{
    char where[256];
    struct arena arena = {0};
    struct diag diag = {0};
    struct schedule schedule;
    schedule_case_text(request, where);
    cr_assert_eq(schedule_build(request, &arena, &schedule, &diag), STATUS_OK, "%s: %s", where,
                 diag.text);
    struct schedule_reference expected = schedule_reference_of(request);
    check_count(&schedule, &expected, where);
    check_walk(&schedule, &expected, where);
    check_ledger(&schedule, &expected, where);
    arena_fini(&arena);
}

static void check_strategy(enum strategy strategy)
{
    for (size_t shape = 0; shape < schedule_case_shape_count; shape++) {
        struct schedule_request request = {
            .strategy = strategy,
            .shape = schedule_case_shapes[shape],
        };
        for (size_t i = 0; schedule_case_options(i, &request); i++)
            for (request.world_size = 1; request.world_size <= 64; request.world_size++)
                check_request(&request);
    }
}

Test(schedule_sums, of_ddp_are_the_closed_forms)
{
    check_strategy(STRATEGY_DDP);
}

Test(schedule_sums, of_zero1_are_the_closed_forms)
{
    check_strategy(STRATEGY_ZERO1);
}

Test(schedule_sums, of_zero2_are_the_closed_forms)
{
    check_strategy(STRATEGY_ZERO2);
}

Test(schedule_sums, of_zero3_are_the_closed_forms)
{
    check_strategy(STRATEGY_ZERO3);
}

Test(schedule_sums, of_fsdp_are_the_closed_forms)
{
    check_strategy(STRATEGY_FSDP);
}

/* Hand-counted, for one model: C 8, L 2, V 11, T 4, N 3, so units are multiples of 48; fp32. */
Test(schedule_sums, of_a_tiny_model_are_those_counted_by_hand)
{
    struct arena arena = {0};
    struct diag diag = {0};
    struct schedule schedule;
    struct schedule_request request = {
        .strategy = STRATEGY_FSDP,
        .shape = {.width = 8, .layers = 2, .heads = 2, .vocab = 11, .seq_len = 4, .micro_batch = 2},
        .world_size = 3,
        .gradient_accumulation = 2,
        .prefetch = 1,
        .overlap = true,
    };
    cr_assert_eq(schedule_build(&request, &arena, &schedule, &diag), STATUS_OK);
    /* A block: 12 * 64 + 13 * 8 = 872, padded 912. The root: 88 + 32 + 16 = 136, padded 144. */
    struct schedule_count count = schedule_count_of(&schedule);
    cr_assert_eq(count.calls[SCHEDULE_ALL_GATHER][SCHEDULE_PARAMETER_GATHER], 10);
    cr_assert_eq(count.payload_bytes[SCHEDULE_ALL_GATHER][SCHEDULE_PARAMETER_GATHER],
                 2 * 4 * (2 * 2 * 912 + 144));
    cr_assert_eq(count.calls[SCHEDULE_REDUCE_SCATTER][SCHEDULE_GRADIENT_REDUCTION], 6);
    cr_assert_eq(count.payload_bytes[SCHEDULE_REDUCE_SCATTER][SCHEDULE_GRADIENT_REDUCTION],
                 2 * 4 * (2 * 912 + 144));
    /* 1880 parameters: 2506 bytes a rank of 4-byte parameters, rounded down; held are
     * (144 + 2 * 912) / 3 * 16 = 10496 bytes. */
    struct schedule_ledger ledger = schedule_ledger_of(&schedule);
    cr_assert_eq(ledger.parameters, 2506);
    cr_assert_eq(ledger.gradients, 2506);
    cr_assert_eq(ledger.optimizer_state, 5013);
    cr_assert_eq(ledger.padding, 10496 - 2506 - 2506 - 5013);
    struct schedule_walk walk;
    cr_assert_eq(schedule_walk_of(&schedule, &walk, &diag), STATUS_OK);
    cr_assert_eq(walk.category_peak[SCHEDULE_GATHERED_PARAMETERS], 4 * (2 * 912 + 144));
    cr_assert_eq(walk.category_peak[SCHEDULE_COMMUNICATION_BUFFERS], 4 * 2 * 912);
    cr_assert_eq(walk.category_peak[SCHEDULE_GRADIENTS_UNSHARDED], 4 * 144);
    arena_fini(&arena);
}

Test(schedule_sums, take_the_bus_factors_of_nccl_tests)
{
    cr_assert_eq(schedule_count_bus_factor(SCHEDULE_ALL_REDUCE, 4), 1.5);
    cr_assert_eq(schedule_count_bus_factor(SCHEDULE_REDUCE_SCATTER, 4), 0.75);
    cr_assert_eq(schedule_count_bus_factor(SCHEDULE_ALL_GATHER, 1), 0);
}
