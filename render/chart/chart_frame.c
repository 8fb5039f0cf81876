#include "chart_frame.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "changes.h"
#include "evidence_level.h"
#include "text.h"

#define LABEL_LINES_FEW 6
#define FEW_ROWS 6
/* Above the subtitle where the title is cut off. */
#define HEAD_ROOM 3.0

/* ---- Life ---- */

static struct chart_order_rows slice(const struct chart_order_rows *every,
                                     const struct chart_input *input)
{
    if (input->row_count == 0)
        return *every;
    size_t first = input->first_row < every->count ? input->first_row : every->count;
    size_t rest = every->count - first;
    return (struct chart_order_rows){every->items + first,
                                     input->row_count < rest ? input->row_count : rest};
}

enum status chart_frame_init(struct chart_frame *frame, const struct chart_input *input,
                             struct canvas *canvas, struct diag *diag)
{
    *frame = (struct chart_frame){
        .scene = {.canvas = canvas},
        .input = input,
        .group = &input->summary->groups[input->group],
        .texts = input->texts,
        .theme = input->theme,
        .width = input->width,
        .content = input->width - 2 * CHART_FRAME_MARGIN,
        .y = CHART_FRAME_MARGIN,
    };
    enum status status =
        chart_order(frame->group, CHART_FRAME_ROWS, &frame->scene.arena, &frame->every, diag);
    if (status == STATUS_OK)
        frame->rows = slice(&frame->every, input);
    return status;
}

bool chart_frame_is_slice(const struct chart_frame *frame)
{
    return frame->rows.count < frame->every.count;
}

void chart_frame_fini(struct chart_frame *frame)
{
    if (frame == NULL)
        return;
    scene_fini(&frame->scene);
    text_buffer_fini(&frame->description);
}

/* ---- Words ---- */

const char *chart_frame_take(struct chart_frame *frame, struct text_buffer *buffer)
{
    const char *text = buffer->failed
                           ? NULL
                           : arena_copy(&frame->scene.arena,
                                        buffer->text != NULL ? buffer->text : "", buffer->length);
    text_buffer_fini(buffer);
    if (text == NULL)
        frame->scene.failed = true;
    return text != NULL ? text : "";
}

const char *chart_frame_say(struct chart_frame *frame, const char *id,
                            const struct sentence_value *values, size_t count)
{
    struct text_buffer out = {0};
    texts_fill(&out, frame->texts, id, values, count);
    return chart_frame_take(frame, &out);
}

const char *chart_frame_say1(struct chart_frame *frame, const char *id, const char *name,
                             const char *value)
{
    struct sentence_value values = {name, value, NAN};
    return chart_frame_say(frame, id, &values, 1);
}

const char *chart_frame_percent(struct chart_frame *frame, double fraction, bool exact)
{
    char number[64];
    double percent = 100 * fraction;
    double size = fabs(percent);
    if (exact)
        text_number(number, sizeof number, percent, 6);
    else if (percent > 0 && percent < 0.01)
        return "< 0.01 %";
    else if (size < 999.95)
        snprintf(number, sizeof number, "%.*f", size < 1 && size > 0 ? 2 : 1, percent);
    else
        text_number(number, sizeof number, percent, size < 1e15 ? (int)floor(log10(size)) + 1 : 3);
    return scene_format(&frame->scene, "%s %%", number);
}

bool chart_frame_is(const struct summary_gate *gate, const char *verdict)
{
    return gate != NULL && gate->verdict != NULL && strcmp(gate->verdict, verdict) == 0;
}

struct chart_cell_style chart_frame_style(const struct chart_frame *frame, enum theme_font font,
                                          enum theme_ink ink, double width, size_t lines)
{
    return (struct chart_cell_style){
        &frame->theme->font[font], frame->theme->ink[ink], CHART_MARK_NONE, width, lines, false};
}

/* ---- Head ---- */

static void put_block(struct chart_frame *frame, const struct chart_cell *cell, double gap)
{
    chart_cell_draw(&frame->scene, cell, (struct canvas_point){CHART_FRAME_MARGIN, frame->y});
    frame->y += cell->height + gap;
}

void chart_frame_sentence(struct chart_frame *frame, enum theme_font font, const char *text,
                          double gap)
{
    struct chart_cell cell = {0};
    struct chart_cell_style style = chart_frame_style(frame, font, THEME_QUIET, frame->content, 4);
    chart_cell_add(&frame->scene, &cell, text, &style);
    put_block(frame, &cell, gap);
    text_buffer_printf(&frame->description, "\n%s", text);
}

void chart_frame_notice(struct chart_frame *frame, const char *text)
{
    struct scene *scene = &frame->scene;
    struct chart_cell cell = {0};
    struct chart_cell_style style =
        chart_frame_style(frame, THEME_FONT_TEXT, THEME_TEXT, frame->content - 26, 4);
    chart_cell_add(scene, &cell, text, &style);
    struct canvas_box box = {CHART_FRAME_MARGIN, frame->y, frame->content, cell.height + 12};
    struct canvas_box edge = {box.x, box.y, 4, box.height};
    struct canvas_paint ground = {frame->theme->ink[THEME_NOTICE], CANVAS_NONE, CANVAS_NONE, 0, 0};
    struct canvas_paint mark = {frame->theme->ink[THEME_NOTICE_EDGE], CANVAS_NONE, CANVAS_NONE, 0,
                                0};
    scene_rectangle(scene, box, &ground);
    scene_rectangle(scene, edge, &mark);
    chart_cell_draw(scene, &cell, (struct canvas_point){box.x + 14, box.y + 6});
    frame->y += box.height + 8;
}

