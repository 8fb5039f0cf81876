/* Where threads wait for each other: barriers of the block and exchanges within a warp. */
#include <cstring>

#include "emulation_engine.h"

namespace emulation
{

namespace
{

bool same(const place &left, const place &right)
{
    return left.meeting == right.meeting && left.line == right.line;
}

/* "__syncthreads (cuda_norm.cu:79)" */
std::string describe(const place &of)
{
    static const char *const names[] = {"__syncthreads",  "__syncwarp",       "__shfl_sync",
                                        "__shfl_up_sync", "__shfl_down_sync", "__shfl_xor_sync"};
    const char *base = std::strrchr(of.file, '/');
    return std::string(names[of.meeting]) + " (" + (base == nullptr ? of.file : base + 1) + ":" +
           std::to_string(of.line) + ")";
}

/* The lanes of `mask` have to be in the block, and on their way to the same place. */
void check_exchange(const engine &all, unsigned index, const place &at, unsigned mask)
{
    const unsigned first = index / lanes * lanes;
    if ((mask >> (index - first) & 1u) == 0)
        refuse("lane %u calls %s with mask 0x%08x, which does not name it", index - first,
               describe(at).c_str(), mask);
    for (unsigned lane = 0; lane < lanes; lane++) {
        const unsigned other = first + lane;
        const bool named = (mask >> lane & 1u) != 0;
        if (named && other >= all.count)
            refuse("%s names lane %u (mask 0x%08x), but the block has only %u threads",
                   describe(at).c_str(), lane, mask, all.count);
        if (other >= all.count || other == index)
            continue;
        const thread &of = all.threads[other];
        const bool waits = of.is == at_exchange;
        const bool apart = waits && (of.mask != mask || !same(of.at, at));
        const bool names_me = waits && (of.mask >> (index - first) & 1u) != 0;
        if ((named && (of.is == finished || of.is == at_barrier)) || ((named || names_me) && apart))
            refuse("%s waits for the lanes of mask 0x%08x, but %s (mask 0x%08x)",
                   describe(at).c_str(), mask, where(all, other).c_str(), of.mask);
    }
}

/* As check_exchange, where there is nothing to find: all lanes that wait are here. */
bool plainly_right(const engine &all, const warp &mine, unsigned index, const place &at,
                   unsigned mask)
{
    const unsigned first = index / lanes * lanes, left = all.count - first;
    const unsigned existing = left >= lanes ? ~0u : (1u << left) - 1;
    return all.waiting == 0 && all.done == 0 && (mask & ~existing) == 0 &&
           (mask >> (index - first) & 1u) != 0 &&
           (mine.arrived == 0 || (mine.mask == mask && same(mine.at, at)));
}

/* The last lane has come: all get their values, and go on. */
void complete_exchange(engine &all, unsigned index, unsigned mask)
{
    const unsigned first = index / lanes * lanes;
    for (unsigned lane = 0; lane < lanes; lane++) {
        thread &of = all.threads[first + lane];
        if ((mask >> lane & 1u) == 0)
            continue;
        if (of.source >= lanes || (mask >> of.source & 1u) == 0)
            refuse("%s: lane %u reads lane %u, which mask 0x%08x does not name",
                   describe(of.at).c_str(), lane, of.source, mask);
        of.result = all.threads[first + of.source].value;
    }
    for (unsigned lane = 0; lane < lanes; lane++)
        if ((mask >> lane & 1u) != 0 && first + lane != index)
            push_ready(all, first + lane);
    all.threads[index].is = ready;
    all.warps[index / lanes].arrived &= ~mask;
}

uint64_t exchange(const place &at, unsigned mask, unsigned source, uint64_t value)
{
    engine &all = the_engine();
    if (!all.active)
        refuse("%s outside a kernel", describe(at).c_str());
    const unsigned index = now.index;
    warp &mine = all.warps[index / lanes];
    if (!plainly_right(all, mine, index, at, mask))
        check_exchange(all, index, at, mask);
    thread &self = all.threads[index];
    self.at = at;
    self.mask = mask;
    self.value = value;
    self.source = source;
    self.is = at_exchange;
    if (mine.arrived == 0) {
        mine.mask = mask;
        mine.at = at;
    }
    mine.arrived |= 1u << index % lanes;
    if ((mine.arrived & mask) == mask)
        complete_exchange(all, index, mask);
    else
        give_way(all);
    return self.result;
}

void barrier(const place &at)
{
    engine &all = the_engine();
    if (!all.active)
        refuse("%s outside a kernel", describe(at).c_str());
    const unsigned index = now.index;
    thread &self = all.threads[index];
    self.at = at;
    check_not_awaited(all, index, "it comes to __syncthreads");
    if (all.waiting == 0)
        all.barrier = at;
    for (unsigned i = 0; i < all.count && (all.done > 0 || !same(all.barrier, at)); i++)
        if (all.threads[i].is == finished ||
            (all.threads[i].is == at_barrier && !same(all.threads[i].at, at)))
            refuse("%s waits for the whole block, but %s", describe(at).c_str(),
                   where(all, i).c_str());
    self.is = at_barrier;
    if (++all.waiting < all.count) {
        give_way(all);
        return;
    }
    all.waiting = 0;
    now.block_epoch++;
    now.period++;
    self.is = ready;
    for (unsigned i = 0; i < all.count; i++)
        if (i != index)
            push_ready(all, i);
}

} // namespace

std::string where(const engine &all, unsigned index)
{
    const thread &of = all.threads[index];
    const std::string name = "thread (" + std::to_string(of.index.x) + ", " +
                             std::to_string(of.index.y) + ", " + std::to_string(of.index.z) + ")";
    if (of.is == finished)
        return name + " has ended";
    if (of.is != at_barrier && of.is != at_exchange)
        return name + " runs";
    return name + " waits at " + describe(of.at);
}

void check_not_awaited(const engine &all, unsigned index, const char *what)
{
    const unsigned first = index / lanes * lanes;
    if (all.warps[index / lanes].arrived == 0)
        return;
    for (unsigned other = first; other < first + lanes && other < all.count; other++)
        if (all.threads[other].is == at_exchange &&
            (all.threads[other].mask >> (index - first) & 1u) != 0)
            refuse("%s, but %s for this lane (mask 0x%08x)", what, where(all, other).c_str(),
                   all.threads[other].mask);
}

} // namespace emulation

using namespace emulation;

extern "C" {

uint64_t cuda_emulation_exchange(enum cuda_emulation_meeting meeting, unsigned mask,
                                 unsigned source, uint64_t value, const char *file, int line)
{
    return exchange({meeting, file, line}, mask, source, value);
}

void cuda_emulation_warp_barrier(unsigned mask, const char *file, int line)
{
    exchange({CUDA_EMULATION_SYNCWARP, file, line}, mask, cuda_emulation_lane(), 0);
    the_engine().threads[now.index].warp_epoch++;
    now.warp_epoch++;
}

void cuda_emulation_barrier(const char *file, int line)
{
    barrier({CUDA_EMULATION_SYNCTHREADS, file, line});
}

} // extern "C"
