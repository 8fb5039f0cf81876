#ifndef RANKLEDGER_STOPWATCH_H
#define RANKLEDGER_STOPWATCH_H

#include <stdint.h>

/* Nanoseconds of CLOCK_MONOTONIC, which is one clock for all processes of a host. */
uint64_t stopwatch_ns(void);

/* Page faults of this process so far, all its threads, that needed no reading from a disk. */
uint64_t stopwatch_minor_faults(void);

/* Resident bytes of this process now, and the most it ever had; 0 where the system does not say. */
uint64_t stopwatch_resident_bytes(void);
uint64_t stopwatch_peak_resident_bytes(void);

#endif
