#include "stopwatch.h"

#include <stdio.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

uint64_t stopwatch_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

uint64_t stopwatch_minor_faults(void)
{
    struct rusage usage;
    if (getrusage(RUSAGE_SELF, &usage) != 0)
        return 0;
    return (uint64_t)usage.ru_minflt;
}

/* proc(5): the second number of /proc/self/statm is the resident set in pages. */
uint64_t stopwatch_resident_bytes(void)
{
    FILE *file = fopen("/proc/self/statm", "re");
    if (file == NULL)
        return 0;
    unsigned long long size, resident;
    int read = fscanf(file, "%llu %llu", &size, &resident);
    fclose(file);
    long page = sysconf(_SC_PAGESIZE);
    return read == 2 && page > 0 ? (uint64_t)resident * (uint64_t)page : 0;
}

/* getrusage(2): ru_maxrss is in kilobytes of 1024 bytes. */
uint64_t stopwatch_peak_resident_bytes(void)
{
    struct rusage usage;
    if (getrusage(RUSAGE_SELF, &usage) != 0)
        return 0;
    return (uint64_t)usage.ru_maxrss * 1024;
}
