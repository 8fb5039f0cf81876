/* What an operation has touched of an allocation; C++. */
#ifndef CUDA_EMULATION_TOUCHED_H
#define CUDA_EMULATION_TOUCHED_H

#include <algorithm>
#include <cstdlib>
#include <memory>

#include "emulation_parts.h"

namespace emulation
{

/*
 * A bit for two bytes, the smallest element that kernels use, in two maps (read and written); and a
 * mark for each chunk of 64 words in which there are bits, so that only those are looked at.
 */
class touched
{
  public:
    touched(uintptr_t base, size_t bytes)
        : base_(base), bytes_(bytes), words_((bytes + 127) / 128), chunks_(words_ / 64 + 1)
    {
        for (int write = 0; write < 2; write++) {
            maps_[write].reset(
                static_cast<uint64_t *>(std::calloc(chunks_ * 64, sizeof(uint64_t))));
            marks_[write].resize(chunks_);
        }
    }

    void add(size_t offset, size_t bytes, bool write)
    {
        const size_t first = offset / 2, last = (offset + bytes - 1) / 2;
        for (size_t word = first / 64; word <= last / 64; word++) {
            const size_t from = word == first / 64 ? first % 64 : 0;
            const size_t to = word == last / 64 ? last % 64 : 63;
            maps_[write][word] |= (~0ull >> (63 - (to - from))) << from;
            marks_[write][word / 64] = 1;
        }
    }

    /* Appends what was touched, and forgets it. */
    void take(std::vector<range> *ranges)
    {
        for (int write = 0; write < 2; write++)
            for (size_t chunk = 0; chunk < chunks_; chunk++)
                if (marks_[write][chunk] != 0) {
                    marks_[write][chunk] = 0;
                    for (size_t word = chunk * 64; word < chunk * 64 + 64; word++)
                        take_word(ranges, write != 0, word);
                }
    }

  private:
    struct freer {
        void operator()(uint64_t *map) const
        {
            std::free(map);
        }
    };
    uintptr_t base_;
    size_t bytes_, words_, chunks_;
    std::unique_ptr<uint64_t[], freer> maps_[2];
    std::vector<unsigned char> marks_[2];

    void take_word(std::vector<range> *ranges, bool write, size_t word)
    {
        uint64_t bits = maps_[write][word];
        maps_[write][word] = 0;
        while (bits != 0) {
            const unsigned from = (unsigned)__builtin_ctzll(bits);
            const uint64_t up = ~(bits >> from);
            const unsigned count = up == 0 ? 64 - from : (unsigned)__builtin_ctzll(up);
            const uintptr_t begin = base_ + (word * 64 + from) * 2;
            const uintptr_t end = std::min(begin + count * 2, base_ + bytes_);
            if (!ranges->empty() && ranges->back().end == begin && ranges->back().write == write)
                ranges->back().end = end;
            else
                ranges->push_back({begin, end, write});
            bits &= from + count == 64 ? 0 : ~0ull << (from + count);
        }
    }
};

} // namespace emulation

#endif
