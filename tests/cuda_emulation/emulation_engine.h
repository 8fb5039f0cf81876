/* The block that runs, and its threads; C++. */
#ifndef CUDA_EMULATION_ENGINE_H
#define CUDA_EMULATION_ENGINE_H

#include "emulation_fiber.h"
#include "emulation_parts.h"

namespace emulation
{

constexpr unsigned most_threads = most_fibers, lanes = 32;

enum state { not_started, ready, at_exchange, at_barrier, finished };

struct place {
    cuda_emulation_meeting meeting;
    const char *file;
    int line;
};

struct thread {
    state is = not_started;
    uint3 index = {0, 0, 0};
    unsigned fiber = 0, warp_epoch = 0;
    place at = {CUDA_EMULATION_SYNCTHREADS, "", 0}; /* where it waits */
    unsigned mask = 0, source = 0;
    uint64_t value = 0, result = 0;
};

/* The lanes that have come to one exchange; others may wait at another one meanwhile. */
struct warp {
    unsigned arrived = 0, mask = 0;
    place at = {CUDA_EMULATION_SYNCTHREADS, "", 0};
};

struct engine {
    thread threads[most_threads];
    warp warps[most_threads / lanes];
    std::vector<unsigned> idle;         /* fibers without a thread */
    unsigned ready_queue[most_threads]; /* a ring of threads */
    unsigned ready_first = 0, ready_count = 0;
    unsigned count = 0, next = 0, done = 0, waiting = 0; /* threads of the block */
    place barrier = {CUDA_EMULATION_SYNCTHREADS, "", 0}; /* of those that wait */
    bool active = false;
    bool reversed = false; /* the last block and the last thread come first */
    uint3 block_size = {0, 0, 0}, grid_size = {0, 0, 0};
    const cuda_emulation_call *call = nullptr;
};

/* Lives as long as the process. */
engine &the_engine();
/* The thread has got what it waited for. */
void push_ready(engine &all, unsigned index);
/* The running thread gives way until it is ready again and its turn comes. */
void give_way(engine &all);

/* --- meetings (emulation_meeting.cpp) --- */

/* "thread (3, 0, 0) waits at __syncthreads (cuda_norm.cu:79)" */
std::string where(const engine &all, unsigned index);
/* Refuses if a lane of the warp waits for this thread, which does something else. */
void check_not_awaited(const engine &all, unsigned index, const char *what);

} // namespace emulation

#endif
