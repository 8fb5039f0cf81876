#ifndef DEVICE_ARRAYS_H
#define DEVICE_ARRAYS_H

#include "backend_cuda.h"

/*
 * For tests of collectives on an emulated device: a rank's backend without operators, and the
 * arrays of calls in its memory, filled as call_arrays.h says. Ends the test if something fails.
 */
struct backend_cuda *device_arrays_backend(int device, enum model_dtype dtype);
void device_arrays_backend_free(struct backend_cuda *cuda);

enum { DEVICE_ARRAYS_MOST = 3 };

struct device_arrays {
    struct backend_cuda *cuda;
    struct communicator *communicator;
    struct communicator_call call;
    struct communicator_segment segments[DEVICE_ARRAYS_MOST];
    void *shards[DEVICE_ARRAYS_MOST]; /* NULL: in place */
};

/* `count` arrays, asked for on the compute stream; `apart`: what a gather gives lies elsewhere. */
struct device_arrays device_arrays_make(struct backend_cuda *cuda,
                                        struct communicator *communicator,
                                        enum schedule_collective collective, size_t count,
                                        bool apart, size_t ticket);
void device_arrays_post(struct device_arrays *arrays);
void device_arrays_wait(const struct device_arrays *arrays);
/* Reads them on the compute stream, and waits for that on the host: whether they hold what the
 * collective promises. */
bool device_arrays_right(const struct device_arrays *arrays);
void device_arrays_free(struct device_arrays *arrays);

#endif
