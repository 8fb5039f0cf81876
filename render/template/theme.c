#include "theme.h"

#include <math.h>
#include <string.h>

#include "training_state.h"

const struct theme_series *theme_series_of(const struct theme *theme, const char *strategy)
{
    enum strategy found = STRATEGY_COUNT;
    if (strategy != NULL)
        (void)training_state_find(strategy, strlen(strategy), &found);
    return &theme->series[found];
}

canvas_colour theme_text_on(const struct theme *theme, enum theme_area area)
{
    canvas_colour ground = theme->area[area].fill;
    if (ground == CANVAS_NONE || ground == theme->ink[THEME_PAGE] || area == THEME_TIGHT ||
        area == THEME_FEASIBLE)
        return theme->ink[THEME_TEXT];
    canvas_colour dark = theme->ink[THEME_TEXT_ON_LIGHT];
    canvas_colour light = theme->ink[THEME_TEXT_ON_DARK];
    return theme_contrast(ground, dark) >= theme_contrast(ground, light) ? dark : light;
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
