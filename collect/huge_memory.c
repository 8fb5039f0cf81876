#include "huge_memory.h"

#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#define HUGE_PAGE ((size_t)2 << 20)

/* Huge pages begin at multiples of their size: more is mapped, and what lies outside given back. */
void *huge_memory_map(size_t bytes)
{
    size_t whole = bytes + HUGE_PAGE;
    unsigned char *mapped =
        mmap(NULL, whole, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapped == MAP_FAILED) {
        return NULL;
    }
    size_t before = (HUGE_PAGE - (uintptr_t)mapped % HUGE_PAGE) % HUGE_PAGE;
    size_t kept = (bytes + 4095) / 4096 * 4096;
    if (before > 0) {
        munmap(mapped, before);
    }
    if (whole > before + kept) {
        munmap(mapped + before + kept, whole - before - kept);
    }
    madvise(mapped + before, kept, MADV_HUGEPAGE); /* refused by some systems; then it is slower */
    memset(mapped + before, 0, bytes);
    return mapped + before;
}

void huge_memory_unmap(void *memory, size_t bytes)
{
    if (memory) {
        munmap(memory, (bytes + 4095) / 4096 * 4096);
    }
}
