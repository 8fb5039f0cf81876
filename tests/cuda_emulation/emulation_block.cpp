/*
 * Runs a kernel block by block, each thread of the block on a fiber. A fiber takes threads one
 * after another; only a thread that waits for others keeps its fiber, and the next one takes over.
 */
#include <cstring>

#include "emulation_fiber.h"
#include "emulation_parts.h"

namespace emulation
{

present now;

namespace
{

constexpr unsigned most_threads = most_fibers, lanes = 32;

enum state { not_started, ready, at_exchange, at_barrier, finished };

struct place {
    cuda_emulation_meeting meeting;
    const char *file;
    int line;
};

struct thread {
    state is = not_started;
    uint3 index = {0, 0, 0};
    unsigned fiber = 0, warp_epoch = 0;
    place at = {CUDA_EMULATION_SYNCTHREADS, "", 0}; /* where it waits */
    unsigned mask = 0, source = 0;
    uint64_t value = 0, result = 0;
};

/* The lanes that have come to one exchange; others may wait at another one meanwhile. */
struct warp {
    unsigned arrived = 0, mask = 0;
    place at = {CUDA_EMULATION_SYNCTHREADS, "", 0};
};

struct engine {
    thread threads[most_threads];
    warp warps[most_threads / lanes];
    std::vector<unsigned> idle;         /* fibers without a thread */
    unsigned ready_queue[most_threads]; /* a ring of threads */
    unsigned ready_first = 0, ready_count = 0;
    unsigned count = 0, next = 0, done = 0, waiting = 0; /* threads of the block */
    place barrier = {CUDA_EMULATION_SYNCTHREADS, "", 0}; /* of those that wait */
    bool active = false;
    uint3 block_size = {0, 0, 0}, grid_size = {0, 0, 0};
    const cuda_emulation_call *call = nullptr;
};

/* Lives as long as the process. */
engine &the_engine()
{
    static engine *made = new engine;
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
    if (all.warps[index / lanes].arrived == 0)
        return;
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
void run_thread(engine &all, unsigned fiber)
{
    const unsigned index = all.next++;
    all.threads[index].fiber = fiber;
    make_present(all, index);
    all.call->run(all.call->parameters);
    finish_thread(all, index);
}

void work(unsigned fiber);

/* The fiber that has its turn: one whose thread has got what it waited for, one that starts
 * threads, or the one that runs blocks. */
unsigned next_fiber(engine &all)
{
    if (all.ready_count > 0) {
        const unsigned index = all.ready_queue[all.ready_first];
        all.ready_first = (all.ready_first + 1) % most_threads;
        all.ready_count--;
        return all.threads[index].fiber;
    }
    if (all.done == all.count)
        return 0;
    if (all.next == all.count)
        refuse("every thread that has not ended waits");
    if (all.idle.empty())
        return fiber_make(work);
    const unsigned fiber = all.idle.back();
    all.idle.pop_back();
    return fiber;
}

/* What a fiber does: threads as long as there are any to start, then it is idle. */
void work(unsigned fiber)
{
    engine &all = the_engine();
    for (;;) {
        while (all.next < all.count && all.ready_count == 0)
            run_thread(all, fiber);
        const unsigned other = next_fiber(all);
        all.idle.push_back(fiber);
        fiber_switch(fiber, other);
    }
}

/* The running thread gives way until it is ready again and its turn comes. */
void give_way(engine &all)
{
    const unsigned index = now.index;
    fiber_switch(all.threads[index].fiber, next_fiber(all));
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
    for (warp &each : all.warps)
        each.arrived = 0;
    fiber_switch(0, next_fiber(all));
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
