#ifndef RANKLEDGER_CALIBRATION_H
#define RANKLEDGER_CALIBRATION_H

#include "communicator.h"
#include "rank_record.h"

/*
 * How fast the ranks' link is, whatever a run does with it: a collective posted and waited for at
 * once, over and over, in the same memory. Nothing of it is counted in the communicator's usage.
 * All ranks call alike.
 */
struct calibration_request {
    struct communicator *communicator;
    void *memory;   /* device memory, touched, 64-byte aligned; zeros, so that sums stay zeros */
    uint64_t bytes; /* its size; larger payloads are left out */
    const uint64_t *payloads; /* ascending; rounded down to whole parts of 16 elements a rank */
    size_t payload_count;
    uint64_t least_calls; /* of each collective; of small payloads more. The median is taken */
    /* Where the rows go. */
    struct rank_link *links;
    size_t capacity;
};

/*
 * Times all-reduce, reduce-scatter and all-gather, which take turns, at each payload: three rows
 * with the ms of a call, as long as there is room for them (none where there is one rank). On rank
 * 0 the slowest rank's, on the others their own. Bus bandwidth is payload *
 * schedule_count_bus_factor / time.
 */
enum status calibration_measure(const struct calibration_request *request, uint64_t *link_count,
                                struct diag *diag) STATUS_CHECKED;

/* The calibration that belongs to a run: three sizes up to this, in a tenth of a second. */
#define CALIBRATION_QUICK_BYTES (UINT64_C(8) << 20)
enum status calibration_quick(struct communicator *communicator, void *memory, uint64_t bytes,
                              struct rank_record *record, struct diag *diag) STATUS_CHECKED;

#endif
