/* The log of operations; C++. */
#ifndef CUDA_EMULATION_LOG_H
#define CUDA_EMULATION_LOG_H

#include "emulation_parts.h"

namespace emulation
{

enum entry_kind {
    entry_operation,
    entry_host, /* uses memory itself */
    entry_record,
    entry_wait,
    entry_host_waits_for_moment,
    entry_host_waits_for_stream,
    entry_host_waits_for_device
};

struct entry {
    entry_kind kind = entry_operation;
    unsigned stream = 0;
    int device = 0;
    uint64_t moment = 0; /* of a recording */
    uint64_t number = 0; /* of the operation, or of the wait, from 0 */
    std::string name;    /* of the operation */
    std::vector<range> ranges;
};

struct operation_log {
    bool on = false;
    std::vector<entry> entries;
    std::vector<stream_mark> streams; /* by id */
    uint64_t operations = 0, waits = 0;
};

operation_log &the_log();
/* "adamw(float*) (operation 12, stream compute)". */
std::string describe_operation(const operation_log &of, const entry &operation);

} // namespace emulation

#endif
