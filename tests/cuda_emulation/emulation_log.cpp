/* What streams were asked to do, and what each operation touched. */
#include <map>
#include <memory>

#include "emulation_log.h"
#include "emulation_touched.h"

namespace emulation
{

namespace
{

struct running {
    bool active = false;
    int device = 0;
    entry now;
    std::map<uint64_t, std::unique_ptr<touched>> notes; /* by the allocation's number */
};

running &the_running()
{
    static running *made = new running;
    return *made;
}

void add(entry_kind kind, const stream_mark *mark, uint64_t moment)
{
    operation_log &all = the_log();
    if (!all.on)
        return;
    entry made;
    made.kind = kind;
    made.stream = mark == nullptr ? 0 : mark->id;
    made.moment = moment;
    if (kind == entry_wait)
        made.number = all.waits++;
    all.entries.push_back(made);
}

} // namespace

operation_log &the_log()
{
    static operation_log *made = new operation_log;
    return *made;
}

touched *log_touched(const allocation *of)
{
    if (!the_log().on)
        return nullptr;
    std::unique_ptr<touched> &notes = the_running().notes[of->number];
    if (!notes)
        notes.reset(new touched(of->base, of->bytes));
    return notes.get();
}

void log_forget(uint64_t allocation_number)
{
    the_running().notes.erase(allocation_number);
}

void log_range(uintptr_t address, size_t bytes, bool write)
{
    if (the_log().on)
        the_running().now.ranges.push_back({address, address + bytes, write});
}

void operation_begin(cudaStream_t stream, const char *name)
{
    running &own = the_running();
    if (own.active)
        refuse("operation %s begins before %s has ended", name, own.now.name.c_str());
    own.active = true;
    own.now.stream = stream_mark_of(stream).id;
    own.device = stream_device(stream);
    own.now.name = name;
    own.now.ranges.clear();
    open_memory();
}

void operation_end()
{
    running &own = the_running();
    operation_log &all = the_log();
    close_memory();
    own.active = false;
    if (!all.on)
        return;
    for (auto &notes : own.notes)
        notes.second->take(&own.now.ranges);
    own.now.number = all.operations++;
    all.entries.push_back(own.now);
}

int operation_device()
{
    return the_running().device;
}

void log_stream(const stream_mark &mark)
{
    operation_log &all = the_log();
    if (all.streams.size() <= mark.id)
        all.streams.resize(mark.id + 1);
    all.streams[mark.id] = mark;
}

void log_record(const stream_mark &mark, uint64_t moment)
{
    add(entry_record, &mark, moment);
}

void log_wait(const stream_mark &mark, uint64_t moment)
{
    add(entry_wait, &mark, moment);
}

void log_host_waits_for_moment(uint64_t moment)
{
    add(entry_host_waits_for_moment, nullptr, moment);
}

void log_host_waits_for_stream(const stream_mark &mark)
{
    add(entry_host_waits_for_stream, &mark, 0);
}

void log_host_waits_for_device(int device)
{
    add(entry_host_waits_for_device, nullptr, 0);
    if (the_log().on)
        the_log().entries.back().device = device;
}

} // namespace emulation

using namespace emulation;

extern "C" {

void cuda_emulation_begin(cudaStream_t stream, const char *name)
{
    guard().lock();
    operation_begin(stream, name);
}

void cuda_emulation_end(void)
{
    operation_end();
    guard().unlock();
}

void cuda_emulation_host_touch(const void *pointer, size_t bytes, bool write)
{
    const std::lock_guard<std::recursive_mutex> lock(guard());
    operation_log &all = the_log();
    const uintptr_t address = reinterpret_cast<uintptr_t>(pointer);
    if (!all.on || bytes == 0)
        return;
    entry made;
    made.kind = entry_host;
    made.name = "the host";
    made.number = all.operations++;
    made.ranges = {{address, address + bytes, write}};
    all.entries.push_back(made);
}

void cuda_emulation_log_start(void)
{
    const std::lock_guard<std::recursive_mutex> lock(guard());
    operation_log &all = the_log();
    all.entries.clear();
    all.operations = all.waits = 0;
    all.on = true;
}

void cuda_emulation_log_stop(void)
{
    const std::lock_guard<std::recursive_mutex> lock(guard());
    the_log().on = false;
}

uint64_t cuda_emulation_log_waits(void)
{
    const std::lock_guard<std::recursive_mutex> lock(guard());
    return the_log().waits;
}

uint64_t cuda_emulation_log_operations(void)
{
    const std::lock_guard<std::recursive_mutex> lock(guard());
    return the_log().operations;
}

} // extern "C"
