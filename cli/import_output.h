#ifndef RANKLEDGER_IMPORT_OUTPUT_H
#define RANKLEDGER_IMPORT_OUTPUT_H

#include "import_run.h"

/*
 * Writes what was imported: one document as indented JSON, several one a line. `path` NULL or "-":
 * standard output. STATUS_USAGE if the file is there and `import` did not write it: a source, or
 * somebody's evidence.
 */
enum status import_output_file(const struct import_batch *batch, const char *path,
                               struct diag *diag) STATUS_CHECKED;

/*
 * A file a document in the folder, which is made if need be: <stem>.json after the source's name,
 * <stem>-2.json for its second record or the next source of that name. Each path is printed. What
 * is there and `import` did not write is not touched (STATUS_USAGE), and then nothing is written.
 */
enum status import_output_folder(const struct import_batch *batch, const char *folder,
                                 struct diag *diag) STATUS_CHECKED;

#endif
