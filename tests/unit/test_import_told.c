#include <criterion/criterion.h>
#include <math.h>

#include "import_told.h"

Test(import_told, keeps_the_first_value_and_where_another_differs)
{
    struct import_told told = {0};
    cr_assert_not(import_told_once(&told));
    import_told_add(&told, 8, 3);
    import_told_add(&told, 8, 5);
    cr_assert(import_told_once(&told));
    import_told_add(&told, 4, 7);
    import_told_add(&told, 2, 9);
    cr_assert_not(import_told_once(&told));
    cr_assert_eq(told.value, 8);
    cr_assert_eq(told.line, 3);
    cr_assert_eq(told.other, 4);
    cr_assert_eq(told.other_line, 7);
}

Test(import_told, takes_no_number_that_cannot_be_counted)
{
    static const double values[] = {NAN, INFINITY, -INFINITY, -1, 1e19, 1e-13};
    struct import_told told = {0};
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++)
        import_told_add(&told, values[i], 1);
    cr_assert_eq(told.line, 0);
    import_told_add(&told, 0, 2);
    cr_assert_eq(told.line, 2);
}

Test(import_told, finds_the_whole_number_that_a_rounded_product_means)
{
    /* 7.799 samples/s for 4103.1 ms: 31.99998, off by at most 0.0024. */
    cr_assert_eq(import_told_whole(7.799 * 4.1031, 0.0024), 32);
    cr_assert_eq(import_told_whole(32.4, 0.4), 32);
    cr_assert(isnan(import_told_whole(32.4, 0.3))); /* none in reach */
    cr_assert(isnan(import_told_whole(32.5, 0.5))); /* two */
    cr_assert(isnan(import_told_whole(32, 5)));
    cr_assert(isnan(import_told_whole(0.1, 0.2)));
    cr_assert(isnan(import_told_whole(NAN, 0.1)));
    cr_assert(isnan(import_told_whole(32, NAN)));
}
