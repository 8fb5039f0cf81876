#include "chart_scale_lines.h"

#include <math.h>
#include <string.h>

#include "memory_stack.h"

/* Values this close are equal: they are sums of three quotients, in an order that may differ. */
#define SAME 1e-9

static bool same_values(const struct summary_scale *a, const struct summary_scale *b)
{
    if (a->count != b->count)
        return false;
    for (size_t i = 0; i < a->count; i++) {
        if (a->items[i].world_size != b->items[i].world_size ||
            !(fabs(a->items[i].resident_mb - b->items[i].resident_mb) <=
              SAME * fabs(a->items[i].resident_mb)))
            return false;
    }
    return true;
}

static bool same_strategy(const struct summary_candidate *a, const struct summary_candidate *b)
{
    if (a->strategy == NULL || b->strategy == NULL)
        return a->strategy == b->strategy;
    return strcmp(a->strategy, b->strategy) == 0;
}

/* Whether the line of a candidate is one of another, too. */
static bool has_line(const struct chart_scale_lines *lines,
                     const struct summary_candidate *candidate)
{
    for (size_t i = 0; i < lines->count; i++) {
        const struct summary_candidate *other = lines->items[i].candidate;
        if (same_strategy(other, candidate) && same_values(&other->scale, &candidate->scale))
            return true;
    }
    return false;
}

bool chart_scale_lines_have(const struct chart_scale_lines *lines,
                            const struct summary_candidate *candidate)
{
    for (size_t i = 0; i < lines->count; i++) {
        if (same_strategy(lines->items[i].candidate, candidate))
            return true;
    }
    return false;
}

static void add_line(struct chart_scale_lines *lines, const struct chart_frame *frame,
                     const struct summary_candidate *candidate)
{
    size_t index = lines->count++;
    struct chart_scale_line *line = &lines->items[index];
    *line = (struct chart_scale_line){
        .candidate = candidate,
        .series = theme_series_of(frame->theme, candidate->strategy),
        .same_as = index,
        .name = "",
    };
    for (size_t i = index; i-- > 0;) {
        struct chart_scale_line *other = &lines->items[i];
        if (same_values(&other->candidate->scale, &candidate->scale))
            line->same_as = i;
        if (same_strategy(other->candidate, candidate))
            other->own_name = line->own_name = true;
    }
}

static const char *name_of(const struct chart_frame *frame, const struct chart_scale_line *line)
{
    const char *label = line->candidate->label;
    const char *strategy = line->candidate->strategy;
    bool labelled = label != NULL && label[0] != '\0';
    if (labelled && (line->own_name || strategy == NULL))
        return label;
    return strategy != NULL && strategy[0] != '\0' ? strategy
                                                   : texts_get(frame->texts, "chart.unknown");
}

static void name_lines(struct chart_scale_lines *lines, struct chart_frame *frame)
{
    for (size_t i = 0; i < lines->count; i++) {
        struct chart_scale_line *line = &lines->items[i];
        struct chart_scale_line *first = &lines->items[line->same_as];
        const char *name = name_of(frame, line);
        first->name = first == line
                          ? name
                          : scene_format(&frame->scene, "%s%s%s", first->name,
                                         texts_get(frame->texts, "word.list_separator"), name);
    }
}

void chart_scale_lines_find(struct chart_scale_lines *lines, struct chart_frame *frame)
{
    lines->count = 0;
    for (size_t i = 0; i < frame->every.count && lines->count < CHART_FRAME_ROWS; i++) {
        const struct summary_candidate *candidate = frame->every.items[i];
        if (candidate->scale.count > 0 && !has_line(lines, candidate))
            add_line(lines, frame, candidate);
    }
    name_lines(lines, frame);
}

double chart_scale_line_end(const struct chart_scale_line *line)
{
    const struct summary_scale *scale = &line->candidate->scale;
    return scale->items[scale->count - 1].resident_mb;
}

double chart_scale_measured(const struct summary_candidate *candidate)
{
    struct memory_stack stack;
    memory_stack_of(candidate, &stack);
    return stack.measured ? stack.resident_mb : (double)NAN;
}

double chart_scale_ranks(const struct chart_frame *frame, const struct summary_candidate *candidate)
{
    return isnan(candidate->world_size) ? frame->group->world_size : candidate->world_size;
}
