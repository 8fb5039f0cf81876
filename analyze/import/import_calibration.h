#ifndef RANKLEDGER_IMPORT_CALIBRATION_H
#define RANKLEDGER_IMPORT_CALIBRATION_H

#include "import_run.h"

/*
 * Rates of links for training records. A calibration document (rankledger.calibration/1) has
 * `workload.world_size`, `hardware`, `calibration.links` as in evidence, and `import`.
 */

/*
 * Reads one file: a calibration document, several one a line, or the output of an nccl-tests
 * program. Appends {"source": {path, sha256, bytes}, "document": ...} for each to the array.
 * STATUS_INPUT if it is something else, or has no link.
 */
enum status import_calibration_load(const char *path, size_t size_limit, json_t *calibrations,
                                    struct diag *diag) STATUS_CHECKED;

/* Puts the links into a training record, says where they are from, and warns where they are of
 * other hardware or another number of ranks. `calibrations` NULL or empty: nothing. */
void import_calibration_apply(const json_t *calibrations, struct import_record *record);

#endif
