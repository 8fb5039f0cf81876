#ifndef RANKLEDGER_CHANGES_LOAD_H
#define RANKLEDGER_CHANGES_LOAD_H

#include "changes.h"
#include "summary_fields.h"

/* The format that `compare` writes. */
#define CHANGES_SCHEMA "rankledger.comparison/1"

/* changes_load_group.c; `element` is a struct changes_group. */
void changes_load_group(struct summary_fields *fields, uint32_t node, void *element);
struct changes_findings changes_load_findings(struct summary_fields *fields, uint32_t node);
/* The label of a group or of one without a partner. */
const char *changes_load_label(struct summary_fields *fields, uint32_t node);

#endif
