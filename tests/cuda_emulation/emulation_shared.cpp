/*
 * Shared memory: the arrays of the running kernel, found when they are first touched. Each is
 * poisoned before every block; their sum has a limit; an access by two threads of which one writes,
 * with no barrier between them, is refused, because a device may do them in either order.
 */
#include <algorithm>
#include <map>

#include "emulation_symbols.h"

namespace emulation
{

namespace
{

/* Static shared memory of a block, on every device (CUDA C++ Programming Guide, "Technical
 * Specifications"). */
constexpr size_t most_shared = 48 << 10;

/* Two bytes of shared memory, the smallest element that kernels use: who touched it last. */
struct cell {
    uint32_t write_epoch = 0, read_epoch = 0; /* of the block, counted from 1; 0: nobody */
    uint32_t write_warp_epoch = 0, read_warp_epoch = 0;
    uint16_t writer = 0, reader = 0;
    bool many_readers = false; /* not only `reader`; `other` is one of another warp, if any */
    bool many_warps = false;
};

struct array {
    uintptr_t base;
    size_t bytes;
    std::string name;
    std::vector<cell> cells;
};

struct shared_memory {
    std::map<uintptr_t, array> arrays; /* every one ever touched */
    std::vector<array *> mine;         /* of the running kernel */
    array *near = nullptr;
    uint32_t epoch = 0; /* of the running block's start */
    size_t total = 0;
};

shared_memory &the_shared()
{
    static shared_memory *made = new shared_memory;
    return *made;
}

void poison(const array &of)
{
    uint16_t *to = reinterpret_cast<uint16_t *>(of.base);
    std::fill(to, to + of.bytes / 2, (uint16_t)0xfff1);
}

/* The kernel touches this array for the first time. */
array *join(shared_memory &all, const symbol &of)
{
    array &made = all.arrays[of.address];
    if (made.bytes == 0)
        made = {of.address, of.bytes, readable_name(of.name), std::vector<cell>(of.bytes / 2 + 1)};
    all.mine.push_back(&made);
    all.total += (of.bytes + 15) / 16 * 16;
    if (all.total > most_shared)
        refuse("its shared memory takes %zu bytes with %s, more than the %zu that a block can have",
               all.total, made.name.c_str(), most_shared);
    poison(made);
    return &made;
}

/* Whether the running thread comes behind an access of `other` in this epoch of the block. */
bool ordered(unsigned other, uint32_t warp_epoch)
{
    return other == now.index || (other / 32 == now.index / 32 && now.warp_epoch > warp_epoch);
}

void race(const array &of, uintptr_t address, bool write, unsigned other, const char *did)
{
    refuse("%s byte %zu of shared %s, which thread %u of the block %s with no barrier between them",
           write ? "writes" : "reads", address - of.base, of.name.c_str(), other, did);
}

void note_write(array &of, uintptr_t address, cell &at, uint32_t epoch)
{
    if (at.write_epoch == epoch && !ordered(at.writer, at.write_warp_epoch))
        race(of, address, true, at.writer, "wrote");
    if (at.read_epoch == epoch && (at.many_warps || !ordered(at.reader, at.read_warp_epoch) ||
                                   (at.many_readers && now.warp_epoch <= at.read_warp_epoch)))
        race(of, address, true, at.reader, "(or another one) read");
    at.write_epoch = epoch;
    at.writer = (uint16_t)now.index;
    at.write_warp_epoch = now.warp_epoch;
}

void note_read(array &of, uintptr_t address, cell &at, uint32_t epoch)
{
    if (at.write_epoch == epoch && !ordered(at.writer, at.write_warp_epoch))
        race(of, address, false, at.writer, "wrote");
    const bool first = at.read_epoch != epoch;
    at.many_warps = !first && (at.many_warps || at.reader / 32 != now.index / 32);
    at.many_readers = !first && (at.many_readers || at.reader != now.index);
    at.read_epoch = epoch;
    at.reader = (uint16_t)now.index;
    at.read_warp_epoch = first ? now.warp_epoch : std::max(at.read_warp_epoch, now.warp_epoch);
}

array *array_of(shared_memory &all, uintptr_t address)
{
    if (all.near != nullptr && address - all.near->base < all.near->bytes)
        return all.near;
    for (array *mine : all.mine)
        if (address - mine->base < mine->bytes)
            return all.near = mine;
    const symbol *found = find_array(address, 0);
    return found == nullptr ? nullptr : all.near = join(all, *found);
}

} // namespace

bool shared_access(uintptr_t address, size_t bytes, bool write)
{
    shared_memory &all = the_shared();
    array *of = array_of(all, address);
    if (of == nullptr)
        return false;
    const size_t offset = address - of->base;
    if (bytes > of->bytes - offset)
        refuse("%s %zu bytes at byte %zu of shared %s, which has %zu", write ? "writes" : "reads",
               bytes, offset, of->name.c_str(), of->bytes);
    const uint32_t epoch = all.epoch + now.block_epoch;
    for (size_t i = offset / 2; i <= (offset + bytes - 1) / 2; i++)
        if (write)
            note_write(*of, of->base + 2 * i, of->cells[i], epoch);
        else
            note_read(*of, of->base + 2 * i, of->cells[i], epoch);
    return true;
}

void shared_start_kernel()
{
    shared_memory &all = the_shared();
    all.mine.clear();
    all.near = nullptr;
    all.total = 0;
}

void shared_start_block()
{
    shared_memory &all = the_shared();
    all.epoch += now.block_epoch + 1; /* what the block before counted is past */
    for (const array *mine : all.mine)
        poison(*mine);
}

} // namespace emulation
