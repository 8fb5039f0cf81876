#include <criterion/criterion.h>
#include <math.h>

#include "step_stack.h"

static struct summary_candidate candidate(void)
{
    return (struct summary_candidate){.step_time_ms = 90,
                                      .timing = {.available = true,
                                                 .rank = 3,
                                                 .step_ms = 100,
                                                 .forward_ms = 20,
                                                 .backward_ms = 50,
                                                 .optimizer_ms = 5,
                                                 .exposed_ms = 24,
                                                 .other_ms = 1,
                                                 .in_flight_ms = 60}};
}

Test(step_stack, parts_follow_each_other_and_hidden_communication_is_none_of_them)
{
    static const struct step_stack_part expected[] = {{THEME_FORWARD, 0, 20},
                                                      {THEME_BACKWARD, 20, 70},
                                                      {THEME_UPDATE, 70, 75},
                                                      {THEME_COMMUNICATION, 75, 99},
                                                      {THEME_OTHER_TIME, 99, 100}};
    struct summary_candidate c = candidate();
    struct step_stack stack;
    step_stack_of(&c, &stack);
    cr_assert_eq(stack.count, 5);
    for (size_t i = 0; i < 5; i++) {
        cr_assert_eq(stack.parts[i].area, expected[i].area, "part %zu", i);
        cr_assert_eq(stack.parts[i].from_ms, expected[i].from_ms);
        cr_assert_eq(stack.parts[i].to_ms, expected[i].to_ms);
    }
    cr_assert(stack.split);
    cr_assert_eq(stack.rank, 3);
    cr_assert_eq(stack.hidden_ms, 36);
    cr_assert_eq(step_stack_reach(&stack), 100);
}

Test(step_stack, what_the_parts_lack_of_the_step_is_not_attributed)
{
    struct summary_candidate c = candidate();
    struct step_stack stack;
    c.timing.optimizer_ms = NAN;
    step_stack_of(&c, &stack);
    cr_assert_eq(stack.count, 5);
    cr_assert_eq(stack.parts[4].area, THEME_NOT_ATTRIBUTED);
    cr_assert_eq(stack.parts[4].from_ms, 95);
    cr_assert_eq(stack.parts[4].to_ms, 100);
}

Test(step_stack, without_the_split_the_median_step_is_one_part)
{
    struct summary_candidate c = candidate();
    struct step_stack stack;
    c.timing.available = false;
    step_stack_of(&c, &stack);
    cr_assert_not(stack.split);
    cr_assert_eq(stack.step_ms, 90);
    cr_assert_eq(stack.count, 1);
    cr_assert_eq(stack.parts[0].area, THEME_NOT_ATTRIBUTED);
    cr_assert(isnan(stack.hidden_ms));
    c.step_time_ms = NAN;
    step_stack_of(&c, &stack);
    cr_assert_eq(stack.count, 0);
    cr_assert(isnan(stack.step_ms));
    cr_assert_eq(step_stack_reach(&stack), 0);
}

Test(step_stack, more_exposed_than_in_flight_hides_nothing)
{
    struct summary_candidate c = candidate();
    struct step_stack stack;
    c.timing.in_flight_ms = 20;
    step_stack_of(&c, &stack);
    cr_assert(isnan(stack.hidden_ms), "not known, and never below 0");
    c.timing.in_flight_ms = 24;
    step_stack_of(&c, &stack);
    cr_assert_eq(stack.hidden_ms, 0);
    c.timing.in_flight_ms = NAN;
    step_stack_of(&c, &stack);
    cr_assert(isnan(stack.hidden_ms));
}

Test(step_stack, a_failed_run_has_no_step)
{
    struct summary_candidate c = candidate();
    struct step_stack stack;
    c.failure.reason = "killed";
    step_stack_of(&c, &stack);
    cr_assert_eq(stack.count, 0);
    cr_assert_not(stack.split);
}
