#include <criterion/criterion.h>
#include <string.h>

#include "device_memory.h"

static struct diag diag;

static uint64_t take(struct device_memory *memory, enum schedule_category category, uint64_t bytes)
{
    uint64_t offset = UINT64_MAX;
    cr_assert_eq(device_memory_take(memory, category, bytes, &offset, &diag), STATUS_OK, "%s",
                 diag.text);
    return offset;
}

Test(device_memory, takes_the_first_gap_that_fits)
{
    struct device_memory memory;
    device_memory_init(&memory, NULL, 0, UINT64_MAX);
    uint64_t a = take(&memory, SCHEDULE_ACTIVATIONS, 100);
    uint64_t b = take(&memory, SCHEDULE_ACTIVATIONS, 64);
    uint64_t c = take(&memory, SCHEDULE_ACTIVATIONS, 1);
    cr_assert_eq(a, 0);
    cr_assert_eq(b, 128);
    cr_assert_eq(c, 192);
    cr_assert(device_memory_release(&memory, a));
    cr_assert_eq(take(&memory, SCHEDULE_WORKSPACE, 129), 256, "a gap of 128 holds no 129");
    cr_assert_eq(take(&memory, SCHEDULE_WORKSPACE, 128), 0);
    cr_assert_eq(memory.extent, 256 + 192);
    device_memory_fini(&memory);
}

Test(device_memory, joins_released_neighbours)
{
    struct device_memory memory;
    device_memory_init(&memory, NULL, 0, UINT64_MAX);
    uint64_t a = take(&memory, SCHEDULE_ACTIVATIONS, 64);
    uint64_t b = take(&memory, SCHEDULE_ACTIVATIONS, 64);
    take(&memory, SCHEDULE_ACTIVATIONS, 64);
    cr_assert(device_memory_release(&memory, a));
    cr_assert(device_memory_release(&memory, b));
    cr_assert_eq(take(&memory, SCHEDULE_ACTIVATIONS, 128), 0);
    device_memory_fini(&memory);
}

Test(device_memory, books_what_was_asked_not_what_alignment_adds)
{
    struct device_memory memory;
    device_memory_init(&memory, NULL, 0, UINT64_MAX);
    take(&memory, SCHEDULE_GRADIENTS, 1);
    uint64_t b = take(&memory, SCHEDULE_PARAMETERS, 70);
    cr_assert_eq(memory.live, 71);
    cr_assert_eq(memory.live_by_category[SCHEDULE_GRADIENTS], 1);
    cr_assert_eq(memory.live_by_category[SCHEDULE_PARAMETERS], 70);
    cr_assert(device_memory_release(&memory, b));
    cr_assert_eq(memory.live, 1);
    cr_assert_eq(memory.category_peak[SCHEDULE_PARAMETERS], 70);
    device_memory_fini(&memory);
}

Test(device_memory, keeps_a_peak_and_its_parts_for_each_phase)
{
    struct device_memory memory;
    device_memory_init(&memory, NULL, 0, UINT64_MAX);
    take(&memory, SCHEDULE_PARAMETERS, 1000);
    device_memory_set_phase(&memory, SCHEDULE_PHASE_FORWARD);
    uint64_t a = take(&memory, SCHEDULE_ACTIVATIONS, 500);
    cr_assert(device_memory_release(&memory, a));
    device_memory_set_phase(&memory, SCHEDULE_PHASE_BACKWARD);
    cr_assert_eq(memory.phase_peak[SCHEDULE_PHASE_INIT], 1000);
    cr_assert_eq(memory.phase_peak[SCHEDULE_PHASE_FORWARD], 1500);
    cr_assert_eq(memory.phase_peak[SCHEDULE_PHASE_BACKWARD], 1000, "starts from what is live");
    cr_assert_eq(memory.at_peak[SCHEDULE_PHASE_FORWARD][SCHEDULE_ACTIVATIONS], 500);
    cr_assert_eq(memory.at_peak[SCHEDULE_PHASE_FORWARD][SCHEDULE_PARAMETERS], 1000);
    cr_assert_eq(memory.at_peak[SCHEDULE_PHASE_BACKWARD][SCHEDULE_ACTIVATIONS], 0);
    device_memory_fini(&memory);
}

