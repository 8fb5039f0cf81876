#ifndef RANKLEDGER_ACTIVATION_PLAN_H
#define RANKLEDGER_ACTIVATION_PLAN_H

#include "model.h"

/*
 * What a forward pass keeps for the backward, tensor by tensor: where each lies in the buffer of
 * its stage. Attention keeps no probabilities: one number a row and head (the logarithm of the
 * softmax' denominator) lets the backward make them again. Every offset is a multiple of 64 bytes.
 *
 * In order: a stage's tensors, their elements (of the model's dtype unless said otherwise):
 *   block: ln1_stats 2BT (fp32: mean, then reciprocal deviation), ln1 BTC, qkv 3BTC,
 *          attention_stats BHT (fp32), attention BTC, middle BTC (the residual stream between
 *          attention and MLP), ln2_stats 2BT (fp32), ln2 BTC, up 4BTC, gelu 4BTC
 *   head:  ln_f_stats 2BT (fp32), ln_f BTC, logits BTV (become their own gradient), losses BT
 * (fp32) The residual stream leaving the embedding and each block (BTC) has a buffer of its own,
 * because it is what activation checkpointing keeps.
 */
enum activation_tensor {
    ACTIVATION_LN1_STATS,
    ACTIVATION_LN1,
    ACTIVATION_QKV,
    ACTIVATION_ATTENTION_STATS,
    ACTIVATION_ATTENTION,
    ACTIVATION_MIDDLE,
    ACTIVATION_LN2_STATS,
    ACTIVATION_LN2,
    ACTIVATION_UP,
    ACTIVATION_GELU,
    ACTIVATION_LN_F_STATS,
    ACTIVATION_LN_F,
    ACTIVATION_LOGITS,
    ACTIVATION_LOSSES,
    ACTIVATION_COUNT
};

struct activation_plan {
    uint64_t offset[ACTIVATION_COUNT]; /* bytes from the start of the stage's buffer */
    uint64_t block_bytes;              /* of one block's buffer */
    uint64_t head_bytes;               /* of the head's buffer */
    uint64_t stream_bytes;             /* of one residual stream */
};

struct activation_plan activation_plan_of(const struct model_shape *shape, enum model_dtype dtype);

#endif
