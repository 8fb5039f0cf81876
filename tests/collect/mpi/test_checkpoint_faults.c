#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "checkpoint_source.h"
#include "communicator_mpi.h"
#include "mpi_expect.h"
#include "saved_trial.h"

/*
 * What goes wrong with a checkpoint is an error on all ranks, with the same status and a message
 * that names rank and file; nothing hangs, and nothing is left behind.
 */
static uint64_t rank, world_size;
static char folder[SAVED_TRIAL_PATH], path[SAVED_TRIAL_PATH + 16];

static struct training training_of(enum strategy strategy, enum model_dtype dtype)
{
    return trial_training(strategy, dtype, world_size, 1, 1);
}

/* --- what all ranks must agree in --- */

struct answer {
    enum status status;
    char text[2048];
};

/* Every rank's status is `status`, and every rank's message has `words` in it. */
static void expect_answer(const struct trial *trial, const struct answer *answer,
                          enum status status, const char *words)
{
    struct diag diag = {0};
    mpi_expect(answer->status == status, "status %d, expected %d: %s", (int)answer->status,
               (int)status, answer->text);
    mpi_expect(strstr(answer->text, words) != NULL, "\"%s\" in: %s", words, answer->text);
    enum status met = communicator_barrier(trial->communicator, &diag);
    mpi_expect(met == STATUS_OK, "%s", diag.text);
}

/* Which call is made of a trial. */
enum call { SAVE, VERIFY, RESTORE };

static struct answer make_call(struct trial *trial, enum call call,
                               const struct checkpoint_place *place)
{
    struct diag diag = {0};
    struct answer answer = {0};
    struct checkpoint_result result = {0};
    const struct executor_request *context = saved_trial_context(trial);
    const enum schedule_phase phase = trial->memory.phase;
    const uint64_t live = trial->memory.live;
    if (call == SAVE)
        answer.status = checkpoint_save(trial->executor, context, place, &result, &diag);
    else if (call == VERIFY)
        answer.status = checkpoint_verify(trial->executor, context, place, &result, &diag);
    else
        answer.status = checkpoint_restore(trial->executor, context, place, &result, &diag);
    mpi_expect(trial->memory.phase == phase && trial->memory.live == live,
               "memory as before the call");
    mpi_expect(call != VERIFY || result.verified == (answer.status == STATUS_OK), "verified");
    memcpy(answer.text, diag.text, sizeof answer.text);
    return answer;
}

/* Nothing but `kept` (or nothing) is in the folder. */
static void expect_nothing_but(const struct trial *trial, const char *kept)
{
    struct diag diag = {0};
    enum status status = communicator_barrier(trial->communicator, &diag);
    mpi_expect(status == STATUS_OK, "%s", diag.text);
    DIR *entries = opendir(folder);
    mpi_expect(entries != NULL, "%s", folder);
    for (struct dirent *entry; (entry = readdir(entries)) != NULL;)
        mpi_expect(strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0 ||
                       (kept != NULL && strcmp(entry->d_name, kept) == 0),
                   "%s left in %s", entry->d_name, folder);
    closedir(entries);
    status = communicator_barrier(trial->communicator, &diag);
    mpi_expect(status == STATUS_OK, "%s", diag.text);
}

/* --- saving --- */

static void check_full_disk(struct trial *trial)
{
    for (uint64_t victim = 0; victim < world_size; victim++)
        for (int sharded = 0; sharded < 2; sharded++) {
            char words[32];
            const struct checkpoint_place place = {
                .directory = path, .sharded = sharded != 0, .inject_disk_full = rank == victim};
            if (!sharded && victim > 0)
                continue; /* it writes nothing */
            const struct answer answer = make_call(trial, SAVE, &place);
            expect_answer(trial, &answer, STATUS_ENVIRONMENT, "No space left on device");
            snprintf(words, sizeof words, "rank %u: ", (unsigned)victim);
            mpi_expect(rank == victim || strstr(answer.text, words) == answer.text,
                       "\"%s\" before: %s", words, answer.text);
            expect_nothing_but(trial, NULL);
        }
}

static void check_existing(struct trial *trial)
{
    struct checkpoint_place place = {.directory = path};
    struct answer answer = make_call(trial, SAVE, &place);
    expect_answer(trial, &answer, STATUS_OK, "");
    answer = make_call(trial, SAVE, &place);
    expect_answer(trial, &answer, STATUS_USAGE, "exists already; --force replaces it");
    saved_trial_run(trial, 1);
    answer = make_call(trial, VERIFY, &place); /* the old one is still there, and is found out */
    expect_answer(trial, &answer, STATUS_ENVIRONMENT, "differs from the state that was saved");
    place.force = true;
    place.inject_disk_full = rank == 0;
    answer = make_call(trial, SAVE, &place);
    expect_answer(trial, &answer, STATUS_ENVIRONMENT, "No space left");
    place.inject_disk_full = false;
    place.sharded = true;
    answer = make_call(trial, SAVE, &place);
    expect_answer(trial, &answer, STATUS_OK, "");
    answer = make_call(trial, VERIFY, &place);
    expect_answer(trial, &answer, STATUS_OK, "");
    expect_nothing_but(trial, "saved");
}

