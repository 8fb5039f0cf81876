#ifndef RANKLEDGER_EXPLANATION_H
#define RANKLEDGER_EXPLANATION_H

#include "comparison_side.h"
#include "message.h"

/*
 * Why a strategy of a summary was chosen or was not, in sentences with margins. Everything comes
 * from the summary; its sources are not needed.
 */

enum explanation_kind {
    EXPLANATION_VERDICT, /* chosen, number n of m, or failing gates */
    EXPLANATION_FAILURE, /* of its runs */
    EXPLANATION_GATE,    /* failed ones first, then those with a limit that it passes */
    EXPLANATION_AGAINST, /* beside the selected candidate; of that one, beside the second */
    EXPLANATION_CHANGE,  /* what would change it */
    EXPLANATION_NOTE,
    EXPLANATION_KIND_COUNT
};

/* "verdict", "failure", "gate", "against", "change", "note"; static storage. */
const char *explanation_kind_name(enum explanation_kind kind);

struct explanation_sentence {
    enum explanation_kind kind;
    struct message message;
};

/* Of one candidate in one group. */
struct explanation_item {
    const struct comparison_members *group;
    const struct comparison_candidate *candidate;
    const struct comparison_candidate *other; /* what it is held against; NULL: nothing */
    const char *verdict;                      /* "chosen", "ranked", "failed" */
    struct explanation_sentence *sentences;   /* in the order of their kinds */
    size_t count, capacity;
};

struct explanation {
    struct comparison_side side; /* the summary */
    const char *strategy;        /* as asked for */
    struct explanation_item *items;
    size_t count;
    struct arena arena;
};

struct explanation_request {
    const char *path;
    const char *strategy; /* a strategy's name or a candidate's label */
    const struct group_filter *filters;
    size_t filter_count;
};

/*
 * STATUS_INPUT if the file is no summary, no group passes the filters, or no candidate in those
 * that do is called so: then the message names those that are there, and the one that was perhaps
 * meant. STATUS_USAGE for a filter by no comparability field.
 */
enum status explanation_make(struct explanation *explanation,
                             const struct explanation_request *request,
                             struct diag *diag) STATUS_CHECKED;

/* The explanation as a document (rankledger.explanation/1). */
enum status explanation_write(const struct explanation *explanation, struct text_buffer *out,
                              struct diag *diag) STATUS_CHECKED;

void explanation_fini(struct explanation *explanation);

#endif