static void put_common_notices(struct chart_frame *frame)
{
    const char *level = frame->group->evidence_level;
    const struct evidence_level *row =
        level != NULL ? evidence_level_find(level, strlen(level)) : NULL;
    if (row == NULL || !row->several_gpus)
        chart_frame_notice(
            frame,
            chart_frame_say1(frame, "chart.notice.level", "level",
                             level != NULL ? level : texts_get(frame->texts, "chart.unknown")));
    if (!frame->of_group && frame->every.count < frame->group->candidate_count) {
        struct sentence_value values[] = {
            {"shown", NULL, (double)frame->every.count},
            {"total", NULL, (double)frame->group->candidate_count},
        };
        chart_frame_notice(frame, chart_frame_say(frame, "chart.notice.rows", values, 2));
    }
    if (frame->group->candidate_count == 0)
        chart_frame_notice(frame, texts_get(frame->texts, "chart.notice.no_candidates"));
}

void chart_frame_header(struct chart_frame *frame, const char *title, const char *subtitle)
{
    struct chart_cell head = {0};
    struct chart_cell_style style =
        chart_frame_style(frame, THEME_FONT_TITLE, THEME_TEXT, frame->content, 2);
    if (!frame->input->below_heading) {
        chart_cell_add(&frame->scene, &head, title, &style);
        put_block(frame, &head, 4);
        frame->head = floor(frame->y - HEAD_ROOM);
        head = (struct chart_cell){0};
    }
    style = chart_frame_style(frame, THEME_FONT_SUBTITLE, THEME_QUIET, frame->content, 3);
    chart_cell_add(&frame->scene, &head, subtitle, &style);
    if (frame->input->summary->group_count > 1 && frame->group->label != NULL) {
        struct sentence_value values[] = {
            {"group", NULL, (double)frame->input->group + 1},
            {"groups", NULL, (double)frame->input->summary->group_count},
            {"label", frame->group->label, NAN},
        };
        chart_cell_add(&frame->scene, &head, chart_frame_say(frame, "chart.group", values, 3),
                       &style);
    }
    if (chart_frame_is_slice(frame)) {
        size_t before = (size_t)(frame->rows.items - frame->every.items);
        struct sentence_value values[] = {
            {"first", NULL, (double)before + 1},
            {"last", NULL, (double)(before + frame->rows.count)},
            {"total", NULL, (double)frame->every.count},
        };
        chart_cell_add(&frame->scene, &head, chart_frame_say(frame, "chart.slice", values, 3),
                       &style);
    }
    put_block(frame, &head, 12);
    text_buffer_puts(&frame->description, subtitle);
    put_common_notices(frame);
}

/* ---- Rows ---- */

static const char *failed_gates(struct chart_frame *frame,
                                const struct summary_candidate *candidate)
{
    struct text_buffer list = {0};
    for (size_t i = 0; i < candidate->gate_failures.count; i++) {
        /* The reason of a failed run stands in its row: that says it. */
        if (strcmp(candidate->gate_failures.items[i], "runtime") == 0)
            continue;
        if (list.length > 0)
            text_buffer_puts(&list, texts_get(frame->texts, "word.list_separator"));
        text_buffer_puts(&list,
                         texts_word(frame->texts, "gate", candidate->gate_failures.items[i]));
    }
    if (list.failed)
        frame->scene.failed = true;
    const char *text =
        list.text == NULL || list.failed
            ? ""
            : chart_frame_say1(frame, "chart.status.not_eligible", "gates", list.text);
    text_buffer_fini(&list);
    return text;
}

bool chart_frame_chosen(const struct chart_frame *frame, const struct summary_candidate *candidate)
{
    const struct summary_decision *decision = &frame->group->decision;
    return decision->decision != NULL && strcmp(decision->decision, "accept") == 0 &&
           decision->candidate >= 0 &&
           candidate - frame->group->candidates == (ptrdiff_t)decision->candidate;
}

static const char *standing(struct chart_frame *frame, const struct summary_candidate *candidate)
{
    if (chart_frame_chosen(frame, candidate))
        return texts_get(frame->texts, "chart.status.selected");
    return candidate->rank == 1 ? texts_get(frame->texts, "chart.status.best") : NULL;
}

const char *chart_frame_name(const struct chart_frame *frame,
                             const struct summary_candidate *candidate)
{
    if (candidate->label != NULL && candidate->label[0] != '\0')
        return candidate->label;
    if (candidate->strategy != NULL && candidate->strategy[0] != '\0')
        return candidate->strategy;
    return texts_get(frame->texts, "chart.unknown");
}