static void check_impossible_folder(struct trial *trial)
{
    const struct checkpoint_place place = {.directory = "/proc/none/of/these", .sharded = true};
    const struct answer answer = make_call(trial, SAVE, &place);
    expect_answer(trial, &answer, STATUS_ENVIRONMENT, "/proc/none/of/these: cannot write");
}

static void check_memory_limit(struct trial *trial)
{
    const uint64_t limit = trial->memory.limit;
    const struct checkpoint_place place = {.directory = path, .force = true};
    if (rank == world_size - 1)
        trial->memory.limit = trial->memory.live;
    const struct answer answer = make_call(trial, SAVE, &place);
    expect_answer(trial, &answer, STATUS_ENVIRONMENT, "out of memory");
    trial->memory.limit = limit;
    trial->memory.refused = false;
}

/* --- damaged files --- */

static void meet(const struct trial *trial)
{
    struct diag diag = {0};
    enum status status = communicator_barrier(trial->communicator, &diag);
    mpi_expect(status == STATUS_OK, "%s", diag.text);
}

static void file_path(const char *name, char whole[2 * SAVED_TRIAL_PATH])
{
    snprintf(whole, 2 * SAVED_TRIAL_PATH, "%s/%s", path, name);
}

/* Turns over one byte of a file, counted from its end; again puts it right. Rank 0 does it. */
static void flip(const struct trial *trial, const char *name, off_t from_end)
{
    char whole[2 * SAVED_TRIAL_PATH];
    unsigned char byte;
    file_path(name, whole);
    meet(trial);
    if (rank == 0) {
        int descriptor = open(whole, O_RDWR);
        off_t at = lseek(descriptor, -from_end, SEEK_END);
        mpi_expect(pread(descriptor, &byte, 1, at) == 1, "%s", whole);
        byte ^= 0x40;
        mpi_expect(pwrite(descriptor, &byte, 1, at) == 1, "%s", whole);
        close(descriptor);
    }
    meet(trial);
}

/* The last moment of the last tensor that the last rank has. */
static void check_changed_number(struct trial *trial)
{
    const struct checkpoint_place place = {.directory = path, .sharded = true};
    char name[64];
    checkpoint_index_file(world_size - 1, world_size, name);
    flip(trial, name, 2);
    const struct answer answer = make_call(trial, VERIFY, &place);
    expect_answer(trial, &answer, STATUS_ENVIRONMENT, ".moment2 differs");
    flip(trial, name, 2);
    const struct answer again = make_call(trial, VERIFY, &place);
    expect_answer(trial, &again, STATUS_OK, "");
}

static void expect_refused(struct trial *trial, const char *words)
{
    const struct checkpoint_place place = {.directory = path};
    const struct answer answer = make_call(trial, RESTORE, &place);
    expect_answer(trial, &answer, STATUS_INPUT, words);
}

/* Moves a file away, or back. */
static void move(const struct trial *trial, const char *name, const char *other)
{
    char from[2 * SAVED_TRIAL_PATH], to[2 * SAVED_TRIAL_PATH];
    file_path(name, from);
    file_path(other, to);
    meet(trial);
    mpi_expect(rank != 0 || rename(from, to) == 0, "%s", from);
    meet(trial);
}

static void check_missing(struct trial *trial)
{
    char name[64], words[128];
    checkpoint_index_file(world_size - 1, world_size, name);
    move(trial, name, "away");
    snprintf(words, sizeof words, "/saved/%s: cannot read", name);
    expect_refused(trial, words);
    move(trial, "away", name);
    move(trial, CHECKPOINT_INDEX_NAME, "away");
    expect_refused(trial, "no checkpoint: it has neither");
    move(trial, "away", CHECKPOINT_INDEX_NAME);
}

static void check_cut(struct trial *trial)
{
    char whole[2 * SAVED_TRIAL_PATH], name[64];
    struct stat about;
    checkpoint_index_file(world_size - 1, world_size, name);
    file_path(name, whole);
    move(trial, name, "away");
    if (rank == 0) {
        char command[5 * SAVED_TRIAL_PATH];
        snprintf(command, sizeof command, "cp '%s/away' '%s'", path, whole);
        mpi_expect(system(command) == 0 && stat(whole, &about) == 0, "%s", command);
        mpi_expect(truncate(whole, about.st_size - 1) == 0, "%s", whole);
    }
    expect_refused(trial, "is it cut off?");
    if (rank == 0)
        unlink(whole);
    move(trial, "away", name);
}

/* --- another run's checkpoint --- */

static void expect_mismatch(const struct training *training, const char *words)
{
    struct trial *trial = saved_trial_create(training, false);
    expect_refused(trial, words);
    trial_destroy(trial);
}

