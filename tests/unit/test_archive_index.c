#include <criterion/criterion.h>
#include <string.h>

#include "archive_name.h"
#include "archive_place.h"
#include "archive_row.h"

typedef const char *archive_key[COMPARABILITY_FIELD_COUNT];

static const bool nothing_freed[COMPARABILITY_FIELD_COUNT];

/* ---- Names ---- */

/* The name of the last of `count` groups with these keys. */
static const char *name_of(archive_key *keys, size_t count, const bool *freed, struct arena *arena)
{
    struct record first = {.path = "a.json"};
    struct group groups[3] = {{.first = &first}, {.first = &first}, {.first = &first}};
    struct group_list list = {.items = groups, .count = count};
    const char *names[3];
    struct diag diag = {0};
    cr_assert_eq(archive_name_all(&list, keys, freed, arena, names, &diag), STATUS_OK);
    return names[count - 1];
}

/* The name is kept in scripts and links: the digits are the beginning of SHA-256 of
 * "world_size=4\0global_batch=128\0micro_batch\0...", every field in order. */
Test(archive_name, is_made_of_what_the_group_is)
{
    struct arena arena = {0};
    archive_key keys[1] = {{[COMPARABILITY_MODEL] = "GPT2 124M",
                            [COMPARABILITY_WORLD_SIZE] = "4",
                            [COMPARABILITY_GLOBAL_BATCH] = "128"}};
    const char *name = name_of(keys, 1, nothing_freed, &arena);
    cr_assert_str_eq(name, "gpt2-124m-4ranks-batch128-f46bc64b7e.json");
    cr_assert(archive_name_is_one(name));
    arena_fini(&arena);
}

Test(archive_name, tells_an_absent_value_from_an_empty_one_and_passes_over_freed_fields)
{
    struct arena arena = {0};
    archive_key absent[1] = {{[COMPARABILITY_WORLD_SIZE] = "4"}};
    archive_key empty[1] = {{[COMPARABILITY_WORLD_SIZE] = "4", [COMPARABILITY_DEVICE] = ""}};
    bool freed[COMPARABILITY_FIELD_COUNT] = {[COMPARABILITY_DEVICE] = true};
    cr_assert_str_neq(name_of(absent, 1, nothing_freed, &arena),
                      name_of(empty, 1, nothing_freed, &arena));
    cr_assert_str_eq(name_of(absent, 1, freed, &arena), name_of(empty, 1, freed, &arena));
    arena_fini(&arena);
}

Test(archive_name, of_equal_groups_is_numbered)
{
    struct arena arena = {0};
    archive_key keys[3] = {{NULL}, {NULL}, {NULL}};
    cr_assert_str_eq(name_of(keys, 3, nothing_freed, &arena) + strlen("workload-") + 10, "-3.json");
    arena_fini(&arena);
}

Test(archive_name, is_known_again)
{
    cr_assert(archive_name_is_one("m-0123456789.json"));
    static const char *const others[] = {
        "m-012345678.json", "m-012345678g.json", "m-0123456789.csv",   "-0123456789.json",
        "0123456789.json",  "index.json",        "m-0123456789A.json", ""};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        cr_assert_not(archive_name_is_one(others[i]), "%s", others[i]);
}

/* ---- Places of refused sources ---- */

static struct archive_place place_of(archive_key *keys, size_t group_count,
                                     const char *const *rejected_key, const bool *freed,
                                     struct arena *arena)
{
    struct rejected_source rejected[3] = {{.key = NULL}, {.key = rejected_key}, {.key = NULL}};
    struct evidence_set set = {.rejected = rejected, .rejected_count = 3};
    struct archive_place place = {0};
    struct diag diag = {0};
    cr_assert_eq(archive_place_make(&set, keys, group_count, freed, arena, &place, &diag),
                 STATUS_OK);
    return place;
}

static archive_key three_groups[3] = {
    {[COMPARABILITY_WORLD_SIZE] = "2", [COMPARABILITY_MODEL] = "a"},
    {[COMPARABILITY_WORLD_SIZE] = "4", [COMPARABILITY_MODEL] = "a", [COMPARABILITY_SEQ_LEN] = "1"},
    {[COMPARABILITY_WORLD_SIZE] = "4", [COMPARABILITY_MODEL] = "b"},
};

Test(archive_place, is_the_only_group_that_agrees)
{
    struct arena arena = {0};
    archive_key key = {[COMPARABILITY_WORLD_SIZE] = "4", [COMPARABILITY_MODEL] = "a"};
    struct archive_place place = place_of(three_groups, 3, key, nothing_freed, &arena);
    cr_assert_eq(place.unplaced, 2);
    const size_t starts[] = {0, 0, 1, 1};
    cr_assert_arr_eq(place.starts, starts, sizeof starts);
    cr_assert_eq(place.order[0], 1);
    arena_fini(&arena);
}

Test(archive_place, is_none_where_several_agree_or_none_does)
{
    struct arena arena = {0};
    archive_key several = {[COMPARABILITY_WORLD_SIZE] = "4"};
    archive_key none = {[COMPARABILITY_WORLD_SIZE] = "8", [COMPARABILITY_MODEL] = "a"};
    cr_assert_eq(place_of(three_groups, 3, several, nothing_freed, &arena).unplaced, 3);
    cr_assert_eq(place_of(three_groups, 3, none, nothing_freed, &arena).unplaced, 3);
    arena_fini(&arena);
}

Test(archive_place, passes_over_freed_fields)
{
    struct arena arena = {0};
    bool freed[COMPARABILITY_FIELD_COUNT] = {[COMPARABILITY_WORLD_SIZE] = true};
    archive_key key = {[COMPARABILITY_WORLD_SIZE] = "8", [COMPARABILITY_MODEL] = "b"};
    struct archive_place place = place_of(three_groups, 3, key, freed, &arena);
    cr_assert_eq(place.unplaced, 2);
    cr_assert_eq(place.starts[2], 0);
    cr_assert_eq(place.starts[3], 1);
    arena_fini(&arena);
}

/* ---- The order of rows ---- */

static int compare(enum verdict a, const char *label_a, enum verdict b, const char *label_b)
{
    const struct archive_index_row left = {.verdict = a, .label = label_a, .summary = "s"};
    const struct archive_index_row right = {.verdict = b, .label = label_b, .summary = "s"};
    return archive_row_compare(&left, &right);
}

Test(archive_row, stand_by_decision_then_label_with_numbers_by_size)
{
    const enum verdict accept = VERDICT_ACCEPT;
    cr_assert_lt(compare(accept, "z", VERDICT_TUNE, "a"), 0);
    cr_assert_lt(compare(VERDICT_TUNE, "z", VERDICT_REJECT, "a"), 0);
    cr_assert_lt(compare(accept, "m, 2 ranks", accept, "m, 16 ranks"), 0);
    cr_assert_lt(compare(accept, "m, 4 ranks", accept, "m, 4 ranks, seq_len 5"), 0);
    cr_assert_gt(compare(accept, "m10", accept, "m9"), 0);
    cr_assert_gt(compare(accept, "m99999999999999999999999", accept, "m9999999999999999999999"), 0);
    cr_assert_lt(compare(accept, "M", accept, "m"), 0);
    cr_assert_gt(compare(accept, "\xE5\x90\x88", accept, "z"), 0);
    cr_assert_eq(compare(accept, "m 1", accept, "m 1"), 0);
}
