/*
 * Runs a kernel block by block, each thread of the block on a fiber. A fiber takes threads one
 * after another; only a thread that waits for others keeps its fiber, and the next one takes over.
 * The threads' stacks lie in one stretch of memory, so that what is local to a thread is known by
 * its address.
 */
#include <sys/mman.h>

#include <cerrno>
#include <cfenv>
#include <cstring>
#include <memory>

#include <boost/context/fiber.hpp>

#include "emulation_parts.h"

namespace emulation
{

present now;

namespace
{

constexpr unsigned most_threads = 1024, lanes = 32;
constexpr size_t stack_bytes = 64 << 10, stack_guard = 4096;

enum state { not_started, ready, at_exchange, at_barrier, finished };

struct place {
    cuda_emulation_meeting meeting;
    const char *file;
    int line;
};

struct thread {
    state is = not_started;
    uint3 index = {0, 0, 0};
    unsigned worker = 0, warp_epoch = 0;
    place at = {CUDA_EMULATION_SYNCTHREADS, "", 0}; /* where it waits */
    unsigned mask = 0, source = 0;
    uint64_t value = 0, result = 0;
};

struct worker {
    boost::context::fiber fiber, scheduler;
};

struct stack_pool {
    unsigned char *base = nullptr;
    unsigned taken = 0;
};

/* Boost's way to say where a fiber's stack lies; never given back. */
struct stack_taker {
    stack_pool *pool;

