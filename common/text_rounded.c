#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "text.h"

/* A double times 100, or of a decimal text, may be off by its last bit: such an excess is none. */
#define SAME 1e-12
#define MOST_DECIMALS 12
#define MOST_VALUES 32

/* Digits before the point; 0 or below for a value under 1: 0.04 has -1. */
static int point_of(double value)
{
    char text[64];
    const char *exponent = strchr(text_number_exact(text, sizeof text, fabs(value)), 'e');
    if (exponent != NULL)
        return atoi(exponent + 1) + 1;
    int digits = (int)strspn(text, "0123456789");
    if (text[0] != '0')
        return digits;
    return text[1] == '.' ? -(int)strspn(text + 2, "0") : 1;
}

static int digits_of(double value, enum text_rounding rounding, int more)
{
    int least = rounding == TEXT_ROUNDED_PERCENT ? 2 : 3;
    int point = point_of(value);
    return (point + 1 > least ? point + 1 : least) + more;
}

/* The value of a number as text_number writes it. */
static double read_back(const char *text)
{
    char plain[64];
    size_t length = 0;
    double value = NAN;
    for (const char *c = text; *c != '\0' && length + 1 < sizeof plain; c++)
        if (*c != ',')
            plain[length++] = *c;
    plain[length] = '\0';
    return text_parse_number(plain, &value) ? value : NAN;
}

char *text_rounded(char *out, size_t capacity, double value, enum text_rounding rounding, int more)
{
    int digits = isfinite(value) && value != 0 ? digits_of(value, rounding, more) : 1;
    return text_number(out, capacity, value, digits);
}

struct toward {
    enum text_rounding rounding;
    bool up;
    int more; /* decimals */
};

/* Returns the number that the text says. */
static double round_toward(char *out, size_t capacity, double value, struct toward toward)
{
    text_rounded(out, capacity, value, toward.rounding, toward.more);
    double shown = read_back(out);
    if (isnan(shown) || value == 0 || fabs(shown - value) <= SAME * fabs(value) ||
        (shown > value) == toward.up)
        return shown;
    int digits = digits_of(value, toward.rounding, toward.more);
    double unit = pow(10, point_of(value) - digits);
    text_number(out, capacity, toward.up ? shown + unit : shown - unit, digits);
    return read_back(out);
}

char *text_rounded_toward(char *out, size_t capacity, double value, enum text_rounding rounding,
                          double beyond)
{
    struct toward toward = {rounding, beyond > value, 0};
    double shown = round_toward(out, capacity, value, toward);
    while (toward.more < MOST_DECIMALS && (toward.up ? shown >= beyond : shown <= beyond)) {
        toward.more++;
        shown = round_toward(out, capacity, value, toward);
    }
    return out;
}

static bool look_alike(const double *values, size_t count, enum text_rounding rounding, int more)
{
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < i; k++) {
            char a[64], b[64];
            if (isnan(values[i]) || isnan(values[k]) ||
                fabs(values[i] - values[k]) <= SAME * fabs(values[i]))
                continue;
            text_rounded(a, sizeof a, values[i], rounding, more);
            text_rounded(b, sizeof b, values[k], rounding, more);
            if (strcmp(a, b) == 0)
                return true;
        }
    }
    return false;
}

int text_rounded_apart(const double *values, size_t count, enum text_rounding rounding)
{
    int more = 0;
    size_t looked_at = count < MOST_VALUES ? count : MOST_VALUES;
    while (more < MOST_DECIMALS && look_alike(values, looked_at, rounding, more))
        more++;
    return more;
}