struct chart_cell chart_frame_label(struct chart_frame *frame,
                                    const struct summary_candidate *candidate, double width)
{
    struct chart_cell cell = {0};
    const char *place = standing(frame, candidate);
    bool first = place != NULL;
    size_t lines = frame->every.count <= FEW_ROWS ? LABEL_LINES_FEW : 3;
    struct chart_cell_style name = chart_frame_style(
        frame, first ? THEME_FONT_STRONG : THEME_FONT_TEXT, THEME_TEXT, width, lines);
    struct chart_cell_style status =
        chart_frame_style(frame, THEME_FONT_SMALL_STRONG, THEME_GOOD, width, 2);
    name.keep_end = true;
    status.mark = CHART_MARK_CHECK;
    chart_cell_add(&frame->scene, &cell, chart_frame_name(frame, candidate), &name);
    if (first)
        chart_cell_add(&frame->scene, &cell, place, &status);
    status = chart_frame_style(frame, THEME_FONT_SMALL, THEME_BAD, width, 4);
    if (!candidate->eligible)
        chart_cell_add(&frame->scene, &cell, failed_gates(frame, candidate), &status);
    return cell;
}

static void describe_cell(struct text_buffer *out, const struct chart_cell *cell)
{
    for (size_t i = 0; i < cell->count; i++)
        text_buffer_printf(out, "%s%s", i > 0 ? " " : "", cell->lines[i].text.text);
}

void chart_frame_describe(struct chart_frame *frame, const struct chart_cell *label,
                          const struct chart_cell *value, const struct chart_cell *note)
{
    text_buffer_puts(&frame->description, "\n");
    describe_cell(&frame->description, label);
    text_buffer_puts(&frame->description, ": ");
    describe_cell(&frame->description, value);
    if (note->count > 0)
        text_buffer_puts(&frame->description, "; ");
    describe_cell(&frame->description, note);
}

/* ---- Foot ---- */

static void put_part(struct text_buffer *line, const char *text)
{
    if (text == NULL || text[0] == '\0')
        return;
    if (line->length > 0)
        text_buffer_puts(line, "  \xC2\xB7  "); /* a middle dot */
    text_buffer_puts(line, text);
}

static void put_number(struct chart_frame *frame, struct text_buffer *line, const char *id,
                       double number)
{
    struct sentence_value value = {"count", NULL, number};
    if (!isnan(number))
        put_part(line, chart_frame_say(frame, id, &value, 1));
}

static size_t source_count(const struct chart_frame *frame)
{
    size_t count = 0;
    for (size_t i = 0; i < frame->group->candidate_count; i++)
        count += frame->group->candidates[i].source_count;
    return count;
}

/* Of a comparison: what was held against what. */
static void put_sides(struct chart_frame *frame, struct text_buffer *line)
{
    const struct changes *changes = frame->input->summary->changes;
    put_part(line, chart_frame_say1(frame, "chart.source.base", "path", changes->base.path));
    put_part(line, chart_frame_say1(frame, "chart.source.new", "path", changes->now.path));
}

static void put_source(struct chart_frame *frame)
{
    const struct summary_group *group = frame->group;
    struct text_buffer line = {0};
    if (group->evidence_level != NULL)
        put_part(&line,
                 chart_frame_say1(frame, "chart.source.level", "level", group->evidence_level));
    put_part(&line, group->model);
    put_part(&line, group->dtype);
    put_number(frame, &line, "chart.source.ranks", group->world_size);
    put_number(frame, &line, "chart.source.global_batch", group->global_batch);
    put_part(&line, group->device);
    if (frame->input->summary->changes != NULL)
        put_sides(frame, &line);
    else
        put_number(frame, &line, "chart.source.files", (double)source_count(frame));
    if (frame->input->summary->program_version != NULL)
        put_part(&line, chart_frame_say1(frame, "report.version", "version",
                                         frame->input->summary->program_version));
    if (line.failed)
        frame->scene.failed = true;
    struct chart_cell cell = {0};
    struct chart_cell_style style =
        chart_frame_style(frame, THEME_FONT_SMALL, THEME_QUIET, frame->content, 4);
    chart_cell_add(&frame->scene, &cell, line.text != NULL && !line.failed ? line.text : "",
                   &style);
    struct canvas_paint rule = {CANVAS_NONE, CANVAS_NONE, frame->theme->ink[THEME_GRID], 1, 0};
    scene_line(&frame->scene, (struct canvas_point){CHART_FRAME_MARGIN, frame->y + 0.5},
               (struct canvas_point){frame->width - CHART_FRAME_MARGIN, frame->y + 0.5}, &rule);
    frame->y += 10;
    put_block(frame, &cell, 0);
    text_buffer_fini(&line);
}

enum status chart_frame_finish(struct chart_frame *frame, const char *title, struct diag *diag)
{
    put_source(frame);
    if (frame->description.failed)
        return diag_no_memory(diag);
    struct canvas_page page = {
        frame->width,
        ceil(frame->y + 18),
        title,
        frame->description.text,
        frame->theme->ink[THEME_PAGE],
        frame->head,
    };
    return scene_draw(&frame->scene, &page, diag);
}
