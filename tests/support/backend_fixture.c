#include "backend_fixture.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BORDER = 64 };

static const unsigned char border_byte = 0xA5;

static float as_fp32(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Rounds by arithmetic instead of bits: independent of what is tested. */
static double to_bf16(double value)
{
    int exponent;
    if (value == 0 || !isfinite(value))
        return value;
    const double mantissa = frexp(value, &exponent); /* 8 bits of mantissa, ties to even */
    return ldexp(nearbyint(ldexp(mantissa, 8)), exponent - 8);
}

static uint64_t next_random(struct backend_fixture *fixture)
{
    /* SplitMix64 (Steele, Lea, Flood, OOPSLA 2014) */
    uint64_t z = fixture->random += 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

void fixture_init(struct backend_fixture *fixture, const struct model_shape *shape,
                  enum model_dtype dtype, int threads)
{
    struct diag diag = {0};
    const struct backend_request request = {.shape = *shape, .dtype = dtype, .threads = threads};
    *fixture = (struct backend_fixture){.shape = *shape,
                                        .rows = shape->micro_batch * shape->seq_len,
                                        .bf16 = dtype == MODEL_BF16,
                                        .random = 1};
    const struct backend_row *row = backend_find("cpu");
    cr_assert_not_null(row);
    cr_assert_eq(row->create(&request, &fixture->backend, &diag), STATUS_OK, "%s", diag.text);
    fixture->operations = fixture->backend->operations;
    const size_t bytes = fixture->backend->workspace_bytes;
    fixture->workspace = aligned_alloc(64, (bytes + BORDER + 63) / 64 * 64);
    cr_assert_not_null(fixture->workspace);
    memset(fixture->workspace, 0xFF, bytes); /* a NaN in both types */
    memset((char *)fixture->workspace + bytes, border_byte, BORDER);
    fixture->operations->set_workspace(fixture->backend, fixture->workspace);
}

static void expect_border(const void *at, const char *what)
{
    for (size_t i = 0; i < BORDER; i++)
        if (((const unsigned char *)at)[i] != border_byte)
            cr_assert_fail("%s: byte %zu behind its end was written", what, i);
}

void fixture_fini(struct backend_fixture *fixture)
{
    const size_t bytes = fixture->backend->workspace_bytes;
    expect_border((char *)fixture->workspace + bytes, "workspace");
    fixture->operations->destroy(fixture->backend);
    free(fixture->workspace);
}

static size_t element_bytes(const struct fixture_tensor *tensor)
{
    return tensor->bf16 ? 2 : 4;
}

struct fixture_tensor fixture_poisoned(struct backend_fixture *fixture, size_t count, bool typed)
{
    struct fixture_tensor tensor = {.count = count, .bf16 = typed && fixture->bf16};
    const size_t bytes = count * element_bytes(&tensor);
    tensor.data = malloc(bytes + BORDER);
    tensor.values = fixture_zeros(count);
    cr_assert_not_null(tensor.data);
    memset(tensor.data, 0xFF, bytes);
    memset((char *)tensor.data + bytes, border_byte, BORDER);
    return tensor;
}

void fixture_set(struct fixture_tensor *tensor, size_t index, double value)
{
    const float single = (float)value;
    tensor->values[index] = (double)single;
    if (!tensor->bf16) {
        memcpy((char *)tensor->data + 4 * index, &single, 4);
        return;
    }
    tensor->values[index] = to_bf16((double)single);
    const float rounded = (float)tensor->values[index];
    uint32_t bits;
    memcpy(&bits, &rounded, 4);
    const uint16_t half = (uint16_t)(bits >> 16);
    memcpy((char *)tensor->data + 2 * index, &half, 2);
}

struct fixture_tensor fixture_random(struct backend_fixture *fixture, size_t count, double size,
                                     bool typed)
{
    struct fixture_tensor tensor = fixture_poisoned(fixture, count, typed);
    for (size_t i = 0; i < count; i++)
        fixture_set(&tensor, i, size * (ldexp((double)(next_random(fixture) >> 11), -52) - 1));
    return tensor;
}

struct fixture_tensor fixture_copy(struct backend_fixture *fixture,
                                   const struct fixture_tensor *tensor)
{
    struct fixture_tensor copy = fixture_poisoned(fixture, tensor->count, tensor->bf16);
    memcpy(copy.data, tensor->data, tensor->count * element_bytes(tensor));
    memcpy(copy.values, tensor->values, tensor->count * sizeof *copy.values);
    return copy;
}

void fixture_fetch(struct fixture_tensor *tensor)
{
    for (size_t i = 0; i < tensor->count; i++) {
        uint32_t bits = 0;
        memcpy(&bits, (char *)tensor->data + i * element_bytes(tensor), element_bytes(tensor));
        tensor->values[i] = (double)as_fp32(tensor->bf16 ? bits << 16 : bits);
    }
}

void fixture_free(struct fixture_tensor *tensor)
{
    free(tensor->data);
    free(tensor->values);
    *tensor = (struct fixture_tensor){0};
}

double fixture_loss_sum(struct backend_fixture *fixture, const void *losses)
{
    double sum = 0;
    fixture->operations->loss_sum(fixture->backend, &sum, losses);
    return sum;
}

double fixture_square_sum(struct backend_fixture *fixture, const void *gradient, size_t count,
                          bool typed)
{
    double sum = 0;
    fixture->operations->square_sum(fixture->backend, &sum, gradient, count, typed);
    return sum;
}

int32_t *fixture_tokens(struct backend_fixture *fixture)
{
    const size_t count = fixture->shape.micro_batch * (fixture->shape.seq_len + 1);
    int32_t *tokens = malloc(count * sizeof *tokens);
    cr_assert_not_null(tokens);
    for (size_t i = 0; i < count; i++) /* of every third vocabulary entry, so that many repeat */
        tokens[i] = (int32_t)(next_random(fixture) % ((fixture->shape.vocab + 2) / 3) * 3);
    return tokens;
}

double *fixture_zeros(size_t count)
{
    double *values = calloc(count, sizeof *values);
    cr_assert_not_null(values);
    return values;
}

void fixture_expect(struct fixture_tensor *tensor, const double *expected, double relative,
                    const char *what)
{
    const double half_unit = ldexp(1, -8);
    double most = 0;
    for (size_t i = 0; i < tensor->count; i++)
        most = fmax(most, fabs(expected[i]));
    fixture_fetch(tensor);
    for (size_t i = 0; i < tensor->count; i++) {
        double allowed = relative * most;
        if (tensor->bf16 && relative < half_unit)
            allowed += half_unit * fabs(expected[i]);
        const double error = fabs(tensor->values[i] - expected[i]);
        if (!(error <= allowed)) /* so that a NaN fails; an assertion that holds costs time too */
            cr_assert_fail("%s[%zu] is %.9g instead of %.9g (largest %.9g, allowed %.3g)", what, i,
                           tensor->values[i], expected[i], most, allowed);
    }
    expect_border((char *)tensor->data + tensor->count * element_bytes(tensor), what);
}

void fixture_each(void (*test)(struct backend_fixture *fixture))
{
    static const struct model_shape shapes[] = {
        {.width = 36, .layers = 1, .heads = 3, .vocab = 101, .seq_len = 17, .micro_batch = 3},
        {.width = 8, .layers = 1, .heads = 2, .vocab = 1, .seq_len = 1, .micro_batch = 1},
        {.width = 20, .layers = 1, .heads = 1, .vocab = 1100, .seq_len = 150, .micro_batch = 4},
    };
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++)
        for (int dtype = 0; dtype < MODEL_DTYPE_COUNT; dtype++)
            for (int threads = 1; threads <= 2; threads++) {
                struct backend_fixture fixture;
                fixture_init(&fixture, &shapes[i], (enum model_dtype)dtype, threads);
                test(&fixture);
                fixture_fini(&fixture);
            }
}
