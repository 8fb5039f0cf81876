#ifndef RANKLEDGER_ARCHIVE_INDEX_H
#define RANKLEDGER_ARCHIVE_INDEX_H

#include "analysis.h"
#include "comparability.h"

/*
 * An archive: evidence of many groups, looked at one by one. Each group gets a summary of its own,
 * as if its records alone had been analysed, and a row of the index.
 */

/* What the index says of a group; a number that is not measured is NAN, a text NULL. Everything
 * lives in the index. */
struct archive_index_row {
    const char *label;   /* what tells the group apart in this archive */
    const char *summary; /* file name of its summary; stays while other groups come and go */
    const char *key[COMPARABILITY_FIELD_COUNT]; /* texts as in comparability.h */
    enum verdict verdict;
    const char *rule, *reason, *reason_id;
    const char *selected;        /* label of the selected candidate, whatever the verdict */
    const char *strategy;        /* the decision's: NULL unless one is recommended */
    const char *baseline;        /* NULL: no run of it */
    const char *level;           /* the weakest evidence level */
    const char *throughput_unit; /* of the selected candidate, as what follows */
    double throughput;           /* in that unit */
    double peak_mb;              /* MiB */
    double communication_ratio;  /* exposed, 0 to 1 */
    double step_time_ms;
    double memory_margin_percent;        /* room to the limit, percent of it */
    double throughput_margin_percent;    /* likewise */
    double communication_margin_percent; /* likewise */
    double gain;                         /* over the baseline, a fraction */
    double records, candidates, eligible;
    double repeats_least, repeats_most; /* records of one candidate */
    double warnings;
    double rejected;                    /* refused sources whose workload is this group's */
    double failed[CANDIDATE_MAX_GATES]; /* candidates that fail each gate of gate_table */
};

struct archive_index {
    struct evidence_set set;
    struct analysis_options options;
    struct archive_index_row *rows; /* by verdict (accept, tune, reject), then by label */
    size_t count;
    size_t verdicts[3];    /* rows of each */
    size_t group_count;    /* of the archive; more than rows where --group picks */
    size_t unplaced_count; /* refused sources that no group of the archive can be told for */
    struct arena arena;
    struct arena *workers; /* of the threads; `worker_count` of them */
    size_t worker_count;
};

/* Takes a finished summary. Called from several threads at once, in no order. */
struct archive_index_sink {
    enum status (*take)(void *context, const char *name, const char *text, size_t size,
                        struct diag *diag);
    void *context;
};

/*
 * Loads the evidence, judges every group that the filters of `options` leave and hands its summary
 * to the sink. Paths are made relative to the directory `base`. A refused source makes the evidence
 * of the group incomplete that its workload names; one that names no group, or several, counts for
 * none of them. STATUS_INPUT as analysis_run.
 */
enum status archive_index_make(struct archive_index *index, const struct path_list *paths,
                               const char *base, const struct analysis_options *options,
                               const struct archive_index_sink *sink,
                               struct diag *diag) STATUS_CHECKED;

/* The index as text: rankledger.index/1; RFC 4180, with a header, one line a group. */
enum status archive_index_json(const struct archive_index *index, struct text_buffer *out,
                               struct diag *diag) STATUS_CHECKED;
enum status archive_index_csv(const struct archive_index *index, struct text_buffer *out,
                              struct diag *diag) STATUS_CHECKED;

void archive_index_fini(struct archive_index *index);

#endif
