#ifndef RANKLEDGER_NOTES_H
#define RANKLEDGER_NOTES_H

#include "group.h"
#include "message.h"

/* With more candidates the same said of each would bury the rest; sheets show all of them. */
#define NOTES_CANDIDATES 12

/*
 * What a reviewer would ask, answered unasked: how strong the evidence is; where a strategy that
 * shards more peaks higher, in which phase and category; what of each peak the ledger explains;
 * the fullest and the slowest rank where ranks differ by more than 5 %, step times that vary by
 * more than 10 %.
 */
enum status notes_make(const struct group *group, struct arena *arena, struct message_list *notes,
                       struct diag *diag) STATUS_CHECKED;

#endif
