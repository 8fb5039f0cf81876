#ifndef RANKLEDGER_MODEL_DATA_H
#define RANKLEDGER_MODEL_DATA_H

#include "model.h"

/*
 * Where all numbers that a run starts from come from: a counter-based generator, so that any
 * element can be made alone, in any order, on any rank. What follows is all that it takes to make
 * the same numbers elsewhere (tests/collect/data_replay.py does it in Python).
 *
 * Generator: Philox4x32-10 (Salmon, Moraes, Dror, Shaw: Parallel random numbers: as easy as 1, 2,
 * 3, SC11). Key: the seed's low, then high 32 bits. The counter's last word says what for:
 *
 *   0, initial value   counter (b low, b high, tensor index, 0), b = element / 4
 *   1, token           counter (position, sample, step, 1), each modulo 2^32
 *   2, successor       counter (token, k, 0, 2)
 *
 * Its four output words are w0..w3.
 *
 * Initial values of weights: elements 4b and 4b + 1 come from (w0, w1), 4b + 2 and 4b + 3 from
 * (w2, w3), by Box and Muller: of a pair (u, v), r = sqrt(-2 ln((u + 0.5) / 2^32)) and
 * angle = 2 pi v / 2^32 give r cos(angle), then r sin(angle). That times the deviation, all in
 * double, is rounded once to fp32. Deviation: 0.02, of attention.projection and mlp.down
 * 0.02 / sqrt(2 L). Logarithm, sine and cosine are made of IEEE operations, so every machine gets
 * the same bits; who uses a mathematical library's sees about one value in 10^7 differ in the last
 * bit of its fp32.
 *
 * Tokens (integers alone, the same everywhere): place(word, limit) = word * limit / 2^32, rounded
 * down. S = floor(log2 V). skewed(a, b) = place(b, floor(V / 2^(place(a, S + 1)))): small tokens
 * are common, roughly as 1 / (token + 1), as words are in texts. position 0: skewed(w0, w1) of its
 * own words later: if w0 < 2^27 (one in 32), noise: place(w1, V). Otherwise successor k of the
 * token before, where k = 0 if the top bit of w2 is 0, else 1 if the next is 0, else 2 if the third
 * is 0, else 3 (probabilities 1/2, 1/4, 1/8, 1/8); successor k of token t is skewed(w0, w1) of its
 * own words. So a token's successors depend on the seed alone. No model can come below the chain's
 * entropy: averaged over tokens it is at most H = -sum_k q_k ln(q_k) - (V - 4) n ln(n), n = 1 / (32
 * V), q_k = (31/32) p_k + n (V >= 4; less where successors coincide): 1.6 for V = 8192, where an
 * untrained model's loss is ln V = 9.0.
 */

#define MODEL_DATA_SUCCESSORS 4

/* One block of the generator: 10 rounds of Philox4x32. */
void model_data_philox(const uint32_t counter[4], const uint32_t key[2], uint32_t words[4]);

/*
 * Initial values of elements [first, first + count) of tensor `index` (model.h's order) as fp32:
 * weights as above, biases 0, norm weights 1.
 */
void model_data_initial(const struct model_shape *shape, uint64_t seed, size_t index,
                        uint64_t first, uint64_t count, float *values);

/*
 * Tokens of sequence `sample` (0..global batch-1) of optimizer step `step` (0 is the first warm-up
 * step): T + 1 of them in [0, V).
 */
void model_data_tokens(const struct model_shape *shape, uint64_t seed, uint64_t step,
                       uint64_t sample, int32_t *tokens);

/* Successor `k` of a token. */
uint32_t model_data_successor(uint64_t vocab, uint64_t seed, uint32_t token, uint32_t k);

#endif
