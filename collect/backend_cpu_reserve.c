#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "backend_cpu.h"

/* The number behind `name` in a file of "name number" lines; UINT64_MAX if it is not there. */
static uint64_t number_in(const char *path, const char *name)
{
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return UINT64_MAX;
    char line[256];
    uint64_t number = UINT64_MAX;
    const size_t length = strlen(name);
    while (number == UINT64_MAX && fgets(line, sizeof line, file) != NULL)
        if (strncmp(line, name, length) == 0)
            number = strtoull(line + length, NULL, 10);
    fclose(file);
    return number;
}

/*
 * What the control group of this process still allows (cgroup v2, as a container sees it at the
 * root): its limit less what is in use and cannot be dropped. UINT64_MAX without a limit.
 */
static uint64_t group_available(void)
{
    const uint64_t limit = number_in("/sys/fs/cgroup/memory.max", "");
    const uint64_t used = number_in("/sys/fs/cgroup/memory.current", "");
    const uint64_t cache = number_in("/sys/fs/cgroup/memory.stat", "inactive_file ");
    if (limit == 0 || limit == UINT64_MAX || used == UINT64_MAX) /* 0: the text "max" */
        return UINT64_MAX;
    const uint64_t held = cache > used ? used : used - cache;
    return held > limit ? 0 : limit - held;
}

static uint64_t machine_available(void)
{
    const uint64_t kibibytes = number_in("/proc/meminfo", "MemAvailable:");
    return kibibytes > UINT64_MAX / 1024 ? UINT64_MAX : kibibytes * 1024;
}

/* What may be touched before memory is looked at again. */
#define TOUCH_STEP ((uint64_t)256 << 20)

/* Every page once, by the threads that will work in it: a first touch costs a page fault. */
static void touch(unsigned char *base, uint64_t bytes, int threads)
{
#pragma omp parallel for schedule(static) num_threads(threads)
    for (uint64_t at = 0; at < bytes; at += 4096)
        ((volatile unsigned char *)base)[at] = 0;
}

/* STATUS_ENVIRONMENT if `bytes` more are not there; `done` of `whole` are touched. */
static enum status check_available(uint64_t bytes, uint64_t done, uint64_t whole, struct diag *diag)
{
    const uint64_t machine = machine_available();
    const uint64_t group = group_available();
    const uint64_t available = machine < group ? machine : group;
    if (bytes <= available)
        return STATUS_OK;
    return diag_set(diag, STATUS_ENVIRONMENT,
                    "out of memory: an arena of %" PRIu64 " bytes is needed, and with %" PRIu64
                    " of it in use %s has %" PRIu64 " available",
                    whole, done, group < machine ? "the control group" : "the machine", available);
}

/* Step by step: other ranks reserve at the same time, and each has seen the same memory as free. */
static enum status touch_all(unsigned char *base, uint64_t bytes, int threads, struct diag *diag)
{
    for (uint64_t at = 0; at < bytes; at += TOUCH_STEP) {
        const uint64_t step = bytes - at < TOUCH_STEP ? bytes - at : TOUCH_STEP;
        enum status status = check_available(step, at, bytes, diag);
        if (status != STATUS_OK)
            return status;
        touch(base + at, step, threads);
    }
    return STATUS_OK;
}

enum status backend_cpu_reserve(struct backend *backend, uint64_t bytes, void **base,
                                struct diag *diag)
{
    enum status status = check_available(bytes, 0, bytes, diag);
    if (status != STATUS_OK)
        return status;
    void *memory = mmap(NULL, bytes == 0 ? 4096 : bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        return diag_set(diag, STATUS_ENVIRONMENT,
                        "out of memory: the system refused an arena of %" PRIu64 " bytes: %s",
                        bytes, diag_reason(errno));
    /* Refused on kernels without huge pages, which costs speed only. */
    (void)madvise(memory, bytes, MADV_HUGEPAGE);
    status = touch_all(memory, bytes, backend->request.threads, diag);
    if (status != STATUS_OK) {
        backend_cpu_unreserve(backend, memory, bytes);
        return status;
    }
    *base = memory;
    return STATUS_OK;
}

void backend_cpu_unreserve(struct backend *backend, void *base, uint64_t bytes)
{
    (void)backend;
    if (base != NULL)
        munmap(base, bytes == 0 ? 4096 : bytes);
}
