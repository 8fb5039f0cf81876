#ifndef RANKLEDGER_FRONT_H
#define RANKLEDGER_FRONT_H

#include "group.h"

/*
 * True if candidate `index` lies on the Pareto front of throughput and peak memory: it completed,
 * both were measured and its times count, and no other such candidate of its unit and kind of
 * memory has at least its throughput in at most its memory, and more of the one or less of the
 * other. Limits have no part in it: also what fails a gate may lie on it.
 */
bool front_holds(const struct group *group, size_t index);

#endif
