#ifndef RANKLEDGER_ARCHIVE_FILES_H
#define RANKLEDGER_ARCHIVE_FILES_H

#include "analysis.h"
#include "diag.h"

/* `analyze --output-dir`. Everything is borrowed. */
struct archive_files {
    const struct path_list *paths;
    const struct analysis_options *options;
    const char *output; /* the folder, created if necessary */
    bool exit_code;     /* the status says what was decided */
};

/*
 * Analyses an archive group by group and writes a summary of each, index.csv, index.json and
 * index.xlsx into the folder, together or not at all; then prints what it came to. A file of the
 * evidence, or an index that is none of ours, is never replaced (STATUS_USAGE). Summaries of
 * earlier runs that the new index does not name stay, and are warned of.
 *
 * STATUS_OK; STATUS_NEGATIVE if sources were invalid; with `exit_code` STATUS_INVALID_INPUT
 * instead, else STATUS_NEGATIVE if a group is rejected, else STATUS_TUNE if one is to be tuned.
 */
enum status archive_files_write(const struct archive_files *files,
                                struct diag *diag) STATUS_CHECKED;

#endif
