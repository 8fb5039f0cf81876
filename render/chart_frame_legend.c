#include "chart_frame.h"
#include "chart_marker.h"

#define SWATCH 12.0
#define SAMPLE 30.0 /* length of a line */
#define GAP 6.0
#define LINE 18.0

static double sign_width(const struct chart_frame_key *key)
{
    return key->series != NULL ? SAMPLE : SWATCH;
}

static void put_sign(struct chart_frame *frame, const struct chart_frame_key *key, double x)
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

void chart_frame_legend(struct chart_frame *frame, const struct chart_frame_key *keys, size_t count)
{
    struct scene *scene = &frame->scene;
    const struct canvas_font *font = &frame->theme->font[THEME_FONT_SMALL];
    double x = CHART_FRAME_MARGIN;
    double end = frame->width - CHART_FRAME_MARGIN;
    if (count == 0)
        return;
    frame->y += 2;
    for (size_t i = 0; i < count; i++) {
        struct text_fit fit =
            scene_fit(scene, font, keys[i].text, (struct text_fit_room){300, 1, false});
        if (fit.count == 0)
            continue;
        double text = sign_width(&keys[i]) + GAP;
        double width = text + fit.lines[0].extent.width;
        if (x + width > end && x > CHART_FRAME_MARGIN) {
            x = CHART_FRAME_MARGIN;
            frame->y += LINE;
        }
        put_sign(frame, &keys[i], x);
        scene_text(scene, (struct canvas_point){x + text, frame->y + 12}, font,
                   frame->theme->ink[THEME_QUIET], fit.lines[0].text);
        x += width + LINE;
    }
    frame->y += LINE + 8;
}
