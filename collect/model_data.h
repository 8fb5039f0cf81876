#ifndef RANKLEDGER_MODEL_DATA_H
#define RANKLEDGER_MODEL_DATA_H

#include "model.h"

/*
 * Where all numbers that a run starts from come from: a counter-based generator (Philox4x32-10,
 * Salmon et al., SC11), keyed by the seed and by what the number is for, so that any element can be
 * made alone, in any order, on any rank. Computed in double, rounded once.
 */

/*
 * Initial values of elements [first, first + count) of tensor `index` (model.h's order) as fp32:
 * weights N(0, 0.02), attention.projection and mlp.down weights scaled by 1/sqrt(2L), biases 0,
 * norm weights 1.
 */
void model_data_initial(const struct model_shape *shape, uint64_t seed, size_t index,
                        uint64_t first, uint64_t count, float *values);

/*
 * Tokens of sequence `sample` (0..global batch-1) of optimizer step `step` (0 is the first warm-up
 * step): T + 1 of them in [0, V), a first-order Markov chain whose successors depend on the seed
 * alone, so that the loss falls.
 */
void model_data_tokens(const struct model_shape *shape, uint64_t seed, uint64_t step,
                       uint64_t sample, int32_t *tokens);

#endif
