#ifndef RANKLEDGER_NOTES_LEDGER_H
#define RANKLEDGER_NOTES_LEDGER_H

#include "group.h"
#include "message.h"

/* Adds what of each candidate's peak the ledger explains, and where a record measured something
 * else than it foresaw. */
enum status notes_ledger_add(const struct group *group, struct arena *arena,
                             struct message_list *notes, struct diag *diag) STATUS_CHECKED;

#endif
