/*
 * Which operations of the log are ordered, whatever moment each runs at: vector clocks (Fidge 1988,
 * Mattern 1988) over the streams and the host. An operation knows of another if its clock has
 * reached the other's tick in the other's stream.
 */
#include <algorithm>
#include <cstdio>
#include <map>

#include "emulation_log.h"

namespace emulation
{

namespace
{

typedef std::vector<uint64_t> clock; /* ticks by stream */

void join(clock *into, const clock &from)
{
    for (size_t i = 0; i < from.size(); i++)
        (*into)[i] = std::max((*into)[i], from[i]);
}

struct access {
    const entry *operation;
    size_t clock; /* a stream's, or the host's */
    uint64_t tick;
};

/* Bytes with one history: who wrote them last, and who has read them since, by stream. */
struct cell {
    uintptr_t end;
    access writer;
    std::vector<access> readers;
};

struct conflict {
    const entry *first = nullptr, *second = nullptr;
    bool first_writes = false;
    range where = {0, 0, false};
};

class checker
{
  public:
    /* The host's clock is the last. */
    /* Without `count` waits from number `first` on. */
    checker(const operation_log &all, uint64_t first, uint64_t count)
        : log_(all), first_(first), count_(count), host_number_(all.streams.size()),
          clocks_(host_number_ + 1, clock(host_number_ + 1))
    {
    }

    /* True if nothing is unordered. */
    bool run(conflict *found)
    {
        for (const entry &each : log_.entries) {
            step(each);
            if (found_.first != nullptr) {
                *found = found_;
                return false;
            }
        }
        return true;
    }

  private:
    const operation_log &log_;
    uint64_t first_, count_;
    size_t host_number_;
    std::vector<clock> clocks_;
    std::map<uint64_t, clock> moments_;
    std::map<uintptr_t, cell> cells_;
    conflict found_;

    void step(const entry &each)
    {
        switch (each.kind) {
        case entry_operation:
            operation(each);
            break;
        case entry_host:
            use_all(each, host_number_);
            break;
        case entry_record:
            order_with_own(each.stream);
            join(&clocks_[each.stream], clocks_[host_number_]);
            moments_[each.moment] = clocks_[each.stream];
            break;
        case entry_wait:
            if ((each.number < first_ || each.number - first_ >= count_) &&
                moments_.count(each.moment) != 0)
                join(&clocks_[each.stream], moments_[each.moment]);
            break;
        case entry_host_waits_for_moment:
            if (moments_.count(each.moment) != 0)
                join(&clocks_[host_number_], moments_[each.moment]);
            break;
        case entry_host_waits_for_stream:
            order_with_own(each.stream);
            join(&clocks_[host_number_], clocks_[each.stream]);
            break;
        case entry_host_waits_for_device:
            for (size_t i = 0; i < host_number_; i++)
                if (log_.streams[i].device == each.device)
                    join(&clocks_[host_number_], clocks_[i]);
            break;
        }
    }

    /* A device's stream 0 waits for its blocking streams, and they for it. */
    void order_with_own(unsigned stream)
    {
        const stream_mark &mark = log_.streams[stream];
        for (size_t i = 0; i < host_number_; i++) {
            const stream_mark &other = log_.streams[i];
            if (other.device == mark.device &&
                ((mark.own && other.blocking) || (mark.blocking && other.own)))
                join(&clocks_[stream], clocks_[i]);
        }
    }

    void operation(const entry &each)
    {
        clock &mine = clocks_[each.stream];
        order_with_own(each.stream);
        join(&mine, clocks_[host_number_]);
        use_all(each, each.stream);
    }

    void use_all(const entry &each, size_t number)
    {
        clocks_[number][number]++;
        for (const range &part : each.ranges)
            use(each, part, {&each, number, clocks_[number][number]});
    }

    bool knows(const access &mine, const access &other) const
    {
        return other.operation == nullptr || clocks_[mine.clock][other.clock] >= other.tick;
    }

    /* Makes `at` a border between cells. */
    void split(uintptr_t at)
    {
        auto next = cells_.upper_bound(at);
        if (next == cells_.begin())
            return;
        auto before = std::prev(next);
        if (before->first == at || before->second.end <= at)
            return;
        cells_[at] = before->second;
        before->second.end = at;
    }

    void conflict_with(const entry &each, const range &part, const access &other, bool wrote)
    {
        if (found_.first == nullptr) {
            found_.first = other.operation;
            found_.second = &each;
            found_.first_writes = wrote;
            found_.where = part;
        }
    }

