#include "validate_run.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "input_path.h"

#define BATCHES_AHEAD 4 /* a thread may run ahead of the output by so many */
#define MAX_BATCHES 128 /* of all threads, unless there are more threads: each may be a piece */
/* Several pieces of document_text.h, or as much when it is decompressed. */
#define SHARED_BYTES (256 << 10)

static void *run_thread(void *argument)
{
    struct validate_run *run = argument;
    struct validate_worker worker = {.run = run};
    worker.reader.size_limit = run->job->size_limit;
    pthread_mutex_lock(&run->lock);
    validate_run_work(&worker);
    pthread_mutex_unlock(&run->lock);
    document_reader_fini(&worker.reader);
    return NULL;
}

/* A thread that cannot be had is done without. */
static void start_threads(struct validate_run *run)
{
    while (run->thread_count < run->thread_limit &&
           pthread_create(&run->threads[run->thread_count], NULL, run_thread, run) == 0)
        run->thread_count++;
    run->thread_limit = run->thread_count;
}

/* With the lock: hands the filled batch over, then works until the next slot is free. */
static void publish_batch(struct validate_run *run)
{
    run->filled++;
    pthread_cond_signal(&run->moved);
    while (run->status == STATUS_OK && run->filled - run->turn >= run->slot_count) {
        if (!validate_run_work_once(run->caller))
            pthread_cond_wait(&run->moved, &run->lock);
    }
}

/* Half of the files that the process may have open, in all batches together; none if those are
 * few. */
static size_t folder_limit(size_t slot_count)
{
    struct rlimit files;
    if (getrlimit(RLIMIT_NOFILE, &files) != 0 || files.rlim_cur < 256)
        return 0;
    size_t open = files.rlim_cur < 8192 ? (size_t)files.rlim_cur / 2 : 4096;
    return open / slot_count;
}

enum status validate_paths_begin(const struct validate_job *job, struct validate_run **result,
                                 struct diag *diag)
{
    struct validate_run *run = calloc(1, sizeof *run);
    unsigned threads = job->threads == 0 ? 1 : job->threads;
    if (run == NULL)
        return diag_no_memory(diag);
    run->job = job;
    run->slot_count = (size_t)threads * BATCHES_AHEAD;
    if (run->slot_count > MAX_BATCHES)
        run->slot_count = threads < MAX_BATCHES ? MAX_BATCHES : (size_t)threads + 1;
    run->folder_limit = folder_limit(run->slot_count);
    run->slots = calloc(run->slot_count, sizeof *run->slots);
    run->threads = calloc(threads, sizeof *run->threads);
    run->caller = calloc(1, sizeof *run->caller);
    if (run->slots == NULL || run->threads == NULL || run->caller == NULL) {
        free(run->caller);
        free(run->threads);
        free(run->slots);
        free(run);
        return diag_no_memory(diag);
    }
    run->thread_limit = threads - 1;
    run->caller->run = run;
    run->caller->reader.size_limit = job->size_limit;
    pthread_mutex_init(&run->lock, NULL);
    pthread_cond_init(&run->moved, NULL);
    *result = run;
    return STATUS_OK;
}

/* Adds a path to the batch that is being filled; returns that batch, or NULL without memory. */
static struct validate_slot *add_file(struct validate_run *run, const struct path_entry *entry)
{
    struct validate_slot *slot =
        &run->slots[run->filled % run->slot_count]; /* only the caller fills */
    struct validate_file *file = &slot->files[slot->count];
    bool next_folder = slot->count == 0 || file[-1].entry.folder != entry->folder;
    file->offset = slot->paths.length;
    file->entry = *entry;
    if (slot->folders + next_folder > run->folder_limit)
        file->entry.folder = NULL;
    text_buffer_append(&slot->paths, entry->path, strlen(entry->path) + 1);
    if (slot->paths.failed)
        return NULL;
    if (file->entry.folder != NULL)
        path_folder_hold(file->entry.folder);
    slot->folders += next_folder;
    slot->count++;
    return slot;
}

