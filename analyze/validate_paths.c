#include "validate_paths.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#define BATCH_FILES 64  /* about a millisecond of work: the lock costs nothing */
#define BATCHES_AHEAD 4 /* a thread may run ahead of the output by so many */
#define MAX_THREADS 256
#define BATCH_OUTPUT (128u << 10) /* a batch with more output waits for its turn and writes */

struct slot {                 /* a batch: its paths, then its output until that is written */
    struct text_buffer paths; /* each with its NUL */
    struct {
        size_t offset; /* into `paths` */
        bool walked, regular;
    } files[BATCH_FILES];
    size_t count;
    struct text_buffer text;
    bool ready;
};

/*
 * Batches are numbered; batch b lies in slot b % slot_count. Numbers below `turn` are written,
 * below `next` taken by a thread, below `filled` ready to be taken; the caller fills number
 * `filled`. Everything below the lock is guarded by it.
 */
struct validate_run {
    const struct validate_job *job;
    struct slot *slots;
    size_t slot_count;
    pthread_t *threads;
    unsigned thread_count, thread_limit;
    struct worker *caller; /* the caller's own thread works too */
    bool wrote_any;        /* for the owner of the turn alone */
    pthread_mutex_t lock;
    pthread_cond_t moved; /* any of the following changed */
    size_t filled, next, turn;
    bool complete;      /* no batch will be added */
    enum status status; /* the first failure; ends all threads */
    struct diag diag;
    struct validate_totals totals;
};

struct worker {
    struct validate_run *run;
    struct document_reader reader;
    struct validate_totals totals;
    size_t batch;
    struct slot *slot;
    struct path_entry entry; /* being read */
};

static void fail(struct validate_run *run, enum status status, const struct diag *diag)
{
    if (run->status == STATUS_OK) {
        run->status = status;
        run->diag = *diag;
    }
    pthread_cond_broadcast(&run->moved);
}

/* Writes a batch's text; only the owner of the turn calls this, without the lock. */
static enum status write_out(struct validate_run *run, struct text_buffer *text, struct diag *diag)
{
    size_t skip = 0;
    if (text->failed)
        return diag_no_memory(diag);
    if (text->length == 0)
        return STATUS_OK;
    if (!run->wrote_any)
        skip = strlen(run->job->format->separator);
    run->wrote_any = true;
    enum status status =
        run->job->sink.write(run->job->sink.context, text->text + skip, text->length - skip, diag);
    text_buffer_clear(text);
    return status;
}

/* Waits until all earlier batches are written, then writes what this one has so far. */
static enum status write_early(struct worker *worker, struct diag *diag)
{
    struct validate_run *run = worker->run;
    pthread_mutex_lock(&run->lock);
    while (run->turn != worker->batch && run->status == STATUS_OK)
        pthread_cond_wait(&run->moved, &run->lock);
    enum status status = run->status;
    pthread_mutex_unlock(&run->lock);
    if (status != STATUS_OK) { /* another thread's failure, which has its own message */
        diag_set(diag, status, "stopped");
        return status;
    }
    return write_out(run, &worker->slot->text, diag);
}

static enum status visit(void *context, const struct document *document, struct diag *diag)
{
    struct worker *worker = context;
    const struct validate_job *job = worker->run->job;
    struct validate_totals *totals = &worker->totals;
    const struct finding_list *findings = &document->findings;
    struct validate_result result = {.document = document};
    result.skipped = worker->entry.walked && document_is_own(document->kind);
    result.valid = findings->errors == 0 && (!job->strict || findings->warnings == 0);
    if (result.skipped) {
        totals->skipped++;
    } else {
        totals->documents++;
        totals->valid += result.valid;
        totals->invalid += !result.valid;
        totals->errors += findings->errors;
        totals->warnings += findings->warnings;
    }
    if (!worker->entry.walked && (document->input_fault == INPUT_FAULT_UNREADABLE ||
                                  document->input_fault == INPUT_FAULT_NOT_REGULAR))
        totals->named_unreadable++;
    enum status status = job->format->document(&worker->slot->text, &result, diag);
    if (status == STATUS_OK && worker->slot->text.failed)
        status = diag_no_memory(diag);
    if (status == STATUS_OK && worker->slot->text.length > BATCH_OUTPUT)
        status = write_early(worker, diag);
    return status;
}

/* With the lock: the next batch that is filled becomes the worker's. False: there is none. */
static bool take_batch(struct worker *worker)
{
    struct validate_run *run = worker->run;
    if (run->status != STATUS_OK || run->next == run->filled)
        return false;
    worker->batch = run->next++;
    worker->slot = &run->slots[worker->batch % run->slot_count];
    return true;
}

