#include <criterion/criterion.h>
#include <math.h>

#include "statistics.h"

Test(statistics, median_is_the_middle_value_or_the_mean_of_the_two_middle_ones)
{
    double odd[] = {9, 1, 5};
    double even[] = {8, 1, 4, 2};
    double one[] = {7};
    cr_assert_eq(statistics_median(odd, 3), 5);
    cr_assert_eq(statistics_median(even, 4), 3);
    cr_assert_eq(statistics_median(one, 1), 7);
}

Test(statistics, nothing_measured_has_no_statistic)
{
    double with_nan[] = {1, NAN, 3};
    cr_assert(isnan(statistics_median(with_nan, 0)));
    cr_assert(isnan(statistics_median(with_nan, 3)));
    cr_assert(isnan(statistics_max(with_nan, 0)));
    cr_assert(isnan(statistics_max(with_nan, 3)));
    cr_assert(isnan(statistics_mean(with_nan, 0)));
    cr_assert(isnan(statistics_variation(with_nan, 1)));
}

/* 0.2 + (1 - 0.2) / 2 is 0.6000000000000001 in doubles. */
Test(statistics, median_of_two_is_rounded_once)
{
    double values[] = {1, 0.2};
    double subnormal[] = {5e-324, 5e-324};
    cr_assert_eq(statistics_median(values, 2), 0.6);
    cr_assert_eq(statistics_median(subnormal, 2), 5e-324);
}

Test(statistics, median_of_huge_values_does_not_overflow)
{
    double values[] = {1.7e308, 1.7e308};
    cr_assert_eq(statistics_median(values, 2), 1.7e308);
}

Test(statistics, variation_is_the_sample_deviation_over_the_mean)
{
    double values[] = {2, 4, 4, 4, 5, 5, 7, 9, 5, 5};
    /* mean 5, squares 32, so sqrt(32 / 9) / 5; 1e-15: one rounding of the square root */
    cr_assert_float_eq(statistics_variation(values, 10), sqrt(32.0 / 9) / 5, 1e-15);
    double same[] = {3, 3, 3};
    cr_assert_eq(statistics_variation(same, 3), 0);
}

Test(statistics, step_time_is_the_median_over_steps_of_the_slowest_rank)
{
    const double rank0[] = {10, 30, 10, 99};
    const double rank1[] = {20, 11, 12};
    const struct series ranks[] = {{rank0, 4}, {rank1, 3}};
    struct arena arena = {0};
    size_t count = 0;
    bool failed = false;
    double *slowest = statistics_slowest_rank(ranks, 2, &arena, &count, &failed);
    cr_assert_eq(count, 3, "the shortest rank decides");
    cr_assert_eq(slowest[0], 20);
    cr_assert_eq(slowest[1], 30);
    cr_assert_eq(slowest[2], 12);
    cr_assert_eq(statistics_step_time(ranks, 2, &arena, &failed), 20);
    cr_assert(isnan(statistics_step_time(ranks, 0, &arena, &failed)));
    cr_assert(!failed);
    arena_fini(&arena);
}
