#include "policy.h"

#include <math.h>

void policy_init(struct policy *policy)
{
    *policy = (struct policy){
        .memory_limit_mb = NAN,
        .memory_kind = -1,
        .min_throughput = NAN,
        .throughput_unit = THROUGHPUT_TOKENS,
        .max_communication_ratio = NAN,
        .max_memory_fraction = NAN,
        .tight_memory_fraction = 0.9,
        .min_gain = 0,
        .goal = POLICY_GOAL_THROUGHPUT,
        .baseline = STRATEGY_DDP,
        .ranking = {POLICY_BY_THROUGHPUT, POLICY_BY_COMMUNICATION, POLICY_BY_PEAK},
        .ranking_count = POLICY_KEY_COUNT,
        .correctness = POLICY_CORRECTNESS_OWN,
        .max_step_time_variation = NAN,
    };
}

const char *policy_key_name(enum policy_key key)
{
    static const char *const names[POLICY_KEY_COUNT] = {
        [POLICY_BY_THROUGHPUT] = "throughput",
        [POLICY_BY_COMMUNICATION] = "communication_ratio",
        [POLICY_BY_PEAK] = "peak_memory_mb",
    };
    return names[key];
}

const char *policy_goal_name(enum policy_goal goal)
{
    return goal == POLICY_GOAL_MEMORY ? "memory" : "throughput";
}

const char *policy_correctness_name(enum policy_correctness correctness)
{
    static const char *const names[] = {
        [POLICY_CORRECTNESS_OWN] = "own",
        [POLICY_CORRECTNESS_ON] = "on",
        [POLICY_CORRECTNESS_OFF] = "off",
    };
    return names[correctness];
}
