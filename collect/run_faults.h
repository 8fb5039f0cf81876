#ifndef RANKLEDGER_RUN_FAULTS_H
#define RANKLEDGER_RUN_FAULTS_H

#include <stddef.h>

#include "diag.h"
#include "text_buffer.h"

/* Everything that is wrong with a run, so that a person mends it once and not fault by fault. */
struct run_faults {
    struct text_buffer text; /* one a line */
    size_t count;
    enum status status; /* of the gravest: usage before input before environment */
};

/* Notes a fault. Text from outside must have passed text_escape(). */
void run_faults_add(struct run_faults *faults, enum status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Notes what `diag` says, if it says anything. */
void run_faults_add_diag(struct run_faults *faults, const struct diag *diag);
/* STATUS_OK if there is none; otherwise their status, all of them in the message. */
enum status run_faults_report(const struct run_faults *faults, const char *command,
                              struct diag *diag) STATUS_CHECKED;
void run_faults_fini(struct run_faults *faults);

#endif