    boost::context::stack_context allocate()
    {
        boost::context::stack_context context;
        context.size = stack_bytes - stack_guard;
        context.sp = pool->base + (size_t)++pool->taken * stack_bytes;
        return context;
    }
    void deallocate(boost::context::stack_context &)
    {
    }
};

struct engine {
    thread threads[most_threads];
    worker workers[most_threads];
    stack_pool stacks;
    std::vector<unsigned> idle;         /* workers without a thread */
    unsigned ready_queue[most_threads]; /* a ring of threads */
    unsigned ready_first = 0, ready_count = 0;
    unsigned count = 0, next = 0, done = 0, waiting = 0; /* threads of the block */
    bool active = false;
    uint3 block_size = {0, 0, 0}, grid_size = {0, 0, 0};
    const cuda_emulation_call *call = nullptr;
};

/* Lives as long as the process, with its fibers. */
engine &the_engine()
{
    static engine *made = nullptr;
    if (made != nullptr)
        return *made;
    made = new engine;
    void *stacks = mmap(nullptr, most_threads * stack_bytes, PROT_NONE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (stacks == MAP_FAILED)
        refuse("no memory for the stacks of %u threads", most_threads);
    made->stacks.base = static_cast<unsigned char *>(stacks);
    for (unsigned i = 0; i < most_threads; i++)
        if (mprotect(made->stacks.base + i * stack_bytes + stack_guard, stack_bytes - stack_guard,
                     PROT_READ | PROT_WRITE) != 0)
            refuse("mprotect of a thread's stack failed: %s", std::strerror(errno));
    watch_stacks(reinterpret_cast<uintptr_t>(stacks), most_threads * stack_bytes);
    return *made;
}

void make_present(const engine &all, unsigned index)
{
    now.thread = all.threads[index].index;
    now.index = index;
    now.warp_epoch = all.threads[index].warp_epoch;
}

void push_ready(engine &all, unsigned index)
{
    all.threads[index].is = ready;
    all.ready_queue[(all.ready_first + all.ready_count++) % most_threads] = index;
}

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

/* No lane of the warp may wait for this thread, which does something else. */
void check_not_awaited(const engine &all, unsigned index, const char *what)
{
    const unsigned first = index / lanes * lanes;
    for (unsigned other = first; other < first + lanes && other < all.count; other++)
        if (all.threads[other].is == at_exchange &&
            (all.threads[other].mask >> (index - first) & 1u) != 0)
            refuse("%s, but %s for this lane (mask 0x%08x)", what, where(all, other).c_str(),
                   all.threads[other].mask);
}

void finish_thread(engine &all, unsigned index)
{
    check_not_awaited(all, index, "it ends");
    all.threads[index].is = finished;
    all.done++;
    if (all.waiting > 0)
        for (unsigned other = 0; other < all.count; other++)
            if (all.threads[other].is == at_barrier)
                refuse("it ends, but %s for the whole block", where(all, other).c_str());
}

/* The next thread of the block, from start to end. */
void run_thread(engine &all, unsigned number)
{
    const unsigned index = all.next++;
    all.threads[index].worker = number;
    make_present(all, index);
    all.call->run(all.call->parameters);
    finish_thread(all, index);
}

/* What a fiber does: threads as long as there are any to start, then it is idle. */
void work(engine &all, unsigned number)
{
    fesetenv(FE_DFL_ENV); /* a device keeps denormals, whatever the host thread does */
    for (;;) {
        while (all.next < all.count && all.ready_count == 0)
            run_thread(all, number);
        all.idle.push_back(number);
        worker &self = all.workers[number];
        self.scheduler = std::move(self.scheduler).resume();
    }
}

boost::context::fiber make_fiber(engine &all, unsigned number)
{
    return boost::context::fiber(std::allocator_arg, stack_taker{&all.stacks},
                                 [&all, number](boost::context::fiber &&scheduler) {
                                     all.workers[number].scheduler = std::move(scheduler);
                                     work(all, number);
                                     return std::move(all.workers[number].scheduler);
                                 });
}

void resume(engine &all, unsigned number)
{
    worker &one = all.workers[number];
    one.fiber = std::move(one.fiber).resume();
}

/* The running thread gives way until its state is `ready` again and its turn comes. */
void give_way(engine &all)
{
    const unsigned index = now.index;
    worker &self = all.workers[all.threads[index].worker];
    self.scheduler = std::move(self.scheduler).resume();
    make_present(all, index);
}

void run_block(engine &all)
{
    all.next = all.done = all.waiting = all.ready_first = all.ready_count = 0;
    now.block_epoch = 0;
    for (unsigned i = 0; i < all.count; i++) {
        all.threads[i].is = not_started;
        all.threads[i].warp_epoch = 0;
    }
    while (all.done < all.count) {
        if (all.ready_count > 0) {
            const unsigned index = all.ready_queue[all.ready_first];
            all.ready_first = (all.ready_first + 1) % most_threads;
            all.ready_count--;
            resume(all, all.threads[index].worker);
            continue;
        }
        if (all.next == all.count)
            refuse("every thread that has not ended waits");
        if (all.idle.empty()) {
            const unsigned number = all.stacks.taken;
            all.workers[number].fiber = make_fiber(all, number);
            all.idle.push_back(number);
        }
        const unsigned number = all.idle.back();
        all.idle.pop_back();
        resume(all, number);
    }
}

void run_grid(engine &all, const dim3 &grid, const dim3 &block, const cuda_emulation_call *call)
{
    all.call = call;
    all.count = block.x * block.y * block.z;
    all.block_size = {block.x, block.y, block.z};
    all.grid_size = {grid.x, grid.y, grid.z};
    for (unsigned i = 0; i < all.count; i++)
        all.threads[i].index = {i % block.x, i / block.x % block.y, i / block.x / block.y};
    all.active = true;
    shared_start_kernel();
    for (unsigned z = 0; z < grid.z; z++)
        for (unsigned y = 0; y < grid.y; y++)
            for (unsigned x = 0; x < grid.x; x++) {
                now.block = {x, y, z};
                shared_start_block();
                run_block(all);
            }
    all.active = false;
}

/* The limits are in the CUDA C++ Programming Guide, "Technical Specifications". */
bool possible(const dim3 &grid, const dim3 &block)
{
    if (grid.x == 0 || grid.y == 0 || grid.z == 0 || block.x == 0 || block.y == 0 || block.z == 0)
        return false;
    if (grid.x > 2147483647u || grid.y > 65535 || grid.z > 65535)
        return false;
    return block.x <= most_threads && block.y <= most_threads && block.z <= 64 &&
           (uint64_t)block.x * block.y * block.z <= most_threads;
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

bool all_arrived(const engine &all, unsigned first, unsigned mask)
{
    for (unsigned lane = 0; lane < lanes; lane++)
        if ((mask >> lane & 1u) != 0 && all.threads[first + lane].is != at_exchange)
            return false;
    return true;
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
}

uint64_t exchange(const place &at, unsigned mask, unsigned source, uint64_t value)
{
    engine &all = the_engine();
    if (!all.active)
        refuse("%s outside a kernel", describe(at).c_str());
    const unsigned index = now.index;
    check_exchange(all, index, at, mask);
    thread &self = all.threads[index];
    self.at = at;
    self.mask = mask;
    self.value = value;
    self.source = source;
    self.is = at_exchange;
    if (all_arrived(all, index / lanes * lanes, mask))
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
    for (unsigned i = 0; i < all.count; i++)
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
    self.is = ready;
    for (unsigned i = 0; i < all.count; i++)
        if (i != index)
            push_ready(all, i);
}

} // namespace

bool position_get(position *at)
{
    if (!the_engine().active)
        return false;
    at->block = now.block;
    at->thread = now.thread;
    at->kernel = function_name(the_engine().call->kernel);
    return true;
}

} // namespace emulation

using namespace emulation;

extern "C" {

uint3 cuda_emulation_thread_index(void)
{
    return now.thread;
}

uint3 cuda_emulation_block_index(void)
{
    return now.block;
}

uint3 cuda_emulation_block_size(void)
{
    return the_engine().block_size;
}

uint3 cuda_emulation_grid_size(void)
{
    return the_engine().grid_size;
}

unsigned cuda_emulation_lane(void)
{
    return now.index % lanes;
}

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

cudaError_t cuda_emulation_launch(const cudaLaunchConfig_t *config,
                                  const struct cuda_emulation_call *call)
{
    return api("cudaLaunchKernelExC", [&] {
        if (!possible(config->grid, config->block))
            return cudaErrorInvalidConfiguration;
        if (config->dynamicSmemBytes != 0 || config->numAttrs != 0)
            return cudaErrorNotSupported;
        if (stream_device(config->stream) != current_device())
            return cudaErrorInvalidResourceHandle;
        operation_begin(config->stream, function_name(call->kernel).c_str());
        watch_kernel(call->parameters, call->bytes);
        run_grid(the_engine(), config->grid, config->block, call);
        unwatch_kernel();
        operation_end();
        return cudaSuccess;
    });
}

} // extern "C"
