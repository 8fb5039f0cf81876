#ifndef RANKLEDGER_ARCHIVE_PLACE_H
#define RANKLEDGER_ARCHIVE_PLACE_H

#include "comparability.h"
#include "evidence_set.h"

/* Which refused sources belong to which group of an archive: those of group g are
 * order[starts[g]] ... order[starts[g + 1] - 1], indices into the set's, ascending. */
struct archive_place {
    size_t *order;
    size_t *starts; /* group_count + 1 */
    size_t unplaced;
};

/*
 * A source belongs to the only group that agrees with all that it gives; to none if there are
 * several, or none, for nothing says more. `keys` are the groups' comparability texts. Everything
 * lives in the arena.
 */
enum status archive_place_make(const struct evidence_set *set,
                               const char *(*keys)[COMPARABILITY_FIELD_COUNT], size_t group_count,
                               const bool freed[COMPARABILITY_FIELD_COUNT], struct arena *arena,
                               struct archive_place *place, struct diag *diag) STATUS_CHECKED;

#endif