static void check_mismatches(enum model_dtype dtype)
{
    const enum model_dtype other = dtype == MODEL_FP32 ? MODEL_BF16 : MODEL_FP32;
    struct training training = training_of(STRATEGY_ZERO1, other);
    expect_mismatch(&training, other == MODEL_FP32 ? "dtype is bf16, this run's is fp32"
                                                   : "dtype is fp32, this run's is bf16");
    training = training_of(STRATEGY_ZERO1, dtype);
    training.schedule.shape.width = 72;
    expect_mismatch(&training, "width is 36, this run's is 72: the model is another; give --width");
    training = training_of(STRATEGY_ZERO1, dtype);
    training.schedule.shape.layers = 1;
    expect_mismatch(&training, "layers is 2, this run's is 1");
    training = training_of(STRATEGY_ZERO1, dtype);
    training.schedule.shape.heads = 2;
    expect_mismatch(&training, "heads is 3, this run's is 2");
    training = training_of(STRATEGY_ZERO1, dtype);
    training.seed = 8;
    expect_mismatch(&training, "seed is 7, this run's is 8");
}

/* --- files with any byte changed --- */

/* Opens what is in `path` on this process alone: it is refused with a message, or read. */
static bool opens(const struct trial *trial)
{
    struct checkpoint_facts own;
    struct checkpoint_source source;
    struct diag diag = {0};
    checkpoint_facts_of(&own, trial->executor, saved_trial_context(trial));
    const struct model_shape *shape = &trial->schedule.request.shape;
    enum status status = checkpoint_source_open(&source, path, &own, shape, &diag);
    mpi_expect(status == STATUS_OK || (status == STATUS_INPUT && diag.text[0] != '\0'),
               "status %d: %s", (int)status, diag.text);
    for (size_t tensor = 0; status == STATUS_OK && tensor < model_tensor_count(shape); tensor++) {
        float values[8192];
        const struct shard_run run = {.tensor = tensor,
                                      .count = model_tensor(shape, tensor).elements};
        enum status read = checkpoint_source_read(&source, EXECUTOR_MOMENT2, &run, values, &diag);
        mpi_expect(read == STATUS_OK, "%s", diag.text);
    }
    if (status == STATUS_OK)
        checkpoint_source_close(&source);
    return status == STATUS_OK;
}

/* Changes some bytes of the first `bytes` of a file, one at a time. */
static void fuzz(const struct trial *trial, const char *name, off_t bytes, off_t stride)
{
    char whole[2 * SAVED_TRIAL_PATH];
    unsigned refused = 0, tried = 0;
    file_path(name, whole);
    int descriptor = open(whole, O_RDWR);
    mpi_expect(descriptor >= 0, "%s", whole);
    for (off_t at = 0; at < bytes; at += stride, tried++) {
        unsigned char byte, changed;
        mpi_expect(pread(descriptor, &byte, 1, at) == 1, "%s", whole);
        changed = (unsigned char)(byte ^ (1u << (tried % 8)));
        mpi_expect(pwrite(descriptor, &changed, 1, at) == 1, "%s", whole);
        refused += !opens(trial);
        mpi_expect(pwrite(descriptor, &byte, 1, at) == 1, "%s", whole);
    }
    close(descriptor);
    mpi_expect(refused > tried / 2, "%s: %u of %u changes refused", name, refused, tried);
    mpi_expect(opens(trial), "%s as it was", name);
}

static void check_fuzzed(const struct trial *trial)
{
    char whole[2 * SAVED_TRIAL_PATH];
    struct stat about;
    uint64_t length = 0;
    if (rank == 0) {
        file_path(CHECKPOINT_INDEX_NAME, whole);
        mpi_expect(stat(whole, &about) == 0, "%s", whole);
        fuzz(trial, CHECKPOINT_INDEX_NAME, about.st_size, 23);
        char name[64];
        checkpoint_index_file(0, world_size, name);
        file_path(name, whole);
        int descriptor = open(whole, O_RDONLY);
        mpi_expect(read(descriptor, &length, 8) == 8, "%s", whole);
        close(descriptor);
        fuzz(trial, name, (off_t)length, 53);
    }
    meet(trial);
}

int main(void)
{
    mpi_expect_start(&rank, &world_size);
    saved_trial_make_folder(folder, rank);
    snprintf(path, sizeof path, "%s/saved", folder);
    for (enum model_dtype dtype = 0; dtype < MODEL_DTYPE_COUNT; dtype++) {
        const struct training training = training_of(STRATEGY_ZERO2, dtype);
        struct trial *trial = saved_trial_create(&training, false);
        saved_trial_run(trial, 1);
        check_full_disk(trial);
        check_existing(trial);
        check_impossible_folder(trial);
        check_memory_limit(trial);
        check_changed_number(trial);
        check_missing(trial);
        check_cut(trial);
        check_mismatches(dtype);
        check_fuzzed(trial);
        meet(trial);
        if (rank == 0)
            saved_trial_remove(path);
        expect_nothing_but(trial, NULL);
        trial_destroy(trial);
    }
    mpi_expect(rank != 0 || rmdir(folder) == 0, "nothing left in %s", folder);
    communicator_mpi_finish();
    return EXIT_SUCCESS;
}