    void use(const entry &each, const range &part, const access &mine)
    {
        split(part.begin);
        split(part.end);
        uintptr_t at = part.begin;
        for (auto each_cell = cells_.lower_bound(part.begin);
             each_cell != cells_.end() && each_cell->first < part.end; ++each_cell) {
            if (at < each_cell->first) /* nobody has used the bytes before it */
                each_cell = cells_.insert({at, {each_cell->first, {nullptr, 0, 0}, {}}}).first;
            cell &of = each_cell->second;
            const range shared = {each_cell->first, of.end, part.write};
            if (!knows(mine, of.writer))
                conflict_with(each, shared, of.writer, true);
            for (const access &reader : of.readers)
                if (part.write && !knows(mine, reader))
                    conflict_with(each, shared, reader, false);
            at = of.end;
            if (!part.write)
                remember_reader(&of, mine);
        }
        if (part.write) {
            cells_.erase(cells_.lower_bound(part.begin), cells_.lower_bound(part.end));
            cells_[part.begin] = {part.end, mine, {}};
        } else if (at < part.end) {
            cells_[at] = {part.end, {nullptr, 0, 0}, {mine}};
        }
    }

    static void remember_reader(cell *of, const access &mine)
    {
        for (access &reader : of->readers)
            if (reader.clock == mine.clock) {
                reader = mine;
                return;
            }
        of->readers.push_back(mine);
    }
};

/* Where a wait stands in the log; the log's end if there is no such wait. */
size_t place_of_wait(const operation_log &of, uint64_t number)
{
    size_t at = 0;
    while (at < of.entries.size() &&
           (of.entries[at].kind != entry_wait || of.entries[at].number != number))
        at++;
    return at;
}

/* "wait 3: stream 1 waits for what stream 2 has done up to copy (operation 7, stream 2)" */
std::string describe_wait(const operation_log &of, uint64_t number)
{
    const entry *last = nullptr, *record = nullptr;
    const size_t place = place_of_wait(of, number);
    if (place == of.entries.size())
        return "there is no wait " + std::to_string(number);
    const entry *wait = &of.entries[place];
    for (const entry &each : of.entries)
        if (each.kind == entry_record && each.moment == wait->moment)
            record = &each;
    const std::string what = "wait " + std::to_string(number) + ": stream " +
                             of.streams[wait->stream].name + " waits for ";
    if (record == nullptr)
        return what + "an event that was recorded before the log began, or never";
    for (const entry *each = of.entries.data(); each != record; each++)
        if (each->kind == entry_operation && each->stream == record->stream)
            last = each;
    if (last == nullptr)
        return what + "stream " + of.streams[record->stream].name + " before its first operation";
    return what + describe_operation(of, *last);
}

} // namespace

std::string describe_operation(const operation_log &of, const entry &operation)
{
    const std::string stream =
        operation.kind == entry_host ? "host" : of.streams[operation.stream].name;
    return operation.name + " (operation " + std::to_string(operation.number) + ", stream " +
           stream + ")";
}

} // namespace emulation

using namespace emulation;

extern "C" {

bool cuda_emulation_log_ordered_without(uint64_t first, uint64_t count, char *text, size_t bytes)
{
    const std::lock_guard<std::recursive_mutex> lock(guard());
    const operation_log &all = the_log();
    conflict found;
    if (checker(all, first, count).run(&found))
        return true;
    std::snprintf(
        text, bytes, "%s %s %zu bytes which %s %s, and nothing orders the two: the first is %s",
        describe_operation(all, *found.second).c_str(), found.where.write ? "writes" : "reads",
        found.where.end - found.where.begin, describe_operation(all, *found.first).c_str(),
        found.first_writes ? "writes" : "reads", describe_address(found.where.begin).c_str());
    return false;
}

bool cuda_emulation_log_ordered(uint64_t dropped, char *text, size_t bytes)
{
    return cuda_emulation_log_ordered_without(dropped, 1, text, bytes);
}

uint64_t cuda_emulation_log_wait_run(uint64_t wait)
{
    const std::lock_guard<std::recursive_mutex> lock(guard());
    const operation_log &all = the_log();
    uint64_t count = 0;
    const size_t first = place_of_wait(all, wait);
    for (size_t at = first; at < all.entries.size(); at++) {
        const entry &each = all.entries[at];
        const bool same = each.stream == all.entries[first].stream;
        if ((each.kind == entry_operation && same) || (each.kind == entry_wait && !same))
            break;
        count += each.kind == entry_wait;
    }
    return count;
}

void cuda_emulation_log_wait_next(uint64_t wait, char *text, size_t bytes)
{
    const std::lock_guard<std::recursive_mutex> lock(guard());
    const operation_log &all = the_log();
    std::snprintf(text, bytes, "%s", "");
    const size_t first = place_of_wait(all, wait);
    for (size_t at = first; at < all.entries.size(); at++) {
        const entry &each = all.entries[at];
        if (each.kind != entry_operation || each.stream != all.entries[first].stream)
            continue;
        std::snprintf(text, bytes, "%s", each.name.c_str());
        return;
    }
}

void cuda_emulation_log_wait_text(uint64_t wait, char *text, size_t bytes)
{
    const std::lock_guard<std::recursive_mutex> lock(guard());
    std::snprintf(text, bytes, "%s", describe_wait(the_log(), wait).c_str());
}

} // extern "C"
