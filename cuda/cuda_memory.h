#ifndef RANKLEDGER_CUDA_MEMORY_H
#define RANKLEDGER_CUDA_MEMORY_H

#include <stddef.h>
#include <stdint.h>

#include <cuda_runtime.h>

/* What goes to and from the host in a step (tokens, losses, scalars) is far below this. */
#define CUDA_STAGING_BYTES ((size_t)4 << 20)
#define CUDA_STAGING_ANSWERS 256

/* A copy to the host that is under way into `pinned`. */
struct cuda_staging_answer {
    void *host;
    const unsigned char *pinned;
    size_t bytes;
};

/*
 * Pinned host memory that copies pass through, so that asking for one does not wait for the device:
 * from other memory of the host the driver copies by itself, and a copy to it returns only when it
 * is done. Handed out from the front; free again when the backend has been waited for.
 */
struct cuda_staging {
    unsigned char *pinned; /* owned */
    size_t used;
    struct cuda_staging_answer answers[CUDA_STAGING_ANSWERS];
    size_t answer_count;
};

/* Reserved memory: `base` is what was asked for, `memory` what the runtime gave, in a list. */
struct cuda_arena {
    void *base, *memory;
    struct cuda_arena *next;
};

cudaError_t cuda_staging_init(struct cuda_staging *staging);
/* Zeroed is allowed. */
void cuda_staging_fini(struct cuda_staging *staging);
/* The device is done: the answers go to who asked, and all is free. */
void cuda_staging_settle(struct cuda_staging *staging);

#endif
