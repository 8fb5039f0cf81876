#ifndef RANKLEDGER_IMPORT_NCCL_CHECK_H
#define RANKLEDGER_IMPORT_NCCL_CHECK_H

#include "import_nccl.h"

/* What a run was, and whether its numbers agree; private to import_nccl*.c. */
struct import_nccl_check {
    const struct import_nccl_run *run;
    struct import_record *record;                    /* takes the warnings */
    const struct import_nccl_collective *collective; /* NULL: not known */
    double factor;                                   /* busbw over algbw by formula; NAN */
    double scale;     /* bytes of the whole array in what the rows call their size */
    bool size_agrees; /* with time and busbw, for these ranks */
};

/* Fills the rest of *check, of which run and record are set, and warns of what does not agree. */
void import_nccl_check_run(struct import_nccl_check *check);

#endif
