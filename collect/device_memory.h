#ifndef RANKLEDGER_DEVICE_MEMORY_H
#define RANKLEDGER_DEVICE_MEMORY_H

#include <stdbool.h>

#include "schedule.h"

/*
 * One rank's arena: ranges of it are taken and released, first fit, and every live byte is booked
 * by category and phase. Without a base (dry) it does the same sums without memory: that is how the
 * arena's size is found. Deterministic: the same takes and releases give the same offsets.
 */
#define DEVICE_MEMORY_ALIGNMENT 64

struct device_memory_range {
    uint64_t offset, size; /* size: rounded up to the alignment */
    uint64_t bytes;        /* as asked: this is what is booked */
    enum schedule_category category;
};

struct device_memory {
    unsigned char *base;                /* NULL: dry */
    uint64_t capacity;                  /* UINT64_MAX when dry */
    uint64_t limit;                     /* live bytes allowed (--memory-limit); UINT64_MAX: none */
    struct device_memory_range *ranges; /* live, by offset; heap */
    size_t range_count, range_capacity;
    enum schedule_phase phase;
    uint64_t live, live_by_category[SCHEDULE_CATEGORY_COUNT];
    uint64_t extent; /* the highest end of any range so far: what an arena must have */
    uint64_t phase_peak[SCHEDULE_PHASE_COUNT];
    uint64_t at_peak[SCHEDULE_PHASE_COUNT][SCHEDULE_CATEGORY_COUNT];
    uint64_t category_peak[SCHEDULE_CATEGORY_COUNT];
    /* Of the refused take, for the evidence. */
    bool refused;
    uint64_t refused_bytes;
    enum schedule_category refused_category;
};

void device_memory_init(struct device_memory *memory, void *base, uint64_t capacity,
                        uint64_t limit);
/* Room for `count` live ranges, so that no take of a step allocates. */
enum status device_memory_prepare(struct device_memory *memory, size_t count,
                                  struct diag *diag) STATUS_CHECKED;
void device_memory_fini(struct device_memory *memory);

/* The phase's peak starts from what is live now. */
void device_memory_set_phase(struct device_memory *memory, enum schedule_phase phase);

/*
 * Takes `bytes`; *offset is where. STATUS_ENVIRONMENT, with `refused` set and asked, in use, limit
 * and category in the message, if the limit or the arena would be exceeded.
 */
enum status device_memory_take(struct device_memory *memory, enum schedule_category category,
                               uint64_t bytes, uint64_t *offset, struct diag *diag) STATUS_CHECKED;
/* `offset` as take gave it. False (a bug) if no such range is live. */
bool device_memory_release(struct device_memory *memory, uint64_t offset);
/* The address of an offset; NULL when dry. */
void *device_memory_at(const struct device_memory *memory, uint64_t offset);

#endif
