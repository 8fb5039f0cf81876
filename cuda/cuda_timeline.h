#ifndef RANKLEDGER_CUDA_TIMELINE_H
#define RANKLEDGER_CUDA_TIMELINE_H

#include <stddef.h>

#include <cuda_runtime.h>

#include "cuda_error.h"
#include "timeline.h"

/*
 * The moments of a step as events on the streams. A mark is an event's place in a pool, which is
 * used anew from every restart on and grows when a step marks more than any before: in the warm-up.
 * Place 0 is the step's origin, on the compute stream.
 */
struct cuda_timeline {
    cudaStream_t streams[2];  /* by enum timeline_stream; not owned */
    struct cuda_error *error; /* of the backend; where failures are noted */
    cudaEvent_t *events;      /* owned */
    size_t used, count, capacity;
};

void cuda_timeline_init(struct cuda_timeline *timeline, cudaStream_t compute,
                        cudaStream_t communication, struct cuda_error *error);
/* Zeroed is allowed. */
void cuda_timeline_fini(struct cuda_timeline *timeline);
/* What collect sees of it; `timeline` must stay where it is. */
struct timeline cuda_timeline_shown(struct cuda_timeline *timeline);

#endif
