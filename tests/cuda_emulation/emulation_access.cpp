/*
 * Every access of kernel code to memory. Kernels are compiled with -fsanitize=thread, which makes
 * the compiler call these functions before each access; the sanitizer's own runtime is not linked.
 */
#include <cstring>
#include <map>

#include "emulation_race.h"
#include "emulation_touched.h"

namespace emulation
{

namespace
{

/* An allocation that was touched lately, and what the running operation has touched of it. */
struct window {
    uintptr_t base = 0;
    size_t bytes = 0;
    touched *notes = nullptr;     /* NULL: nothing is kept */
    race_shadow *races = nullptr; /* NULL: not watched */
};

struct watch {
    bool kernel = false;
    uintptr_t stacks = 0, parameters = 0;
    size_t stacks_bytes = 0, parameters_bytes = 0;
    window near[4];
    unsigned oldest = 0;
    std::map<uint64_t, race_shadow> *shadows = nullptr; /* by the allocation's number */
} watched;

/* Of allocations that are not too big: it takes eight times their memory. */
race_shadow *shadow_of(const allocation &of)
{
    static const uint64_t most = setting("CUDA_EMULATION_RACES", 1 << 20);
    if (of.bytes > most)
        return nullptr;
    if (watched.shadows == nullptr)
        watched.shadows = new std::map<uint64_t, race_shadow>;
    return &watched.shadows->try_emplace(of.number, of.bytes).first->second;
}

const char *verb(bool write)
{
    return write ? "writes" : "reads";
}

/* Refuses what is not all in one live allocation that the operation's device can access. */
const allocation *check(uintptr_t address, size_t bytes, bool write)
{
    const allocation *of = allocation_of(address);
    if (of == nullptr || !of->live || bytes > of->bytes - (address - of->base))
        refuse("%s %zu bytes at %s", verb(write), bytes, describe_address(address).c_str());
    if (of->device < 0 && watched.kernel)
        refuse("%s %zu bytes of host memory, at %s", verb(write), bytes,
               describe_address(address).c_str());
    const int mine = operation_device();
    int can = of->device < 0 || of->device == mine;
    if (!can)
        (void)cudaDeviceCanAccessPeer(&can, mine, of->device);
    if (!can)
        refuse("device %d %s %zu bytes of another device, at %s", mine, verb(write), bytes,
               describe_address(address).c_str());
    return of;
}

inline void note(const window &near, size_t offset, size_t bytes, bool write)
{
    if (near.notes != nullptr)
        near.notes->add(offset, bytes, write);
    const char *other = near.races == nullptr ? nullptr : near.races->add(offset, bytes, write);
    if (other != nullptr)
        refuse("%s %zu bytes which %s with no barrier between the two, at %s", verb(write), bytes,
               other, describe_address(near.base + offset).c_str());
}

/* In none of the allocations that were touched lately. */
void elsewhere(uintptr_t address, size_t bytes, bool write)
{
    if (device_of(address) < 0) {
        if (!write && address - watched.parameters < watched.parameters_bytes)
            return;
        if (shared_access(address, bytes, write) || (!write && is_constant(address)))
            return;
    }
    const allocation *of = check(address, bytes, write);
    window &made = watched.near[watched.oldest++ % 4];
    made = {of->base, of->bytes, log_touched(of), shadow_of(*of)};
    note(made, address - made.base, bytes, write);
}

inline void access(uintptr_t address, size_t bytes, bool write)
{
    if (address - watched.stacks < watched.stacks_bytes)
        return;
    for (const window &near : watched.near) {
        const size_t offset = address - near.base;
        if (offset >= near.bytes || bytes > near.bytes - offset)
            continue;
        note(near, offset, bytes, write);
        return;
    }
    elsewhere(address, bytes, write);
}

/* An access of a width that a device serves only at its multiples. */
template <size_t Bytes> inline void aligned(void *pointer, bool write)
{
    const uintptr_t address = reinterpret_cast<uintptr_t>(pointer);
    if (!watched.kernel || address - watched.stacks < watched.stacks_bytes)
        return; /* local memory: the host's compiler joined what a device keeps in registers */
    if ((address & (Bytes - 1)) != 0)
        refuse("%s %zu bytes at an address that is no multiple of that: %s", verb(write), Bytes,
               describe_address(address).c_str());
    access(address, Bytes, write);
}

inline void any(void *pointer, size_t bytes, bool write)
{
    if (watched.kernel && bytes > 0)
        access(reinterpret_cast<uintptr_t>(pointer), bytes, write);
}

} // namespace

void touch(uintptr_t address, size_t bytes, bool write)
{
    if (bytes == 0)
        return;
    const allocation *of = allocation_of(address);
    if (of == nullptr && device_of(address) < 0) { /* the host's own */
        log_range(address, bytes, write);
        return;
    }
    check(address, bytes, write);
    log_range(address, bytes, write);
}

void watch_kernel(const void *parameters, size_t bytes)
{
    watched.parameters = reinterpret_cast<uintptr_t>(parameters);
    watched.parameters_bytes = bytes;
    for (window &near : watched.near)
        near = {};
    watched.kernel = true;
}

void unwatch_kernel()
{
    watched.kernel = false;
}

void unwatch_allocation(uint64_t number)
{
    if (watched.shadows != nullptr)
        watched.shadows->erase(number);
}

void watch_stacks(uintptr_t low, size_t bytes)
{
    watched.stacks = low;
    watched.stacks_bytes = bytes;
}

} // namespace emulation

