/*
 * Streams, events, and the copies and fills between them. Everything has been done when a call
 * returns, so that waiting only has to be logged.
 */
#include <ctime>

#include <cstring>
#include <set>

#include "emulation_parts.h"

using namespace emulation;

struct CUstream_st {
    stream_mark mark;
};

struct CUevent_st {
    unsigned flags = 0;
    int device = 0;
    uint64_t moment = 0; /* 0: not recorded yet */
    uint64_t ns = 0;
};

namespace
{

struct handles {
    std::set<cudaStream_t> streams;
    std::set<cudaStream_t> held; /* whose end does not come */
    std::set<cudaEvent_t> events;
    unsigned stream_count = 0;
    uint64_t moments = 0;
};

handles &the_handles()
{
    static handles *made = new handles;
    return *made;
}

cudaStream_t make_stream(bool own, bool blocking)
{
    handles &all = the_handles();
    const cudaStream_t made = new CUstream_st;
    made->mark.id = all.stream_count++;
    made->mark.device = current_device();
    made->mark.own = own;
    made->mark.blocking = blocking;
    made->mark.name = own ? "0" : std::to_string(made->mark.id);
    all.streams.insert(made);
    log_stream(made->mark);
    return made;
}

cudaStream_t resolve(cudaStream_t stream)
{
    if (stream != nullptr) {
        if (the_handles().streams.count(stream) == 0)
            refuse("stream %p does not exist (destroyed?)", static_cast<void *>(stream));
        return stream;
    }
    cudaStream_t &own = device_at(current_device()).own_stream;
    if (own == nullptr)
        own = make_stream(true, false);
    return own;
}

cudaEvent_t known(cudaEvent_t event)
{
    if (the_handles().events.count(event) == 0)
        refuse("event %p does not exist (destroyed?)", static_cast<void *>(event));
    return event;
}

uint64_t now_ns()
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

/* An operation goes only to a stream of the device that is current. */
bool usable(cudaStream_t stream)
{
    return resolve(stream)->mark.device == current_device();
}

/* What the caller says of a pointer must be so. */
void check_side(const void *pointer, bool device, const char *side)
{
    const uintptr_t address = reinterpret_cast<uintptr_t>(pointer);
    if ((device_of(address) >= 0) != device)
        refuse("a copy's %s is said to be %s memory, but is %s", side, device ? "device" : "host",
               describe_address(address).c_str());
}

cudaError_t copy(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind,
                 cudaStream_t stream)
{
    if (!usable(stream))
        return cudaErrorInvalidResourceHandle;
    if (bytes == 0)
        return cudaSuccess;
    if (kind != cudaMemcpyDefault) {
        check_side(to, kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice,
                   "target");
        check_side(from, kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice,
                   "source");
    }
    const uintptr_t target = reinterpret_cast<uintptr_t>(to);
    const uintptr_t source = reinterpret_cast<uintptr_t>(from);
    if (target - source < bytes || source - target < bytes)
        refuse("a copy of %zu bytes whose source and target overlap", bytes);
    operation_begin(stream, "copy");
    touch(source, bytes, false);
    touch(target, bytes, true);
    std::memcpy(to, from, bytes);
    operation_end();
    return cudaSuccess;
}

cudaError_t fill(void *to, int value, size_t bytes, cudaStream_t stream)
{
    if (!usable(stream))
        return cudaErrorInvalidResourceHandle;
    if (bytes == 0)
        return cudaSuccess;
    check_side(to, true, "fill's target");
    operation_begin(stream, "fill");
    touch(reinterpret_cast<uintptr_t>(to), bytes, true);
    std::memset(to, value, bytes);
    operation_end();
    return cudaSuccess;
}

cudaError_t create_event(cudaEvent_t *event, unsigned flags)
{
    *event = new CUevent_st;
    (*event)->flags = flags;
    (*event)->device = current_device();
    the_handles().events.insert(*event);
    return cudaSuccess;
}

} // namespace

namespace emulation
{

int stream_device(cudaStream_t stream)
{
    return resolve(stream)->mark.device;
}

const stream_mark &stream_mark_of(cudaStream_t stream)
{
    return resolve(stream)->mark;
}

} // namespace emulation

extern "C" {

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind,
                            cudaStream_t stream)
{
    return api("cudaMemcpyAsync", [&] { return copy(to, from, bytes, kind, stream); });
}

cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind)
{
    return api("cudaMemcpy", [&] {
        const cudaError_t error = copy(to, from, bytes, kind, nullptr);
        log_host_waits_for_stream(stream_mark_of(nullptr));
        return error;
    });
}

cudaError_t cudaMemsetAsync(void *to, int value, size_t bytes, cudaStream_t stream)
{
    return api("cudaMemsetAsync", [&] { return fill(to, value, bytes, stream); });
}

