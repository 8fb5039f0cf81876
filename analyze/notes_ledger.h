#ifndef RANKLEDGER_NOTES_LEDGER_H
#define RANKLEDGER_NOTES_LEDGER_H

#include "notes_context.h"

/* Adds what of each candidate's peak the ledger explains, and where a record measured something
 * else than it foresaw. */
enum status notes_ledger_add(const struct notes_context *context) STATUS_CHECKED;

#endif
