#ifndef RANKLEDGER_TIMELINE_H
#define RANKLEDGER_TIMELINE_H

#include <stdint.h>

/*
 * Moments of a rank's work. Where the host computes itself, a moment is a reading of its clock;
 * where a device works through streams, it is an event between the operations of a stream, whose
 * time is known once the device has passed it.
 */
enum timeline_stream { TIMELINE_COMPUTE, TIMELINE_COMMUNICATION };

struct timeline {
    /* A new step begins: marks made before mean nothing any more. */
    void (*restart)(void *context);
    /* The moment when everything asked for on `stream` until now is done. */
    uint64_t (*mark)(void *context, enum timeline_stream stream);
    /* Nanoseconds of a mark, from a common origin; the device must have passed it (synchronise). */
    uint64_t (*ns)(void *context, uint64_t mark);
    void *context;
};

/* The host's clock: a mark is its own nanoseconds, of stopwatch_ns. */
extern const struct timeline timeline_host;

static inline void timeline_restart(const struct timeline *timeline)
{
    timeline->restart(timeline->context);
}

static inline uint64_t timeline_mark(const struct timeline *timeline, enum timeline_stream stream)
{
    return timeline->mark(timeline->context, stream);
}

static inline uint64_t timeline_ns(const struct timeline *timeline, uint64_t mark)
{
    return timeline->ns(timeline->context, mark);
}

#endif
