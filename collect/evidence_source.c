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

/* The record of a rank that said where it is; NULL if it did not, or nothing was started. */
static const struct rank_record *known(const struct evidence_source *source, uint64_t rank)
{
    if (source->round_count == 0)
        return NULL;
    const struct rank_record *record = evidence_source_record(source, 0, rank);
    return record->pid != 0 ? record : NULL;
}

uint64_t evidence_source_hosts(const struct evidence_source *source)
{
    uint64_t hosts = source->run->hosts > 0 ? source->run->hosts : 1;
    for (uint64_t rank = 0; rank < evidence_source_ranks(source); rank++) {
        const struct rank_record *record = known(source, rank);
        if (record != NULL && record->host_number >= hosts)
            hosts = record->host_number + 1;
    }
    return hosts;
}

uint64_t evidence_source_ranks_of_host(const struct evidence_source *source, uint64_t host)
{
    uint64_t ranks = 0;
    for (uint64_t rank = 0; rank < evidence_source_ranks(source); rank++) {
        const struct rank_record *record = known(source, rank);
        ranks += record != NULL && record->host_number == host;
    }
    return ranks;
}

int64_t evidence_source_host_of(const struct evidence_source *source, int64_t rank)
{
    if (rank < 0 || (uint64_t)rank >= evidence_source_ranks(source) ||
        evidence_source_hosts(source) == 1)
        return -1;
    const struct rank_record *record = known(source, (uint64_t)rank);
    return record != NULL ? (int64_t)record->host_number : -1;
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