static enum status hand_over(struct validate_run *run, struct diag *diag)
{
    if (run->thread_count < run->thread_limit) /* there is enough to share */
        start_threads(run);
    pthread_mutex_lock(&run->lock);
    publish_batch(run);
    enum status status = run->status;
    pthread_mutex_unlock(&run->lock);
    return status == STATUS_OK ? STATUS_OK : diag_set(diag, status, "%s", run->diag.text);
}

/* Reads a file here and has its pieces checked by all threads. */
static enum status share_file(struct validate_run *run, const struct path_entry *entry,
                              struct diag *diag)
{
    bool more = true;
    enum status status = STATUS_OK;
    if (run->slots[run->filled % run->slot_count].count > 0)
        status = hand_over(run, diag);
    size_t limit = run->job->size_limit;
    document_text_open(&run->file, entry->path, limit != 0 ? limit : INPUT_DEFAULT_LIMIT);
    while (status == STATUS_OK) {
        struct validate_slot *slot = &run->slots[run->filled % run->slot_count];
        status = document_text_next(&run->file, &slot->piece, &more, diag);
        if (status != STATUS_OK || !more)
            break;
        slot->is_piece = true;
        status = add_file(run, entry) == NULL ? diag_no_memory(diag) : hand_over(run, diag);
    }
    document_text_close(&run->file);
    return status;
}

/* Whether a file is worth sharing: long lines of text, or what comes through a pipe, which is read
 * by one thread in any case. */
static bool is_shared(const struct path_entry *entry)
{
    struct stat about;
    bool lines = document_text_name(entry->path) == DOCUMENT_TEXT_LINES;
    if (strcmp(entry->path, "-") == 0)
        return true;
    if (entry->error_number != 0 || (!lines && (entry->walked || entry->regular)) ||
        input_path_stat(entry->path, &about) != 0)
        return false;
    if (S_ISREG(about.st_mode))
        return lines && about.st_size >= SHARED_BYTES;
    return !entry->walked && S_ISFIFO(about.st_mode);
}

enum status validate_paths_add(void *context, const struct path_entry *entry, struct diag *diag)
{
    struct validate_run *run = context;
    if (entry->directory_link) {
        run->directory_links++;
        return STATUS_OK;
    }
    if (is_shared(entry))
        return share_file(run, entry, diag);
    const struct validate_slot *slot = add_file(run, entry);
    if (slot == NULL)
        return diag_no_memory(diag);
    return slot->count < VALIDATE_RUN_FILES ? STATUS_OK : hand_over(run, diag);
}

static void release(struct validate_run *run)
{
    for (size_t i = 0; i < run->slot_count; i++) {
        validate_run_clear(&run->slots[i]);
        text_buffer_fini(&run->slots[i].paths);
        text_buffer_fini(&run->slots[i].text);
        document_piece_fini(&run->slots[i].piece);
    }
    document_text_fini(&run->file);
    document_reader_fini(&run->caller->reader);
    pthread_cond_destroy(&run->moved);
    pthread_mutex_destroy(&run->lock);
    free(run->caller);
    free(run->threads);
    free(run->slots);
    free(run);
}

enum status validate_paths_end(struct validate_run *run, struct validate_totals *totals,
                               struct diag *diag)
{
    pthread_mutex_lock(&run->lock);
    if (run->status == STATUS_OK && run->slots[run->filled % run->slot_count].count > 0)
        run->filled++;
    run->complete = true;
    pthread_cond_broadcast(&run->moved);
    validate_run_work(run->caller);
    pthread_mutex_unlock(&run->lock);
    for (unsigned i = 0; i < run->thread_count; i++)
        pthread_join(run->threads[i], NULL);
    enum status status = run->status;
    if (status == STATUS_OK) {
        *totals = run->totals;
        totals->directory_links = run->directory_links;
    } else {
        diag_set(diag, status, "%s", run->diag.text);
    }
    release(run);
    return status;
}

unsigned validate_paths_default_threads(void)
{
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) != 0)
        return 1;
    int count = CPU_COUNT(&set);
    return count < 1 ? 1 : count > 16 ? 16 : (unsigned)count;
}