Test(device_memory, keeps_the_parts_of_the_first_moment_of_a_peak)
{
    struct device_memory memory;
    device_memory_init(&memory, NULL, 0, UINT64_MAX);
    uint64_t a = take(&memory, SCHEDULE_ACTIVATIONS, 300);
    cr_assert(device_memory_release(&memory, a));
    take(&memory, SCHEDULE_WORKSPACE, 300);
    cr_assert_eq(memory.at_peak[SCHEDULE_PHASE_INIT][SCHEDULE_ACTIVATIONS], 300);
    cr_assert_eq(memory.at_peak[SCHEDULE_PHASE_INIT][SCHEDULE_WORKSPACE], 0);
    device_memory_fini(&memory);
}

Test(device_memory, refuses_one_byte_beyond_the_limit_and_says_what_was_asked)
{
    struct device_memory memory;
    uint64_t offset = 77;
    device_memory_init(&memory, NULL, 0, 1000);
    take(&memory, SCHEDULE_PARAMETERS, 900);
    cr_assert_eq(device_memory_take(&memory, SCHEDULE_ACTIVATIONS, 101, &offset, &diag),
                 STATUS_ENVIRONMENT);
    cr_assert_str_eq(diag.text, "out of memory: 101 bytes asked for activations with 900 in use, "
                                "and the limit is 1000");
    cr_assert_eq(offset, 77);
    cr_assert(memory.refused);
    cr_assert_eq(memory.refused_bytes, 101);
    cr_assert_eq(memory.refused_category, SCHEDULE_ACTIVATIONS);
    cr_assert_eq(memory.live, 900);
    take(&memory, SCHEDULE_ACTIVATIONS, 100);
    device_memory_fini(&memory);
}

Test(device_memory, refuses_more_than_the_arena_holds_however_large)
{
    static unsigned char base[256];
    struct device_memory memory;
    uint64_t offset;
    const uint64_t sizes[] = {257, UINT64_MAX, UINT64_MAX - 62, UINT64_MAX / 2, UINT64_MAX / 2 + 1};
    device_memory_init(&memory, base, sizeof base, UINT64_MAX);
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        cr_assert_eq(
            device_memory_take(&memory, SCHEDULE_WORKSPACE, sizes[i], &offset, &(struct diag){0}),
            STATUS_ENVIRONMENT, "%zu", i);
    cr_assert_eq(device_memory_at(&memory, take(&memory, SCHEDULE_WORKSPACE, 256)), base);
    device_memory_fini(&memory);
}

Test(device_memory, knows_only_live_ranges)
{
    struct device_memory memory;
    device_memory_init(&memory, NULL, 0, UINT64_MAX);
    uint64_t a = take(&memory, SCHEDULE_ACTIVATIONS, 64);
    cr_assert(!device_memory_release(&memory, a + 64));
    cr_assert(device_memory_release(&memory, a));
    cr_assert(!device_memory_release(&memory, a));
    device_memory_fini(&memory);
}

Test(device_memory, gives_ranges_apart_and_the_same_ones_again)
{
    enum { LIVE = 32, ROUNDS = 2000 };
    uint64_t offsets[2][ROUNDS];
    for (int run = 0; run < 2; run++) {
        struct device_memory memory;
        uint64_t held[LIVE], state = 1;
        device_memory_init(&memory, NULL, 0, UINT64_MAX);
        memset(held, 0xff, sizeof held);
        for (int i = 0; i < ROUNDS; i++) {
            state = state * UINT64_C(6364136223846793005) + 1442695040888963407;
            uint64_t *slot = &held[(state >> 33) % LIVE];
            if (*slot != UINT64_MAX)
                cr_assert(device_memory_release(&memory, *slot));
            *slot = take(&memory, SCHEDULE_WORKSPACE, (state >> 40) % 1000);
            offsets[run][i] = *slot;
            for (size_t r = 1; r < memory.range_count; r++)
                cr_assert_geq(memory.ranges[r].offset,
                              memory.ranges[r - 1].offset + memory.ranges[r - 1].size);
        }
        device_memory_fini(&memory);
    }
    cr_assert_eq(memcmp(offsets[0], offsets[1], sizeof offsets[0]), 0);
}
