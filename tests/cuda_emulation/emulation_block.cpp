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

struct thread {
    state is = not_started;
    uint3 index = {0, 0, 0};
    unsigned worker = 0, warp_epoch = 0;
    cuda_emulation_place place = {nullptr, nullptr, 0}; /* where it waits */
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

std::string where(const engine &all, unsigned index)
{
    const thread &of = all.threads[index];
    const std::string name = "thread (" + std::to_string(of.index.x) + ", " +
                             std::to_string(of.index.y) + ", " + std::to_string(of.index.z) + ")";
    if (of.is == finished)
        return name + " has ended";
    if (of.is != at_barrier && of.is != at_exchange)
        return name + " runs";
    return name + " waits at " + of.place.what + " (" + of.place.file + ":" +
           std::to_string(of.place.line) + ")";
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

/* The lanes of `mask` have to be in the block, alive, and not at another place. */
void check_exchange(const engine &all, unsigned index, const cuda_emulation_place *place,
                    unsigned mask)
{
    const unsigned first = index / lanes * lanes;
    if ((mask >> (index - first) & 1u) == 0)
        refuse("lane %u calls %s with mask 0x%08x, which does not name it", index - first,
               place->what, mask);
    for (unsigned lane = 0; lane < lanes; lane++) {
        const unsigned other = first + lane;
        if ((mask >> lane & 1u) == 0 || other == index)
            continue;
        if (other >= all.count)
            refuse("%s (%s:%d) names lane %u (mask 0x%08x), but the block has only %u threads",
                   place->what, place->file, place->line, lane, mask, all.count);
        const thread &of = all.threads[other];
        if (of.is == finished || of.is == at_barrier ||
            (of.is == at_exchange &&
             (of.mask != mask || of.place.line != place->line || of.place.what != place->what)))
            refuse("%s (%s:%d) waits for the lanes of mask 0x%08x, but %s", place->what,
                   place->file, place->line, mask, where(all, other).c_str());
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
            refuse("%s (%s:%d): lane %u reads lane %u, which mask 0x%08x does not name",
                   of.place.what, of.place.file, of.place.line, lane, of.source, mask);
        of.result = all.threads[first + of.source].value;
    }
    for (unsigned lane = 0; lane < lanes; lane++)
        if ((mask >> lane & 1u) != 0 && first + lane != index)
            push_ready(all, first + lane);
    all.threads[index].is = ready;
}

uint64_t exchange(const cuda_emulation_place *place, unsigned mask, uint64_t value, unsigned source)
{
    engine &all = the_engine();
    const unsigned index = now.index;
    check_exchange(all, index, place, mask);
    thread &self = all.threads[index];
    self.place = *place;
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

void in_kernel_only(const char *what)
{
    if (!the_engine().active)
        refuse("%s outside a kernel", what);
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

uint64_t cuda_emulation_exchange(const struct cuda_emulation_place *place, unsigned mask,
                                 uint64_t value, unsigned source)
{
    in_kernel_only(place->what);
    return exchange(place, mask, value, source);
}

void cuda_emulation_warp_barrier(const struct cuda_emulation_place *place, unsigned mask)
{
    in_kernel_only(place->what);
    exchange(place, mask, 0, cuda_emulation_lane());
    the_engine().threads[now.index].warp_epoch++;
    now.warp_epoch++;
}

void cuda_emulation_barrier(const struct cuda_emulation_place *place)
{
    in_kernel_only(place->what);
    engine &all = the_engine();
    const unsigned index = now.index;
    thread &self = all.threads[index];
    self.place = *place;
    check_not_awaited(all, index, "it comes to __syncthreads");
    for (unsigned i = 0; i < all.count; i++)
        if (all.threads[i].is == finished ||
            (all.threads[i].is == at_barrier && all.threads[i].place.line != place->line))
            refuse("__syncthreads (%s:%d) waits for the whole block, but %s", place->file,
                   place->line, where(all, i).c_str());
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
