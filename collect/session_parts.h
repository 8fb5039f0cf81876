#ifndef RANKLEDGER_SESSION_PARTS_H
#define RANKLEDGER_SESSION_PARTS_H

#include "arena.h"
#include "checkpoint.h"
#include "dump.h"
#include "session.h"

/*
 * The session's inside, shared by its files: session.c is the order of things and what a failure
 * leaves in the record, session_setup.c prepares, session_train.c runs steps, session_inject.c
 * makes the faults that were asked for, session_finish.c does what comes after the measured steps,
 * session_checkpoint.c writes and reads checkpoints and dumps.
 */
struct session {
    const struct session_request *request;
    const struct run_config *config;
    struct rank_record *record;
    struct training training;     /* config's, with this strategy and this backend's workspace */
    enum rank_failure_kind doing; /* what a failure is called that happens now */
    struct arena arena;           /* of the schedule */
    struct schedule schedule;
    struct backend *backend;
    struct communicator *communicator;
    void *base;
    uint64_t arena_bytes;
    struct device_memory memory;
    struct executor_request context;
    struct executor *executor;
    struct dump *dump; /* between its first and its last part; NULL else */
    int32_t *tokens;   /* [G][B][T+1] of the step in work */
    bool injected;     /* the fault that happens once has happened */
};

/* Where the rank is now. A change is a sign of life. */
void session_parts_enter(struct session *session, enum rank_phase phase);
/* A sign of life for the watchdog. */
void session_parts_advance(struct session *session);
/* Peaks and residents as they stand. */
void session_parts_note_memory(struct session *session);
/* What is in use of the device's memory, where that is not the host's; asking takes microseconds,
 * so not inside a step. */
void session_parts_note_device(struct session *session);

enum status session_parts_setup(struct session *session, struct diag *diag);
void session_parts_fini(struct session *session);

/* Warm-up and measured steps. */
enum status session_parts_train(struct session *session, struct diag *diag);
/* One optimizer step on the next tokens. */
enum status session_parts_step(struct session *session, struct executor_step *step,
                               struct diag *diag);

/* The executor's observer: `context` is the session. */
enum status session_parts_before(void *context, const struct schedule_action *action,
                                 struct diag *diag);
/* Faults that were asked for at the checkpoint. */
void session_parts_before_checkpoint(struct session *session);
/* True if this rank's checkpoint is to meet a full disk. */
bool session_parts_disk_full(const struct session *session);

/* Final dump, checkpoints, the pass without collectives, calibration. */
enum status session_parts_finish(struct session *session, struct diag *diag);
/* --checkpoint: saves and verifies what was asked for. */
enum status session_parts_checkpoints(struct session *session, struct diag *diag);
/* --restore, if it was asked for. */
enum status session_parts_restore(struct session *session, struct diag *diag);
/* --dump's part, if a dump was asked for. */
enum status session_parts_dump(struct session *session, enum dump_part part, struct diag *diag);

#endif
