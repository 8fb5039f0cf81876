#include "model_data.h"

#include <math.h>
#include <string.h>

/* Multipliers and key increments of Philox4x32 (Salmon et al., SC11, section 3.3). */
#define MULTIPLIER0 UINT32_C(0xD2511F53)
#define MULTIPLIER1 UINT32_C(0xCD9E8D57)
#define INCREMENT0 UINT32_C(0x9E3779B9)
#define INCREMENT1 UINT32_C(0xBB67AE85)
#define ROUNDS 10

/* The counter's last word: what a number is for. */
enum purpose { PURPOSE_INITIAL, PURPOSE_TOKEN, PURPOSE_SUCCESSOR };

#define DEVIATION 0.02
#define TWO_POW_32 4294967296.0
#define LN_2 0.693147180559945309417
#define HALF_ROOT UINT64_C(0x3FE6A09E667F3BCD) /* sqrt(1/2) as a double */
#define TWO_PI 6.283185307179586477

static inline void philox_round(uint32_t *w0, uint32_t *w1, uint32_t *w2, uint32_t *w3,
                                uint32_t key0, uint32_t key1)
{
    const uint64_t product0 = (uint64_t)MULTIPLIER0 * *w0;
    const uint64_t product1 = (uint64_t)MULTIPLIER1 * *w2;
    *w0 = (uint32_t)(product1 >> 32) ^ *w1 ^ key0;
    *w1 = (uint32_t)product1;
    *w2 = (uint32_t)(product0 >> 32) ^ *w3 ^ key1;
    *w3 = (uint32_t)product0;
}

void model_data_philox(const uint32_t counter[4], const uint32_t key[2], uint32_t words[4])
{
    uint32_t w0 = counter[0], w1 = counter[1], w2 = counter[2], w3 = counter[3];
    for (uint32_t i = 0; i < ROUNDS; i++)
        philox_round(&w0, &w1, &w2, &w3, key[0] + i * INCREMENT0, key[1] + i * INCREMENT1);
    words[0] = w0;
    words[1] = w1;
    words[2] = w2;
    words[3] = w3;
}

static void block(uint64_t seed, uint64_t low, uint32_t third, enum purpose purpose,
                  uint32_t words[4])
{
    const uint32_t counter[4] = {(uint32_t)low, (uint32_t)(low >> 32), third, (uint32_t)purpose};
    const uint32_t key[2] = {(uint32_t)seed, (uint32_t)(seed >> 32)};
    model_data_philox(counter, key, words);
}

/* --- initial values --- */

/*
 * The two functions of Box and Muller's method, out of additions, multiplications and divisions,
 * which round alike everywhere: mathematical libraries differ in the last bit. Both errors are
 * below 3 units in the last place. No branches, so that a compiler can make a vector of them.
 */

/* ln((u + 0.5) / 2^32). */
static inline double log_fraction(uint32_t u)
{
    const double value = (double)u + 0.5;
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    /* value = x 2^exponent, 1/sqrt(2) <= x < sqrt(2): the bits above those of 1/sqrt(2), shifted.
     */
    const uint64_t exponent = ((bits - HALF_ROOT + (UINT64_C(1) << 52)) >> 52) - 1;
    const uint64_t reduced = bits - (exponent << 52);
    double x;
    memcpy(&x, &reduced, sizeof x);
    /* ln x = 2 artanh z = 2 (z + z^3/3 + z^5/5 + ...), |z| <= 0.172: the 12th term is below 2^-60.
     */
    const double z = (x - 1.0) / (x + 1.0);
    const double y = z * z;
    double sum = 1.0 / 23.0;
    sum = sum * y + 1.0 / 21.0;
    sum = sum * y + 1.0 / 19.0;
    sum = sum * y + 1.0 / 17.0;
    sum = sum * y + 1.0 / 15.0;
    sum = sum * y + 1.0 / 13.0;
    sum = sum * y + 1.0 / 11.0;
    sum = sum * y + 1.0 / 9.0;
    sum = sum * y + 1.0 / 7.0;
    sum = sum * y + 1.0 / 5.0;
    sum = sum * y + 1.0 / 3.0;
    return (double)((int32_t)exponent - 32) * LN_2 + 2.0 * (z + z * y * sum);
}

