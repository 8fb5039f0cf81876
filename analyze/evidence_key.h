#ifndef RANKLEDGER_EVIDENCE_KEY_H
#define RANKLEDGER_EVIDENCE_KEY_H

#include "comparability.h"

/*
 * What a refused document says of the group it belongs to. *key becomes its comparability texts, by
 * field, NULL where it does not say; or NULL as a whole if it does not state its world size: such a
 * run can be compared with no other. Everything lives in the arena.
 */
enum status evidence_key_read(const struct json_read_document *json, uint32_t node,
                              struct arena *arena, const char *const **key,
                              struct diag *diag) STATUS_CHECKED;

/* Whether both may be in one group: they agree in every field that both give and that is not freed.
 * `other` as `key`. */
bool evidence_key_agrees(const char *const *key, const char *const *other, const bool *freed);

#endif
