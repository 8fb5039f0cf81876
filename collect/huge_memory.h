#ifndef RANKLEDGER_HUGE_MEMORY_H
#define RANKLEDGER_HUGE_MEMORY_H

#include <stddef.h>

/*
 * Zeroed memory of its own mapping, touched, in huge pages where the system gives them: between
 * processes a copy out of ordinary pages takes about twice as long. NULL if there is none.
 */
void *huge_memory_map(size_t bytes);
/* NULL is allowed. */
void huge_memory_unmap(void *memory, size_t bytes);

#endif
