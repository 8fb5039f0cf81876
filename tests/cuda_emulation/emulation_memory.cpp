/*
 * Device memory. Each device owns a stretch of addresses that is reserved once and used once, so
 * that a freed address never comes back and an access to it is always found. Around every
 * allocation lie pages that are never accessible; it starts 256 bytes behind a page's start,
 * because CUDA promises an alignment of 256 and no more (CUDA C++ Programming Guide, "Device Memory
 * Accesses").
 */
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>

#include "emulation_parts.h"

namespace emulation
{

namespace
{

constexpr size_t page = 4096, huge_page = 2u << 20, promised_alignment = 256;
constexpr size_t reserved_bytes = (size_t)1 << 37; /* addresses of one device */

/* As fp32, fp64 and bf16 each a NaN, as int32 and int64 negative. */
constexpr uint16_t poison = 0xfff1;

struct memory {
    std::map<uintptr_t, allocation> all; /* by base, freed ones included */
    std::vector<allocation *> live;      /* device memory only */
    uintptr_t first[most_devices] = {}, next[most_devices] = {};
    uint64_t count = 0;
    unsigned open = 0;
};

memory &the_memory()
{
    static memory *made = new memory;
    return *made;
}

void fill(uintptr_t base, size_t bytes)
{
    uint16_t *to = reinterpret_cast<uint16_t *>(base);
    std::fill(to, to + bytes / 2, poison);
    if (bytes % 2 != 0)
        reinterpret_cast<unsigned char *>(base)[bytes - 1] = 0xff;
}

void protect(const allocation &of, int protection)
{
    if (mprotect(reinterpret_cast<void *>(of.mapped), of.mapped_bytes, protection) != 0)
        refuse("mprotect of %zu bytes failed: %s", of.mapped_bytes, std::strerror(errno));
}

bool reserve(memory &all, int device)
{
    if (all.first[device] != 0)
        return true;
    void *base = mmap(nullptr, reserved_bytes, PROT_NONE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (base == MAP_FAILED)
        return false;
    if (all.count == 0)
        watch_faults();
    all.first[device] = all.next[device] = reinterpret_cast<uintptr_t>(base);
    return true;
}

uintptr_t round_up(uintptr_t value, size_t to)
{
    return (value + to - 1) / to * to;
}

/* The range is accessible when it returns, and poisoned. */
allocation *place(memory &all, int device, size_t bytes)
{
    allocation made;
    const size_t unit = bytes >= huge_page ? huge_page : page; /* big ones are opened faster so */
    made.mapped = round_up(all.next[device] + page, unit);
    made.mapped_bytes = round_up(bytes + promised_alignment, unit);
    if (made.mapped + made.mapped_bytes + page > all.first[device] + reserved_bytes)
        return nullptr;
    all.next[device] = made.mapped + made.mapped_bytes;
    made.base = made.mapped + promised_alignment;
    made.bytes = bytes;
    made.device = device;
    made.number = ++all.count;
    protect(made, PROT_READ | PROT_WRITE);
    if (unit == huge_page)
        (void)madvise(reinterpret_cast<void *>(made.mapped), made.mapped_bytes, MADV_HUGEPAGE);
    fill(made.base, bytes);
    allocation *kept = &(all.all[made.base] = made);
    all.live.push_back(kept);
    return kept;
}

cudaError_t allocate(void **pointer, size_t bytes)
{
    memory &all = the_memory();
    const int index = current_device();
    device &of = device_at(index);
    *pointer = nullptr;
    if (bytes == 0)
        return cudaSuccess;
    if (bytes > of.memory || of.used + of.others + bytes > of.memory)
        return cudaErrorMemoryAllocation;
    const allocation *made = reserve(all, index) ? place(all, index, bytes) : nullptr;
    if (made == nullptr)
        return cudaErrorMemoryAllocation;
    if (all.open == 0)
        protect(*made, PROT_NONE);
    of.used += bytes;
    *pointer = reinterpret_cast<void *>(made->base);
    return cudaSuccess;
}

/* Gives the pages back to the system and leaves their addresses closed. */
void drop(memory &all, allocation &of)
{
    of.live = false;
    if (of.device < 0) {
        ::free(reinterpret_cast<void *>(of.base));
        all.all.erase(of.base); /* the host may use these addresses again */
        return;
    }
    (void)mmap(reinterpret_cast<void *>(of.mapped), of.mapped_bytes, PROT_NONE,
               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
    device_at(of.device).used -= of.bytes;
    log_forget(of.number);
    unwatch_allocation(of.number);
    all.live.erase(std::find(all.live.begin(), all.live.end(), &of));
}

cudaError_t release(void *pointer, bool host)
{
    memory &all = the_memory();
    const auto found = all.all.find(reinterpret_cast<uintptr_t>(pointer));
    if (pointer == nullptr)
        return cudaSuccess;
    if (found == all.all.end() || (found->second.device < 0) != host)
        return cudaErrorInvalidValue;
    if (!found->second.live)
        refuse("freed twice: %s", describe_address(found->first).c_str());
    drop(all, found->second);
    return cudaSuccess;
}

cudaError_t allocate_host(void **pointer, size_t bytes)
{
    memory &all = the_memory();
    allocation made;
    *pointer = nullptr;
    if (bytes == 0)
        return cudaSuccess;
    if (posix_memalign(pointer, page, bytes) != 0)
        return cudaErrorMemoryAllocation;
    made.base = made.mapped = reinterpret_cast<uintptr_t>(*pointer);
    made.bytes = made.mapped_bytes = bytes;
    made.device = -1;
    made.number = ++all.count;
    fill(made.base, bytes);
    all.all[made.base] = made;
    return cudaSuccess;
}

} // namespace

const allocation *allocation_of(uintptr_t address)
{
    const memory &all = the_memory();
    auto next = all.all.upper_bound(address);
    if (next == all.all.begin())
        return nullptr;
    const allocation &before = std::prev(next)->second;
    return address - before.base < before.bytes ? &before : nullptr;
}

int device_of(uintptr_t address)
{
    const memory &all = the_memory();
    for (int i = 0; i < device_count(); i++)
        if (all.first[i] != 0 && address - all.first[i] < reserved_bytes)
            return i;
    return -1;
}

std::string describe_address(uintptr_t address)
{
    const memory &all = the_memory();
    char text[256];
    int used = std::snprintf(text, sizeof text, "0x%zx, ", (size_t)address);
    const auto next = all.all.upper_bound(address);
    const allocation *near = next == all.all.begin() ? nullptr : &std::prev(next)->second;
    const bool before = near == nullptr && next != all.all.end() && next->second.device >= 0;
    if (before)
        near = &next->second;
    const bool inside = near != nullptr && address - near->base < near->bytes;
    if (near == nullptr || (!inside && device_of(address) < 0))
        return std::string(text) + "which is host memory, or nothing";
    std::string size = std::to_string(near->bytes) + " bytes";
    size += near->device < 0 ? ", page-locked host memory"
                             : " of device " + std::to_string(near->device);
    if (!near->live)
        size += ", freed";
    const size_t far = before ? near->base - address : address - near->base;
    std::snprintf(text + used, sizeof text - (size_t)used, "%zu bytes %s allocation %llu (%s)",
                  inside || before ? far : far - near->bytes,
                  inside   ? "into"
                  : before ? "before"
                           : "behind the end of",
                  (unsigned long long)near->number, size.c_str());
    return text;
}

void open_memory()
{
    memory &all = the_memory();
    if (all.open++ == 0)
        for (const allocation *each : all.live)
            protect(*each, PROT_READ | PROT_WRITE);
}

void close_memory()
{
    memory &all = the_memory();
    if (--all.open == 0)
        for (const allocation *each : all.live)
            protect(*each, PROT_NONE);
}

size_t live_allocations()
{
    size_t count = 0;
    for (const auto &each : the_memory().all)
        count += each.second.live;
    return count;
}

} // namespace emulation

using namespace emulation;

extern "C" {

cudaError_t cudaMemGetInfo(size_t *free_bytes, size_t *total)
{
    return api("cudaMemGetInfo", [&] {
        const device &of = device_at(current_device());
        const uint64_t taken = of.used + of.others;
        *free_bytes = taken < of.memory ? of.memory - taken : 0;
        *total = of.memory;
        return cudaSuccess;
    });
}

cudaError_t cudaMalloc(void **pointer, size_t bytes)
{
    return api("cudaMalloc", [&] { return allocate(pointer, bytes); });
}

cudaError_t cudaFree(void *pointer)
{
    return api("cudaFree", [&] {
        log_host_waits_for_device(current_device());
        return release(pointer, false);
    });
}

cudaError_t cudaHostAlloc(void **pointer, size_t bytes, unsigned)
{
    return api("cudaHostAlloc", [&] { return allocate_host(pointer, bytes); });
}

cudaError_t cudaMallocHost(void **pointer, size_t bytes)
{
    return api("cudaMallocHost", [&] { return allocate_host(pointer, bytes); });
}

cudaError_t cudaFreeHost(void *pointer)
{
    return api("cudaFreeHost", [&] { return release(pointer, true); });
}

bool cuda_emulation_is_device_memory(const void *pointer)
{
    const std::lock_guard<std::recursive_mutex> lock(guard());
    return device_of(reinterpret_cast<uintptr_t>(pointer)) >= 0;
}

} // extern "C"
