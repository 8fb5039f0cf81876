#ifndef RANKLEDGER_FUZZ_REQUIRE_H
#define RANKLEDGER_FUZZ_REQUIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "text_buffer.h"

/* What the fuzzing targets demand. A violation is named on standard error, then aborts. */

/* libFuzzer's entry point; fuzz_driver.c calls it where libFuzzer is not there. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

void fuzz_require(bool holds, const char *what);

/* The text ends within its array, is UTF-8, and would reach a terminal as one line. */
void fuzz_require_line(const char *text, size_t capacity);

/* The same of every line of a text; its last one ends, too. */
void fuzz_require_lines(const char *text, size_t size);

/* One JSON document, without a name that stands twice. */
void fuzz_require_json(const char *text, size_t size);

/* Characters that XML allows, entities that end, and only these elements, balanced. */
void fuzz_require_xml(const char *text, size_t size, const char *const *elements);

void fuzz_require_same(const struct text_buffer *a, const struct text_buffer *b, const char *what);

#endif
