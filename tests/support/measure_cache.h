#ifndef RANKLEDGER_MEASURE_CACHE_H
#define RANKLEDGER_MEASURE_CACHE_H

#include "canvas.h"

/* A canvas that measures by another one and remembers what it measured: tests lay the same texts
 * out many times. It cannot be drawn on. Aborts when memory is exhausted. */
struct measure_cache;

struct measure_cache *measure_cache_create(struct canvas *measuring);
void measure_cache_destroy(struct measure_cache *cache);
struct canvas *measure_cache_canvas(struct measure_cache *cache);

#endif
