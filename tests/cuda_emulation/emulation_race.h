/*
 * Who of a kernel has touched which bytes of device memory; C++. Two threads that touch the same
 * bytes, one of them writing, must be of one block with a barrier between them: blocks, and threads
 * between barriers, run in any order on a device, though always in one here. Lanes of one warp are
 * not told apart.
 */
#ifndef CUDA_EMULATION_RACE_H
#define CUDA_EMULATION_RACE_H

#include <cstdlib>
#include <memory>

#include "emulation_parts.h"

namespace emulation
{

class race_shadow
{
  public:
    explicit race_shadow(size_t bytes)
        : cells_(static_cast<cell *>(std::calloc(bytes / 2 + 1, sizeof(cell))))
    {
        if (!cells_)
            refuse("no memory to watch %zu bytes for races (CUDA_EMULATION_RACES)", bytes);
    }

    /* NULL, or how another thread has touched the bytes. */
    const char *add(size_t offset, size_t bytes, bool write)
    {
        const char *found = nullptr;
        for (size_t i = offset / 2; i <= (offset + bytes - 1) / 2 && found == nullptr; i++)
            found = write ? add_write(&cells_[i]) : add_read(&cells_[i]);
        return found;
    }

  private:
    /* Two bytes, the smallest element that kernels use. Periods are counted over the process
     * (struct present); 0: nobody. */
    struct cell {
        uint32_t written, first_read, last_read;
        uint16_t writer, reader; /* threads of their block */
    };
    static constexpr uint16_t several_warps = 0x8000; /* have read in the period last_read */

    struct freer {
        void operator()(cell *cells) const
        {
            std::free(cells);
        }
    };
    std::unique_ptr<cell[], freer> cells_;

    static bool by_other_block(uint32_t period)
    {
        return period >= now.kernel_period && period < now.block_period;
    }

    static bool by_other_warp(uint32_t period, uint16_t thread)
    {
        return period == now.period && thread / 32u != now.index / 32u;
    }

    static const char *written_by_other(const cell *at)
    {
        if (by_other_block(at->written))
            return "another block wrote";
        return by_other_warp(at->written, at->writer) ? "another warp wrote" : nullptr;
    }

    static const char *add_read(cell *at)
    {
        const bool again = at->last_read == now.period;
        const bool several = again && ((at->reader & several_warps) != 0 ||
                                       by_other_warp(at->last_read, at->reader));
        if (at->first_read < now.kernel_period)
            at->first_read = now.period;
        at->last_read = now.period;
        at->reader = (uint16_t)(now.index | (several ? several_warps : 0u));
        return written_by_other(at);
    }

    static const char *add_write(cell *at)
    {
        const char *found = written_by_other(at);
        if (by_other_block(at->first_read))
            found = "another block read";
        else if (at->last_read == now.period &&
                 ((at->reader & several_warps) != 0 || by_other_warp(at->last_read, at->reader)))
            found = "another warp read";
        at->written = now.period;
        at->writer = (uint16_t)now.index;
        return found;
    }
};

} // namespace emulation

#endif
