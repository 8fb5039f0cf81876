#include <criterion/criterion.h>
#include <math.h>

#include "backend_cpu_math.h"
#include "operator_reference.h"

Test(backend_cpu_math, exponential_is_within_2_in_10_million)
{
    /* every 1/1000 of its range; Cephes states 1.7e-7 for this polynomial */
    for (int i = -87000; i <= 87000; i++) {
        const float x = (float)i / 1000;
        const double expected = exp((double)x);
        cr_assert(fabs((double)backend_cpu_exp(x) - expected) <= 2e-7 * expected, "e^%g is %.9g",
                  (double)x, (double)backend_cpu_exp(x));
    }
}

Test(backend_cpu_math, exponential_is_exact_at_zero_and_limited_beyond_its_range)
{
    cr_assert_eq(backend_cpu_exp(0), 1);
    cr_assert(backend_cpu_exp(-1e30F) < 1e-37F);
    cr_assert(backend_cpu_exp(-INFINITY) < 1e-37F);
    cr_assert(backend_cpu_exp(1e30F) > 1e37F);
    cr_assert(isfinite(backend_cpu_exp(INFINITY)));
    cr_assert(isnan(backend_cpu_exp(NAN)));
    cr_assert(isnan(backend_cpu_exp(-NAN)));
}

Test(backend_cpu_math, gelu_and_its_slope_agree_with_the_tanh_form)
{
    for (int i = -20000; i <= 20000; i++) {
        const float x = (float)i / 1000;
        /* 4e-7: a few roundings of the argument, which the exponential carries on */
        cr_assert(fabs((double)backend_cpu_gelu(x) - reference_gelu((double)x)) <=
                      4e-7 * fmax(1, fabs((double)x)),
                  "gelu(%g)", (double)x);
        cr_assert(fabs((double)backend_cpu_gelu_slope(x) - reference_gelu_slope((double)x)) <= 1e-6,
                  "gelu'(%g)", (double)x);
    }
    cr_assert_eq(backend_cpu_gelu_slope(1e30F), 1);
    cr_assert(fabsf(backend_cpu_gelu_slope(-1e30F)) < 1e-20F);
    cr_assert(isnan(backend_cpu_gelu(NAN)));
    cr_assert(isnan(backend_cpu_gelu_slope(NAN)));
}
