#ifndef RANKLEDGER_WALK_NOTE_H
#define RANKLEDGER_WALK_NOTE_H

#include <stddef.h>

/* Says on standard error how many links to directories were met and not followed, lest the result
 * be taken for all that is there. Nothing if there was none. */
void walk_note_print(size_t directory_links);

#endif
