#ifndef RANKLEDGER_SENSITIVITY_H
#define RANKLEDGER_SENSITIVITY_H

#include "decide.h"

/*
 * For every limit of the policy, applied or not: the nearest value below and above the present one
 * at which selection or decision changes, and to what. Found by asking for the decision again at
 * each measured and predicted value and one step beyond it. Texts are static or the group's.
 */
enum status sensitivity_make(const struct decide_input *input, const struct policy *policy,
                             struct arena *arena, const struct sensitivity **sensitivity,
                             size_t *count, struct diag *diag) STATUS_CHECKED;

#endif
