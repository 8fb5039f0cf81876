#include <criterion/criterion.h>
#include <math.h>

#include "communication_bars.h"

#define MIB(bytes) ((bytes) / 1048576.0)

static const struct summary_collective rows[] = {
    {"reduce_scatter", "gradient_reduction", 4, 4, 64, 64, NAN, NAN, 8},
    {"all_reduce", "scalar", 1, 1, MIB(8), MIB(8), NAN, NAN, 0.001},
    {"all_gather", "parameter_gather", 2, 3, 32, MIB(33554431), NAN, NAN, NAN},
    {"all_gather", "something", 1, 1, MIB(1023), NAN, NAN, NAN, 1}};
static const struct summary_link links[] = {{"reduce_scatter", 1, 3},
                                            {"reduce_scatter", 8, 5},
                                            {"all_gather", 16, 11},
                                            {"reduce_scatter", 64, 7},
                                            {"reduce_scatter", 31, NAN}};

static struct summary_candidate candidate(void)
{
    return (struct summary_candidate){.collectives = rows,
                                      .collective_count = 4,
                                      .links = links,
                                      .link_count = 5,
                                      .formula_payload_mb = 96};
}

Test(communication_bars, a_bar_a_collective_and_those_of_a_few_bytes_apart)
{
    struct summary_candidate c = candidate();
    struct communication_bars bars;
    communication_bars_of(&c, &bars);
    cr_assert_eq(bars.count, 2);
    cr_assert_str_eq(bars.items[0].collective, "reduce_scatter");
    cr_assert_str_eq(bars.items[1].collective, "all_gather");
    cr_assert_eq(bars.scalar_count, 2, "the scalar, and 1,023 bytes of whatever");
    cr_assert_eq(bars.left_out, 0);
}

Test(communication_bars, differences_are_exact_to_the_byte)
{
    struct summary_candidate c = candidate();
    struct communication_bars bars;
    communication_bars_of(&c, &bars);
    cr_assert_eq(communication_bars_difference(&bars.items[0]), 0);
    cr_assert_eq(communication_bars_difference(&bars.items[1]), 1);
    cr_assert(isnan(communication_bars_difference(&bars.scalars[1])), "it has no formula");
    struct communication_bar large = {.counted_mb = MIB(9007199254740990.0),
                                      .expected_mb = MIB(9007199254740991.0)};
    cr_assert_eq(communication_bars_difference(&large), -1);
}

Test(communication_bars, the_calibration_is_that_of_the_same_collective_at_the_nearest_payload)
{
    struct summary_candidate c = candidate();
    struct communication_bars bars;
    communication_bars_of(&c, &bars);
    /* 16 MiB a call: as far from 8 as from 32, nearer than 64 by ratio */
    cr_assert_eq(bars.items[0].alone_mb, 8);
    cr_assert_eq(bars.items[0].alone_gb_per_s, 5);
    cr_assert_eq(bars.items[1].alone_gb_per_s, 11);
    cr_assert(isnan(bars.scalars[0].alone_gb_per_s), "all_reduce was not calibrated");
}

Test(communication_bars, a_run_that_did_not_count_has_the_formula_alone)
{
    struct summary_candidate c = candidate();
    struct communication_bars bars;
    c.collective_count = 0;
    communication_bars_of(&c, &bars);
    cr_assert_eq(bars.count, 1);
    cr_assert(isnan(bars.items[0].counted_mb));
    cr_assert_eq(bars.items[0].expected_mb, 96);
    cr_assert_eq(communication_bars_reach(&bars.items[0]), 96);
    c.formula_payload_mb = NAN;
    communication_bars_of(&c, &bars);
    cr_assert_eq(bars.count, 0);
}

Test(communication_bars, more_collectives_than_a_row_holds_are_counted)
{
    struct summary_collective many[12];
    struct summary_candidate c = candidate();
    struct communication_bars bars;
    for (size_t i = 0; i < 12; i++)
        many[i] = rows[0];
    c.collectives = many;
    c.collective_count = 12;
    communication_bars_of(&c, &bars);
    cr_assert_eq(bars.count, COMMUNICATION_BARS_MOST);
    cr_assert_eq(bars.left_out, 12 - COMMUNICATION_BARS_MOST);
}
