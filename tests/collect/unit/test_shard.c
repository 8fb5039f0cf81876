#include <criterion/criterion.h>
#include <string.h>

#include "shard.h"

/*
 * A model of C = 4, V = 5, T = 2, no blocks' worth of surprises (L = 1): 16 tensors. Two units by
 * hand: unit 1 holds tensors 15, 14, ..., 8 in that order, unit 0 the others from 7 down to 0, as
 * buckets that fill from the backward's end.
 */
struct sample {
    struct schedule schedule;
    struct schedule_place places[16];
    struct schedule_unit units[2];
};

static uint64_t elements_of(const struct sample *sample, size_t tensor)
{
    return model_tensor(&sample->schedule.request.shape, tensor).elements;
}

static void make_sample(struct sample *sample, uint64_t world_size)
{
    memset(sample, 0, sizeof *sample);
    struct schedule *schedule = &sample->schedule;
    schedule->request.shape = (struct model_shape){4, 1, 1, 5, 2, 1};
    schedule->request.world_size = world_size;
    schedule->tensor_count = model_tensor_count(&schedule->request.shape);
    cr_assert_eq(schedule->tensor_count, 16);
    schedule->places = sample->places;
    schedule->units = sample->units;
    schedule->unit_count = 2;
    for (size_t i = 16; i-- > 0;) {
        struct schedule_unit *unit = &sample->units[i >= 8];
        sample->places[i] = (struct schedule_place){i >= 8, unit->elements};
        unit->elements += elements_of(sample, i);
    }
    for (size_t unit = 0; unit < 2; unit++) {
        uint64_t align = 16 * world_size;
        sample->units[unit].padded = (sample->units[unit].elements + align - 1) / align * align;
    }
}

Test(shard, gives_each_element_to_one_rank)
{
    for (uint64_t world_size = 1; world_size <= 7; world_size++) {
        struct sample sample;
        make_sample(&sample, world_size);
        for (size_t tensor = 0; tensor < 16; tensor++) {
            uint64_t end = 0;
            for (uint64_t rank = 0; rank < world_size; rank++) {
                struct shard_run run = shard_run_of(&sample.schedule, tensor, rank);
                if (run.count == 0)
                    continue;
                cr_expect_eq(run.first, end);
                end += run.count;
                size_t unit = sample.places[tensor].unit;
                uint64_t part = sample.units[unit].padded / world_size;
                cr_expect_eq(rank * part + run.offset, sample.places[tensor].offset + run.first);
                cr_expect_leq(run.offset + run.count, part);
            }
            cr_expect_eq(end, elements_of(&sample, tensor));
        }
    }
}

Test(shard, gives_the_runs_of_a_stretch_in_order)
{
    struct sample sample;
    make_sample(&sample, 3);
    struct shard_map map;
    cr_assert_eq(shard_map_init(&map, &sample.schedule, NULL), STATUS_OK);
    for (size_t unit = 0; unit < 2; unit++)
        for (uint64_t begin = 0; begin < sample.units[unit].padded; begin += 7) {
            uint64_t end = begin + 29, at = begin;
            struct shard_cursor cursor = shard_cursor(&map, unit, begin, end);
            struct shard_run run;
            while (shard_next(&cursor, &run)) {
                cr_expect_eq(sample.places[run.tensor].unit, unit);
                cr_expect_eq(begin + run.offset, at);
                cr_expect_eq(sample.places[run.tensor].offset + run.first, at);
                at += run.count;
            }
            uint64_t valid = sample.units[unit].elements;
            cr_expect_eq(at, begin > valid ? begin : end < valid ? end : valid);
        }
    shard_map_fini(&map);
}

Test(shard, gives_no_run_of_padding)
{
    struct sample sample;
    make_sample(&sample, 4);
    struct shard_map map;
    cr_assert_eq(shard_map_init(&map, &sample.schedule, NULL), STATUS_OK);
    struct shard_cursor cursor =
        shard_cursor(&map, 0, sample.units[0].elements, sample.units[0].padded);
    struct shard_run run;
    cr_expect_not(shard_next(&cursor, &run));
    cursor = shard_cursor(&map, 1, 3, 3);
    cr_expect_not(shard_next(&cursor, &run));
    cr_expect_eq(shard_part_elements(&sample.schedule, 0) * 4, sample.units[0].padded);
    shard_map_fini(&map);
    shard_map_fini(NULL);
}