/* Sine and cosine of x, |x| <= pi/4, by their power series: the first term left out is below 2^-55
 * of the result. */
static inline double sine(double x)
{
    const double y = x * x;
    double sum = -1.0 / 1307674368000.0; /* 15! */
    sum = sum * y + 1.0 / 6227020800.0;
    sum = sum * y - 1.0 / 39916800.0;
    sum = sum * y + 1.0 / 362880.0;
    sum = sum * y - 1.0 / 5040.0;
    sum = sum * y + 1.0 / 120.0;
    sum = sum * y - 1.0 / 6.0;
    return x + x * y * sum;
}

static inline double cosine(double x)
{
    const double y = x * x;
    double sum = 1.0 / 20922789888000.0; /* 16! */
    sum = sum * y - 1.0 / 87178291200.0;
    sum = sum * y + 1.0 / 479001600.0;
    sum = sum * y - 1.0 / 3628800.0;
    sum = sum * y + 1.0 / 40320.0;
    sum = sum * y - 1.0 / 720.0;
    sum = sum * y + 1.0 / 24.0;
    return 1.0 - 0.5 * y + y * y * sum;
}

/* Blocks made at once: few enough to stay in the first-level cache. */
#define BATCH 256

struct batch {
    uint32_t words[4][BATCH];
    float values[4][BATCH];
};

/* The generator's words of BATCH blocks from block `b`. */
static void batch_words(struct batch *batch, uint64_t seed, size_t index, uint64_t b)
{
    uint32_t(*const words)[BATCH] = batch->words;
    for (uint32_t i = 0; i < BATCH; i++) {
        words[0][i] = (uint32_t)(b + i);
        words[1][i] = (uint32_t)((b + i) >> 32);
        words[2][i] = (uint32_t)index;
        words[3][i] = PURPOSE_INITIAL;
    }
    for (uint32_t j = 0; j < ROUNDS; j++) {
        const uint32_t key0 = (uint32_t)seed + j * INCREMENT0;
        const uint32_t key1 = (uint32_t)(seed >> 32) + j * INCREMENT1;
#pragma omp simd
        for (uint32_t i = 0; i < BATCH; i++)
            philox_round(&words[0][i], &words[1][i], &words[2][i], &words[3][i], key0, key1);
    }
}

/* Two independent normal numbers from two words each (Box and Muller, 1958), times the deviation.
 */
static void batch_normals(const uint32_t *u, const uint32_t *v, double deviation, float *first,
                          float *second)
{
#pragma omp simd
    for (uint32_t i = 0; i < BATCH; i++) {
        const double radius = sqrt(-2.0 * log_fraction(u[i]));
        /* The nearest of the four axes: adding an eighth of a turn rounds to it. */
        const uint32_t axis = (v[i] + (UINT32_C(1) << 29)) >> 30;
        const double x = (double)(int32_t)(v[i] - (axis << 30)) * (TWO_PI / TWO_POW_32);
        const double s = sine(x), c = cosine(x);
        const double across = axis % 2 == 0 ? c : -s, along = axis % 2 == 0 ? s : c;
        const double sign = axis < 2 ? 1.0 : -1.0;
        first[i] = (float)(deviation * (radius * (sign * across)));
        second[i] = (float)(deviation * (radius * (sign * along)));
    }
}

/* The values of `count` <= BATCH blocks from block `b`. */
static void initial_blocks(uint64_t seed, size_t index, uint64_t b, uint64_t count,
                           double deviation, float *values)
{
    struct batch batch;
    batch_words(&batch, seed, index, b);
    for (int i = 0; i < 4; i += 2)
        batch_normals(batch.words[i], batch.words[i + 1], deviation, batch.values[i],
                      batch.values[i + 1]);
    for (uint64_t i = 0; i < count; i++)
        for (uint64_t j = 0; j < 4; j++)
            values[4 * i + j] = batch.values[j][i];
}

