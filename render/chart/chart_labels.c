#include "chart_labels.h"

#include <math.h>
#include <stdlib.h>

#define GAP CHART_LABELS_GAP
#define JOINED_FROM 2.0
#define LINE_CLEAR 1.0 /* between a thin line and what it passes */
#define CORE 2.5       /* of an obstacle's edge, that a thin line may run over */
#define BESIDE_GAP 6.0 /* between two labels on a line: "micro-batch 2" and "5" are not 25 */

/* ---- A column ---- */

static int by_anchor(const void *left, const void *right)
{
    const struct chart_label *a = left;
    const struct chart_label *b = right;
    if (a->anchor.y != b->anchor.y)
        return a->anchor.y < b->anchor.y ? -1 : 1;
    return (a->anchor.x > b->anchor.x) - (a->anchor.x < b->anchor.x);
}

/* Labels that touch: the place of the first one's upper edge is the mean of what each wishes. */
struct block {
    size_t first, count;
    double wishes; /* sum, each less the height of the labels before it */
    double height, y;
};

static void settle(struct block *block, double top, double bottom)
{
    block->y = fmax(top, fmin(bottom - block->height, block->wishes / (double)block->count));
}

/* Adds `next` below `block`. */
static void join(struct block *block, const struct block *next)
{
    block->wishes += next->wishes - (double)next->count * (block->height + GAP);
    block->height += GAP + next->height;
    block->count += next->count;
}

/* Blocks that would overlap are joined until none does: pooling of adjacent violators. */
static size_t pool(const struct chart_label *labels, size_t count, struct block *blocks, double top,
                   double bottom)
{
    size_t used = 0;
    for (size_t i = 0; i < count; i++) {
        double height = labels[i].cell.height;
        struct block *last = &blocks[used++];
        *last = (struct block){i, 1, labels[i].anchor.y - height / 2, height, 0};
        settle(last, top, bottom);
        while (used > 1 &&
               blocks[used - 2].y + blocks[used - 2].height + GAP > blocks[used - 1].y) {
            join(&blocks[used - 2], &blocks[used - 1]);
            used--;
            settle(&blocks[used - 1], top, bottom);
        }
    }
    return used;
}

bool chart_labels_column(struct chart_label *labels, size_t count, double x, double top,
                         double bottom)
{
    struct block blocks[CHART_FRAME_ROWS];
    double height = 0;
    for (size_t i = 0; i < count; i++) {
        height += labels[i].cell.height + (i > 0 ? GAP : 0);
        labels[i].placed = false;
    }
    if (count == 0 || count > CHART_FRAME_ROWS || height > bottom - top)
        return count == 0;
    qsort(labels, count, sizeof *labels, by_anchor);
    size_t used = pool(labels, count, blocks, top, bottom);
    for (size_t b = 0; b < used; b++) {
        double y = blocks[b].y;
        for (size_t i = blocks[b].first; i < blocks[b].first + blocks[b].count; i++) {
            labels[i].at = (struct canvas_point){x, y};
            labels[i].placed = true;
            y += labels[i].cell.height + GAP;
        }
    }
    return true;
}

/* ---- Beside points ---- */

static struct canvas_box box_of(const struct chart_label *label, struct canvas_point at)
{
    return (struct canvas_box){at.x, at.y, label->cell.width, label->cell.height};
}

/* Where the thin line from the anchor ends: at the nearest point of the label's left or right edge,
 * at its first line; above or below it, at its edge. */
static struct canvas_point line_end(const struct chart_label *label, struct canvas_point at)
{
    struct canvas_box box = box_of(label, at);
    double x = fmax(box.x - 3, fmin(box.x + box.width + 3, label->anchor.x));
    double y = box.y + fmin(box.height, 16) / 2;
    if (x > box.x - 3 && x < box.x + box.width + 3)
        y = label->anchor.y < box.y ? box.y - 1 : box.y + box.height + 1;
    return (struct canvas_point){x, y};
}

static bool meet(const struct canvas_box *a, const struct canvas_box *b)
{
    return a->x < b->x + b->width && b->x < a->x + a->width && a->y < b->y + b->height &&
           b->y < a->y + a->height;
}

static bool contains(const struct canvas_box *box, struct canvas_point point)
{
    return point.x >= box->x && point.x <= box->x + box->width && point.y >= box->y &&
           point.y <= box->y + box->height;
}

/* Whether a straight line enters a box or touches it: what is left of it after each side has cut.
 */
static bool crosses(const struct canvas_box *box, struct canvas_point from, struct canvas_point to)
{
    const double start[] = {from.x - box->x + LINE_CLEAR, box->x + box->width - from.x + LINE_CLEAR,
                            from.y - box->y + LINE_CLEAR,
                            box->y + box->height - from.y + LINE_CLEAR};
    const double slope[] = {to.x - from.x, from.x - to.x, to.y - from.y, from.y - to.y};
    double begin = 0;
    double end = 1;
    for (size_t i = 0; i < 4; i++) {
        /* inside of this side where start + t * slope > 0 */
        if (slope[i] == 0 && start[i] <= 0)
            return false;
        if (slope[i] > 0)
            begin = fmax(begin, -start[i] / slope[i]);
        else if (slope[i] < 0)
            end = fmin(end, -start[i] / slope[i]);
    }
    return begin < end;
}

