/* The program's symbols; C++. */
#ifndef CUDA_EMULATION_SYMBOLS_H
#define CUDA_EMULATION_SYMBOLS_H

#include "emulation_parts.h"

namespace emulation
{

struct symbol {
    uintptr_t address;
    size_t bytes;
    std::string name; /* as the linker knows it */
};

/* The static array that holds `address`, or ends at most `slack` bytes before it; NULL if none. */
const symbol *find_array(uintptr_t address, size_t slack);
/* As it is written in C++. */
std::string readable_name(const std::string &name);

} // namespace emulation

#endif
