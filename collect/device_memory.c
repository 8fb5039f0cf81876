#include "device_memory.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

void device_memory_init(struct device_memory *memory, void *base, uint64_t capacity, uint64_t limit)
{
    *memory = (struct device_memory){
        .base = base,
        .capacity = base == NULL ? UINT64_MAX : capacity,
        .limit = limit,
        .phase = SCHEDULE_PHASE_INIT,
    };
}

enum status device_memory_prepare(struct device_memory *memory, size_t count, struct diag *diag)
{
    if (count <= memory->range_capacity)
        return STATUS_OK;
    struct device_memory_range *ranges = reallocarray(memory->ranges, count, sizeof *ranges);
    if (ranges == NULL)
        return diag_no_memory(diag);
    memory->ranges = ranges;
    memory->range_capacity = count;
    return STATUS_OK;
}

void device_memory_fini(struct device_memory *memory)
{
    free(memory->ranges);
    *memory = (struct device_memory){0};
}

/* Called whenever live bytes or the phase change: only then can a peak rise. */
static void note_peak(struct device_memory *memory)
{
    if (memory->live <= memory->phase_peak[memory->phase])
        return;
    memory->phase_peak[memory->phase] = memory->live;
    memcpy(memory->at_peak[memory->phase], memory->live_by_category,
           sizeof memory->live_by_category);
}

void device_memory_set_phase(struct device_memory *memory, enum schedule_phase phase)
{
    memory->phase = phase;
    note_peak(memory);
}

static enum status refuse(struct device_memory *memory, enum schedule_category category,
                          uint64_t bytes, uint64_t bound, const char *what, struct diag *diag)
{
    memory->refused = true;
    memory->refused_bytes = bytes;
    memory->refused_category = category;
    return diag_set(diag, STATUS_ENVIRONMENT,
                    "out of memory: %" PRIu64 " bytes asked for %s with %" PRIu64
                    " in use, and %s is %" PRIu64,
                    bytes, schedule_category_name(category), memory->live, what, bound);
}

/* The first gap that holds `size` bytes: the index of the range behind it, and where it begins. */
static size_t find_gap(const struct device_memory *memory, uint64_t size, uint64_t *offset)
{
    uint64_t end = 0;
    size_t i = 0;
    for (; i < memory->range_count; i++) {
        if (memory->ranges[i].offset - end >= size)
            break;
        end = memory->ranges[i].offset + memory->ranges[i].size;
    }
    *offset = end;
    return i;
}

enum status device_memory_take(struct device_memory *memory, enum schedule_category category,
                               uint64_t bytes, uint64_t *offset, struct diag *diag)
{
    const uint64_t mask = DEVICE_MEMORY_ALIGNMENT - 1;
    uint64_t size = bytes == 0 ? DEVICE_MEMORY_ALIGNMENT : (bytes + mask) & ~mask;
    if (bytes > UINT64_MAX / 2 || bytes > memory->limit || memory->live > memory->limit - bytes)
        return refuse(memory, category, bytes, memory->limit, "the limit", diag);
    uint64_t at;
    size_t index = find_gap(memory, size, &at);
    if (size > memory->capacity || at > memory->capacity - size)
        return refuse(memory, category, bytes, memory->capacity, "the arena", diag);
    if (memory->range_count == memory->range_capacity) {
        enum status status = device_memory_prepare(memory, 2 * memory->range_capacity + 16, diag);
        if (status != STATUS_OK)
            return status;
    }
    memmove(memory->ranges + index + 1, memory->ranges + index,
            (memory->range_count - index) * sizeof *memory->ranges);
    memory->ranges[index] = (struct device_memory_range){at, size, bytes, category};
    memory->range_count++;
    memory->live += bytes;
    memory->live_by_category[category] += bytes;
    if (memory->live_by_category[category] > memory->category_peak[category])
        memory->category_peak[category] = memory->live_by_category[category];
    if (at + size > memory->extent)
        memory->extent = at + size;
    note_peak(memory);
    *offset = at;
    return STATUS_OK;
}

bool device_memory_release(struct device_memory *memory, uint64_t offset)
{
    for (size_t i = 0; i < memory->range_count; i++) {
        const struct device_memory_range *range = &memory->ranges[i];
        if (range->offset != offset)
            continue;
        memory->live -= range->bytes;
        memory->live_by_category[range->category] -= range->bytes;
        memmove(memory->ranges + i, memory->ranges + i + 1,
                (memory->range_count - i - 1) * sizeof *memory->ranges);
        memory->range_count--;
        return true;
    }
    return false;
}

void *device_memory_at(const struct device_memory *memory, uint64_t offset)
{
    return memory->base == NULL ? NULL : memory->base + offset;
}
