#include "joined_hosts.h"

#include <criterion/criterion.h>
#include <stdio.h>

#define GIB (UINT64_C(1) << 30)

/* A host of 8 cores with ranks 0 and 1, one of 4 cores with rank 2. */
static struct joined_hosts_word words[3];
static struct joined_hosts plan;

static void set_word(uint64_t rank, uint64_t host, uint64_t local_ranks, uint64_t cores)
{
    words[rank] = (struct joined_hosts_word){
        .place = {.host = host, .hosts = 2, .local_ranks = local_ranks},
        .cores = cores,
        .usable_cores = cores,
        .available_bytes = 16 * GIB,
    };
    snprintf(words[rank].name, sizeof words[rank].name, "node%d", (int)host);
    snprintf(words[rank].affinity, sizeof words[rank].affinity, "0-%d", (int)cores - 1);
}

static void make_words(void)
{
    set_word(0, 0, 2, 8);
    set_word(1, 0, 2, 8);
    set_word(2, 1, 1, 4);
}

TestSuite(joined_hosts, .init = make_words);

static void bind_rank(uint64_t rank, const char *affinity, uint64_t cores)
{
    snprintf(words[rank].affinity, sizeof words[rank].affinity, "%s", affinity);
    words[rank].usable_cores = cores;
}

Test(joined_hosts, every_rank_gets_as_many_threads_as_the_poorest_has_cores)
{
    joined_hosts_plan(words, 3, 0, &plan);
    cr_assert_eq(plan.hosts, 2);
    cr_assert_eq(plan.threads, 4, "8 cores for two ranks, 4 for one");
    cr_assert_not(plan.oversubscribed);
    cr_assert_not(plan.bound);
    words[2].usable_cores = 3;
    joined_hosts_plan(words, 3, 0, &plan);
    cr_assert_eq(plan.threads, 3);
}

Test(joined_hosts, same_set_on_another_host_is_shared_with_nobody)
{
    bind_rank(0, "0-3", 4);
    bind_rank(1, "4-7", 4);
    joined_hosts_plan(words, 3, 0, &plan);
    cr_assert_eq(plan.threads, 4, "rank 2 runs on 0-3 of its own host");
    cr_assert_not(plan.bound, "rank 2 may run on all of its host");
    bind_rank(2, "0-1", 2);
    joined_hosts_plan(words, 3, 0, &plan);
    cr_assert_eq(plan.threads, 2);
    cr_assert(plan.bound);
}

Test(joined_hosts, more_threads_than_cores_anywhere_are_too_many)
{
    joined_hosts_plan(words, 3, 4, &plan);
    cr_assert_not(plan.oversubscribed);
    joined_hosts_plan(words, 3, 5, &plan);
    cr_assert_eq(plan.threads, 5);
    cr_assert(plan.oversubscribed);
    bind_rank(1, "1", 1);
    joined_hosts_plan(words, 3, 2, &plan);
    cr_assert(plan.oversubscribed, "rank 1 has one core");
    bind_rank(0, "0", 1);
    bind_rank(1, "0", 1);
    joined_hosts_plan(words, 3, 0, &plan);
    cr_assert_eq(plan.threads, 1, "never none");
    cr_assert(plan.oversubscribed, "two ranks on one core");
}

Test(joined_hosts, memory_is_that_of_the_host_with_least_for_a_rank)
{
    joined_hosts_plan(words, 3, 1, &plan);
    cr_assert_eq(plan.tightest, 0, "two ranks share there what one has here");
    cr_assert_eq(plan.tightest_ranks, 2);
    words[2].available_bytes = 8 * GIB - 1;
    joined_hosts_plan(words, 3, 1, &plan);
    cr_assert_eq(plan.tightest, 1);
    cr_assert_eq(plan.tightest_ranks, 1);
    cr_assert_eq(plan.tightest_bytes, 8 * GIB - 1);
    cr_assert_str_eq(plan.tightest_name, "node1");
    words[2].available_bytes = 0; /* not known */
    joined_hosts_plan(words, 3, 1, &plan);
    cr_assert_eq(plan.tightest, 0);
}
