#include "sensitivity.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

/*
 * So many of the nearest values are tried one by one; beyond them, with hundreds of candidates, the
 * search goes on by halves, which is exact while selection changes once in each direction (a limit
 * that is relaxed only adds candidates, one that is tightened only removes some).
 */
#define LINEAR_STEPS 128
/* A quotient is at most a few steps from the value that gives it back. */
#define ROUNDING_STEPS 8

/* The values at which something may change, growing on the heap. */
struct points {
    double *values;
    size_t count, capacity;
    bool failed; /* memory exhausted */
};

static void add_point(struct points *points, double value)
{
    if (!isfinite(value) || points->failed)
        return;
    if (points->count == points->capacity) {
        size_t capacity = points->capacity == 0 ? 32 : points->capacity * 2;
        double *values = realloc(points->values, capacity * sizeof *values);
        if (values == NULL) {
            points->failed = true;
            return;
        }
        points->values = values;
        points->capacity = capacity;
    }
    points->values[points->count++] = value;
}

static int compare_values(const void *left, const void *right)
{
    double a = *(const double *)left;
    double b = *(const double *)right;
    return (a > b) - (a < b);
}

static void sort_points(struct points *points)
{
    if (points->count == 0)
        return;
    qsort(points->values, points->count, sizeof *points->values, compare_values);
    size_t kept = 1;
    for (size_t i = 1; i < points->count; i++)
        if (points->values[i] != points->values[kept - 1])
            points->values[kept++] = points->values[i];
    points->count = kept;
}

/* ---- the limits ---- */

/* The smallest limit of which the peak takes no more than the fraction, as the check computes it.
 */
static double smallest_limit(double peak, double fraction)
{
    double limit = peak / fraction;
    if (!isfinite(limit) || limit <= 0)
        return NAN;
    for (int i = 0; i < ROUNDING_STEPS && peak / limit > fraction; i++)
        limit = nextafter(limit, INFINITY);
    for (int i = 0; i < ROUNDING_STEPS && peak / nextafter(limit, 0) <= fraction; i++)
        limit = nextafter(limit, 0);
    return limit;
}

static void add_predicted_peak(void *context, const struct plan *plan)
{
    add_point(context, plan->peak_mb);
}

static void add_predicted_rates(void *context, const struct plan *plan)
{
    add_point(context, plan->throughput);
}

static void add_predicted_ratio(void *context, const struct plan *plan)
{
    add_point(context, plan->communication_ratio);
}

static void memory_points(const struct decide_input *input, const struct policy *policy,
                          struct points *points)
{
    for (size_t i = 0; i < input->group->candidate_count; i++) {
        double peak = input->group->candidates[i].peak_mb;
        add_point(points, peak);
        if (!isnan(policy->max_memory_fraction))
            add_point(points, smallest_limit(peak, policy->max_memory_fraction));
    }
    struct policy strict = *policy;
    strict.memory_limit_mb = DBL_MIN;
    planner_each(input->planner, &strict, add_predicted_peak, points);
    planner_each(input->planner, policy, add_predicted_peak, points);
}

static void throughput_points(const struct decide_input *input, const struct policy *policy,
                              struct points *points)
{
    for (size_t i = 0; i < input->group->candidate_count && input->group->times_count; i++)
        add_point(points, input->group->candidates[i].metrics.throughput);
    struct policy strict = *policy;
    strict.min_throughput = DBL_MAX;
    if (input->group->times_count)
        planner_each(input->planner, &strict, add_predicted_rates, points);
}

static void communication_points(const struct decide_input *input, const struct policy *policy,
                                 struct points *points)
{
    for (size_t i = 0; i < input->group->candidate_count && input->group->times_count; i++)
        add_point(points, input->group->candidates[i].metrics.communication_ratio);
    struct policy strict = *policy;
    strict.max_communication_ratio = 0;
    if (input->group->times_count)
        planner_each(input->planner, &strict, add_predicted_ratio, points);
}

static void gain_points(const struct decide_input *input, const struct policy *policy,
                        struct points *points)
{
    struct decide_facts facts;
    decide_gather(input, policy, &facts);
    add_point(points, facts.gain);
}

