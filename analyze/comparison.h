#ifndef RANKLEDGER_COMPARISON_H
#define RANKLEDGER_COMPARISON_H

#include "comparison_side.h"
#include "message.h"

/*
 * Two sides, BASE and NEW, held against each other: groups by their comparability key, strategies
 * inside. What is unlike (kinds of memory, units, workloads) is said and never compared.
 */

/* What can count as a regression. */
enum comparison_category {
    COMPARISON_THROUGHPUT,    /* throughput; the step time where no throughput was measured */
    COMPARISON_MEMORY,        /* peak memory of one kind */
    COMPARISON_COMMUNICATION, /* exposed communication, and the payload of a step */
    COMPARISON_FAILURE,       /* ran in BASE and fails in NEW */
    COMPARISON_LOSSES,        /* a loss that was finite is no longer */
    COMPARISON_GATES,         /* a gate that passed fails */
    COMPARISON_DECISION,      /* accept, tune, reject: further down */
    COMPARISON_MISSING,       /* a strategy or group of BASE has no evidence in NEW */
    COMPARISON_CATEGORY_COUNT /* of what never counts */
};

/* "throughput", "memory", ...; static storage. */
const char *comparison_category_name(enum comparison_category category);

struct comparison_settings {
    double tolerance; /* a fraction: what a change without an interval may be and mean nothing */
    double max_regression; /* a fraction, of exposed communication that of a step; NAN: not asked */
    bool counts[COMPARISON_CATEGORY_COUNT];
};

enum comparison_verdict {
    COMPARISON_NOT_MEASURED, /* on neither side */
    COMPARISON_NEW_MEASURED, /* in NEW alone */
    COMPARISON_LOST,         /* in BASE alone */
    COMPARISON_UNLIKE,       /* in units or kinds that are not compared: `unlike` says which */
    COMPARISON_SAME,         /* equal */
    COMPARISON_NOISE,        /* the interval of the ratio contains 1 */
    COMPARISON_TOLERATED,    /* no interval, and within the tolerance */
    COMPARISON_BETTER,
    COMPARISON_WORSE
};

enum comparison_quantity {
    COMPARISON_OF_THROUGHPUT,
    COMPARISON_OF_STEP_TIME,
    COMPARISON_OF_PEAK,
    COMPARISON_OF_EXPOSED,
    COMPARISON_OF_PAYLOAD,
    COMPARISON_OF_RESIDENT,
    COMPARISON_OF_CHECKPOINT,
    COMPARISON_QUANTITY_COUNT
};

struct comparison_quantity_row {
    const char *name, *words; /* "peak_memory_mb", "peak memory" */
    const char *unit;         /* NULL: that of the throughput */
    enum comparison_category category;
    bool larger_is_better;
    bool in_points; /* a share of the step: differences, not ratios, are judged */
};

const struct comparison_quantity_row *comparison_quantity_row(enum comparison_quantity quantity);

struct comparison_value {
    enum comparison_verdict verdict;
    double base, now;
    const char *unit;
    double change;            /* now - base */
    double relative;          /* change / base; infinite where base is 0 */
    double worse_by;          /* what max_regression is held against; 0 unless worse */
    struct interval ratio;    /* of now / base; NAN: none */
    enum interval_unit drawn; /* what that interval rests on */
    const char *kind;         /* of memory */
    const char *unlike;       /* static: why it is not compared; or NULL */
    bool beyond;              /* counts, and is worse than max_regression allows */
};

struct comparison_losses {
    size_t base_count, now_count;
    size_t compared;
    long first_difference; /* step; -1: none */
    long largest_at;
    double largest; /* relative difference */
    long broken_at; /* finite in BASE and not in NEW; -1 */
};

enum comparison_tendency { COMPARISON_REGRESSION, COMPARISON_IMPROVEMENT, COMPARISON_NOTE };

/* A sentence about a change. */
struct comparison_finding {
    struct message message;
    enum comparison_tendency tendency;
    enum comparison_category category;
    bool beyond;          /* makes the answer no */
    const char *strategy; /* label; NULL: of the group or of all */
};

struct comparison_findings {
    struct comparison_finding *items;
    size_t count, capacity;
};

struct comparison_strategy {
    const char *label;
    const struct comparison_candidate *base, *now; /* NULL: has none */
    struct comparison_value values[COMPARISON_QUANTITY_COUNT];
    struct comparison_losses losses;
};

struct comparison_pair { /* a group on both sides */
    const struct comparison_members *base, *now;
    struct comparison_strategy *strategies; /* in BASE's order, then what is new */
    size_t strategy_count;
    struct comparison_findings findings;
};

struct comparison_unmatched {
    const struct comparison_members *group;
    const char *field, *value, *other; /* where it differs from the most alike group; or NULL */
};

struct comparison_policy_difference {
    const char *field, *base, *now; /* as JSON text; "null" where one does not have it */
};

struct comparison {
    struct comparison_side base, now;
    struct comparison_settings settings;
    struct comparison_pair *pairs;
    size_t pair_count;
    struct comparison_unmatched *missing, *added; /* groups of BASE alone, of NEW alone */
    size_t missing_count, added_count;
    struct comparison_policy_difference *policy;
    size_t policy_count;
    struct comparison_findings findings; /* of the whole */
    struct message verdict;
    size_t compared;                          /* strategies that both sides have */
    size_t regressions, improvements, beyond; /* of all findings */
    bool same_input;                          /* both paths name one file or folder */
    struct arena arena;
};

struct comparison_request {
    const char *base, *now; /* paths */
    const struct analysis_options *analysis;
    bool
        decide_anew; /* the policy was asked for: summaries are refused, they are decided already */
    struct comparison_settings settings;
};

/*
 * Loads and compares. Evidence is decided by the asked policy, else by that of a summary on the
 * other side, else without limits. STATUS_INPUT if a side cannot be read or has no evidence.
 * Whether anything could be compared is for the caller: `compared`.
 */
enum status comparison_run(struct comparison *comparison, const struct comparison_request *request,
                           struct diag *diag) STATUS_CHECKED;

/* The comparison as a document (rankledger.comparison/1). */
enum status comparison_write(const struct comparison *comparison, struct text_buffer *out,
                             struct diag *diag) STATUS_CHECKED;

void comparison_fini(struct comparison *comparison);

/* "same", "within_noise", ...; "regression", ...; static storage. */
const char *comparison_verdict_name(enum comparison_verdict verdict);
const char *comparison_tendency_name(enum comparison_tendency tendency);

#endif
