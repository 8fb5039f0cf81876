#include "run_check.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "checkpoint_source.h"
#include "folders.h"
#include "run_devices.h"
#include "run_folders.h"
#include "run_targets.h"
#include "text.h"

#define SHOWN 512 /* of a path in a message */

/* What a rank's process takes beside its arena: program, OpenBLAS, MPI and its shared memory.
 * Measured with two ranks on Debian 12: 17 to 28 MiB (memory.per_rank.process_residual_bytes). */
#define PROCESS_BYTES (UINT64_C(64) << 20)

static const char *shown(const char *path, char text[SHOWN])
{
    return text_escape_into(text, SHOWN, path, strlen(path));
}

/* ---- places ---- */

static void check_existing(const struct run_config *config, struct run_faults *faults)
{
    char text[SHOWN];
    for (int i = 0; i < STRATEGY_COUNT; i++) {
        char path[PATH_MAX];
        struct diag diag = {0};
        struct stat about;
        if (!config->strategies[i] || (config->output == NULL && config->output_dir == NULL))
            continue;
        if (run_config_target(config, (enum strategy)i, path, sizeof path, &diag) != STATUS_OK)
            run_faults_add_diag(faults, &diag);
        else if (lstat(path, &about) == 0 && S_ISDIR(about.st_mode))
            run_faults_add(faults, STATUS_USAGE, "%s is a folder", shown(path, text));
        else if (lstat(path, &about) == 0 && !config->force)
            run_faults_add(faults, STATUS_USAGE, "%s exists; --force replaces it",
                           shown(path, text));
    }
}

/* Reads what the checkpoint says about itself, as the ranks will. */
static void check_checkpoint(const struct run_config *config, struct run_faults *faults)
{
    struct diag diag = {0};
    struct checkpoint_facts own;
    struct checkpoint_source source = {0};
    checkpoint_facts_planned(&own, &config->training, &config->training.schedule);
    if (checkpoint_source_open(&source, config->restore_dir, &own, &config->training.schedule.shape,
                               &diag) == STATUS_OK)
        checkpoint_source_close(&source);
    run_faults_add_diag(faults, &diag);
}

static void check_restore(const struct run_config *config, bool is_understood,
                          struct run_faults *faults)
{
    char text[SHOWN];
    struct stat about;
    if (config->restore_dir == NULL)
        return;
    if (stat(config->restore_dir, &about) != 0)
        run_faults_add(faults, STATUS_INPUT, "%s: cannot be restored: %s",
                       shown(config->restore_dir, text), diag_reason(errno));
    else if (!S_ISDIR(about.st_mode))
        run_faults_add(faults, STATUS_INPUT, "%s: cannot be restored: it is no folder",
                       shown(config->restore_dir, text));
    else if (is_understood)
        check_checkpoint(config, faults);
}

/* The folder that evidence is written to; false if its name is too long. */
static bool evidence_folder(const struct run_config *config, char folder[PATH_MAX])
{
    const char *slash = config->output != NULL ? strrchr(config->output, '/') : NULL;
    int length;
    if (config->output == NULL)
        length = snprintf(folder, PATH_MAX, "%s", config->output_dir);
    else if (slash == NULL)
        length = snprintf(folder, PATH_MAX, ".");
    else
        length =
            snprintf(folder, PATH_MAX, "%.*s", (int)(slash - config->output) + 1, config->output);
    return length < PATH_MAX;
}

/* The folder stays if nothing is wrong with the run. */
static void check_folder(const struct run_config *config, struct run_faults *faults)
{
    char folder[PATH_MAX];
    char text[SHOWN];
    char *first = NULL;
    int error_number = ENAMETOOLONG;
    if (evidence_folder(config, folder)) {
        error_number = folders_make(folder, &first);
        if (error_number == 0)
            error_number = folders_probe(folder);
    }
    if (error_number != 0)
        run_faults_add(faults, STATUS_ENVIRONMENT, "%s: evidence cannot be written there: %s",
                       shown(folder, text), diag_reason(error_number));
    if (faults->count > 0)
        folders_remove(folder, first);
    free(first);
}

