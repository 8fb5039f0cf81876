#ifndef RANKLEDGER_NOTES_EVIDENCE_H
#define RANKLEDGER_NOTES_EVIDENCE_H

#include "notes_context.h"

/* Adds what the evidence itself cannot tell: how strong the weakest of it is, what CPUs say of
 * GPUs, and which runs had a fault made on purpose. */
enum status notes_evidence_add(const struct notes_context *context) STATUS_CHECKED;

#endif
