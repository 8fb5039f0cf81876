#ifndef RANKLEDGER_IMPORT_LOSSES_H
#define RANKLEDGER_IMPORT_LOSSES_H

#include "import_sample.h"

/*
 * Losses and gradient norms of a training loop's log, with the steps they belong to. A run that was
 * resumed runs steps again: those run last count. Zeroed is empty.
 */
struct import_losses {
    struct import_sample steps, losses, norms;
    size_t not_finite;      /* steps whose loss or norm was printed as nan or inf */
    size_t not_finite_line; /* of the first; 0: none */
    bool hidden;            /* a loss that is missing is no number: the tool leaves such out */
};

/* What is printed of a step; `has_norm`: a norm is, else `norm` says nothing. A loss of NAN that
 * the log lacks is `has_loss` false. */
struct import_loss {
    double step;
    double loss, norm;
    bool has_loss, has_norm;
    size_t line;
};

void import_losses_add(struct import *import, struct import_losses *losses,
                       const struct import_loss *read);

/*
 * As metrics.losses and metrics.grad_norms if the log has every step from the first one on, as the
 * contract wants them; else as raw samples beside `steps`. Warns of those that are no numbers.
 */
void import_losses_write(struct import_record *record, const struct import_losses *losses);

#endif