using namespace emulation;

/* The names and meanings are those of LLVM's and GCC's thread sanitizer interface. */
extern "C" {
void __tsan_init(void)
{
}
void __tsan_func_entry(void *)
{
}
void __tsan_func_exit(void)
{
}
void __tsan_read1(void *pointer)
{
    aligned<1>(pointer, false);
}
void __tsan_read2(void *pointer)
{
    aligned<2>(pointer, false);
}
void __tsan_read4(void *pointer)
{
    aligned<4>(pointer, false);
}
void __tsan_read8(void *pointer)
{
    aligned<8>(pointer, false);
}
void __tsan_read16(void *pointer)
{
    aligned<16>(pointer, false);
}
void __tsan_write1(void *pointer)
{
    aligned<1>(pointer, true);
}
void __tsan_write2(void *pointer)
{
    aligned<2>(pointer, true);
}
void __tsan_write4(void *pointer)
{
    aligned<4>(pointer, true);
}
void __tsan_write8(void *pointer)
{
    aligned<8>(pointer, true);
}
void __tsan_write16(void *pointer)
{
    aligned<16>(pointer, true);
}
void __tsan_unaligned_read2(void *pointer)
{
    any(pointer, 2, false);
}
void __tsan_unaligned_read4(void *pointer)
{
    any(pointer, 4, false);
}
void __tsan_unaligned_read8(void *pointer)
{
    any(pointer, 8, false);
}
void __tsan_unaligned_read16(void *pointer)
{
    any(pointer, 16, false);
}
void __tsan_unaligned_write2(void *pointer)
{
    any(pointer, 2, true);
}
void __tsan_unaligned_write4(void *pointer)
{
    any(pointer, 4, true);
}
void __tsan_unaligned_write8(void *pointer)
{
    any(pointer, 8, true);
}
void __tsan_unaligned_write16(void *pointer)
{
    any(pointer, 16, true);
}
void __tsan_read_range(void *pointer, size_t bytes)
{
    any(pointer, bytes, false);
}
void __tsan_write_range(void *pointer, size_t bytes)
{
    any(pointer, bytes, true);
}
void __tsan_vptr_update(void **, void *)
{
}
void *__tsan_memcpy(void *to, const void *from, size_t bytes)
{
    any(const_cast<void *>(from), bytes, false);
    any(to, bytes, true);
    return std::memcpy(to, from, bytes);
}
void *__tsan_memmove(void *to, const void *from, size_t bytes)
{
    any(const_cast<void *>(from), bytes, false);
    any(to, bytes, true);
    return std::memmove(to, from, bytes);
}
void *__tsan_memset(void *to, int value, size_t bytes)
{
    any(to, bytes, true);
    return std::memset(to, value, bytes);
}

void cuda_emulation_touch(const void *pointer, size_t bytes, bool write)
{
    const std::lock_guard<std::recursive_mutex> lock(guard());
    touch(reinterpret_cast<uintptr_t>(pointer), bytes, write);
}
} // extern "C"