/* Hands the batch's output over. Whoever finishes the batch whose turn it is also writes those
 * behind it that are ready. */
static void finish_batch(struct worker *worker)
{
    struct validate_run *run = worker->run;
    worker->slot->ready = true;
    if (run->turn == worker->batch) {
        struct slot *slot = worker->slot;
        while (slot->ready && run->status == STATUS_OK) {
            struct diag diag = {0};
            pthread_mutex_unlock(&run->lock);
            enum status status = write_out(run, &slot->text, &diag);
            pthread_mutex_lock(&run->lock);
            if (status != STATUS_OK)
                fail(run, status, &diag);
            slot->ready = false;
            slot->count = 0;
            text_buffer_clear(&slot->paths);
            run->turn++;
            slot = &run->slots[run->turn % run->slot_count];
        }
        pthread_cond_broadcast(&run->moved);
    }
}

static enum status check_batch(struct worker *worker, struct diag *diag)
{
    const struct slot *slot = worker->slot;
    enum status status = STATUS_OK;
    for (size_t i = 0; i < slot->count && status == STATUS_OK; i++) {
        worker->entry = (struct path_entry){slot->paths.text + slot->files[i].offset,
                                            slot->files[i].walked, slot->files[i].regular};
        status = document_check_entry(&worker->reader, &worker->entry, visit, worker, diag);
    }
    return status;
}

/* With the lock, which is released meanwhile. */
static void work_on_batch(struct worker *worker)
{
    struct validate_run *run = worker->run;
    struct diag diag = {0};
    pthread_mutex_unlock(&run->lock);
    enum status status = check_batch(worker, &diag);
    pthread_mutex_lock(&run->lock);
    if (status == STATUS_OK)
        finish_batch(worker);
    else
        fail(run, status, &diag);
}

static void add_totals(struct validate_totals *sum, const struct validate_totals *part)
{
    sum->documents += part->documents;
    sum->valid += part->valid;
    sum->invalid += part->invalid;
    sum->errors += part->errors;
    sum->warnings += part->warnings;
    sum->skipped += part->skipped;
    sum->named_unreadable += part->named_unreadable;
}

/* With the lock: works until all batches are taken. */
static void work_to_the_end(struct worker *worker)
{
    struct validate_run *run = worker->run;
    for (;;) {
        if (take_batch(worker))
            work_on_batch(worker);
        else if (run->status != STATUS_OK || run->complete)
            break;
        else
            pthread_cond_wait(&run->moved, &run->lock);
    }
    add_totals(&run->totals, &worker->totals);
}

static void *run_thread(void *argument)
{
    struct validate_run *run = argument;
    struct worker worker = {.run = run};
    worker.reader.size_limit = run->job->size_limit;
    pthread_mutex_lock(&run->lock);
    work_to_the_end(&worker);
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
        if (take_batch(run->caller))
            work_on_batch(run->caller);
        else
            pthread_cond_wait(&run->moved, &run->lock);
    }
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

enum status validate_paths_add(void *context, const struct path_entry *entry, struct diag *diag)
{
    struct validate_run *run = context;
    struct slot *slot = &run->slots[run->filled % run->slot_count]; /* only the caller fills */
    slot->files[slot->count].offset = slot->paths.length;
    slot->files[slot->count].walked = entry->walked;
    slot->files[slot->count].regular = entry->regular;
    text_buffer_append(&slot->paths, entry->path, strlen(entry->path) + 1);
    if (slot->paths.failed)
        return diag_no_memory(diag);
    if (++slot->count < BATCH_FILES)
        return STATUS_OK;
    if (run->thread_count < run->thread_limit) /* there are enough files to share */
        start_threads(run);
    pthread_mutex_lock(&run->lock);
    publish_batch(run);
    enum status status = run->status;
    pthread_mutex_unlock(&run->lock);
    return status == STATUS_OK ? STATUS_OK : diag_set(diag, status, "%s", run->diag.text);
}

static void release(struct validate_run *run)
{
    for (size_t i = 0; i < run->slot_count; i++) {
        text_buffer_fini(&run->slots[i].paths);
        text_buffer_fini(&run->slots[i].text);
    }
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
    work_to_the_end(run->caller);
    pthread_mutex_unlock(&run->lock);
    for (unsigned i = 0; i < run->thread_count; i++)
        pthread_join(run->threads[i], NULL);
    enum status status = run->status;
    if (status == STATUS_OK)
        *totals = run->totals;
    else
        diag_set(diag, status, "%s", run->diag.text);
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
