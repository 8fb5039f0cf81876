/* Contexts that hand over to each other; C++. */
#ifndef CUDA_EMULATION_FIBER_H
#define CUDA_EMULATION_FIBER_H

namespace emulation
{

constexpr unsigned most_fibers = 1024;

/* Makes a fiber that runs work(its number) when it is first switched to; work never returns.
 * Numbers start from 1; 0 is the process' own stack. Fibers live as long as the process. */
unsigned fiber_make(void (*work)(unsigned number));
/* Leaves `from`, which runs now, until it is switched to again. */
void fiber_switch(unsigned from, unsigned to);

} // namespace emulation

#endif
