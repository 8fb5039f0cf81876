#include "schedule_count.h"

struct schedule_count schedule_count_of(const struct schedule *schedule)
{
    struct schedule_count count = {0};
    for (size_t i = 0; i < schedule->action_count; i++) {
        const struct schedule_action *action = &schedule->actions[i];
        if (!action->communicates)
            continue;
        count.calls[action->collective][action->purpose]++;
        count.payload_bytes[action->collective][action->purpose] += action->payload_bytes;
    }
    return count;
}

double schedule_count_bus_factor(enum schedule_collective collective, uint64_t world_size)
{
    double ranks = (double)world_size;
    return (collective == SCHEDULE_ALL_REDUCE ? 2 : 1) * (ranks - 1) / ranks;
}
