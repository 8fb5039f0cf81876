#include "evidence_source.h"

const struct rank_record *evidence_source_record(const struct evidence_source *source, size_t round,
                                                 uint64_t rank)
{
    return rank_board_at(&source->boards[round], rank);
}

uint64_t evidence_source_ranks(const struct evidence_source *source)
{
    return source->config->training.schedule.world_size;
}

static uint64_t steps_of(const struct rank_record *record)
{
    uint64_t count = __atomic_load_n(&record->step_count, __ATOMIC_ACQUIRE);
    return count < record->step_capacity ? count : record->step_capacity;
}

uint64_t evidence_source_measured(const struct rank_record *record)
{
    uint64_t count = steps_of(record);
    if (record->failure.kind == RANK_FAILURE_NON_FINITE && record->failure.step >= 0 &&
        (uint64_t)record->failure.step < count)
        count = (uint64_t)record->failure.step;
    return count > record->warmup ? count - record->warmup : 0;
}

uint64_t evidence_source_common(const struct evidence_source *source, size_t round)
{
    uint64_t least = UINT64_MAX;
    for (uint64_t rank = 0; rank < evidence_source_ranks(source); rank++) {
        uint64_t own = evidence_source_measured(evidence_source_record(source, round, rank));
        least = own < least ? own : least;
    }
    return least;
}

uint64_t evidence_source_noted(const struct evidence_source *source, size_t round)
{
    uint64_t least = UINT64_MAX;
    for (uint64_t rank = 0; rank < evidence_source_ranks(source); rank++) {
        uint64_t own = steps_of(evidence_source_record(source, round, rank));
        least = own < least ? own : least;
    }
    return least;
}

const struct rank_step *evidence_source_step(const struct rank_record *record, uint64_t step)
{
    return &record->steps[record->warmup + step];
}
