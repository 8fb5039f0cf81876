#ifndef RANKLEDGER_GROUP_H
#define RANKLEDGER_GROUP_H

#include "candidate.h"
#include "evidence_set.h"

/* Records that may be compared: they agree in every comparability field that the policy does not
 * free. Candidates in display order: strategy, then varied fields, then input order. */
struct group {
    size_t index;
    const char *label;               /* "gpt2_124m, 4 ranks, global batch 128" */
    const char *const *label_fields; /* comparability fields that the label says besides */
    size_t label_field_count;
    const char *label_path; /* the record whose path it ends with, where nothing else tells it from
                               another group; NULL */
    const bool *varied;     /* by comparability field: what tells its candidates apart, which their
                               labels say */
    const struct record *first; /* the values that all share: a copy of its most complete record,
                                   completed from the others; varied fields that differ removed */
    struct candidate *candidates;
    size_t candidate_count;
    bool times_count;
    const char *level_name; /* the weakest */
    int level_rank;
    struct message *warnings; /* absent in one and present in the other, other warm-up, ... */
    size_t warning_count;
    struct selection_ties *ties; /* selection_ties.h; NULL: throughputs are ranked as they are */
};

struct group_difference { /* why records fall into several groups: the first field that differs */
    const char *field;    /* NULL: one group */
    const char *value_a, *value_b;
    const char *path_a, *path_b;
};

struct group_list {
    struct group *items;
    size_t count;
    struct group_difference difference;
};

struct group_filter { /* --group KEY=VALUE; several must all match */
    const char *key, *value;
};

/*
 * Forms the groups and their pooled candidates (ledger and temporary memory filled, gates not).
 * All memory is the arena's.
 */
enum status group_form(const struct evidence_set *set, const struct policy *policy,
                       struct arena *arena, struct group_list *groups,
                       struct diag *diag) STATUS_CHECKED;

struct partition;

/*
 * The groups without candidates and warnings: values shared, levels and labels; *partition says
 * which records are whose. For an archive, whose groups are then looked at one by one.
 */
enum status group_outline(const struct evidence_set *set, const struct policy *policy,
                          struct arena *arena, struct group_list *groups,
                          struct partition *partition, struct diag *diag) STATUS_CHECKED;

/* True if a record of the group has that value of a comparability field (compared as printed, and
 * numbers as numbers). STATUS_USAGE for an unknown key. */
enum status group_matches(const struct group *group, const struct group_filter *filter,
                          bool *matches, struct diag *diag) STATUS_CHECKED;

/* Comparability fields in the order of the rules; *count set. A record's value of one as printed,
 * or NULL where it is absent (or memory is exhausted). */
const char *const *group_fields(size_t *count);
const char *group_field_text(const struct record *record, const char *field, struct arena *arena);

#endif
