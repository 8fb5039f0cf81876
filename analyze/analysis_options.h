#ifndef RANKLEDGER_ANALYSIS_OPTIONS_H
#define RANKLEDGER_ANALYSIS_OPTIONS_H

#include "analysis.h"

/*
 * The options that every command which analyses evidence has: the policy and what overrides it, and
 * the paths. One table, so that `analyze` and `report` cannot differ.
 */
struct analysis_arguments {
    const char *policy, *memory_limit, *min_throughput;
    double memory_limit_mb, max_communication_ratio;
    int memory_kind, baseline;
    bool memory_limit_mb_given, max_communication_ratio_given, memory_kind_given, baseline_given;
    struct options_list group, files_from;
    bool allow_invalid, nul_separated;
};

#define ANALYSIS_OPTIONS_ROWS 11

/* Fills the first ANALYSIS_OPTIONS_ROWS of `rows`; values go to *arguments, zeroed before. */
void analysis_options_rows(struct analysis_arguments *arguments, struct options_row *rows);

/*
 * The parsed arguments as options of an analysis: the policy file, then what overrides it. Texts
 * live in the arena or are borrowed from the arguments. STATUS_USAGE for a value that cannot be, or
 * two that exclude each other.
 */
enum status analysis_options_resolve(const struct analysis_arguments *arguments,
                                     struct arena *arena, struct analysis_options *options,
                                     struct diag *diag) STATUS_CHECKED;

/* The operands and the lists of --files-from as paths. STATUS_USAGE if none is given; STATUS_INPUT
 * naming the first path that cannot be found. */
enum status analysis_options_paths(const struct analysis_arguments *arguments,
                                   const struct options_list *operands, struct path_list *paths,
                                   struct diag *diag) STATUS_CHECKED;

#endif
