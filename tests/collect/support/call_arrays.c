#include "call_arrays.h"

#include <stdlib.h>
#include <string.h>

#include "mpi_expect.h"

enum { GUARD_BYTES = 64 };

const uint64_t call_arrays_lengths[CALL_ARRAYS_MOST] = {16, 1, 4099, 200003, 70001};

static uint64_t element_bytes(const struct communicator *communicator)
{
    return model_dtype_bytes(communicator->wire);
}

void call_arrays_write(const struct communicator *communicator, void *array, uint64_t index,
                       float number)
{
    if (communicator->wire == MODEL_FP32) {
        ((float *)array)[index] = number;
        return;
    }
    uint32_t bits;
    memcpy(&bits, &number, sizeof bits);
    ((uint16_t *)array)[index] = (uint16_t)(bits >> 16);
}

float call_arrays_read(const struct communicator *communicator, const void *array, uint64_t index)
{
    if (communicator->wire == MODEL_FP32) {
        return ((const float *)array)[index];
    }
    uint32_t bits = (uint32_t)((const uint16_t *)array)[index] << 16;
    float number;
    memcpy(&number, &bits, sizeof number);
    return number;
}

float call_arrays_given(uint64_t rank, uint64_t index, size_t segment)
{
    return (float)(rank + 1) * (float)(1 + (index + 3 * segment) % 23);
}

float call_arrays_summed(const struct communicator *communicator, uint64_t index, size_t segment)
{
    float sum = 0;
    for (uint64_t rank = 0; rank < communicator->world_size; rank++) {
        sum += call_arrays_given(rank, index, segment);
    }
    return sum;
}

static void fill(struct call_arrays *arrays)
{
    const struct communicator *communicator = arrays->communicator;
    for (size_t s = 0; s < arrays->call.segment_count; s++) {
        struct communicator_segment *segment = &arrays->segments[s];
        uint64_t count = segment->part_elements * communicator->world_size;
        for (uint64_t i = 0; i < count; i++) {
            bool own = i / segment->part_elements == communicator->rank;
            bool give = arrays->call.collective != SCHEDULE_ALL_GATHER || (own && !arrays->apart);
            call_arrays_write(communicator, segment->whole, i,
                              give ? call_arrays_given(communicator->rank, i, s) : -1.0f);
            if (own && arrays->apart) {
                call_arrays_write(communicator, arrays->shards[s], i % segment->part_elements,
                                  call_arrays_given(communicator->rank, i, s));
            }
        }
    }
}

struct call_arrays call_arrays_make(struct communicator *communicator,
                                    enum schedule_collective collective, size_t first, size_t count,
                                    size_t ticket)
{
    struct call_arrays arrays = {.communicator = communicator};
    arrays.apart = collective == SCHEDULE_ALL_GATHER && ticket % 2 == 1;
    arrays.call = (struct communicator_call){.collective = collective,
                                             .purpose = SCHEDULE_PARAMETER_GATHER,
                                             .segment_count = count,
                                             .ticket = ticket};
    for (size_t s = 0; s < count; s++) {
        uint64_t part = call_arrays_lengths[first + s];
        uint64_t bytes = part * element_bytes(communicator) * communicator->world_size;
        arrays.memory[s] = malloc(bytes + 2 * GUARD_BYTES);
        arrays.shards[s] = malloc(part * element_bytes(communicator));
        mpi_expect(arrays.memory[s] && arrays.shards[s], "memory");
        memset(arrays.memory[s], 0xa5, bytes + 2 * GUARD_BYTES);
        unsigned char *whole = arrays.memory[s] + GUARD_BYTES;
        arrays.segments[s] = (struct communicator_segment){
            .whole = whole,
            .shard = arrays.apart ? arrays.shards[s]
                                  : whole + communicator->rank * part * element_bytes(communicator),
            .part_elements = part};
        arrays.call.payload_bytes += bytes;
    }
    fill(&arrays);
    return arrays;
}

void call_arrays_unmake(struct call_arrays *arrays)
{
    for (size_t s = 0; s < arrays->call.segment_count; s++) {
        free(arrays->memory[s]);
        free(arrays->shards[s]);
    }
}

void call_arrays_post(struct call_arrays *arrays)
{
    struct diag diag = {0};
    arrays->call.segments = arrays->segments;
    enum status status = communicator_post(arrays->communicator, &arrays->call, &diag);
    mpi_expect(status == STATUS_OK, "a post: %s", diag.text);
}

void call_arrays_wait(struct communicator *communicator, size_t ticket)
{
    struct diag diag = {0};
    mpi_expect(communicator_wait(communicator, ticket, &diag) == STATUS_OK, "a wait: %s",
               diag.text);
}

static bool guards_hold(const struct call_arrays *arrays, size_t s)
{
    uint64_t bytes = arrays->segments[s].part_elements * element_bytes(arrays->communicator) *
                     arrays->communicator->world_size;
    for (size_t i = 0; i < GUARD_BYTES; i++) {
        if (arrays->memory[s][i] != 0xa5 || arrays->memory[s][GUARD_BYTES + bytes + i] != 0xa5) {
            return false;
        }
    }
    return true;
}

bool call_arrays_right(const struct call_arrays *arrays)
{
    const struct communicator *communicator = arrays->communicator;
    enum schedule_collective collective = arrays->call.collective;
    for (size_t s = 0; s < arrays->call.segment_count; s++) {
        const struct communicator_segment *segment = &arrays->segments[s];
        uint64_t part = segment->part_elements;
        bool whole = collective != SCHEDULE_REDUCE_SCATTER;
        uint64_t first = whole ? 0 : communicator->rank * part;
        uint64_t end = whole ? communicator->world_size * part : first + part;
        for (uint64_t i = first; i < end; i++) {
            float expected = collective == SCHEDULE_ALL_GATHER
                                 ? call_arrays_given(i / part, i, s)
                                 : call_arrays_summed(communicator, i, s);
            if (call_arrays_read(communicator, segment->whole, i) != expected) {
                return false;
            }
        }
        if (!guards_hold(arrays, s)) {
            return false;
        }
    }
    return true;
}
