/* The generator, initial values and tokens of model_data.h. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model_data.h"

static const struct model_shape small = {36, 2, 3, 101, 17, 2};

/* kat_vectors of the authors' Random123 library: counter, key, words. */
Test(model_data, generator_gives_the_published_answers)
{
    static const struct {
        uint32_t counter[4], key[2], words[4];
    } known[] = {
        {{0, 0, 0, 0}, {0, 0}, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
        {{~0u, ~0u, ~0u, ~0u}, {~0u, ~0u}, {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
        {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
         {0xa4093822, 0x299f31d0},
         {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
    };
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        uint32_t words[4];
        model_data_philox(known[i].counter, known[i].key, words);
        for (int j = 0; j < 4; j++)
            cr_assert_eq(words[j], known[i].words[j], "vector %zu, word %d: %08x", i, j, words[j]);
    }
}

/* An element as the header defines it, with the library's functions in long double. */
static float expected_element(uint64_t seed, size_t tensor, uint64_t element, double deviation)
{
    const uint32_t key[2] = {(uint32_t)seed, (uint32_t)(seed >> 32)};
    const uint32_t counter[4] = {(uint32_t)(element / 4), (uint32_t)(element / 4 >> 32),
                                 (uint32_t)tensor, 0};
    uint32_t words[4];
    model_data_philox(counter, key, words);
    const uint32_t *pair = words + (element % 4 < 2 ? 0 : 2);
    long double r = sqrtl(-2 * logl((pair[0] + 0.5L) / 4294967296.0L));
    long double angle = 2 * 3.14159265358979323846264338L * pair[1] / 4294967296.0L;
    return (float)(deviation * (double)(r * (element % 2 == 0 ? cosl(angle) : sinl(angle))));
}

/* The series' error, a few 2^-53, moves the rounding to 2^-24 of about one value in 10^8: of 10^6
 * values we allow 5, and those by one unit. */
Test(model_data, values_are_the_documented_normals)
{
    const struct model_shape shape = {1000, 2, 1, 1000, 8, 1};
    const uint64_t seed = UINT64_C(0x123456789abcdef0);
    static float values[1000000];
    int different = 0;
    model_data_initial(&shape, seed, 0, 0, 1000000, values);
    for (uint64_t e = 0; e < 1000000; e++) {
        float expected = expected_element(seed, 0, e, 0.02);
        different += values[e] != expected;
        cr_assert(values[e] == expected || values[e] == nextafterf(expected, values[e]),
                  "element %zu: %.9g, expected %.9g", (size_t)e, values[e], expected);
    }
    cr_assert_leq(different, 5);
}

/* The smallest word makes the largest normal (6.76), the largest the smallest; the axes are where
 * sine and cosine swap. No seed reaches them on purpose, so what is tested is many words. */
Test(model_data, values_have_the_moments_of_a_normal)
{
    const struct model_shape shape = {1000, 2, 1, 1000, 8, 1};
    static float values[1000000];
    model_data_initial(&shape, 7, 0, 0, 1000000, values);
    double moments[5] = {0}, largest = 0;
    for (size_t e = 0; e < 1000000; e++) {
        double z = values[e] / 0.02, power = 1;
        for (int k = 1; k <= 4; k++)
            moments[k] += (power *= z) / 1e6;
        largest = fmax(largest, fabs(z));
    }
    /* Five standard errors: 1, sqrt(2), sqrt(15), sqrt(96) over sqrt(10^6). */
    cr_assert_float_eq(moments[1], 0, 0.005);
    cr_assert_float_eq(moments[2], 1, 0.0071);
    cr_assert_float_eq(moments[3], 0, 0.0194);
    cr_assert_float_eq(moments[4], 3, 0.049);
    cr_assert(largest > 4.2 && largest < 6.77, "largest %g", largest);
}

Test(model_data, any_range_gives_the_same_values)
{
    const size_t index = model_tensor_index(&small, MODEL_UP, 1, false);
    const uint64_t count = model_tensor(&small, index).elements;
    float *whole = malloc(count * sizeof *whole), *part = malloc(count * sizeof *part);
    model_data_initial(&small, 3, index, 0, count, whole);
    const uint64_t lengths[] = {1, 2, 3, 4, 5, 7, 64, 1023, 1024, 1025, 2999};
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        for (uint64_t first = 0; first < count; first += lengths[i]) {
            uint64_t n = count - first < lengths[i] ? count - first : lengths[i];
            model_data_initial(&small, 3, index, first, n, part);
            cr_assert_eq(memcmp(part, whole + first, n * sizeof *part), 0,
                         "%zu values from %zu differ", (size_t)n, (size_t)first);
        }
    }
    model_data_initial(&small, 3, index, 5, 0, part);
    free(whole);
    free(part);
}

static double deviation_of(enum model_module module, uint64_t block)
{
    const size_t index = model_tensor_index(&small, module, block, false);
    const uint64_t count = model_tensor(&small, index).elements;
    float *values = malloc(count * sizeof *values);
    double sum = 0;
    model_data_initial(&small, 1, index, 0, count, values);
    for (uint64_t e = 0; e < count; e++)
        sum += (double)values[e] * values[e];
    free(values);
    return sqrt(sum / (double)count);
}

/* At least 600 values: 3 % is one standard error, 15 % tells 0.02 from 0.01. */
Test(model_data, deviations_are_gpt2s)
{
    for (int module = MODEL_WTE; module < MODEL_MODULE_COUNT; module++) {
        if (module == MODEL_LN1 || module == MODEL_LN2 || module == MODEL_LN_F)
            continue;
        bool residual = module == MODEL_PROJECTION || module == MODEL_DOWN;
        double expected = residual ? 0.01 : 0.02; /* sqrt(2 L) = 2 */
        double found = deviation_of((enum model_module)module, 1);
        cr_assert(fabs(found / expected - 1) < 0.15, "module %d: %g", module, found);
    }
}

Test(model_data, biases_are_zero_and_norm_weights_one)
{
    for (size_t index = 0; index < model_tensor_count(&small); index++) {
        const struct model_tensor tensor = model_tensor(&small, index);
        float values[144];
        if (tensor.columns != 0)
            continue;
        model_data_initial(&small, 1, index, 0, tensor.elements, values);
        for (uint64_t e = 0; e < tensor.elements; e++)
            cr_assert_eq(values[e], tensor.is_bias ? 0.0f : 1.0f);
    }
}

Test(model_data, tensors_and_seeds_have_values_of_their_own)
{
    float a[8], b[8], c[8], d[8];
    model_data_initial(&small, 1, 0, 0, 8, a);
    model_data_initial(&small, 1, 1, 0, 8, b);
    model_data_initial(&small, 2, 0, 0, 8, c);
    model_data_initial(&small, (UINT64_C(1) << 32) + 1, 0, 0, 8, d);
    for (int i = 0; i < 8; i++)
        cr_assert(a[i] != b[i] && a[i] != c[i] && a[i] != d[i] && c[i] != d[i]);
}

/* Of 4 successors and one noise in 32, as the header says. */
Test(model_data, tokens_are_the_documented_chain)
{
    const struct model_shape shape = {8, 1, 1, 1000, 4095, 1};
    static int32_t tokens[4096];
    uint64_t counts[MODEL_DATA_SUCCESSORS + 1] = {0};
    for (uint64_t sample = 0; sample < 16; sample++) {
        model_data_tokens(&shape, 5, 3, sample, tokens);
        for (size_t t = 1; t < 4096; t++) {
            uint32_t k = 0;
            cr_assert(tokens[t] >= 0 && tokens[t] < 1000);
            while (k < MODEL_DATA_SUCCESSORS &&
                   model_data_successor(1000, 5, (uint32_t)tokens[t - 1], k) != (uint32_t)tokens[t])
                k++;
            counts[k]++;
        }
    }
    /* Coincidences of skewed successors move counts to the first of them: at least its share. */
    const double total = 16.0 * 4095, least[] = {31.0 / 64, 31.0 / 128};
    const double deviation = sqrt(total) / 2;
    cr_assert_gt((double)counts[0], least[0] * total - 5 * deviation);
    cr_assert(counts[1] + counts[2] + counts[3] > 0.3 * total);
    cr_assert(fabs((double)counts[4] - total / 32) < 5 * sqrt(total / 32), "noise: %zu of %g",
              (size_t)counts[4], total);
}

Test(model_data, tokens_depend_on_step_sample_and_seed)
{
    int32_t a[18], b[18];
    model_data_tokens(&small, 1, 0, 0, a);
    const uint64_t others[][3] = {{2, 0, 0}, {1, 1, 0}, {1, 0, 1}, {UINT64_C(1) << 32 | 1, 0, 0}};
    for (size_t i = 0; i < 4; i++) {
        model_data_tokens(&small, others[i][0], others[i][1], others[i][2], b);
        cr_assert_neq(memcmp(a, b, sizeof a), 0, "case %zu", i);
    }
    model_data_tokens(&small, 1, 0, 0, b);
    cr_assert_eq(memcmp(a, b, sizeof a), 0);
}

/* A longer sequence begins as a shorter one, so that sizes can be compared. */
Test(model_data, tokens_do_not_depend_on_the_length)
{
    struct model_shape longer = small;
    longer.seq_len = 40;
    int32_t a[18], b[41];
    model_data_tokens(&small, 1, 2, 3, a);
    model_data_tokens(&longer, 1, 2, 3, b);
    cr_assert_eq(memcmp(a, b, sizeof a), 0);
}

Test(model_data, smallest_vocabularies_work)
{
    for (uint64_t vocab = 1; vocab <= 5; vocab++) {
        const struct model_shape shape = {8, 1, 1, vocab, 999, 1};
        static int32_t tokens[1000];
        bool seen[5] = {false};
        for (uint64_t sample = 0; sample < 4; sample++) {
            model_data_tokens(&shape, 1, 0, sample, tokens);
            for (size_t t = 0; t < 1000; t++) {
                cr_assert(tokens[t] >= 0 && (uint64_t)tokens[t] < vocab);
                seen[tokens[t]] = true;
            }
        }
        for (uint64_t v = 0; v < vocab; v++)
            cr_assert(seen[v], "V = %zu: %zu never comes", (size_t)vocab, (size_t)v);
    }
}
