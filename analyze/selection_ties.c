#include "selection_ties.h"

#include <math.h>
#include <string.h>

#include "candidate_times.h"
#include "gates.h"
#include "selection.h"

static size_t place_of_throughput(const struct policy *policy)
{
    size_t place = 0;
    while (place < policy->ranking_count && policy->ranking[place] != POLICY_BY_THROUGHPUT)
        place++;
    return place;
}

enum status selection_ties_prepare(const struct policy *policy, struct group *group,
                                   struct arena *arena, struct diag *diag)
{
    size_t key = place_of_throughput(policy);
    group->ties = NULL;
    if (!policy->statistical_ties || key == policy->ranking_count)
        return STATUS_OK;
    struct selection_ties *ties = arena_take(arena, sizeof *ties);
    if (ties == NULL)
        return diag_no_memory(diag);
    ties->key = key;
    ties->arranged = arena_take_array(arena, group->candidate_count + 1, sizeof *ties->arranged);
    ties->tied = arena_take_array(arena, group->candidate_count + 1, sizeof *ties->tied);
    if (ties->arranged == NULL || ties->tied == NULL)
        return diag_no_memory(diag);
    struct policy rest = *policy;
    rest.ranking_count = policy->ranking_count - key - 1;
    memmove(rest.ranking, policy->ranking + key + 1, rest.ranking_count * sizeof rest.ranking[0]);
    enum status status = selection_sort(&rest, group, arena, &ties->by_rest, diag);
    if (status == STATUS_OK)
        group->ties = ties;
    return status;
}

static bool equal_before(const struct policy *policy, const struct candidate *a,
                         const struct candidate *b, size_t key)
{
    for (size_t i = 0; i < key; i++)
        if (selection_compare_key(a, b, policy->ranking[i]) != 0)
            return false;
    return true;
}

/* Finds T and who is tied with it. */
static void find_tied(const struct policy *policy, const struct group *group, const size_t *order)
{
    struct selection_ties *ties = group->ties;
    const struct candidate *fastest = NULL;
    ties->tied_count = 0;
    for (size_t i = 0; i < group->candidate_count; i++) {
        const struct candidate *candidate = &group->candidates[order[i]];
        bool eligible = gates_eligible(policy, candidate);
        bool first = eligible && fastest == NULL;
        if (first) {
            fastest = candidate;
            ties->fastest = order[i];
        }
        bool tied = eligible && !isnan(candidate->metrics.throughput) &&
                    (first || (equal_before(policy, candidate, fastest, ties->key) &&
                               candidate_times_tied(&candidate->times, &fastest->times)));
        ties->tied[order[i]] = tied;
        ties->tied_count += tied;
    }
}

const size_t *selection_ties_arrange(const struct policy *policy, const struct group *group,
                                     const size_t *order)
{
    struct selection_ties *ties = group->ties;
    if (ties == NULL)
        return order;
    find_tied(policy, group, order);
    size_t count = 0;
    for (size_t i = 0; i < group->candidate_count; i++)
        if (ties->tied[ties->by_rest[i]])
            ties->arranged[count++] = ties->by_rest[i];
    for (size_t i = 0; i < group->candidate_count; i++)
        if (!ties->tied[order[i]])
            ties->arranged[count++] = order[i];
    return ties->arranged;
}