static void fraction_points(const struct decide_input *input, const struct policy *policy,
                            struct points *points)
{
    if (isnan(policy->memory_limit_mb))
        return;
    for (size_t i = 0; i < input->group->candidate_count; i++)
        add_point(points, input->group->candidates[i].peak_mb / policy->memory_limit_mb);
}

struct limit {
    const char *name;
    const char *unit; /* NULL: that of the records' throughput */
    size_t offset;    /* of the value in struct policy */
    double smallest, largest;
    double absent;  /* the value that a limit which is not applied amounts to */
    double loosest; /* the mildest that may be applied: only what is not measured fails it */
    void (*points)(const struct decide_input *input, const struct policy *policy,
                   struct points *points);
};

static const struct limit limits[] = {
    {"memory_limit_mb", "MiB", offsetof(struct policy, memory_limit_mb), DBL_MIN, DBL_MAX, INFINITY,
     DBL_MAX, memory_points},
    {"min_throughput", NULL, offsetof(struct policy, min_throughput), 0, DBL_MAX, -INFINITY, 0,
     throughput_points},
    {"max_communication_ratio", "ratio", offsetof(struct policy, max_communication_ratio), 0, 1,
     INFINITY, 1, communication_points},
    {"min_gain", "ratio", offsetof(struct policy, min_gain), -1, DBL_MAX, NAN, NAN, gain_points},
    {"max_memory_fraction", "ratio", offsetof(struct policy, max_memory_fraction), DBL_MIN, 1,
     INFINITY, 1, fraction_points},
};

#define LIMIT_COUNT (sizeof limits / sizeof limits[0])

static double *value_in(struct policy *policy, const struct limit *limit)
{
    return (double *)(void *)((unsigned char *)policy + limit->offset);
}

/* ---- the search ---- */

struct search {
    const struct decide_input *input;
    const struct policy *policy; /* with the records' unit where no minimum is set */
    const struct limit *limit;
    const struct points *points;
    struct decide_facts now;
    enum verdict verdict;
    /* One direction: step k tries the point nearest but k/2, then one step beyond it. */
    bool down;
    size_t nearest; /* index of the nearest point in that direction */
    size_t steps;
};

struct outcome {
    long selected;
    const struct decide_rule *rule;
};

static struct outcome outcome_at(const struct search *search, double value)
{
    struct policy policy = *search->policy;
    *value_in(&policy, search->limit) = value;
    struct decide_facts facts;
    decide_gather(search->input, &policy, &facts);
    return (struct outcome){facts.selected, decide_match(&facts)};
}

static double point_of(const struct search *search, size_t step)
{
    size_t distance = step / 2;
    return search->points
        ->values[search->down ? search->nearest - distance : search->nearest + distance];
}

static bool is_another(const struct search *search, const struct outcome *outcome)
{
    return outcome->selected != search->now.selected || outcome->rule->verdict != search->verdict;
}

/* True if the outcome at that step differs from the present one. */
static bool changes(const struct search *search, size_t step, struct outcome *outcome)
{
    double value = point_of(search, step);
    if (step % 2 == 1)
        value = nextafter(value, search->down ? -INFINITY : INFINITY);
    if (value < search->limit->smallest || value > search->limit->largest)
        return false;
    *outcome = outcome_at(search, value);
    return is_another(search, outcome);
}

/* The first step that changes the outcome; `steps` if none does. */
static size_t first_change(const struct search *search, struct outcome *outcome)
{
    size_t step = 0;
    for (; step < search->steps && step < LINEAR_STEPS; step++)
        if (changes(search, step, outcome))
            return step;
    size_t low = step;
    size_t high = search->steps;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (changes(search, middle, outcome))
            high = middle;
        else
            low = middle + 1;
    }
    if (low < search->steps && !changes(search, low, outcome))
        return search->steps;
    return low;
}

/* The point after that of a step; infinite: none. */
static double point_beyond(const struct search *search, size_t step)
{
    size_t next = step - step % 2 + 2;
    if (next < search->steps)
        return point_of(search, next);
    return search->down ? -(double)INFINITY : (double)INFINITY;
}

