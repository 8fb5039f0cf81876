#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "training_state.h"

static double resident(double parameters, double gradients, double optimizer, int64_t world_size,
                       enum strategy strategy)
{
    struct training_state_bytes totals = {parameters, gradients, optimizer};
    struct training_state_ledger ledger = {0};
    struct diag diag = {0};
    cr_assert_eq(training_state_ledger(&totals, world_size, strategy, &ledger, &diag), STATUS_OK);
    return ledger.resident;
}

Test(training_state, reference_ledger_of_400_400_800_on_4_ranks)
{
    const double expected[STRATEGY_COUNT] = {1600, 1000, 700, 400, 400};
    for (int s = 0; s < STRATEGY_COUNT; s++)
        cr_assert_eq(resident(400, 400, 800, 4, (enum strategy)s), expected[s]);
}

Test(training_state, refuses_world_size_0_and_a_strategy_out_of_range)
{
    struct training_state_bytes totals = {400, 400, 800};
    struct training_state_ledger ledger = {.resident = -1};
    struct diag diag = {0};
    cr_assert_eq(training_state_ledger(&totals, 0, STRATEGY_DDP, &ledger, &diag), STATUS_USAGE);
    cr_assert(strstr(diag.text, "world size is 0") != NULL);
    struct diag other = {0};
    cr_assert_eq(training_state_ledger(&totals, 4, STRATEGY_COUNT, &ledger, &other), STATUS_USAGE);
    totals.gradients = NAN;
    struct diag third = {0};
    cr_assert_eq(training_state_ledger(&totals, 4, STRATEGY_DDP, &ledger, &third), STATUS_USAGE);
    totals = (struct training_state_bytes){1e308, 1e308, 0};
    struct diag fourth = {0};
    cr_assert_eq(training_state_ledger(&totals, 4, STRATEGY_DDP, &ledger, &fourth), STATUS_USAGE);
    cr_assert_eq(ledger.resident, -1, "an output is written on success only");
}

/* ZeRO, arXiv:1910.02054, table 1: 7.5e9 parameters, GB of 1e9, to the printed digits: stages 1, 2, 3. */
Test(training_state, zero_table_1_to_its_printed_digits)
{
    static const struct {
        int64_t world_size;
        double printed[3];
        double half_unit[3];
    } rows[] = {
        {4, {52.5, 41.3, 30}, {0.05, 0.05, 0.5}},
        {16, {35.6, 21.6, 7.5}, {0.05, 0.05, 0.05}},
        {64, {31.4, 16.6, 1.88}, {0.05, 0.05, 0.005}},
        {256, {30.4, 15.4, 0.47}, {0.05, 0.05, 0.005}},
        {1024, {30.1, 15.1, 0.12}, {0.05, 0.05, 0.005}},
    };
    struct training_state_bytes bytes;
    cr_assert(training_state_bytes_of_dtype("bf16", STRATEGY_ZERO1, &bytes));
    cr_assert_eq(resident(7.5 * 2, 7.5 * 2, 7.5 * 12, 1, STRATEGY_DDP), 120);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        for (int stage = 1; stage <= 3; stage++) {
            double gb = resident(7.5 * bytes.parameters, 7.5 * bytes.gradients,
                                 7.5 * bytes.optimizer, rows[i].world_size, (enum strategy)stage);
            /* 1e-9: a printed value may lie exactly half a unit away (41.25 is printed 41.3) */
            cr_assert(fabs(gb - rows[i].printed[stage - 1]) <= rows[i].half_unit[stage - 1] + 1e-9,
                      "N=%d stage %d: %g", (int)rows[i].world_size, stage, gb);
        }
}

Test(training_state, finds_exact_names_only)
{
    enum strategy strategy = STRATEGY_COUNT;
    cr_assert(training_state_find("fsdp_full_shard", 15, &strategy));
    cr_assert_eq(strategy, STRATEGY_FSDP);
    cr_assert_not(training_state_find("zero2 ", 6, &strategy));
    cr_assert_not(training_state_find("ZeRO-2", 6, &strategy));
    cr_assert_not(training_state_find("zero", 4, &strategy));
}

Test(training_state, bytes_per_parameter_follow_the_dtype)
{
    struct training_state_bytes bytes = {0};
    cr_assert(training_state_bytes_of_dtype("bf16", STRATEGY_FSDP, &bytes));
    cr_assert_eq(bytes.parameters + bytes.gradients + bytes.optimizer, 16);
    cr_assert_eq(bytes.parameters, 4);
    cr_assert(training_state_bytes_of_dtype("fp32", STRATEGY_DDP, &bytes));
    cr_assert_eq(bytes.optimizer, 8);
    cr_assert_not(training_state_bytes_of_dtype("int8", STRATEGY_DDP, &bytes));
}
