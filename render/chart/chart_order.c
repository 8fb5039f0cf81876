#include "chart_order.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "training_state.h"

static size_t strategy_order(const struct summary_candidate *candidate)
{
    enum strategy strategy = STRATEGY_COUNT;
    if (candidate->strategy != NULL)
        (void)training_state_find(candidate->strategy, strlen(candidate->strategy), &strategy);
    return (size_t)strategy;
}

/* Elements of one array: equal keys keep its order. */
static int by_address(const struct summary_candidate *a, const struct summary_candidate *b)
{
    return (a > b) - (a < b);
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Bytewise, but a run of digits by its value: "micro-batch 2" stands before "micro-batch 16". */
static int by_name(const char *a, const char *b)
{
    while (*a != '\0' && *b != '\0') {
        if (is_digit(*a) && is_digit(*b)) {
            while (*a == '0' && is_digit(a[1]))
                a++;
            while (*b == '0' && is_digit(b[1]))
                b++;
            size_t digits_a = strspn(a, "0123456789");
            size_t digits_b = strspn(b, "0123456789");
            int order = digits_a != digits_b ? (digits_a > digits_b) - (digits_a < digits_b)
                                             : memcmp(a, b, digits_a);
            if (order != 0)
                return order;
            a += digits_a;
            b += digits_b;
        } else if (*a != *b) {
            break;
        } else {
            a++;
            b++;
        }
    }
    return strcmp(a, b);
}

static int by_display(const void *left, const void *right)
{
    const struct summary_candidate *a = *(const struct summary_candidate *const *)left;
    const struct summary_candidate *b = *(const struct summary_candidate *const *)right;
    size_t order_a = strategy_order(a);
    size_t order_b = strategy_order(b);
    if (order_a != order_b)
        return order_a < order_b ? -1 : 1;
    int order = by_name(a->label != NULL ? a->label : "", b->label != NULL ? b->label : "");
    return order != 0 ? order : by_address(a, b);
}

static int by_rank(const void *left, const void *right)
{
    const struct summary_candidate *a = *(const struct summary_candidate *const *)left;
    const struct summary_candidate *b = *(const struct summary_candidate *const *)right;
    double rank_a = isnan(a->rank) ? INFINITY : a->rank;
    double rank_b = isnan(b->rank) ? INFINITY : b->rank;
    if (rank_a != rank_b)
        return rank_a < rank_b ? -1 : 1;
    return by_address(a, b);
}

enum status chart_order(const struct summary_group *group, size_t most, struct arena *arena,
                        struct chart_order_rows *rows, struct diag *diag)
{
    size_t count = group->candidate_count;
    const struct summary_candidate **items = arena_take_array(arena, count + 1, sizeof(void *));
    if (items == NULL)
        return diag_no_memory(diag);
    for (size_t i = 0; i < count; i++)
        items[i] = &group->candidates[i];
    if (count > most) {
        qsort(items, count, sizeof(void *), by_rank);
        count = most;
    }
    qsort(items, count, sizeof(void *), by_display);
    *rows = (struct chart_order_rows){items, count};
    return STATUS_OK;
}