void run_check_places(const struct run_config *config, struct run_faults *faults)
{
    /* After a fault of usage the model may not be the one that was meant. */
    const bool is_understood = faults->status != STATUS_USAGE;
    check_existing(config, faults);
    check_restore(config, is_understood, faults);
    if (config->output == NULL && config->output_dir == NULL)
        return;
    run_targets_check(config, faults);
    run_folders_check(config, faults);
    check_folder(config, faults);
}

/* ---- memory ---- */

/* "ddp 120.3 MiB, zero1 75.1 MiB"; of peaks the bytes as well, as --memory-limit takes them: one
 * byte too little looks the same in MiB. */
static void list_needs(const struct run_results *results, bool arenas, char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (int i = 0; i < STRATEGY_COUNT; i++) {
        char number[64];
        char exact[32] = "";
        const struct run_result *result = &results->of[i];
        if (!result->asked || used >= size)
            continue;
        uint64_t bytes =
            arenas ? result->plan.arena_bytes + PROCESS_BYTES : result->plan.peak_bytes;
        if (!arenas)
            snprintf(exact, sizeof exact, " (%" PRIu64 "B)", bytes);
        used += (size_t)snprintf(
            text + used, size - used, "%s%s %s MiB%s", used > 0 ? ", " : "",
            training_state_row((enum strategy)i)->name,
            text_rounded(number, sizeof number, (double)bytes / 1048576, TEXT_ROUNDED_PLAIN, 0),
            exact);
    }
}

static void check_limit(const struct run_results *results, struct run_faults *faults)
{
    char needs[512];
    char limit[64];
    uint64_t bytes = results->config->memory_limit_bytes;
    for (int i = 0; i < STRATEGY_COUNT; i++)
        if (results->of[i].asked && results->of[i].plan.peak_bytes <= bytes)
            return;
    list_needs(results, false, needs, sizeof needs);
    run_faults_add(
        faults, STATUS_USAGE,
        "no strategy fits --memory-limit (%s MiB); predicted peaks of a rank: %s",
        text_rounded(limit, sizeof limit, (double)bytes / 1048576, TEXT_ROUNDED_PLAIN, 0), needs);
}

static struct run_room room_of(const struct run_results *results)
{
    if (results->room.ranks > 0)
        return results->room;
    return (struct run_room){.ranks = results->config->training.schedule.world_size,
                             .bytes = results->host->available_bytes,
                             .host = -1};
}

/* ---- memory of devices ---- */

/* The rank that has least of its device's memory left to it, and how much that is; 0: it is not
 * known. */
static uint64_t fullest(const struct run_results *results, uint64_t *bytes)
{
    const uint64_t ranks = results->config->training.schedule.world_size;
    uint64_t fullest = 0;
    *bytes = 0;
    for (uint64_t rank = 0; rank < ranks; rank++) {
        const uint64_t left =
            results->places[rank].free_bytes / run_devices_sharers(results->places, ranks, rank);
        if (left == 0 || (*bytes != 0 && left >= *bytes))
            continue;
        *bytes = left;
        fullest = rank;
    }
    return fullest;
}

static void refuse_on_device(struct run_result *result, const struct run_devices_place *place,
                             uint64_t bytes)
{
    char need[64];
    char left[64];
    char all[64];
    const double gib = 1073741824.0;
    result->failure = (struct rank_failure){.kind = RANK_FAILURE_PREFLIGHT, .rank = -1, .step = -1};
    snprintf(result->failure.detail, sizeof result->failure.detail,
             "a rank needs %s GiB, and GPU %" PRIu32 " (%s) has %s GiB of %s GiB left for it; what "
             "else uses it is told by nvidia-smi",
             text_rounded(need, sizeof need, (double)result->plan.arena_bytes / gib,
                          TEXT_ROUNDED_PLAIN, 0),
             place->device.index, place->device.name,
             text_rounded(left, sizeof left, (double)bytes / gib, TEXT_ROUNDED_PLAIN, 0),
             text_rounded(all, sizeof all, (double)place->device.memory_bytes / gib,
                          TEXT_ROUNDED_PLAIN, 0));
}