static void add_change(const struct search *search, const char *comparison, double value,
                       const struct outcome *outcome, struct sensitivity *row)
{
    const struct group *group = search->input->group;
    row->changes[row->change_count++] = (struct sensitivity_change){
        .direction = search->down ? "down" : "up",
        .comparison = comparison,
        .value = value,
        .beyond = search->down ? -(double)INFINITY : (double)INFINITY,
        .candidate = outcome->selected,
        .strategy = outcome->selected < 0
                        ? NULL
                        : training_state_row(group->candidates[outcome->selected].strategy)->name,
        .verdict = outcome->rule->verdict,
        .rule = outcome->rule->name};
}

/* Of a limit that is not applied: true if any value of it at all changes the outcome, because the
 * selected candidate lacks the metric. */
static bool any_changes(struct search *search, struct sensitivity *row)
{
    struct policy policy = *search->policy;
    double absent = search->limit->absent;
    bool applied = !isnan(*value_in(&policy, search->limit));
    if (applied || isnan(search->limit->loosest) || search->down != (absent > 0))
        return false;
    struct outcome outcome = outcome_at(search, search->limit->loosest);
    if (!is_another(search, &outcome))
        return false;
    add_change(search, "any", NAN, &outcome, row);
    return true;
}

static void look(struct search *search, bool down, struct sensitivity *row)
{
    struct policy policy = *search->policy;
    double current = *value_in(&policy, search->limit);
    search->down = down;
    if (any_changes(search, row))
        return;
    if (isnan(current))
        current = search->limit->absent;
    const struct points *points = search->points;
    size_t below = 0; /* points up to the present value */
    while (below < points->count && points->values[below] <= current)
        below++;
    size_t above = below > 0 && points->values[below - 1] == current ? below - 1 : below;
    search->nearest = down ? below - 1 : above;
    search->steps = 2 * (down ? below : points->count - above);
    struct outcome outcome;
    size_t step = search->steps == 0 ? 0 : first_change(search, &outcome);
    if (step >= search->steps)
        return;
    bool beyond = step % 2 == 1;
    add_change(search, down ? (beyond ? "below" : "at_most") : (beyond ? "above" : "at_least"),
               point_of(search, step), &outcome, row);
    row->changes[row->change_count - 1].beyond = point_beyond(search, step);
}

/* A minimum that is not set is asked for in the unit of the records. */
static struct policy in_unit_of_records(const struct group *group, const struct policy *policy)
{
    struct policy result = *policy;
    for (size_t i = group->candidate_count; isnan(policy->min_throughput) && i-- > 0;)
        if (!isnan(group->candidates[i].metrics.throughput))
            result.throughput_unit = group->candidates[i].metrics.throughput_unit;
    return result;
}

static enum status make_row(struct search *search, struct sensitivity *row, struct diag *diag)
{
    struct points points = {0};
    search->limit->points(search->input, search->policy, &points);
    enum status status = points.failed ? diag_no_memory(diag) : STATUS_OK;
    sort_points(&points);
    search->points = &points;
    struct policy policy = *search->policy;
    *row = (struct sensitivity){.limit = search->limit->name,
                                .unit = search->limit->unit != NULL
                                            ? search->limit->unit
                                            : throughput_unit_name(policy.throughput_unit),
                                .current = *value_in(&policy, search->limit)};
    if (status == STATUS_OK) {
        look(search, true, row);
        look(search, false, row);
    }
    free(points.values);
    return status;
}

enum status sensitivity_make(const struct decide_input *input, const struct policy *policy,
                             struct arena *arena, const struct sensitivity **sensitivity,
                             size_t *count, struct diag *diag)
{
    struct sensitivity *rows = arena_take_array(arena, LIMIT_COUNT, sizeof *rows);
    if (rows == NULL)
        return diag_no_memory(diag);
    struct policy asked = in_unit_of_records(input->group, policy);
    struct search search = {.input = input, .policy = &asked};
    decide_gather(input, policy, &search.now);
    search.verdict = decide_match(&search.now)->verdict;
    for (size_t i = 0; i < LIMIT_COUNT; i++) {
        search.limit = &limits[i];
        enum status status = make_row(&search, &rows[i], diag);
        if (status != STATUS_OK)
            return status;
    }
    *sensitivity = rows;
    *count = LIMIT_COUNT;
    return STATUS_OK;
}
