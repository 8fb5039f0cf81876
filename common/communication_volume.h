#ifndef RANKLEDGER_COMMUNICATION_VOLUME_H
#define RANKLEDGER_COMMUNICATION_VOLUME_H

#include "training_state.h"

/* NAN where unknown. */
struct communication_volume_input {
    double parameters;
    double gradient_accumulation;                     /* micro-batches per optimizer step */
    double parameter_wire_bytes, gradient_wire_bytes; /* of one element in a collective */
    double world_size;
};

/*
 * Payload bytes that a rank hands to collectives in one optimizer step, as closed forms (ZeRO,
 * arXiv:1910.02054, section 7; zero2 under accumulation: deepspeedai/DeepSpeed issue 2252). With P
 * parameters, G micro-batches, p and g bytes of a parameter and a gradient:
 *
 *     ddp P g (all-reduce) - zero1 P g + P p - zero2 G P g + P p - zero3, fsdp 2 G P p + G P g
 *
 * A reduce-scatter and an all-gather count as the whole array. The last is the textbook bound "3 G
 * P": what is really gathered follows from the schedule (persistent parameters, units that stay).
 * On the wire comes the bus factor, all-reduce 2(N-1)/N, the others (N-1)/N. One rank: 0. NAN if an
 * input that the strategy needs is missing, or the result beyond a double.
 */
double communication_volume_bytes(const struct communication_volume_input *input,
                                  enum strategy strategy);

/* The closed form in words, for a label beside the number; static storage. */
const char *communication_volume_text(enum strategy strategy);

#endif
