#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "activation_plan.h"
#include "model.h"

/* GPT-2 124M as published: width 768, 12 layers, 12 heads, vocabulary 50257, 1024 positions. */
static const struct model_shape gpt2 = {768, 12, 12, 50257, 1024, 4};
static const struct model_shape tiny = {8, 3, 2, 11, 4, 2};

Test(model, of_gpt2_has_the_published_number_of_parameters)
{
    cr_assert_eq(model_parameters(&gpt2), 124439808);
    cr_assert_eq(model_tensor_count(&gpt2), 148);
}

Test(model, has_tensors_that_add_up_and_know_their_own_index)
{
    uint64_t elements = 0;
    for (size_t i = 0; i < model_tensor_count(&tiny); i++) {
        struct model_tensor tensor = model_tensor(&tiny, i);
        elements += tensor.elements;
        cr_assert_eq(tensor.elements, tensor.rows * (tensor.columns ? tensor.columns : 1));
        cr_assert_eq(model_tensor_index(&tiny, tensor.module,
                                        tensor.block < 0 ? 0 : (uint64_t)tensor.block,
                                        tensor.is_bias),
                     i);
    }
    cr_assert_eq(elements, model_parameters(&tiny));
}

/* The list of collector.md, with C 8, V 11, T 4. */
Test(model, has_the_names_and_sizes_of_the_specification)
{
    static const struct {
        size_t index;
        const char *name;
        uint64_t rows, columns;
    } expected[] = {
        {0, "wte", 11, 8},
        {1, "wpe", 4, 8},
        {2, "h.0.ln1.weight", 8, 0},
        {3, "h.0.ln1.bias", 8, 0},
        {16, "h.1.attention.qkv.weight", 24, 8},
        {17, "h.1.attention.qkv.bias", 24, 0},
        {18, "h.1.attention.projection.weight", 8, 8},
        {19, "h.1.attention.projection.bias", 8, 0},
        {20, "h.1.ln2.weight", 8, 0},
        {21, "h.1.ln2.bias", 8, 0},
        {22, "h.1.mlp.up.weight", 32, 8},
        {23, "h.1.mlp.up.bias", 32, 0},
        {24, "h.1.mlp.down.weight", 8, 32},
        {25, "h.1.mlp.down.bias", 8, 0},
        {38, "ln_f.weight", 8, 0},
        {39, "ln_f.bias", 8, 0},
    };
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
        char name[MODEL_TENSOR_NAME_SIZE];
        struct model_tensor tensor = model_tensor(&tiny, expected[i].index);
        model_tensor_name(&tiny, expected[i].index, name);
        cr_assert_str_eq(name, expected[i].name);
        cr_assert_eq(tensor.rows, expected[i].rows, "%s", name);
        cr_assert_eq(tensor.columns, expected[i].columns, "%s", name);
    }
}

/* 6 (7,087,872 a block of 12 and the final norm, and 50257 * 768 of the head) + 12 L C T. */
Test(model, counts_the_flops_of_a_token)
{
    double products = 12.0 * 7087872 + 2 * 768 + 50257.0 * 768;
    cr_assert_eq(model_flops_per_token(&gpt2), 6 * products + 12.0 * 12 * 768 * 1024);
}

static void expect_fault(struct model_shape shape, const char *words)
{
    char text[256] = "";
    const char *fault = model_shape_fault(&shape, text, sizeof text);
    cr_assert_not_null(fault, "%s", words);
    cr_assert_not_null(strstr(fault, words), "\"%s\" does not say \"%s\"", fault, words);
}

Test(model, says_which_size_is_at_fault)
{
    char text[256];
    cr_assert_null(model_shape_fault(&gpt2, text, sizeof text));
    expect_fault((struct model_shape){100, 1, 3, 10, 4, 1},
                 "width 100 is not a multiple of heads 3");
    expect_fault((struct model_shape){0, 1, 1, 10, 4, 1}, "width 0");
    expect_fault((struct model_shape){8, 4097, 1, 10, 4, 1}, "layers 4097");
    expect_fault((struct model_shape){8, 1, 1, 0, 4, 1}, "vocab 0");
    expect_fault((struct model_shape){1 << 24, 4096, 1, 1 << 24, 4, 1}, "more than");
}

Test(activation_plan, gives_every_tensor_its_aligned_place)
{
    struct activation_plan plan = activation_plan_of(&tiny, MODEL_BF16);
    const uint64_t rows = 2 * 4;
    /* Bytes in order, block and head; bf16, statistics fp32. */
    const uint64_t bytes[ACTIVATION_COUNT] = {
        2 * rows * 4, rows * 8 * 2, rows * 24 * 2, rows * 2 * 4,  rows * 8 * 2,
        rows * 8 * 2, 2 * rows * 4, rows * 8 * 2,  rows * 32 * 2, rows * 32 * 2,
        2 * rows * 4, rows * 8 * 2, rows * 11 * 2, rows * 4,
    };
    uint64_t end = 0;
    for (int i = 0; i < ACTIVATION_COUNT; i++) {
        if (i == ACTIVATION_LN_F_STATS) {
            cr_assert_eq(plan.block_bytes, end);
            end = 0;
        }
        cr_assert_eq(plan.offset[i], end, "tensor %d", i);
        end += (bytes[i] + 63) / 64 * 64;
    }
    cr_assert_eq(plan.head_bytes, end);
    cr_assert_eq(plan.stream_bytes, rows * 8 * 2);
}
