#ifndef RANKLEDGER_NOTES_PREDICTIONS_H
#define RANKLEDGER_NOTES_PREDICTIONS_H

#include "analysis.h"
#include "message.h"

/* Adds what a reader must know of the predicted peaks of these actions: one sentence for each way
 * in which they were come by. */
enum status notes_predictions_add(const struct action *actions, size_t count, struct arena *arena,
                                  struct message_list *notes, struct diag *diag) STATUS_CHECKED;

#endif
