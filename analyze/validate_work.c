#include "validate_run.h"

#include <string.h>

#define BATCH_OUTPUT (128u << 10) /* a batch with more output waits for its turn and writes */

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
    progress_line_hold(run->job->progress);
    enum status status =
        run->job->sink.write(run->job->sink.context, text->text + skip, text->length - skip, diag);
    progress_line_release(run->job->progress);
    text_buffer_clear(text);
    return status;
}

/* Waits until all earlier batches are written, then writes what this one has so far. */
static enum status write_early(struct validate_worker *worker, struct diag *diag)
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
    struct validate_worker *worker = context;
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
static bool take_batch(struct validate_worker *worker)
{
    struct validate_run *run = worker->run;
    if (run->status != STATUS_OK || run->next == run->filled)
        return false;
    worker->batch = run->next++;
    worker->slot = &run->slots[worker->batch % run->slot_count];
    return true;
}

void validate_run_clear(struct validate_slot *slot)
{
    for (size_t i = 0; i < slot->count; i++)
        path_folder_release(slot->files[i].entry.folder);
    slot->count = 0;
    slot->folders = 0;
    slot->is_piece = false;
    text_buffer_clear(&slot->paths);
}

/* With the lock. */
static void show_progress(struct validate_worker *worker)
{
    struct validate_run *run = worker->run;
    run->checked += worker->totals.documents - worker->checked;
    run->refused += worker->totals.invalid - worker->refused;
    worker->checked = worker->totals.documents;
    worker->refused = worker->totals.invalid;
    progress_line_show(run->job->progress, "%zu documents checked, %zu invalid", run->checked,
                       run->refused);
}

/* Hands the batch's output over. Whoever finishes the batch whose turn it is also writes those
 * behind it that are ready. */
static void finish_batch(struct validate_worker *worker)
{
    struct validate_run *run = worker->run;
    worker->slot->ready = true;
    show_progress(worker);
    if (run->turn == worker->batch) {
        struct validate_slot *slot = worker->slot;
        while (slot->ready && run->status == STATUS_OK) {
            struct diag diag = {0};
            pthread_mutex_unlock(&run->lock);
            enum status status = write_out(run, &slot->text, &diag);
            pthread_mutex_lock(&run->lock);
            if (status != STATUS_OK)
                fail(run, status, &diag);
            slot->ready = false;
            validate_run_clear(slot);
            run->turn++;
            slot = &run->slots[run->turn % run->slot_count];
        }
        pthread_cond_broadcast(&run->moved);
    }
}

static enum status check_batch(struct validate_worker *worker, struct diag *diag)
{
    struct validate_slot *slot = worker->slot;
    enum status status = STATUS_OK;
    for (size_t i = 0; i < slot->count && status == STATUS_OK; i++) {
        worker->entry = slot->files[i].entry;
        worker->entry.path = slot->paths.text + slot->files[i].offset;
        status = slot->is_piece
                     ? document_check_piece(&worker->reader, worker->entry.path, &slot->piece,
                                            visit, worker, diag)
                     : document_check_entry(&worker->reader, &worker->entry, visit, worker, diag);
    }
    return status;
}

/* With the lock, which is released meanwhile. */
static void work_on_batch(struct validate_worker *worker)
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

bool validate_run_work_once(struct validate_worker *worker)
{
    if (!take_batch(worker))
        return false;
    work_on_batch(worker);
    return true;
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

void validate_run_work(struct validate_worker *worker)
{
    struct validate_run *run = worker->run;
    for (;;) {
        if (validate_run_work_once(worker))
            continue;
        if (run->status != STATUS_OK || run->complete)
            break;
        pthread_cond_wait(&run->moved, &run->lock);
    }
    add_totals(&run->totals, &worker->totals);
}
