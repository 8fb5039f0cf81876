#ifndef RANKLEDGER_WIRE_SUM_H
#define RANKLEDGER_WIRE_SUM_H

#include <stddef.h>

#include "model.h"

/*
 * to[i] = from[0][i] + from[1][i] + ... , added in that order in fp32, and rounded once to the wire
 * dtype (bf16: to nearest, ties to even; NaN stays NaN). `to` may be one of the sources; there are
 * two at least.
 */
void wire_sum(enum model_dtype wire, void *to, const void *const *from, size_t from_count,
              size_t elements);

#endif
