#ifndef RANKLEDGER_VALIDATE_RUN_H
#define RANKLEDGER_VALIDATE_RUN_H

#include <pthread.h>

#include "validate_paths.h"

/*
 * Inside validate_paths.h: what the caller, who fills batches (validate_paths.c), and the threads,
 * which work on them (validate_work.c), share.
 */

/* Files in a batch: about a millisecond of work, so that the lock costs nothing. */
#define VALIDATE_RUN_FILES 64

struct validate_slot {        /* a batch: its paths, then its output until that is written */
    struct text_buffer paths; /* each with its NUL */
    struct validate_file {
        size_t offset;           /* into `paths` */
        struct path_entry entry; /* its path is not set; its folder is held */
    } files[VALIDATE_RUN_FILES];
    size_t count;
    size_t folders;              /* changes of folder among them */
    bool is_piece;               /* a part of its one file */
    struct document_piece piece; /* that part */
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
    struct validate_slot *slots;
    size_t slot_count;
    pthread_t *threads;
    unsigned thread_count, thread_limit;
    struct validate_worker *caller; /* the caller's own thread works too */
    struct document_text file;      /* for the caller alone: one that is shared out in pieces */
    size_t directory_links;         /* met by the caller */
    size_t folder_limit;            /* folders that one batch may hold open */
    bool wrote_any;                 /* for the owner of the turn alone */
    pthread_mutex_t lock;
    pthread_cond_t moved; /* any of the following changed */
    size_t filled, next, turn;
    bool complete;      /* no batch will be added */
    enum status status; /* the first failure; ends all threads */
    struct diag diag;
    struct validate_totals totals;
    size_t checked, refused; /* documents in finished batches, for the progress */
};

struct validate_worker {
    struct validate_run *run;
    struct document_reader reader;
    struct validate_totals totals;
    size_t checked, refused; /* of the totals, what the run's have already */
    size_t batch;
    struct validate_slot *slot;
    struct path_entry entry; /* being read */
};

/* Empties the batch and lets its folders go. */
void validate_run_clear(struct validate_slot *slot);

/* With the lock: works until all batches are taken and none will be added. */
void validate_run_work(struct validate_worker *worker);

/* With the lock: takes the next batch and works on it; false: there is none. */
bool validate_run_work_once(struct validate_worker *worker);

#endif
