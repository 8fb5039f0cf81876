#ifndef RANKLEDGER_IMPORT_INTERLEAVED_H
#define RANKLEDGER_IMPORT_INTERLEAVED_H

#include "import_scan.h"

/*
 * Lines of a file that several ranks write at once: a line end can come too late, so that the next
 * rank's line follows on the same one. They are told apart by the prefixes of launchers
 * ("[rank3]:", "[default3]:") and by Megatron's "[Rank 3]".
 *
 *     struct import_line rest = line;
 *     struct import_line part;
 *     while (import_interleaved_next(&rest, &part)) ...
 */
bool import_interleaved_next(struct import_line *rest, struct import_line *part);

#endif
