/*
 * Runs a kernel block by block, each thread of the block on a fiber. A fiber takes threads one
 * after another; only a thread that waits for others keeps its fiber, and the next one takes over.
 */
#include "emulation_engine.h"

namespace emulation
{

present now;

namespace
{

void make_present(const engine &all, unsigned index)
{
    now.thread = all.threads[index].index;
    now.index = index;
    now.warp_epoch = all.threads[index].warp_epoch;
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
    const unsigned index = all.reversed ? all.count - ++all.next : all.next++;
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

void run_block(engine &all)
{
    all.next = all.done = all.waiting = all.ready_first = all.ready_count = 0;
    now.block_epoch = 0;
    now.block_period = ++now.period;
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
    all.reversed = setting("CUDA_EMULATION_REVERSED", 0) != 0;
    all.active = true;
    now.kernel_period = now.period + 1;
    shared_start_kernel();
    const uint64_t blocks = (uint64_t)grid.x * grid.y * grid.z;
    for (uint64_t i = 0; i < blocks; i++) {
        const uint64_t number = all.reversed ? blocks - 1 - i : i;
        now.block = {(unsigned)(number % grid.x), (unsigned)(number / grid.x % grid.y),
                     (unsigned)(number / grid.x / grid.y)};
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

} // namespace

/* Lives as long as the process. */
engine &the_engine()
{
    static engine *made = new engine;
    return *made;
}

void push_ready(engine &all, unsigned index)
{
    all.threads[index].is = ready;
    all.ready_queue[(all.ready_first + all.ready_count++) % most_threads] = index;
}

/* The running thread gives way until it is ready again and its turn comes. */
void give_way(engine &all)
{
    const unsigned index = now.index;
    fiber_switch(all.threads[index].fiber, next_fiber(all));
    make_present(all, index);
}

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
