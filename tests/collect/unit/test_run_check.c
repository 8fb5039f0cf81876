#include "run_check.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MIB (UINT64_C(1) << 20)
#define PROCESS (64 * MIB) /* beside an arena, as run_check.c has it */

static struct run_config config;
static struct host_info host;
static struct run_results results;
static struct run_faults faults;

/* Two ranks; ddp needs 100 MiB of live memory and zero3 40, arenas the same. */
static void make_results(void)
{
    config = (struct run_config){
        .training.schedule.world_size = 2, .memory_limit_bytes = UINT64_MAX, .strategy_count = 2};
    host = (struct host_info){.available_bytes = 100000 * MIB};
    results = (struct run_results){.config = &config, .host = &host};
    const uint64_t needs[STRATEGY_COUNT] = {
        [STRATEGY_DDP] = 100 * MIB, [STRATEGY_ZERO3] = 40 * MIB};
    for (int i = 0; i < STRATEGY_COUNT; i++) {
        results.of[i].asked = needs[i] > 0;
        config.strategies[i] = needs[i] > 0;
        results.of[i].plan.peak_bytes = needs[i];
        results.of[i].plan.arena_bytes = needs[i];
    }
}

static void free_faults(void)
{
    run_faults_fini(&faults);
}

TestSuite(run_check, .init = make_results, .fini = free_faults);

static bool refused(enum strategy strategy)
{
    return results.of[strategy].failure.kind == RANK_FAILURE_PREFLIGHT;
}

Test(run_check, what_fits_is_left_alone)
{
    config.memory_limit_bytes = 100 * MIB;
    host.available_bytes = 2 * (100 * MIB + PROCESS);
    run_check_memory(&results, &faults);
    cr_assert_eq(faults.count, 0, "%s", faults.text.text);
    cr_assert_not(refused(STRATEGY_DDP));
}

Test(run_check, one_byte_too_little_memory_refuses_that_strategy_alone)
{
    host.available_bytes = 2 * (100 * MIB + PROCESS) - 1;
    run_check_memory(&results, &faults);
    cr_assert_eq(faults.count, 0);
    cr_assert(refused(STRATEGY_DDP));
    cr_assert_not(refused(STRATEGY_ZERO3));
    cr_assert(strstr(results.of[STRATEGY_DDP].failure.detail, "2 ranks need") != NULL);
}

Test(run_check, machine_too_small_for_all_is_a_fault_with_what_each_needs)
{
    host.available_bytes = 2 * (40 * MIB + PROCESS) - 1;
    run_check_memory(&results, &faults);
    cr_assert_eq(faults.count, 1);
    cr_assert_eq(faults.status, STATUS_USAGE);
    cr_assert(strstr(faults.text.text, "ddp 164 MiB, zero3 104 MiB") != NULL, "%s",
              faults.text.text);
}

Test(run_check, limit_that_some_fit_is_met_by_running)
{
    config.memory_limit_bytes = 40 * MIB;
    run_check_memory(&results, &faults);
    cr_assert_eq(faults.count, 0);
    cr_assert_not(refused(STRATEGY_DDP), "it runs out of memory itself");
}

Test(run_check, limit_that_none_fits_is_a_fault_with_predicted_peaks)
{
    config.memory_limit_bytes = 40 * MIB - 1;
    run_check_memory(&results, &faults);
    cr_assert_eq(faults.count, 1);
    cr_assert(strstr(faults.text.text, "ddp 100 MiB (104857600B), zero3 40 MiB (41943040B)") !=
                  NULL,
              "%s", faults.text.text);
}

Test(run_check, places_are_checked_all_at_once)
{
    char folder[] = "/tmp/rankledger-check-XXXXXX";
    char path[128];
    cr_assert_not_null(mkdtemp(folder));
    config.output_dir = folder;
    config.restore_dir = "/nowhere";
    snprintf(path, sizeof path, "%s/ddp.json", folder);
    fclose(fopen(path, "w"));
    run_check_places(&config, &faults);
    cr_assert_eq(faults.count, 2, "%s", faults.text.text);
    cr_assert_eq(faults.status, STATUS_USAGE);
    cr_assert(strstr(faults.text.text, "ddp.json exists; --force replaces it") != NULL);
    cr_assert(strstr(faults.text.text, "/nowhere: cannot be restored") != NULL);
    unlink(path);
    rmdir(folder);
}

