#ifndef RANKLEDGER_GROUP_CANDIDATES_H
#define RANKLEDGER_GROUP_CANDIDATES_H

#include "group_members.h"
#include "repeats.h"

/* Forms the group's candidates: one a strategy and setting of the varied fields, in the order
 * strategy, varied fields, input; repeats pooled, labels, ledgers and kinds of memory set. */
enum status group_candidates_form(struct group *group, const struct group_members *members,
                                  const struct policy *policy, struct arena *arena,
                                  struct diag *diag) STATUS_CHECKED;

#endif
