/* Fibers of Boost.Context, whose stacks lie in one stretch of memory: what is local to the threads
 * of a kernel is known by its address. */
#include "emulation_fiber.h"

#include <sys/mman.h>

#include <cerrno>
#include <cfenv>
#include <cstring>

#include <boost/context/fiber.hpp>

#include "emulation_parts.h"

namespace emulation
{

namespace
{

constexpr size_t stack_bytes = 64 << 10, guard_bytes = 4096;

struct fibers {
    boost::context::fiber left[most_fibers + 1]; /* those that do not run */
    unsigned char *stacks = nullptr;
    unsigned count = 0;
};

fibers *make_fibers()
{
    fibers *made = new fibers;
    const size_t bytes = most_fibers * stack_bytes;
    void *stacks =
        mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (stacks == MAP_FAILED)
        refuse("no memory for the stacks of %u threads: %s", most_fibers, std::strerror(errno));
    made->stacks = static_cast<unsigned char *>(stacks);
    watch_stacks(reinterpret_cast<uintptr_t>(stacks), bytes);
    return made;
}

fibers &the_fibers()
{
    static fibers *made = make_fibers();
    return *made;
}

/* Boost's way to ask where a stack lies; the lowest page of each stays closed. */
struct stack_taker {
    unsigned char *low;

    boost::context::stack_context allocate()
    {
        boost::context::stack_context context;
        if (mprotect(low + guard_bytes, stack_bytes - guard_bytes, PROT_READ | PROT_WRITE) != 0)
            refuse("no memory for a thread's stack: %s", std::strerror(errno));
        context.size = stack_bytes - guard_bytes;
        context.sp = low + stack_bytes;
        return context;
    }
    void deallocate(boost::context::stack_context &)
    {
    }
};

} // namespace

unsigned fiber_make(void (*work)(unsigned number))
{
    fibers &all = the_fibers();
    if (all.count == most_fibers)
        refuse("more than %u fibers", most_fibers);
    const unsigned number = ++all.count;
    stack_taker taker = {all.stacks + (number - 1) * stack_bytes};
    all.left[number] = boost::context::fiber(std::allocator_arg, taker,
                                             [work, number](boost::context::fiber &&other) {
                                                 /* a device keeps denormals, whatever the host's
                                                  * threads do */
                                                 fesetenv(FE_DFL_ENV);
                                                 work(number);
                                                 return std::move(other);
                                             });
    return number;
}

void fiber_switch(unsigned from, unsigned to)
{
    fibers &all = the_fibers();
    boost::context::fiber *self = &all.left[from];
    std::move(all.left[to]).resume_with([self](boost::context::fiber &&leaving) {
        *self = std::move(leaving);
        return boost::context::fiber();
    });
}

} // namespace emulation
