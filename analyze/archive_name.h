#ifndef RANKLEDGER_ARCHIVE_NAME_H
#define RANKLEDGER_ARCHIVE_NAME_H

#include "comparability.h"
#include "group.h"

/* Of hexadecimal digits before ".json". */
#define ARCHIVE_NAME_DIGITS 10

/*
 * The file name of each group's summary: "gpt2_124m-4ranks-batch128-seq1024-bf16-0f1e2d3c4b.json".
 * Lower-case letters, digits, "_", "." and "-" alone, at most 120 bytes, unique without regard to
 * case. The digits are of everything that tells the group apart, so that a group keeps its name
 * whatever other groups there are. `keys` are the groups' comparability texts; freed fields do not
 * count. names[g] lives in the arena.
 */
enum status archive_name_all(const struct group_list *groups,
                             const char *(*keys)[COMPARABILITY_FIELD_COUNT],
                             const bool freed[COMPARABILITY_FIELD_COUNT], struct arena *arena,
                             const char **names, struct diag *diag) STATUS_CHECKED;

/* Whether a file's name is one that archive_name_all may give. */
bool archive_name_is_one(const char *name);

#endif
