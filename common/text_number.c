#include "text.h"

#include <locale.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_DIGITS 17 /* enough for every double (IEEE 754 binary64) */

/* A value as 0.d1d2d3... times ten to `point`; trailing zeros removed, at least one digit. */
struct decimal {
    bool negative;
    int count;
    int point;
    char digits[MAX_DIGITS + 1];
};

/* Digits and exponent from "%e", which rounds correctly. The character of the decimal point is
 * skipped, whatever the locale makes it. */
static struct decimal decimal_of(double value, int digits)
{
    char text[64];
    snprintf(text, sizeof text, "%.*e", digits - 1, fabs(value));
    struct decimal decimal = {.negative = value < 0};
    const char *at = text;
    for (; *at != 'e'; at++) {
        if (*at >= '0' && *at <= '9')
            decimal.digits[decimal.count++] = *at;
    }
    decimal.point = atoi(at + 1) + 1;
    while (decimal.count > 1 && decimal.digits[decimal.count - 1] == '0')
        decimal.count--;
    decimal.digits[decimal.count] = '\0';
    return decimal;
}

static char *copy_out(char *out, size_t capacity, const char *text)
{
    if (capacity > 0)
        snprintf(out, capacity, "%s", text);
    return out;
}

static const char *name_of_not_finite(double value)
{
    return isnan(value) ? "n/a" : value < 0 ? "-inf" : "inf";
}

/* The largest result has a sign, 17 digits, 5 separators or 4 zeros, a point, an exponent. */
#define LONGEST 40

/* Without an exponent; `grouped` puts a comma between thousands. */
static void write_fixed(char text[LONGEST], const struct decimal *decimal, bool grouped)
{
    char *to = text;
    if (decimal->negative)
        *to++ = '-';
    if (decimal->point <= 0)
        *to++ = '0';
    for (int i = 0; i < decimal->point; i++) {
        if (grouped && i > 0 && (decimal->point - i) % 3 == 0)
            *to++ = ',';
        *to++ = i < decimal->count ? decimal->digits[i] : '0';
    }
    if (decimal->count > decimal->point) {
        *to++ = '.';
        for (int i = decimal->point; i < decimal->count; i++)
            *to++ = i < 0 ? '0' : decimal->digits[i];
    }
    *to = '\0';
}

static void write_exponent(char text[LONGEST], const struct decimal *decimal)
{
    snprintf(text, LONGEST, "%s%c%s%se%+03d", decimal->negative ? "-" : "", decimal->digits[0],
             decimal->count > 1 ? "." : "", decimal->digits + 1, decimal->point - 1);
}

char *text_number(char *out, size_t capacity, double value, int digits)
{
    if (!isfinite(value))
        return copy_out(out, capacity, name_of_not_finite(value));
    if (value == 0)
        return copy_out(out, capacity, "0");
    char text[LONGEST];
    int limited = digits < 1 ? 1 : digits > MAX_DIGITS ? MAX_DIGITS : digits;
    struct decimal decimal = decimal_of(value, limited);
    if (decimal.point > 15 || decimal.point < -3)
        write_exponent(text, &decimal);
    else
        write_fixed(text, &decimal, true);
    return copy_out(out, capacity, text);
}

static void write_exact(char text[LONGEST], double value, int digits)
{
    struct decimal decimal = decimal_of(value, digits);
    if (decimal.point > 16 || decimal.point < -3)
        write_exponent(text, &decimal);
    else
        write_fixed(text, &decimal, false);
}

/* The digits of a number above 0, and their count. */
static int write_whole(char digits[MAX_DIGITS + 1], uint64_t number)
{
    int count = 0;
    for (uint64_t rest = number; rest > 0; rest /= 10)
        count++;
    for (int i = count; i-- > 0; number /= 10)
        digits[i] = (char)('0' + number % 10);
    digits[count] = '\0';
    return count;
}

/* Beyond this a product with a power of ten could lose the last digit; below it, not. */
#define EXACT_BELOW 1e15

/*
 * Writes a number of up to 15 digits, the usual case, without asking printf: such a number is
 * n / 10^k with n < 10^15, and both are doubles without rounding, so that the quotient is the
 * double that reading the decimal gives (W. Clinger, How to Read Floating Point Numbers Accurately,
 * 1990). The smallest k leaves no zero at the end. False if 15 digits do not suffice.
 */
static bool write_short(char text[LONGEST], double value)
{
    static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,
                                    1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19};
    double size = fabs(value);
    for (size_t k = 0; k < sizeof powers / sizeof powers[0]; k++) {
        double scaled = nearbyint(size * powers[k]);
        if (scaled >= EXACT_BELOW)
            return false;
        if (scaled / powers[k] != size)
            continue;
        struct decimal decimal = {.negative = value < 0};
        decimal.count = write_whole(decimal.digits, (uint64_t)scaled);
        decimal.point = decimal.count - (int)k;
        write_fixed(text, &decimal, false);
        return true;
    }
    return false;
}

char *text_number_exact(char *out, size_t capacity, double value)
{
    if (!isfinite(value))
        return copy_out(out, capacity, name_of_not_finite(value));
    if (value == 0)
        return copy_out(out, capacity, "0");
    char text[LONGEST];
    double size = fabs(value);
    bool plain = size >= 1e-3 && size < EXACT_BELOW; /* written without an exponent */
    if (plain && write_short(text, value))
        return copy_out(out, capacity, text);
    /* A decimal of up to 15 digits survives the way through a normal double, so that 15 digits
     * without trailing zeros are already the shortest, where they suffice. Subnormal doubles hold
     * fewer digits. */
    for (int digits = size < 0x1p-1022 ? 1 : plain ? 16 : 15; digits <= MAX_DIGITS; digits++) {
        double back = 0;
        write_exact(text, value, digits);
        if (text_parse_number(text, &back) && back == value)
            break;
    }
    return copy_out(out, capacity, text);
}

static const char *skip_digits(const char *text)
{
    while (*text >= '0' && *text <= '9')
        text++;
    return text;
}

/* Sign, digits with an optional point (digits on one side at least), an optional exponent. */
static bool is_decimal(const char *text)
{
    if (*text == '+' || *text == '-')
        text++;
    const char *end = skip_digits(text);
    size_t digits = (size_t)(end - text);
    if (*end == '.') {
        const char *fraction = skip_digits(end + 1);
        digits += (size_t)(fraction - end - 1);
        end = fraction;
    }
    if (digits > 0 && (*end == 'e' || *end == 'E')) {
        const char *exponent = end + (end[1] == '+' || end[1] == '-' ? 2 : 1);
        end = skip_digits(exponent);
        if (end == exponent)
            return false;
    }
    return digits > 0 && *end == '\0';
}

bool text_parse_number(const char *text, double *value)
{
    if (!is_decimal(text))
        return false;
    /* The C locale's object is static in glibc: nothing is allocated, and nothing can fail. */
    locale_t c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (c_locale == (locale_t)0)
        return false;
    double parsed = strtod_l(text, NULL, c_locale);
    freelocale(c_locale);
    if (!isfinite(parsed))
        return false;
    *value = parsed;
    return true;
}