/* Also if none fits: what stands in the way is another process' doing, and so it is told. */
static void check_devices(struct run_results *results)
{
    uint64_t bytes;
    const uint64_t rank = fullest(results, &bytes);
    for (int i = 0; i < STRATEGY_COUNT && bytes > 0; i++)
        if (results->of[i].asked && results->of[i].plan.arena_bytes > bytes)
            refuse_on_device(&results->of[i], &results->places[rank], bytes);
}

bool run_check_devices(struct run_results *results)
{
    char text[512];
    const uint64_t ranks = results->config->training.schedule.world_size;
    if (results->places == NULL)
        return true;
    if (!run_devices_check(results->places, ranks, results->config->share_device, text,
                           sizeof text)) {
        run_results_block(results, text);
        return false;
    }
    if (run_devices_mixed(results->places, ranks, text, sizeof text))
        fprintf(stderr,
                "rankledger-collect: warning: the ranks have different GPUs (%s); the slowest sets "
                "the pace, and the evidence says so\n",
                text);
    return true;
}

/* ---- memory of the host ---- */

static bool fits_machine(const struct run_results *results, const struct run_result *result)
{
    const struct run_room room = room_of(results);
    if (room.bytes == 0)
        return true; /* the system does not say */
    return result->plan.arena_bytes + PROCESS_BYTES <= room.bytes / room.ranks;
}

/* "this machine"; of several "host 1", with its name where no archive will keep it. */
static const char *say_machine(const struct run_room *room, bool with_name, char *text, size_t size)
{
    if (room->host < 0)
        snprintf(text, size, "this machine");
    else if (with_name)
        snprintf(text, size, "host %" PRId64 " (%s)", room->host, room->name);
    else
        snprintf(text, size, "host %" PRId64, room->host);
    return text;
}

static void refuse(struct run_results *results, struct run_result *result)
{
    char need[64];
    char available[64];
    char machine[64];
    const double gib = 1073741824.0;
    const struct run_room room = room_of(results);
    result->failure = (struct rank_failure){.kind = RANK_FAILURE_PREFLIGHT, .rank = -1, .step = -1};
    snprintf(
        result->failure.detail, sizeof result->failure.detail,
        "%" PRIu64 " ranks need %s GiB each, and %s has %s GiB left for all", room.ranks,
        text_rounded(need, sizeof need, (double)(result->plan.arena_bytes + PROCESS_BYTES) / gib,
                     TEXT_ROUNDED_PLAIN, 0),
        say_machine(&room, false, machine, sizeof machine),
        text_rounded(available, sizeof available, (double)room.bytes / gib, TEXT_ROUNDED_PLAIN, 0));
}

static void check_machine(struct run_results *results, struct run_faults *faults)
{
    char needs[320];
    char available[64];
    char machine[HOST_INFO_TEXT + 64];
    size_t fitting = 0;
    const struct run_room room = room_of(results);
    for (int i = 0; i < STRATEGY_COUNT; i++)
        fitting += results->of[i].asked && fits_machine(results, &results->of[i]);
    for (int i = 0; i < STRATEGY_COUNT && fitting > 0; i++)
        if (results->of[i].asked && !fits_machine(results, &results->of[i]))
            refuse(results, &results->of[i]);
    if (fitting > 0)
        return;
    list_needs(results, true, needs, sizeof needs);
    run_faults_add(faults, STATUS_USAGE,
                   "no strategy fits %s: %s MiB are available for %" PRIu64
                   " ranks; a rank needs: %s",
                   say_machine(&room, true, machine, sizeof machine),
                   text_rounded(available, sizeof available, (double)room.bytes / 1048576,
                                TEXT_ROUNDED_PLAIN, 0),
                   room.ranks, needs);
}

void run_check_memory(struct run_results *results, struct run_faults *faults)
{
    check_limit(results, faults);
    if (results->places != NULL)
        check_devices(results);
    else
        check_machine(results, faults);
}
