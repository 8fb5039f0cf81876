#ifndef RANKLEDGER_REPORT_TEMPLATE_READ_H
#define RANKLEDGER_REPORT_TEMPLATE_READ_H

#include "report_template.h"
#include "template_file.h"

/* Shared by report_template.c and report_template_read.c alone. */

/* What a report.json says of the logo. */
struct report_template_read {
    const char *logo; /* name of its file, NULL: not said */
    bool no_logo;     /* there shall be none */
    bool complete;    /* to demand all: of the built-in file */
};

/* Puts what a report.json says over the template so far. */
enum status report_template_read_file(struct report_template_read *read,
                                      const struct template_file *file,
                                      struct report_template *template,
                                      struct diag *diag) STATUS_CHECKED;

#endif