/* A range may begin and end inside a block: of such a block only a part is wanted. */
static void initial_part(uint64_t seed, size_t index, uint64_t first, uint64_t count,
                         double deviation, float *values)
{
    float four[4];
    initial_blocks(seed, index, first / 4, 1, deviation, four);
    memcpy(values, four + first % 4, (size_t)count * sizeof *values);
}

static void initial_weights(uint64_t seed, size_t index, uint64_t first, uint64_t count,
                            double deviation, float *values)
{
    uint64_t head = (4 - first % 4) % 4;
    if (head > count)
        head = count;
    if (head > 0)
        initial_part(seed, index, first, head, deviation, values);
    const uint64_t b = (first + head) / 4;
    const uint64_t whole = (count - head) / 4;
#pragma omp parallel for schedule(static)
    for (uint64_t i = 0; i < whole; i += BATCH)
        initial_blocks(seed, index, b + i, whole - i < BATCH ? whole - i : BATCH, deviation,
                       values + head + 4 * i);
    uint64_t done = head + 4 * whole;
    if (done < count)
        initial_part(seed, index, first + done, count - done, deviation, values + done);
}

void model_data_initial(const struct model_shape *shape, uint64_t seed, size_t index,
                        uint64_t first, uint64_t count, float *values)
{
    const struct model_tensor tensor = model_tensor(shape, index);
    if (tensor.columns == 0) {
        for (uint64_t i = 0; i < count; i++)
            values[i] = tensor.is_bias ? 0.0f : 1.0f;
        return;
    }
    bool residual = tensor.module == MODEL_PROJECTION || tensor.module == MODEL_DOWN;
    double deviation = residual ? DEVIATION / sqrt(2.0 * (double)shape->layers) : DEVIATION;
    initial_weights(seed, index, first, count, deviation, values);
}

/* --- tokens --- */

#define NOISE_BELOW (UINT32_C(1) << 27) /* of 2^32: one in 32 */

/* A number in [0, limit), limit <= 2^32. */
static uint32_t place(uint32_t word, uint64_t limit)
{
    return (uint32_t)((word * limit) >> 32);
}

/* A token, small ones likelier: uniform below V divided by a power of two chosen uniformly. */
static uint32_t skewed(uint64_t vocab, uint32_t first, uint32_t second)
{
    uint32_t halvings = 0;
    while (vocab >> (halvings + 1) != 0)
        halvings++;
    return place(second, vocab >> place(first, halvings + 1));
}

uint32_t model_data_successor(uint64_t vocab, uint64_t seed, uint32_t token, uint32_t k)
{
    uint32_t words[4];
    block(seed, (uint64_t)k << 32 | token, 0, PURPOSE_SUCCESSOR, words);
    return skewed(vocab, words[0], words[1]);
}

/* How many leading bits of the word are 1, at most 3: 0..3 with 1/2, 1/4, 1/8, 1/8. */
static uint32_t which_successor(uint32_t word)
{
    uint32_t k = 0;
    while (k < MODEL_DATA_SUCCESSORS - 1 && (word >> (31 - k) & 1) == 1)
        k++;
    return k;
}

static uint32_t next_token(uint64_t vocab, uint64_t seed, uint32_t before, const uint32_t words[4])
{
    if (words[0] < NOISE_BELOW)
        return place(words[1], vocab);
    return model_data_successor(vocab, seed, before, which_successor(words[2]));
}

void model_data_tokens(const struct model_shape *shape, uint64_t seed, uint64_t step,
                       uint64_t sample, int32_t *tokens)
{
    const uint64_t vocab = shape->vocab;
    uint32_t token = 0;
    for (uint64_t t = 0; t <= shape->seq_len; t++) {
        uint32_t words[4];
        block(seed, sample << 32 | (uint32_t)t, (uint32_t)step, PURPOSE_TOKEN, words);
        token = t == 0 ? skewed(vocab, words[0], words[1]) : next_token(vocab, seed, token, words);
        tokens[t] = (int32_t)token;
    }
}
