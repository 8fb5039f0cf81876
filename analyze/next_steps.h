#ifndef RANKLEDGER_NEXT_STEPS_H
#define RANKLEDGER_NEXT_STEPS_H

#include "decide.h"

/* What to do next after a rule decided, best first and few. Everything lives in the arena. */
struct next_steps {
    struct arena *arena; /* set by the caller */
    struct action *items;
    size_t count, capacity;
};

enum status next_steps_add(const struct decide_case *decided, struct next_steps *steps,
                           struct diag *diag) STATUS_CHECKED;

/* After records fell into several groups. */
enum status next_steps_not_comparable(const struct group_list *groups, struct next_steps *steps,
                                      struct diag *diag) STATUS_CHECKED;

/* Repairs of what was left out; the first few. */
enum status next_steps_repairs(const struct evidence_set *set, struct next_steps *steps,
                               struct diag *diag) STATUS_CHECKED;

#endif
