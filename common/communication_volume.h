#ifndef RANKLEDGER_COMMUNICATION_VOLUME_H
#define RANKLEDGER_COMMUNICATION_VOLUME_H

#include "temporary_memory.h"

/* NAN where unknown. */
struct communication_volume_input {
    double parameters;
    double gradient_accumulation; /* micro-batches per optimizer step */
    /* Of the model; the world size and the bytes of an element in a collective with it. */
    struct temporary_memory_shape shape;
};

struct communication_volume {
    double bytes;
    bool exact; /* counted from the schedule, else the textbook's closed form */
};

/*
 * Payload bytes that a rank hands to collectives in one optimizer step; a reduce-scatter and an
 * all-gather count as the whole array. On the wire comes the bus factor
 * (schedule_count_bus_factor). One rank moves nothing: 0.
 *
 * Where the shape is known and has as many parameters as are given (or none are given), the sum of
 * the collector's schedule, padding and the norm's scalar included. Else the closed form (ZeRO,
 * arXiv:1910.02054, section 7; zero2 under accumulation: deepspeedai/DeepSpeed issue 2252), with P
 * parameters, G micro-batches, p and g bytes of a parameter and a gradient:
 *
 *     ddp P g (all-reduce) - zero1 P g + P p - zero2 G P g + P p - zero3, fsdp 2 G P p + G P g
 *
 * The last is the textbook bound "3 G P". NAN if an input that the strategy needs is missing, or
 * the result beyond a double. STATUS_ENVIRONMENT without memory.
 */
enum status communication_volume_of(const struct communication_volume_input *input,
                                    enum strategy strategy, struct communication_volume *volume,
                                    struct diag *diag) STATUS_CHECKED;

#endif
