#ifndef SAME_BYTES_H
#define SAME_BYTES_H

#include "trial.h"

/*
 * What a trial took and sent in `steps` optimizer steps since its communicator's usage was cleared,
 * against what its schedule says: live bytes by category and phase, resident bytes, calls and
 * payload of every collective. NULL if they are the same, else the first difference in words, in
 * `text`.
 */
const char *same_bytes_fault(const struct trial *trial, uint64_t steps, char *text, size_t size);

#endif
