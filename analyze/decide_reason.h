#ifndef RANKLEDGER_DECIDE_REASON_H
#define RANKLEDGER_DECIDE_REASON_H

#include "decide.h"

/* The sentence that says why the rule decided so. */
enum status decide_reason(const struct decide_case *decided, struct arena *arena,
                          struct message *message, struct diag *diag) STATUS_CHECKED;

/* The candidate that comes closest to passing: the fewest failed gates, then the largest smallest
 * margin, then the order of the ranking; -1 without candidates. */
long decide_closest(const struct decide_input *input);

#endif
