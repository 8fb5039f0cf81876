/* Prints initial values and tokens for data_replay.py, which makes the same from the header's
 * words. Usage: print_data SEED WIDTH LAYERS HEADS VOCAB SEQ_LEN */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "model_data.h"

#define FIRST 3 /* inside a block of four */
#define COUNT 13
#define LARGEST_LENGTH 4096

static void print_tensor(const struct model_shape *shape, uint64_t seed, size_t index)
{
    float values[COUNT];
    char name[MODEL_TENSOR_NAME_SIZE];
    model_tensor_name(shape, index, name);
    model_data_initial(shape, seed, index, FIRST, COUNT, values);
    printf("tensor %zu %s %d", index, name, FIRST);
    for (int i = 0; i < COUNT; i++)
        printf(" %.9g", (double)values[i]);
    putchar('\n');
}

static void print_tokens(const struct model_shape *shape, uint64_t seed, uint64_t step,
                         uint64_t sample)
{
    static int32_t tokens[LARGEST_LENGTH + 1];
    model_data_tokens(shape, seed, step, sample, tokens);
    printf("tokens %" PRIu64 " %" PRIu64, step, sample);
    for (uint64_t t = 0; t <= shape->seq_len; t++)
        printf(" %" PRId32, tokens[t]);
    putchar('\n');
}

int main(int argc, char **argv)
{
    uint64_t numbers[6];
    if (argc != 7)
        return 2;
    for (int i = 0; i < 6; i++)
        numbers[i] = strtoull(argv[i + 1], NULL, 10);
    const struct model_shape shape = {numbers[1], numbers[2], numbers[3],
                                      numbers[4], numbers[5], 1};
    if (shape.seq_len > LARGEST_LENGTH)
        return 2;
    for (size_t i = 0; i < model_tensor_count(&shape); i++)
        print_tensor(&shape, numbers[0], i);
    for (uint64_t step = 0; step < 3; step++)
        for (uint64_t sample = 0; sample < 3; sample++)
            print_tokens(&shape, numbers[0], step, sample);
    return 0;
}
