#ifndef RANKLEDGER_COMMUNICATOR_USAGE_H
#define RANKLEDGER_COMMUNICATOR_USAGE_H

#include "communicator.h"

/*
 * How the time of collectives is booked; for communicator.c. On the host it is known at once; on
 * streams only marks are, which communicator_settle turns into times.
 */
struct communicator_booking {
    bool exposed; /* the compute stream waited; else the call was in flight */
    enum schedule_collective collective;
    enum schedule_purpose purpose;
    enum schedule_phase phase;
    uint64_t begin, end; /* marks of the communicator's timeline */
};

/* Exposed time in the communicator's phase. */
void communicator_usage_add_exposed(struct communicator *communicator,
                                    enum schedule_collective collective,
                                    enum schedule_purpose purpose, uint64_t ns);

/* At once where there are no streams, otherwise by the next communicator_settle. STATUS_ENVIRONMENT
 * without memory. */
enum status communicator_usage_book(struct communicator *communicator,
                                    const struct communicator_booking *booking,
                                    struct diag *diag) STATUS_CHECKED;

#endif
