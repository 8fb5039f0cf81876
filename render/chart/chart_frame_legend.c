#include "chart_frame.h"
#include "chart_marker.h"

#define SWATCH 12.0
#define SAMPLE 30.0 /* length of a line */
#define SIGN 22.0   /* of an interval, a range, a bracket */
#define DOT 8.0     /* of signs at one place */
#define GAP 6.0
#define LINE 18.0

/* One entry of either kind. */
struct entry {
    const struct chart_frame_key *key; /* NULL: a sign */
    enum chart_sign sign;
    const char *text;
};

/* Drawn around one place. */
static bool is_dot(enum chart_sign sign)
{
    return sign == CHART_SIGN_DOT || sign == CHART_SIGN_MARK || sign == CHART_SIGN_CROSS ||
           sign == CHART_SIGN_RING || sign == CHART_SIGN_UPRIGHT || sign == CHART_SIGN_LIMIT;
}

static double sign_width(const struct entry *entry)
{
    if (entry->key == NULL)
        return is_dot(entry->sign) ? DOT : SIGN;
    return entry->key->series != NULL ? SAMPLE : SWATCH;
}

static void put_key(struct chart_frame *frame, const struct chart_frame_key *key, double x)
{
    struct scene *scene = &frame->scene;
    double middle = frame->y + 2 + SWATCH / 2;
    if (key->series == NULL) {
        scene_rectangle(scene, (struct canvas_box){x, frame->y + 2, SWATCH, SWATCH},
                        &frame->theme->area[key->area]);
        return;
    }
    struct canvas_paint line = {CANVAS_NONE, CANVAS_NONE, key->series->colour, 1.8,
                                key->series->dash};
    scene_line(scene, (struct canvas_point){x, middle}, (struct canvas_point){x + SAMPLE, middle},
               &line);
    chart_marker(scene, key->series, (struct canvas_point){x + SAMPLE / 2, middle}, 4,
                 frame->theme->ink[THEME_PAGE]);
}

static void put_sign(struct chart_frame *frame, const struct entry *entry, double x)
{
    struct canvas_point from = {x, frame->y + 2 + SWATCH / 2};
    if (entry->key != NULL)
        put_key(frame, entry->key, x);
    else if (is_dot(entry->sign))
        chart_sign_put(&frame->scene, frame->theme, entry->sign,
                       (struct canvas_point){x + DOT / 2, from.y}, x + DOT / 2);
    else
        chart_sign_put(&frame->scene, frame->theme, entry->sign, from, x + SIGN);
}

/* Adds the entry at `x`, or on the next line if it does not fit; returns where the next begins. */
static double put_entry(struct chart_frame *frame, const struct entry *entry, double x)
{
    const struct canvas_font *font = &frame->theme->font[THEME_FONT_SMALL];
    double end = frame->width - CHART_FRAME_MARGIN;
    double text = sign_width(entry) + GAP;
    struct text_fit fit = scene_fit(&frame->scene, font, entry->text,
                                    (struct text_fit_room){frame->content - text, 1, false});
    if (fit.count == 0)
        return x;
    double width = text + fit.lines[0].extent.width;
    if (x + width > end && x > CHART_FRAME_MARGIN) {
        x = CHART_FRAME_MARGIN;
        frame->y += LINE;
    }
    put_sign(frame, entry, x);
    scene_text(&frame->scene, (struct canvas_point){x + text, frame->y + 12}, font,
               frame->theme->ink[THEME_QUIET], fit.lines[0].text);
    return x + width + LINE;
}

size_t chart_frame_keys_of(const struct chart_frame *frame, const bool areas[THEME_AREA_COUNT],
                           const struct chart_frame_meanings *meanings,
                           struct chart_frame_key *keys)
{
    size_t count = 0;
    for (size_t i = 0; i < meanings->count; i++) {
        const struct chart_frame_meaning *meaning = &meanings->items[i];
        if (areas[meaning->area])
            keys[count++] =
                (struct chart_frame_key){meaning->area, texts_get(frame->texts, meaning->id), NULL};
    }
    return count;
}

void chart_frame_legend_signs(struct chart_frame *frame, const struct chart_frame_keys *keys,
                              const struct chart_sign_key *signs, size_t sign_count)
{
    double x = CHART_FRAME_MARGIN;
    if (keys->count + sign_count == 0)
        return;
    frame->y += 2;
    for (size_t i = 0; i < keys->count; i++) {
        struct entry entry = {&keys->items[i], CHART_SIGN_NONE, keys->items[i].text};
        x = put_entry(frame, &entry, x);
    }
    for (size_t i = 0; i < sign_count; i++) {
        struct entry entry = {NULL, signs[i].sign, signs[i].text};
        x = put_entry(frame, &entry, x);
    }
    frame->y += LINE + 8;
}

void chart_frame_legend(struct chart_frame *frame, const struct chart_frame_key *keys, size_t count)
{
    struct chart_frame_keys all = {keys, count};
    chart_frame_legend_signs(frame, &all, NULL, 0);
}
