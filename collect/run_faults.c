#include "run_faults.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void run_faults_add(struct run_faults *faults, enum status status, const char *format, ...)
{
    char message[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    if (faults->count > 0)
        text_buffer_puts(&faults->text, "\n  ");
    text_buffer_puts(&faults->text, message);
    faults->count++;
    /* The codes are ordered so that what a person must change first has the smallest. */
    if (faults->status == STATUS_OK || status < faults->status)
        faults->status = status;
}

void run_faults_add_diag(struct run_faults *faults, const struct diag *diag)
{
    if (diag->status != STATUS_OK)
        run_faults_add(faults, diag->status, "%s", diag->text);
}

enum status run_faults_report(const struct run_faults *faults, const char *command,
                              struct diag *diag)
{
    if (faults->count == 0)
        return STATUS_OK;
    if (faults->text.failed)
        return diag_no_memory(diag);
    if (faults->count > 1)
        return diag_set(diag, faults->status, "nothing was started, for %zu reasons:\n  %s",
                        faults->count, faults->text.text);
    if (faults->status == STATUS_USAGE)
        return diag_set(diag, faults->status, "%s; try 'rankledger-collect %s --help'",
                        faults->text.text, command);
    return diag_set(diag, faults->status, "%s", faults->text.text);
}

void run_faults_fini(struct run_faults *faults)
{
    text_buffer_fini(&faults->text);
    *faults = (struct run_faults){0};
}
