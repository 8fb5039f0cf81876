#include "cuda_timeline.h"

#include <stdlib.h>

#define FIRST_EVENTS 256

/* Marks are no work that another stream could need, so success is not noted. */
static bool succeeded(const struct cuda_timeline *timeline, cudaError_t code)
{
    if (code == cudaSuccess)
        return true;
    cuda_error_note(timeline->error, "marking a time", code);
    return false;
}

static bool make_room(struct cuda_timeline *timeline)
{
    if (timeline->count < timeline->capacity)
        return true;
    size_t capacity = timeline->capacity > 0 ? 2 * timeline->capacity : FIRST_EVENTS;
    cudaEvent_t *events = realloc(timeline->events, capacity * sizeof(cudaEvent_t));
    if (events == NULL) {
        cuda_error_note_words(timeline->error, "marking a time", "out of memory on the host");
        return false;
    }
    timeline->events = events;
    timeline->capacity = capacity;
    return true;
}

static bool grow(struct cuda_timeline *timeline)
{
    if (!make_room(timeline))
        return false;
    if (!succeeded(timeline,
                   cudaEventCreateWithFlags(&timeline->events[timeline->count], cudaEventDefault)))
        return false;
    timeline->count++;
    return true;
}

static uint64_t mark(void *context, enum timeline_stream stream)
{
    struct cuda_timeline *timeline = context;
    if (timeline->used == timeline->count && !grow(timeline))
        return 0;
    const size_t place = timeline->used++;
    (void)succeeded(timeline, cudaEventRecord(timeline->events[place], timeline->streams[stream]));
    return place;
}

static void restart(void *context)
{
    struct cuda_timeline *timeline = context;
    timeline->used = 0;
    (void)mark(timeline, TIMELINE_COMPUTE);
}

/* The library counts milliseconds in a float: a step of a second is resolved to 60 ns, finer than
 * the half microsecond of the events themselves (CUDA runtime API, cudaEventElapsedTime). */
static uint64_t ns(void *context, uint64_t place)
{
    struct cuda_timeline *timeline = context;
    float ms = 0;
    if (place == 0 || place >= timeline->used)
        return 0;
    if (!succeeded(timeline,
                   cudaEventElapsedTime(&ms, timeline->events[0], timeline->events[place])))
        return 0;
    return ms > 0 ? (uint64_t)((double)ms * 1e6) : 0;
}

void cuda_timeline_init(struct cuda_timeline *timeline, cudaStream_t compute,
                        cudaStream_t communication, struct cuda_error *error)
{
    *timeline = (struct cuda_timeline){.streams = {compute, communication}, .error = error};
}

void cuda_timeline_fini(struct cuda_timeline *timeline)
{
    for (size_t i = 0; i < timeline->count; i++)
        (void)cudaEventDestroy(timeline->events[i]);
    free(timeline->events);
    *timeline = (struct cuda_timeline){0};
}

struct timeline cuda_timeline_shown(struct cuda_timeline *timeline)
{
    return (struct timeline){.restart = restart, .mark = mark, .ns = ns, .context = timeline};
}
