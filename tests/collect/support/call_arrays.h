#ifndef RANKLEDGER_TESTS_CALL_ARRAYS_H
#define RANKLEDGER_TESTS_CALL_ARRAYS_H

#include "communicator.h"

/* Parts of so many elements: none a multiple of another; the longest is cut into pieces. */
enum { CALL_ARRAYS_MOST = 5 };
extern const uint64_t call_arrays_lengths[CALL_ARRAYS_MOST];

/* The arrays of one collective call between real ranks, with guards around them. */
struct call_arrays {
    struct communicator *communicator;
    struct communicator_call call;
    struct communicator_segment segments[CALL_ARRAYS_MOST];
    unsigned char *memory[CALL_ARRAYS_MOST], *shards[CALL_ARRAYS_MOST];
    bool apart; /* shards lie outside the arrays: of a gather with an odd ticket */
};

/* `count` arrays from length `first` on, filled with what this rank gives. Ends the test without
 * memory. */
struct call_arrays call_arrays_make(struct communicator *communicator,
                                    enum schedule_collective collective, size_t first, size_t count,
                                    size_t ticket);
void call_arrays_unmake(struct call_arrays *arrays);

/* End the test if the communicator refuses. */
void call_arrays_post(struct call_arrays *arrays);
void call_arrays_wait(struct communicator *communicator, size_t ticket);

/* Whether the arrays hold what the collective promises, and the guards what they held. */
bool call_arrays_right(const struct call_arrays *arrays);

/* What rank `rank` gives at `index` of array `segment`, and the sum over all ranks: up to four
 * ranks it stays below 256, which bf16 has exactly. */
float call_arrays_given(uint64_t rank, uint64_t index, size_t segment);
float call_arrays_summed(const struct communicator *communicator, uint64_t index, size_t segment);

/* A number in the wire's dtype; bf16 cuts off what it cannot hold. */
void call_arrays_write(const struct communicator *communicator, void *array, uint64_t index,
                       float number);
float call_arrays_read(const struct communicator *communicator, const void *array, uint64_t index);

#endif
