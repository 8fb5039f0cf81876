#ifndef RANKLEDGER_EXPLANATION_PARTS_H
#define RANKLEDGER_EXPLANATION_PARTS_H

#include "explanation.h"

/* Tells one item. The first error stays in `status`. */
struct explanation_teller {
    struct explanation *explanation;
    struct explanation_item *item;
    bool within_run; /* a difference was called resolved by steps of single runs */
    enum status status;
    struct diag *diag;
};

void explanation_parts_tell(struct explanation_teller *teller, enum explanation_kind kind,
                            const char *id, const struct sentence_value *values, size_t count);

/*
 * The number that a sentence shows for it, rounded toward `beyond` (text_rounded_toward), so that
 * what it says of that number holds as it is read; of a share, in whole and tenths of a percent.
 * NAN stays.
 */
double explanation_parts_rounded(double value, bool share, double beyond);

/* explanation_gates.c: failed gates, then passed ones; what would pass them. */
void explanation_parts_gates(struct explanation_teller *teller);
void explanation_parts_needs(struct explanation_teller *teller);

/* explanation_rank.c: beside the other candidate; what limits would change the selection. */
void explanation_parts_against(struct explanation_teller *teller);
void explanation_parts_changes(struct explanation_teller *teller);

#endif
