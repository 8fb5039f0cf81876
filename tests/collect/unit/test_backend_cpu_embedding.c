#include <criterion/criterion.h>
#include <stdlib.h>

#include "backend_fixture.h"
#include "operator_reference.h"

static void test_forward(struct backend_fixture *fixture)
{
    const size_t c = fixture->shape.width;
    int32_t *tokens = fixture_tokens(fixture);
    struct fixture_tensor wte = fixture_random(fixture, fixture->shape.vocab * c, 1, true);
    struct fixture_tensor wpe = fixture_random(fixture, fixture->shape.seq_len * c, 1, true);
    struct fixture_tensor out = fixture_poisoned(fixture, fixture->rows * c, true);
    double *expected = fixture_zeros(out.count);
    reference_embedding(&fixture->shape, expected, tokens, wte.values, wpe.values);
    fixture->operations->embedding_forward(fixture->backend, out.data, tokens, wte.data, wpe.data);
    fixture_expect(&out, expected, 6e-8, "out"); /* one rounding, 2^-24 */
    free(tokens);
    free(expected);
    fixture_free(&wte);
    fixture_free(&wpe);
    fixture_free(&out);
}

Test(backend_cpu_embedding, adds_token_and_position)
{
    fixture_each(test_forward);
}

static void test_backward(struct backend_fixture *fixture)
{
    const size_t c = fixture->shape.width;
    int32_t *tokens = fixture_tokens(fixture);
    struct fixture_tensor dout = fixture_random(fixture, fixture->rows * c, 1, true);
    struct fixture_tensor dwte = fixture_random(fixture, fixture->shape.vocab * c, 1, true);
    struct fixture_tensor dwpe = fixture_poisoned(fixture, fixture->shape.seq_len * c, true);
    for (int accumulate = 0; accumulate <= 1; accumulate++) {
        double *wte = fixture_zeros(dwte.count), *wpe = fixture_zeros(dwpe.count);
        for (size_t i = 0; i < dwte.count; i++)
            wte[i] = dwte.values[i];
        for (size_t i = 0; accumulate && i < dwpe.count; i++)
            wpe[i] = dwpe.values[i];
        reference_embedding_gradient(&fixture->shape, wte, wpe, dout.values, tokens);
        fixture->operations->embedding_backward(fixture->backend, dwte.data, dwpe.data, dout.data,
                                                tokens, accumulate);
        /* in bf16 this also says that a token's rows are added before rounding */
        fixture_expect(&dwte, wte, 2e-6, "dwte");
        fixture_expect(&dwpe, wpe, 2e-6, accumulate ? "dwpe added" : "dwpe");
        free(wte);
        free(wpe);
    }
    fixture->operations->embedding_backward(fixture->backend, NULL, NULL, dout.data, tokens, 0);
    free(tokens);
    fixture_free(&dout);
    fixture_free(&dwte);
    fixture_free(&dwpe);
}

Test(backend_cpu_embedding, adds_the_gradients_of_every_place_of_a_token)
{
    fixture_each(test_backward);
}