Test(run_check, folder_is_made_with_those_above_it)
{
    char folder[] = "/tmp/rankledger-check-XXXXXX";
    char path[128];
    struct stat about;
    cr_assert_not_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/a/b/", folder);
    config.output_dir = path;
    run_check_places(&config, &faults);
    cr_assert_eq(faults.count, 0, "%s", faults.text.text);
    cr_assert_eq(stat(path, &about), 0);
    cr_assert(S_ISDIR(about.st_mode));
    rmdir(path);
    snprintf(path, sizeof path, "%s/a", folder);
    rmdir(path);
    cr_assert_eq(rmdir(folder), 0, "something stayed in the folder");
}

/* A folder of its own, and a config whose evidence goes to out/ in it. */
static char *place(char folder[64], char out[128])
{
    snprintf(folder, 64, "/tmp/rankledger-check-XXXXXX");
    cr_assert_not_null(mkdtemp(folder));
    snprintf(out, 128, "%s/out", folder);
    config.output_dir = out;
    return folder;
}

static void expect_words(const char *words)
{
    cr_assert_gt(faults.count, 0, "no fault; expected %s", words);
    cr_assert(strstr(faults.text.text, words) != NULL, "\"%s\" is not in: %s", words,
              faults.text.text);
}

Test(run_check, folders_of_checkpoints_and_dumps_are_tried_and_nothing_stays)
{
    char folder[64];
    char out[128];
    char file[128];
    char checkpoints[160];
    char dump[160];
    snprintf(file, sizeof file, "%s/file", place(folder, out));
    snprintf(checkpoints, sizeof checkpoints, "%s/in/it", file);
    snprintf(dump, sizeof dump, "%s/a/b/c", folder);
    fclose(fopen(file, "w"));
    config.checkpoint = RUN_CHECKPOINT_BOTH;
    config.checkpoint_dir = checkpoints;
    config.dump_dir = dump;
    run_check_places(&config, &faults);
    cr_assert_eq(faults.count, 4, "%s", faults.text.text); /* two strategies, two kinds */
    cr_assert_eq(faults.status, STATUS_ENVIRONMENT);
    expect_words("/file/in/it/zero3-sharded: cannot write: Not a directory");
    unlink(file);
    cr_assert_eq(rmdir(folder), 0, "something stayed in %s", folder);
}

Test(run_check, places_do_not_overlap)
{
    char folder[64];
    char out[128];
    char dump[160];
    place(folder, out);
    config.strategies[STRATEGY_ZERO3] = false;
    config.strategy_count = 1;
    config.checkpoint = RUN_CHECKPOINT_FULL;
    config.dump_dir = dump;
    snprintf(dump, sizeof dump, "%s/other", folder);
    run_check_places(&config, &faults);
    cr_assert_eq(faults.count, 0, "%s", faults.text.text);
    snprintf(dump, sizeof dump, "%s/../out", out);
    run_check_places(&config, &faults);
    expect_words("/out/../out: one lies inside the other");
    snprintf(dump, sizeof dump, "%s/checkpoints/ddp-full/", out);
    run_check_places(&config, &faults);
    expect_words("/checkpoints/ddp-full/ would be written twice");
    snprintf(dump, sizeof dump, "%s/ddp.json", out);
    run_check_places(&config, &faults);
    expect_words("/ddp.json would be written twice");
    config.dump_dir = NULL;
    config.checkpoint_dir = dump;
    run_check_places(&config, &faults);
    expect_words("/ddp.json and ");
    cr_assert_eq(rmdir(out), 0);
    cr_assert_eq(rmdir(folder), 0, "something stayed in %s", folder);
}

Test(run_check, restored_folder_must_hold_a_checkpoint)
{
    char folder[64];
    char out[128];
    config.restore_dir = place(folder, out);
    run_check_places(&config, &faults);
    cr_assert_eq(faults.count, 1);
    cr_assert_eq(faults.status, STATUS_INPUT);
    expect_words("no checkpoint");
    cr_assert_eq(rmdir(folder), 0, "something stayed in %s", folder);
}
