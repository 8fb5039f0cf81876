#include <criterion/criterion.h>
#include <math.h>

#include "memory_stack.h"

static struct summary_candidate candidate(double peak_mb)
{
    return (struct summary_candidate){
        .peak_memory_mb = peak_mb,
        .ledger = {.available = true,
                   .parameters_mb = 400,
                   .gradients_mb = 400,
                   .optimizer_state_mb = 800,
                   .resident_mb = 1600,
                   .persistent_parameters_mb = NAN,
                   .padding_mb = NAN},
    };
}

Test(memory_stack, parts_follow_each_other_from_zero_to_the_peak)
{
    static const struct summary_amount temporary[] = {
        {"a", NULL, 100}, {"b", NULL, NAN}, {"c", NULL, 50}};
    struct summary_candidate c = candidate(2000);
    struct memory_stack stack;
    c.ledger.persistent_parameters_mb = 30;
    c.ledger.padding_mb = 20;
    c.ledger.temporary = (struct summary_amounts){temporary, 3};
    memory_stack_of(&c, &stack);
    static const struct memory_stack_part expected[] = {
        {THEME_PARAMETERS, 0, 400},    {THEME_GRADIENTS, 400, 800},
        {THEME_OPTIMIZER, 800, 1600},  {THEME_KEPT_WHOLE, 1600, 1650},
        {THEME_TEMPORARY, 1650, 1800}, {THEME_NOT_ATTRIBUTED, 1800, 2000},
    };
    cr_assert_eq(stack.count, 6);
    for (size_t i = 0; i < 6; i++) {
        cr_assert_eq(stack.parts[i].area, expected[i].area);
        cr_assert_eq(stack.parts[i].from_mb, expected[i].from_mb);
        cr_assert_eq(stack.parts[i].to_mb, expected[i].to_mb);
    }
    cr_assert_eq(stack.excess_mb, 0);
    cr_assert_eq(memory_stack_reach(&stack), 2000);
}

Test(memory_stack, says_by_how_much_the_parts_exceed_the_peak)
{
    struct summary_candidate c = candidate(1000);
    struct memory_stack stack;
    memory_stack_of(&c, &stack);
    cr_assert_eq(stack.count, 3, "nothing is left that is not attributed");
    cr_assert_eq(stack.excess_mb, 600);
    cr_assert_eq(memory_stack_reach(&stack), 1600);
}

Test(memory_stack, a_peak_equal_to_its_parts_has_neither_rest_nor_excess)
{
    struct summary_candidate c = candidate(1600);
    struct memory_stack stack;
    memory_stack_of(&c, &stack);
    cr_assert_eq(stack.count, 3);
    cr_assert_eq(stack.excess_mb, 0);
}

Test(memory_stack, without_a_ledger_the_peak_is_not_attributed)
{
    struct summary_candidate c = candidate(1000);
    struct memory_stack stack;
    c.ledger.available = false;
    memory_stack_of(&c, &stack);
    cr_assert_eq(stack.count, 1);
    cr_assert_eq(stack.parts[0].area, THEME_NOT_ATTRIBUTED);
    cr_assert_eq(stack.known_mb, 0);
}

Test(memory_stack, a_peak_that_is_not_measured_stays_not_measured)
{
    static const double values[] = {NAN, -1, INFINITY};
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        struct summary_candidate c = candidate(values[i]);
        struct memory_stack stack;
        memory_stack_of(&c, &stack);
        cr_assert(isnan(stack.peak_mb));
        cr_assert_eq(stack.known_mb, 1600);
        cr_assert_eq(stack.excess_mb, 0);
    }
}

Test(memory_stack, a_measured_zero_is_a_measurement)
{
    struct summary_candidate c = candidate(0);
    struct memory_stack stack;
    memory_stack_of(&c, &stack);
    cr_assert_eq(stack.peak_mb, 0);
    cr_assert_eq(stack.excess_mb, 1600);
}

static const struct summary_amount at_peak[] = {
    {"workspace", NULL, 10},           {"optimizer_state", NULL, 800},
    {"parameters", NULL, 400},         {"something new", NULL, 7},
    {"gradients", NULL, 400},          {"gradient_buckets", NULL, 3},
    {"communication_buffers", NULL, 2}};
static const struct summary_phase phases[] = {{"init", 1600, {at_peak, 3}},
                                              {"backward", 1622, {at_peak, 7}},
                                              {"checkpoint_restore", 5000, {at_peak, 1}}};

Test(memory_stack, measured_categories_of_the_peak_of_training_come_before_the_ledger)
{
    struct summary_candidate c = candidate(1622);
    struct memory_stack stack;
    c.ledger.parameters_mb = 1; /* not this */
    c.phases = phases;
    c.phase_count = 3;
    memory_stack_of(&c, &stack);
    static const struct memory_stack_part expected[] = {
        {THEME_PARAMETERS, 0, 400},  {THEME_GRADIENTS, 400, 800},   {THEME_OPTIMIZER, 800, 1600},
        {THEME_BUFFERS, 1600, 1605}, {THEME_WORKSPACE, 1605, 1615}, {THEME_TEMPORARY, 1615, 1622},
    };
    cr_assert_eq(stack.count, 6);
    for (size_t i = 0; i < 6; i++) {
        cr_assert_eq(stack.parts[i].area, expected[i].area, "part %zu", i);
        cr_assert_eq(stack.parts[i].from_mb, expected[i].from_mb);
        cr_assert_eq(stack.parts[i].to_mb, expected[i].to_mb);
    }
    cr_assert(stack.measured);
    cr_assert_eq(stack.resident_mb, 1600);
    cr_assert_eq(stack.excess_mb, 0);
}

Test(memory_stack, a_failed_run_shows_the_ledger_and_not_what_it_reached)
{
    struct summary_candidate c = candidate(1622);
    struct memory_stack stack;
    c.phases = phases;
    c.phase_count = 3;
    c.failure.reason = "killed";
    memory_stack_of(&c, &stack);
    cr_assert_not(stack.measured);
    cr_assert_eq(stack.known_mb, 1600);
}

Test(memory_stack, a_highest_phase_without_categories_leaves_the_ledger)
{
    static const struct summary_phase bare[] = {{"forward", 100, {at_peak, 7}},
                                                {"backward", 1622, {NULL, 0}}};
    struct summary_candidate c = candidate(1622);
    struct memory_stack stack;
    c.phases = bare;
    c.phase_count = 2;
    memory_stack_of(&c, &stack);
    cr_assert_not(stack.measured);
    cr_assert_eq(stack.resident_mb, 1600);
}

Test(memory_stack, what_stays_between_steps_is_unknown_without_parts)
{
    struct summary_candidate c = candidate(1000);
    struct memory_stack stack;
    c.ledger.available = false;
    memory_stack_of(&c, &stack);
    cr_assert(isnan(stack.resident_mb));
}
