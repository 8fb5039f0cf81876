#include "validate_paths.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#define BATCH_FILES 64  /* about a millisecond of work: the lock costs nothing */
#define BATCHES_AHEAD 4 /* a thread may run ahead of the output by so many */
#define MAX_THREADS 256
#define BATCH_OUTPUT (128u << 10) /* a batch with more output waits for its turn and writes */

struct slot { /* the output of one batch that waits for its turn */
    struct text_buffer text;
    bool ready;
};

/* Shared by the threads; everything below the lock is guarded by it. */
struct run {
    const struct validate_job *job;
    pthread_mutex_t lock;
    pthread_cond_t moved; /* `turn` or `status` changed */
    size_t next;          /* batch to hand out */
    size_t turn;          /* batch whose output comes next; its owner alone may write */
    struct slot *slots;
    size_t slot_count;
    bool wrote_any;
    enum status status; /* the first failure; ends all threads */
    struct diag diag;
    struct validate_totals totals;
};

struct worker {
    struct run *run;
    struct document_reader reader;
    struct validate_totals totals;
    size_t batch;
    struct slot *slot;
    const struct path_entry *entry; /* being read */
};

static void fail(struct run *run, enum status status, const struct diag *diag)
{
    if (run->status == STATUS_OK) {
        run->status = status;
        run->diag = *diag;
    }
    pthread_cond_broadcast(&run->moved);
}

/* Writes a batch's text; only the owner of the turn calls this, without the lock. */
static enum status write_out(struct run *run, struct text_buffer *text, struct diag *diag)
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
    struct run *run = worker->run;
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
    result.skipped = worker->entry->walked && document->kind == DOCUMENT_OWN_SUMMARY;
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
    if (!worker->entry->walked && (document->input_fault == INPUT_FAULT_UNREADABLE ||
                                   document->input_fault == INPUT_FAULT_NOT_REGULAR))
        totals->named_unreadable++;
    enum status status = job->format->document(&worker->slot->text, &result, diag);
    if (status == STATUS_OK && worker->slot->text.failed)
        status = diag_no_memory(diag);
    if (status == STATUS_OK && worker->slot->text.length > BATCH_OUTPUT)
        status = write_early(worker, diag);
    return status;
}

static size_t batch_count(const struct run *run)
{
    return run->job->paths->count / BATCH_FILES + (run->job->paths->count % BATCH_FILES != 0);
}

/* False: nothing is left to do, or a thread failed. */
static bool take_batch(struct worker *worker)
{
    struct run *run = worker->run;
    pthread_mutex_lock(&run->lock);
    while (run->status == STATUS_OK && run->next < batch_count(run) &&
           run->next - run->turn >= run->slot_count)
        pthread_cond_wait(&run->moved, &run->lock);
    bool taken = run->status == STATUS_OK && run->next < batch_count(run);
    if (taken) {
        worker->batch = run->next++;
        worker->slot = &run->slots[worker->batch % run->slot_count];
    }
    pthread_mutex_unlock(&run->lock);
    return taken;
}

/* Hands the batch's output over. Whoever finishes the batch whose turn it is also writes those
 * behind it that are ready. */
static void finish_batch(struct worker *worker)
{
    struct run *run = worker->run;
    pthread_mutex_lock(&run->lock);
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
            run->turn++;
            slot = &run->slots[run->turn % run->slot_count];
        }
        pthread_cond_broadcast(&run->moved);
    }
    pthread_mutex_unlock(&run->lock);
}

static enum status check_batch(struct worker *worker, struct diag *diag)
{
    const struct path_list *paths = worker->run->job->paths;
    size_t begin = worker->batch * BATCH_FILES;
    size_t end = paths->count - begin > BATCH_FILES ? begin + BATCH_FILES : paths->count;
    enum status status = STATUS_OK;
    for (size_t i = begin; i < end && status == STATUS_OK; i++) {
        worker->entry = &paths->entries[i];
        status = document_check_entry(&worker->reader, worker->entry, visit, worker, diag);
    }
    return status;
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

static void *work(void *argument)
{
    struct run *run = argument;
    struct worker worker = {.run = run};
    worker.reader.size_limit = run->job->size_limit;
    while (take_batch(&worker)) {
        struct diag diag = {0};
        enum status status = check_batch(&worker, &diag);
        if (status == STATUS_OK) {
            finish_batch(&worker);
            continue;
        }
        pthread_mutex_lock(&run->lock);
        fail(run, status, &diag);
        pthread_mutex_unlock(&run->lock);
    }
    document_reader_fini(&worker.reader);
    pthread_mutex_lock(&run->lock);
    add_totals(&run->totals, &worker.totals);
    pthread_mutex_unlock(&run->lock);
    return NULL;
}

/* The calling thread works too; a thread that cannot be had is done without. */
static void work_together(struct run *run, unsigned threads)
{
    pthread_t others[MAX_THREADS];
    unsigned started = 0;
    while (started + 1 < threads && pthread_create(&others[started], NULL, work, run) == 0)
        started++;
    work(run);
    for (unsigned i = 0; i < started; i++)
        pthread_join(others[i], NULL);
}

enum status validate_paths(const struct validate_job *job, struct validate_totals *totals,
                           struct diag *diag)
{
    struct run run = {
        .job = job, .lock = PTHREAD_MUTEX_INITIALIZER, .moved = PTHREAD_COND_INITIALIZER};
    size_t batches = batch_count(&run);
    unsigned threads = job->threads == 0 ? 1 : job->threads;
    if (threads > MAX_THREADS)
        threads = MAX_THREADS;
    if (threads > batches)
        threads = batches == 0 ? 1 : (unsigned)batches;
    run.slot_count = (size_t)threads * BATCHES_AHEAD;
    run.slots = calloc(run.slot_count, sizeof *run.slots);
    if (run.slots == NULL)
        return diag_no_memory(diag);
    work_together(&run, threads);
    for (size_t i = 0; i < run.slot_count; i++)
        text_buffer_fini(&run.slots[i].text);
    free(run.slots);
    pthread_cond_destroy(&run.moved);
    pthread_mutex_destroy(&run.lock);
    if (run.status != STATUS_OK)
        return diag_set(diag, run.status, "%s", run.diag.text);
    *totals = run.totals;
    return STATUS_OK;
}

unsigned validate_paths_default_threads(void)
{
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) != 0)
        return 1;
    int count = CPU_COUNT(&set);
    return count < 1 ? 1 : count > 16 ? 16 : (unsigned)count;
}