static struct canvas_box shrunk(const struct canvas_box *box)
{
    return (struct canvas_box){box->x + CORE, box->y + CORE, box->width - 2 * CORE,
                               box->height - 2 * CORE};
}

/* The thin line of a label that had to move must not run over other names and points: one could
 * not tell what it joins. It may pass them closely and cross lines; what lies on its own point does
 * not count. */
static bool is_line_free(const struct chart_label *labels, size_t index,
                         const struct chart_labels_room *room, struct canvas_point at)
{
    struct canvas_point anchor = labels[index].anchor;
    struct canvas_box box = box_of(&labels[index], at);
    struct canvas_point end = line_end(&labels[index], at);
    for (size_t i = 0; i < index; i++) {
        struct canvas_box other = box_of(&labels[i], labels[i].at);
        struct canvas_point from = labels[i].anchor;
        if (labels[i].placed && (crosses(&other, anchor, end) ||
                                 crosses(&box, from, line_end(&labels[i], labels[i].at))))
            return false;
    }
    for (size_t i = 0; i < room->obstacle_count; i++) {
        struct canvas_box core = shrunk(&room->obstacles[i]);
        if (core.width > 0 && core.height > 0 && !contains(&room->obstacles[i], anchor) &&
            crosses(&core, anchor, end))
            return false;
    }
    return true;
}

static bool is_free(const struct chart_label *labels, size_t index,
                    const struct chart_labels_room *room, struct canvas_point at)
{
    struct canvas_box box = box_of(&labels[index], at);
    const struct canvas_box *bounds = &room->bounds;
    if (box.x < bounds->x || box.y < bounds->y || box.x + box.width > bounds->x + bounds->width ||
        box.y + box.height > bounds->y + bounds->height)
        return false;
    for (size_t i = 0; i < index; i++) {
        struct canvas_box other = box_of(&labels[i], labels[i].at);
        other.x -= BESIDE_GAP;
        other.width += 2 * BESIDE_GAP;
        if (labels[i].placed && meet(&box, &other))
            return false;
    }
    for (size_t i = 0; i < room->obstacle_count; i++) {
        if (meet(&box, &room->obstacles[i]))
            return false;
    }
    return is_line_free(labels, index, room, at);
}

/* The upper left corner of a label in a direction from its anchor. */
static struct canvas_point corner(const struct chart_label *label, double right, double down,
                                  double reach)
{
    double width = label->cell.width;
    double height = label->cell.height;
    return (struct canvas_point){label->anchor.x + right * (width / 2 + reach) - width / 2,
                                 label->anchor.y + down * (height / 2 + reach) - height / 2};
}

static bool place(struct chart_label *labels, size_t index, const struct chart_labels_room *room)
{
    static const double directions[][2] = {
        {1, 0},    {-1, 0},  {0, -1},   {0, 1},     {1, -1},   {1, 1},   {-1, 1},   {-1, -1},
        {1, -0.5}, {1, 0.5}, {-1, 0.5}, {-1, -0.5}, {0.5, -1}, {0.5, 1}, {-0.5, 1}, {-0.5, -1}};
    static const double reaches[] = {1, 1.7, 2.5, 4, 6, 9, 13};
    for (size_t r = 0; r < sizeof reaches / sizeof reaches[0]; r++) {
        for (size_t d = 0; d < sizeof directions / sizeof directions[0]; d++) {
            struct canvas_point at = corner(&labels[index], directions[d][0], directions[d][1],
                                            reaches[r] * room->reach);
            if (!is_free(labels, index, room, at))
                continue;
            labels[index].at = at;
            return true;
        }
    }
    return false;
}

size_t chart_labels_beside(struct chart_label *labels, size_t count,
                           const struct chart_labels_room *room)
{
    size_t placed = 0;
    for (size_t i = 0; i < count; i++) {
        labels[i].placed = false;
        labels[i].placed = place(labels, i, room);
        placed += labels[i].placed;
    }
    return placed;
}

/* ---- Drawing ---- */

static void put_leader(struct chart_frame *frame, const struct chart_label *label)
{
    struct canvas_paint line = {CANVAS_NONE, CANVAS_NONE, label->colour, 0.8, 0};
    struct canvas_point end = line_end(label, label->at);
    if (fabs(end.y - label->anchor.y) < JOINED_FROM && fabs(end.x - label->anchor.x) < 2 * GAP)
        return;
    scene_line(&frame->scene, label->anchor, end, &line);
}

void chart_labels_put(struct chart_frame *frame, const struct chart_label *labels, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (labels[i].placed)
            put_leader(frame, &labels[i]);
    }
    for (size_t i = 0; i < count; i++) {
        if (labels[i].placed)
            chart_cell_draw(&frame->scene, &labels[i].cell, labels[i].at);
    }
}
