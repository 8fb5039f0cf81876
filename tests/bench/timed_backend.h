#ifndef RANKLEDGER_TIMED_BACKEND_H
#define RANKLEDGER_TIMED_BACKEND_H

#include <time.h>

#include "backend.h"

/*
 * A backend that hands every operator on to another one and notes FLOPs and time. Of every call of
 * a step the shortest time over all steps is kept: with other work on the machine, their sum is
 * nearest to what a step takes undisturbed.
 */
enum timed_operator {
    TIMED_EMBEDDING,
    TIMED_NORM_FORWARD,
    TIMED_LINEAR_FORWARD,
    TIMED_RESIDUAL_FORWARD,
    TIMED_GELU_FORWARD,
    TIMED_ATTENTION_FORWARD,
    TIMED_CROSS_ENTROPY,
    TIMED_INPUT_GRADIENT,
    TIMED_GELU_GRADIENT,
    TIMED_WEIGHT_GRADIENT,
    TIMED_ATTENTION_BACKWARD,
    TIMED_NORM_BACKWARD,
    TIMED_SQUARE_SUM,
    TIMED_ADAMW,
    TIMED_COUNT
};

const char *timed_operator_name(enum timed_operator which);

struct timed_call {
    enum timed_operator which;
    double seconds; /* the shortest; 0: never called */
    double flops;   /* as the model's convention counts them */
};

struct timed_backend {
    struct backend backend; /* hand out &backend */
    struct backend_operations operations;
    struct backend *inner;
    clockid_t clock; /* CLOCK_MONOTONIC unless changed */
    struct timed_call *calls;
    unsigned count, capacity; /* of this step; of the table */
};

/* Seconds. */
double timed_backend_now(const struct timed_backend *timed);
/* `inner` and `calls` (zeroed, more than a step has) outlive it. */
void timed_backend_init(struct timed_backend *timed, struct backend *inner,
                        struct timed_call *calls, unsigned capacity);
void timed_backend_begin_step(struct timed_backend *timed);

#endif
