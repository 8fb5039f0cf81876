#include "theme_sight.h"

#include <math.h>

struct rgb {
    double channel[3]; /* linear, 0 to 1 */
};

/* The transfer function of sRGB (IEC 61966-2-1). */
static double linear(unsigned channel)
{
    double value = channel / 255.0;
    return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4);
}

static struct rgb rgb_of(canvas_colour colour)
{
    return (struct rgb){
        {linear(colour >> 16 & 0xFF), linear(colour >> 8 & 0xFF), linear(colour & 0xFF)}};
}

static double lightness_curve(double t)
{
    return t > 216.0 / 24389 ? cbrt(t) : (24389.0 / 27 * t + 16) / 116; /* CIE 15:2004 */
}

static void lab_of(const struct rgb *colour, double lab[3])
{
    const double *c = colour->channel;
    /* sRGB to XYZ, then relative to the white D65 */
    double x = lightness_curve((0.4124 * c[0] + 0.3576 * c[1] + 0.1805 * c[2]) / 0.95047);
    double y = lightness_curve(0.2126 * c[0] + 0.7152 * c[1] + 0.0722 * c[2]);
    double z = lightness_curve((0.0193 * c[0] + 0.1192 * c[1] + 0.9505 * c[2]) / 1.08883);
    lab[0] = 116 * y - 16;
    lab[1] = 500 * (x - y);
    lab[2] = 200 * (y - z);
}

/* Machado, Oliveira, Fernandes 2009, "A Physiologically-based Model for Simulation of Color Vision
 * Deficiency", table of severity 1.0; on linear channels. */
static const double sights[THEME_SIGHT_COUNT][3][3] = {
    [THEME_SIGHT_NORMAL] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
    [THEME_SIGHT_PROTANOPIA] = {{0.152286, 1.052583, -0.204868},
                                {0.114503, 0.786281, 0.099216},
                                {-0.003882, -0.048116, 1.051998}},
    [THEME_SIGHT_DEUTERANOPIA] = {{0.367322, 0.860646, -0.227968},
                                  {0.280085, 0.672501, 0.047413},
                                  {-0.011820, 0.042940, 0.968881}},
    [THEME_SIGHT_TRITANOPIA] = {{1.255528, -0.076749, -0.178779},
                                {-0.078411, 0.930809, 0.147602},
                                {0.004733, 0.691367, 0.303900}},
};

static struct rgb seen_by(const struct rgb *colour, enum theme_sight sight)
{
    struct rgb seen = {{0, 0, 0}};
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++)
            seen.channel[i] += sights[sight][i][j] * colour->channel[j];
        seen.channel[i] = fmax(0, fmin(seen.channel[i], 1));
    }
    return seen;
}

const char *theme_sight_name(enum theme_sight sight)
{
    static const char *const names[THEME_SIGHT_COUNT] = {"normal sight", "protanopia",
                                                         "deuteranopia", "tritanopia"};
    return names[sight];
}

double theme_sight_distance(canvas_colour a, canvas_colour b, enum theme_sight sight)
{
    struct rgb one = rgb_of(a);
    struct rgb other = rgb_of(b);
    double labs[2][3];
    one = seen_by(&one, sight);
    other = seen_by(&other, sight);
    lab_of(&one, labs[0]);
    lab_of(&other, labs[1]);
    return sqrt(pow(labs[0][0] - labs[1][0], 2) + pow(labs[0][1] - labs[1][1], 2) +
                pow(labs[0][2] - labs[1][2], 2));
}

double theme_sight_lightness(canvas_colour colour)
{
    struct rgb rgb = rgb_of(colour);
    double lab[3];
    lab_of(&rgb, lab);
    return lab[0];
}
