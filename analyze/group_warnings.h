#ifndef RANKLEDGER_GROUP_WARNINGS_H
#define RANKLEDGER_GROUP_WARNINGS_H

#include "group_members.h"

/*
 * What makes a comparison inside a group weaker than it looks, without splitting it: a field that
 * some records give and others do not; different warm-up, repeats, program versions; peaks of
 * different kinds. One message a field, naming the first record on each side. The group's
 * candidates are formed.
 */
enum status group_warnings_add(struct group *group, const struct group_members *members,
                               struct arena *arena, struct diag *diag) STATUS_CHECKED;

#endif
