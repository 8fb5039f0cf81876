#ifndef RANKLEDGER_MANUSCRIPT_TEXT_H
#define RANKLEDGER_MANUSCRIPT_TEXT_H

#include "manuscript.h"
#include "summary.h"
#include "text_buffer.h"

/*
 * A manuscript as plain lines, for tests of what a report says:
 *
 *   # heading                              (## and ### of deeper ones)
 *   [GOOD] verdict // its reason
 *   FIGURE label = value // detail [GOOD]
 *   paragraph [QUIET]   ! notice   - item   $ command   CHART memory // what it shows
 *   | cell | cell[BAD] |                   (the first line of a table are its headings)
 *
 * A tone stands in brackets unless it is plain.
 */
void manuscript_text(const struct manuscript *manuscript, struct text_buffer *out);

/* The text of one section of a summary, in a language; aborts when memory is exhausted. */
void manuscript_text_of(const struct summary *summary, const char *language, const char *section,
                        struct text_buffer *out);

#endif
