#ifndef RANKLEDGER_BACKEND_FIXTURE_H
#define RANKLEDGER_BACKEND_FIXTURE_H

#include "backend.h"

/*
 * A backend with a workspace full of NaN, and tensors for its operators: random ones, whose values
 * are also there as double, and outputs that are full of NaN, so that what an operator leaves out
 * shows. Every tensor has a border behind it that must stay as it was.
 */
struct backend_fixture {
    struct backend *backend;
    const struct backend_operations *operations;
    struct model_shape shape;
    size_t rows;
    bool bf16;
    void *workspace;
    uint64_t random;
};

struct fixture_tensor {
    void *data;
    double *values; /* of a random tensor; after fixture_fetch, what is in data */
    size_t count;
    bool bf16;
};

/* Criterion asserts on any failure. */
void fixture_init(struct backend_fixture *fixture, const struct model_shape *shape,
                  enum model_dtype dtype, int threads);
/* Also looks whether the workspace was overrun. */
void fixture_fini(struct backend_fixture *fixture);

/* Uniform in [-size, size], rounded to the backend's dtype (`typed`) or fp32. */
struct fixture_tensor fixture_random(struct backend_fixture *fixture, size_t count, double size,
                                     bool typed);
struct fixture_tensor fixture_poisoned(struct backend_fixture *fixture, size_t count, bool typed);
/* A copy, border included. */
struct fixture_tensor fixture_copy(struct backend_fixture *fixture,
                                   const struct fixture_tensor *tensor);
/* Sets one element. */
void fixture_set(struct fixture_tensor *tensor, size_t index, double value);
/* Puts what is in `data` into `values`. */
void fixture_fetch(struct fixture_tensor *tensor);
void fixture_free(struct fixture_tensor *tensor);
/* What the operators of that name add to 0. */
double fixture_loss_sum(struct backend_fixture *fixture, const void *losses);
double fixture_square_sum(struct backend_fixture *fixture, const void *gradient, size_t count,
                          bool typed);
/* Tokens [B, T+1], some of them several times. */
int32_t *fixture_tokens(struct backend_fixture *fixture);
double *fixture_zeros(size_t count);

/*
 * Compares with the expected values: every element within `relative` of the largest expected one
 * in fp32. In bf16 also half a unit in the last place (2^-8) of itself for the rounding, or with
 * `relative` above 2^-8 only that. The border must be whole.
 */
void fixture_expect(struct fixture_tensor *tensor, const double *expected, double relative,
                    const char *what);

/* Each combination of dtype and threads (1, 2), at sizes that are multiples of nothing (B 3, T 17,
 * C 36, H 3, V 101), at B = T = V = 1, and with rows that fill several tiles. */
void fixture_each(void (*test)(struct backend_fixture *fixture));

#endif
