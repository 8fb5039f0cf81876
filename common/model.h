#ifndef RANKLEDGER_MODEL_H
#define RANKLEDGER_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The model that the collector trains, as numbers: a decoder-only transformer with GPT-2's
 * conventions and tied embedding. Shape letters, here and everywhere: C width, L layers, H heads,
 * V vocabulary, T sequence length, B micro-batch (sequences of one rank in one forward pass).
 */
struct model_shape {
    uint64_t width;       /* C, a multiple of heads */
    uint64_t layers;      /* L */
    uint64_t heads;       /* H */
    uint64_t vocab;       /* V */
    uint64_t seq_len;     /* T */
    uint64_t micro_batch; /* B */
};

/* How activations, parameters in use and gradients on their way are stored. */
enum model_dtype { MODEL_FP32, MODEL_BF16, MODEL_DTYPE_COUNT };

/* "fp32", "bf16"; static storage. */
const char *model_dtype_name(enum model_dtype dtype);
/* Bytes of one element: 4, 2. */
uint64_t model_dtype_bytes(enum model_dtype dtype);

/* A weight, with its bias where it has one. A block's modules stand in forward order. */
enum model_module {
    MODEL_WTE, /* token embedding [V, C], also the head's weight */
    MODEL_WPE, /* position embedding [T, C] */
    MODEL_LN1,
    MODEL_QKV,        /* [3C, C]: query, key, value stacked */
    MODEL_PROJECTION, /* [C, C] */
    MODEL_LN2,
    MODEL_UP,   /* [4C, C] */
    MODEL_DOWN, /* [C, 4C] */
    MODEL_LN_F,
    MODEL_MODULE_COUNT
};

/* One parameter tensor, row-major; a matrix' rows are outputs. */
struct model_tensor {
    enum model_module module;
    bool is_bias;
    int64_t block;    /* 0..L-1; -1 outside the blocks */
    uint64_t rows;    /* of a 1-D tensor: its length */
    uint64_t columns; /* 0: the tensor is 1-D */
    uint64_t elements;
};

/* Larger sizes are mistakes; what is built from those allowed stays exact in 64 bits. */
#define MODEL_LARGEST_SIZE (UINT64_C(1) << 24)
#define MODEL_LARGEST_LAYERS (UINT64_C(1) << 12)

#define MODEL_TENSORS_PER_BLOCK 12
#define MODEL_TENSOR_NAME_SIZE 64

/*
 * The tensors in order: wte, wpe, each block's ln1, qkv, projection, ln2, up, down (weight, then
 * bias), ln_f weight and bias. 12 L + 4 of them.
 */
size_t model_tensor_count(const struct model_shape *shape);
struct model_tensor model_tensor(const struct model_shape *shape, size_t index);

/* The index of a module's weight, or of its bias. `block` is ignored outside the blocks. */
size_t model_tensor_index(const struct model_shape *shape, enum model_module module, uint64_t block,
                          bool is_bias);

/* "wte", "h.3.attention.qkv.weight", "ln_f.bias": the names of dumps and checkpoints. */
void model_tensor_name(const struct model_shape *shape, size_t index,
                       char name[MODEL_TENSOR_NAME_SIZE]);

/* Elements of all tensors (the tied embedding once), and of the two embeddings. */
uint64_t model_parameters(const struct model_shape *shape);
uint64_t model_embedding_parameters(const struct model_shape *shape);

/*
 * Model FLOPs of one token, forward and backward: 6 (parameters - embeddings + V C) + 12 L C T; the
 * head counts, recomputation does not, causal sparsity is ignored (the convention of torchtitan).
 */
double model_flops_per_token(const struct model_shape *shape);

/*
 * NULL if the sizes fit together, or what does not ("width 100 is not a multiple of heads 3"),
 * written to `text`. Products of the sizes stay below 2^53 for a shape that is accepted.
 */
const char *model_shape_fault(const struct model_shape *shape, char *text, size_t size);

#endif