cudaError_t cudaMemset(void *to, int value, size_t bytes)
{
    return api("cudaMemset", [&] { return fill(to, value, bytes, nullptr); });
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags)
{
    return api("cudaStreamCreateWithFlags", [&] {
        if (flags > cudaStreamNonBlocking)
            return cudaErrorInvalidValue;
        *stream = make_stream(false, flags == cudaStreamDefault);
        return cudaSuccess;
    });
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned flags, int)
{
    return api("cudaStreamCreateWithPriority", [&] {
        if (flags > cudaStreamNonBlocking)
            return cudaErrorInvalidValue;
        *stream = make_stream(false, flags == cudaStreamDefault);
        return cudaSuccess;
    });
}

cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
    return api("cudaStreamDestroy", [&] {
        if (stream == nullptr)
            return cudaErrorInvalidResourceHandle;
        the_handles().streams.erase(resolve(stream));
        the_handles().held.erase(stream);
        delete stream;
        return cudaSuccess;
    });
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
    return api("cudaStreamSynchronize", [&] {
        log_host_waits_for_stream(stream_mark_of(stream));
        return cudaSuccess;
    });
}

cudaError_t cudaStreamQuery(cudaStream_t stream)
{
    return api("cudaStreamQuery", [&] {
        if (the_handles().held.count(resolve(stream)) > 0)
            return cudaErrorNotReady;
        log_host_waits_for_stream(stream_mark_of(stream));
        return cudaSuccess;
    });
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags)
{
    return api("cudaStreamWaitEvent", [&] {
        if (flags != cudaEventWaitDefault)
            return cudaErrorInvalidValue;
        log_wait(stream_mark_of(stream), known(event)->moment);
        return cudaSuccess;
    });
}

cudaError_t cudaDeviceSynchronize(void)
{
    return api("cudaDeviceSynchronize", [&] {
        log_host_waits_for_device(current_device());
        return cudaSuccess;
    });
}

/* The real one also ends what others of the process hold; here the device only works again. */
cudaError_t cudaDeviceReset(void)
{
    return api("cudaDeviceReset", [&] {
        log_host_waits_for_device(current_device());
        return cudaSuccess;
    });
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags)
{
    return api("cudaEventCreateWithFlags", [&] { return create_event(event, flags); });
}

cudaError_t cudaEventCreate(cudaEvent_t *event)
{
    return api("cudaEventCreate", [&] { return create_event(event, cudaEventDefault); });
}

cudaError_t cudaEventDestroy(cudaEvent_t event)
{
    return api("cudaEventDestroy", [&] {
        the_handles().events.erase(known(event));
        delete event;
        return cudaSuccess;
    });
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    return api("cudaEventRecord", [&] {
        if (known(event)->device != stream_device(stream))
            return cudaErrorInvalidResourceHandle;
        event->moment = ++the_handles().moments;
        event->ns = now_ns();
        log_record(stream_mark_of(stream), event->moment);
        return cudaSuccess;
    });
}

cudaError_t cudaEventQuery(cudaEvent_t event)
{
    return api("cudaEventQuery", [&] {
        log_host_waits_for_moment(known(event)->moment);
        return cudaSuccess;
    });
}

cudaError_t cudaEventSynchronize(cudaEvent_t event)
{
    return api("cudaEventSynchronize", [&] {
        log_host_waits_for_moment(known(event)->moment);
        return cudaSuccess;
    });
}

cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t from, cudaEvent_t to)
{
    return api("cudaEventElapsedTime", [&] {
        if (known(from)->moment == 0 || known(to)->moment == 0 ||
            ((from->flags | to->flags) & cudaEventDisableTiming) != 0)
            return cudaErrorInvalidResourceHandle;
        const int64_t ns = (int64_t)(to->ns - from->ns);
        *ms = (float)((double)ns / 1e6);
        return cudaSuccess;
    });
}

int cuda_emulation_stream_device(cudaStream_t stream)
{
    const std::lock_guard<std::recursive_mutex> lock(guard());
    return stream_device(stream);
}

void cuda_emulation_hold(cudaStream_t stream, bool held)
{
    const std::lock_guard<std::recursive_mutex> lock(guard());
    if (held)
        the_handles().held.insert(resolve(stream));
    else
        the_handles().held.erase(resolve(stream));
}

size_t cuda_emulation_alive(char *text, size_t bytes)
{
    const std::lock_guard<std::recursive_mutex> lock(guard());
    const handles &all = the_handles();
    const size_t allocations = live_allocations(), events = all.events.size();
    size_t streams = 0;
    for (const cudaStream_t each : all.streams)
        streams += !each->mark.own;
    std::snprintf(text, bytes, "%zu allocations, %zu streams, %zu events", allocations, streams,
                  events);
    return allocations + streams + events;
}

void cuda_emulation_name_stream(cudaStream_t stream, const char *name)
{
    const std::lock_guard<std::recursive_mutex> lock(guard());
    resolve(stream)->mark.name = name;
    log_stream(stream->mark);
}

} // extern "C"
