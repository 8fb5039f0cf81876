#include "theme.h"

#include <math.h>
#include <string.h>

#include "training_state.h"

/* Navy, teal and amber stand 33 and 18 units of CIE lightness apart: a grey print keeps them. */
#define NAVY 0x12436D
#define TEAL 0x28A197
#define AMBER 0xF2B84B
#define BLUE 0x5571B6
#define PALE 0xE6EAEF
#define EDGE 0x8E99A6

static const struct theme builtin =
    {
        .ink = {[THEME_PAGE] = 0xFFFFFF,
                [THEME_STRIPE] = 0xF5F7F9,
                [THEME_GRID] = 0xDDE2E8,
                [THEME_AXIS] = 0x7A8694,
                [THEME_TEXT] = 0x1B2430,
                [THEME_QUIET] = 0x4A5563,
                [THEME_GOOD] = 0x1E6B3A,
                [THEME_WARNING] = 0x8A5A00,
                [THEME_BAD] = 0xA61B1B,
                [THEME_LIMIT] = 0xA61B1B,
                [THEME_NOTICE] = 0xFFF6DF,
                [THEME_NOTICE_EDGE] = 0xD99A1C},
        .area =
            {
                [THEME_PARAMETERS] = {NAVY, CANVAS_NONE, CANVAS_NONE, 0, 0},
                [THEME_GRADIENTS] = {TEAL, CANVAS_NONE, CANVAS_NONE, 0, 0},
                [THEME_OPTIMIZER] = {AMBER, CANVAS_NONE, CANVAS_NONE, 0, 0},
                [THEME_KEPT_WHOLE] = {NAVY, 0xFFFFFF, NAVY, 1, 0},
                [THEME_GATHERED] = {0xAEC5DD, NAVY, NAVY, 1, 0},
                [THEME_GRADIENTS_WHOLE] = {0x84CDC4, 0x1E8077, 0x1E8077, 1, 0},
                [THEME_BUFFERS] = {0x6A7684, 0xFFFFFF, 0x6A7684, 1, 0},
                [THEME_ACTIVATIONS] = {0x8B5CB0, CANVAS_NONE, CANVAS_NONE, 0, 0},
                [THEME_WORKSPACE] = {0xF6DDAE, 0x6E4700, 0x6E4700, 1, 0},
                [THEME_TEMPORARY] = {0xFFFFFF, 0x6B7785, 0x6B7785, 1, 0},
                [THEME_NOT_ATTRIBUTED] = {PALE, CANVAS_NONE, EDGE, 1, 0},
                [THEME_BEYOND] = {CANVAS_NONE, CANVAS_NONE, 0x4A5563, 1.25, 3},
                [THEME_TIGHT] = {0xFBE3CC, CANVAS_NONE, CANVAS_NONE, 0, 0},
                [THEME_SELECTED] = {NAVY, CANVAS_NONE, CANVAS_NONE, 0, 0},
                [THEME_ELIGIBLE] = {0x6C9CC4, CANVAS_NONE, CANVAS_NONE, 0, 0},
                [THEME_NOT_ELIGIBLE] = {0xD3D9E0, CANVAS_NONE, EDGE, 1, 0},
                [THEME_NOT_COUNTED] = {0xFFFFFF, 0xAAB3BE, EDGE, 1, 0},
                [THEME_COMMUNICATION] = {TEAL, CANVAS_NONE, CANVAS_NONE, 0, 0},
                [THEME_HIDDEN] = {0xFFFFFF, TEAL, TEAL, 1, 0},
                [THEME_BANDWIDTH] = {BLUE, CANVAS_NONE, CANVAS_NONE, 0, 0},
                [THEME_FORWARD] = {BLUE, CANVAS_NONE, CANVAS_NONE, 0, 0},
                [THEME_BACKWARD] = {NAVY, CANVAS_NONE, CANVAS_NONE, 0, 0},
                [THEME_UPDATE] = {AMBER, CANVAS_NONE, CANVAS_NONE, 0, 0},
                [THEME_OTHER_TIME] = {0x16191E, CANVAS_NONE, CANVAS_NONE, 0, 0},
                [THEME_FEASIBLE] = {0xE9F4EC, CANVAS_NONE, CANVAS_NONE, 0, 0},
            },
        .series = {{0x12436D, 0, THEME_MARKER_CIRCLE},
                   {0x28A197, 6, THEME_MARKER_SQUARE},
                   {0xC2410C, 0, THEME_MARKER_TRIANGLE},
                   {0x7B3F98, 3, THEME_MARKER_DIAMOND},
                   {0x8A6D00, 9, THEME_MARKER_INVERTED},
                   {0x4A5563, 2, THEME_MARKER_RING}},
        .font = {[THEME_FONT_TITLE] = {.size = 20, .bold = true},
                 [THEME_FONT_SUBTITLE] = {.size = 14},
                 [THEME_FONT_TEXT] = {.size = 13},
                 [THEME_FONT_STRONG] = {.size = 13, .bold = true},
                 [THEME_FONT_SMALL] = {.size = 11.5},
                 [THEME_FONT_SMALL_STRONG] = {.size = 11.5, .bold = true}},
        /* One family for Latin and Chinese, so that a mixed line has one look and one font is
         * loaded.
         */
        .families = "Noto Sans CJK SC,Source Han Sans SC,Noto Sans,DejaVu Sans,sans-serif",
};

const struct theme *theme_default(void)
{
    return &builtin;
}

const struct theme_series *theme_series_of(const struct theme *theme, const char *strategy)
{
    enum strategy found = STRATEGY_COUNT;
    if (strategy != NULL)
        (void)training_state_find(strategy, strlen(strategy), &found);
    return &theme->series[found];
}

canvas_colour theme_text_on(const struct theme *theme, enum theme_area area)
{
    canvas_colour ground =
        theme->area[area].fill == CANVAS_NONE ? theme->ink[THEME_PAGE] : theme->area[area].fill;
    canvas_colour dark = theme->ink[THEME_TEXT];
    return theme_contrast(ground, dark) >= theme_contrast(ground, 0xFFFFFF) ? dark : 0xFFFFFF;
}

static double linear(canvas_colour channel)
{
    double value = (double)(channel & 0xFF) / 255;
    return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4);
}

double theme_luminance(canvas_colour colour)
{
    return 0.2126 * linear(colour >> 16) + 0.7152 * linear(colour >> 8) + 0.0722 * linear(colour);
}

double theme_contrast(canvas_colour a, canvas_colour b)
{
    double one = theme_luminance(a) + 0.05;
    double other = theme_luminance(b) + 0.05;
    return one > other ? one / other : other / one;
}
