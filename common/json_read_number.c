#include "json_read.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "json_read_parser.h"

/*
 * Halfway points between doubles have at most 767 significant digits, so one more digit that says
 * whether anything but zeros follows decides every rounding (see "Correctly Rounded Binary-Decimal
 * and Decimal-Binary Conversions", D. Gay, 1990).
 */
#define MAX_DIGITS 780

/* Every exponent beyond gives 0 or overflow, whatever the digits. Leaves room for adding. */
#define MAX_EXPONENT 1000000

/* A number as written: sign, the significant digits as an integer, times ten to the exponent. */
struct decimal {
    bool negative;
    const char *digits; /* first digit that is not 0; a point may follow later */
    const char *end;    /* after the last digit or point */
    size_t count;       /* digits from `digits` on; 0 for zero */
    int64_t exponent;   /* of the last digit */
};

static int64_t read_exponent(const char *p, const char *end)
{
    bool negative = p < end && *p == '-';
    if (p < end && (*p == '-' || *p == '+'))
        p++;
    int64_t value = 0;
    /* The bound is far above the length of any text, so that 0.00...1e5000000000 is right. */
    for (; p < end && value < INT64_C(1000000000000); p++)
        value = value * 10 + (*p - '0');
    return negative ? -value : value;
}

static struct decimal decompose(const char *p, const char *end)
{
    struct decimal number = {.negative = *p == '-'};
    p += number.negative;
    int64_t fraction = 0;
    bool after_point = false;
    for (; p < end && *p != 'e' && *p != 'E'; p++) {
        if (*p == '.') {
            after_point = true;
            continue;
        }
        fraction += after_point;
        if (number.count > 0 || *p != '0') {
            if (number.count++ == 0)
                number.digits = p;
        }
    }
    number.end = p;
    number.exponent = (p < end ? read_exponent(p + 1, end) : 0) - fraction;
    return number;
}

/* The powers of ten that a double holds exactly. */
static const double exact_powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                      1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                      1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

/* One correctly rounded operation on exact operands (W. Clinger, "How to Read Floating Point
 * Numbers Accurately", 1990). */
static bool convert_exactly(uint64_t mantissa, int64_t exponent, double *value)
{
    if (FLT_EVAL_METHOD != 0 || mantissa > UINT64_C(1) << 53 || exponent < -22 || exponent > 22)
        return false;
    if (exponent < 0)
        *value = (double)mantissa / exact_powers[-exponent];
    else
        *value = (double)mantissa * exact_powers[exponent];
    return true;
}

static const uint64_t powers_of_ten[] = {UINT64_C(1),
                                         UINT64_C(10),
                                         UINT64_C(100),
                                         UINT64_C(1000),
                                         UINT64_C(10000),
                                         UINT64_C(100000),
                                         UINT64_C(1000000),
                                         UINT64_C(10000000),
                                         UINT64_C(100000000),
                                         UINT64_C(1000000000),
                                         UINT64_C(10000000000),
                                         UINT64_C(100000000000),
                                         UINT64_C(1000000000000),
                                         UINT64_C(10000000000000),
                                         UINT64_C(100000000000000),
                                         UINT64_C(1000000000000000),
                                         UINT64_C(10000000000000000),
                                         UINT64_C(100000000000000000),
                                         UINT64_C(1000000000000000000),
                                         UINT64_C(10000000000000000000)};

__extension__ typedef unsigned __int128 wide;

/* A number of at least 64 bits, and whether anything follows it, times two to `scale`: rounded to
 * the nearest double, ties to even. */
static double round_wide(wide number, bool inexact, int scale)
{
    uint64_t high = (uint64_t)(number >> 64);
    int bits = high == 0 ? 64 : 128 - __builtin_clzll(high);
    int dropped = bits - DBL_MANT_DIG;
    uint64_t kept = (uint64_t)(number >> dropped);
    wide rest = number & (((wide)1 << dropped) - 1);
    wide half = (wide)1 << (dropped - 1);
    if (rest > half || (rest == half && (inexact || (kept & 1) != 0)))
        kept++;
    return ldexp((double)kept, dropped + scale);
}

/* Up to 19 digits with as many decimals or fewer, as programs write doubles: one division of whole
 * numbers, whose quotient has more bits than a double. */
static bool convert_by_division(uint64_t mantissa, int64_t exponent, double *value)
{
    if (mantissa == 0 || exponent > 0 || exponent < -19)
        return false;
    /* At least 2^127 / 10^19, which is above 2^63. */
    int shift = __builtin_clzll(mantissa);
    wide dividend = (wide)(mantissa << shift) << 64;
    wide quotient = dividend / powers_of_ten[-exponent];
    *value = round_wide(quotient, quotient * powers_of_ten[-exponent] != dividend, -64 - shift);
    return true;
}

/* Up to `limit` of the digits into `out`; returns how many. */
static size_t copy_digits(const struct decimal *number, char *out, size_t limit)
{
    size_t used = 0;
    for (const char *p = number->digits; used < limit && used < number->count; p++)
        if (*p != '.')
            out[used++] = *p;
    return used;
}

static bool more_digits(const struct decimal *number, size_t used)
{
    for (const char *p = number->digits; p < number->end; p++)
        if (*p != '.' && (used == 0 ? *p != '0' : (used--, false)))
            return true;
    return false;
}

/* strtod rounds correctly, and without a decimal point its result does not depend on the locale. */
static double convert_slowly(const struct decimal *number)
{
    char text[MAX_DIGITS + 32];
    size_t used = copy_digits(number, text, MAX_DIGITS);
    int64_t exponent = number->exponent;
    if (used < number->count) {
        exponent += (int64_t)(number->count - used);
        if (more_digits(number, used)) {
            text[used++] = '1';
            exponent--;
        }
    }
    if (exponent > MAX_EXPONENT)
        exponent = MAX_EXPONENT;
    if (exponent < -MAX_EXPONENT)
        exponent = -MAX_EXPONENT;
    snprintf(text + used, sizeof text - used, "e%d", (int)exponent);
    return strtod(text, NULL);
}

static double convert(const struct decimal *number)
{
    double value = 0;
    uint64_t mantissa = 0;
    if (number->count <= 19) {
        char digits[19];
        size_t used = copy_digits(number, digits, sizeof digits);
        for (size_t i = 0; i < used; i++)
            mantissa = mantissa * 10 + (uint64_t)(digits[i] - '0');
    }
    if (number->count > 0 &&
        (number->count > 19 || (!convert_exactly(mantissa, number->exponent, &value) &&
                                !convert_by_division(mantissa, number->exponent, &value))))
        value = convert_slowly(number);
    return number->negative ? -value : value;
}

unsigned json_read_parser_range(const char *digits, const char *end)
{
    struct decimal number = decompose(digits, end);
    int64_t magnitude = number.exponent + (int64_t)number.count; /* below 10^magnitude */
    if (number.count == 0 || magnitude <= DBL_MAX_10_EXP)
        return 0;
    if (magnitude <= DBL_MAX_10_EXP + 1 && isfinite(convert(&number)))
        return 0;
    return JSON_READ_NUMBER_OUT_OF_RANGE;
}

static struct decimal decompose_node(const struct json_read_document *document, uint32_t node)
{
    const struct json_read_node *number = &document->nodes[node];
    const char *text = document->text + number->offset;
    return decompose(text, text + number->length);
}

/* A number of which some characters are read. */
struct reading {
    uint64_t mantissa;
    size_t decimals;
    bool point;
};

/*
 * Up to eight characters more, digits and perhaps the point, taken as one word; `p` has eight
 * readable bytes. Digits are brought into the upper bytes with zeros before them, the point is
 * taken out, and neighbours are joined to pairs, fours and eight: (10 a + b), (100 a + b), (10000 a
 * + b).
 */
static inline bool read_word(const char *p, size_t length, struct reading *reading)
{
    uint64_t word = json_read_parser_load(p) ^ JSON_READ_PARSER_ONES * '0';
    word <<= 64 - 8 * length;
    uint64_t point = word ^ JSON_READ_PARSER_ONES * ('.' ^ '0');
    uint64_t found = (point - JSON_READ_PARSER_ONES) & ~point & JSON_READ_PARSER_HIGH_BITS;
    size_t digits = length;
    if (found != 0) {
        size_t place = json_read_parser_first(found);
        uint64_t before = (UINT64_C(1) << (8 * place)) - 1;
        reading->decimals = 7 - place;
        word = (word & ~(before << 8 | 0xFF)) | (word & before) << 8;
        digits--;
    } else if (reading->point) {
        reading->decimals += length;
    }
    reading->point = reading->point || found != 0;
    if ((((word & ~JSON_READ_PARSER_HIGH_BITS) + JSON_READ_PARSER_ONES * 0x76) | word) &
        JSON_READ_PARSER_HIGH_BITS)
        return false;
    word = (word * (1 + (10 << 8))) >> 8 & UINT64_C(0x00FF00FF00FF00FF);
    word = (word * (1 + (100 << 16))) >> 16 & UINT64_C(0x0000FFFF0000FFFF);
    word = (word * (1 + (UINT64_C(10000) << 32))) >> 32;
    reading->mantissa = reading->mantissa * powers_of_ten[digits] + word;
    return true;
}

/* Most numbers: up to 19 digits, perhaps a point, no sign and no exponent. The same value as
 * `convert`; false if it takes more than that. `p` has `readable` bytes. */
static bool convert_plainly(const char *p, size_t length, size_t readable, double *value)
{
    struct reading reading = {0};
    size_t whole = length;
    if (length > 20 || readable < (length + 7) / 8 * 8)
        return false;
    for (; length > 8; length -= 8, p += 8)
        if (!read_word(p, 8, &reading))
            return false;
    if (!read_word(p, length, &reading))
        return false;
    if (whole == 20 && !reading.point) /* as many digits may be too many */
        return false;
    int64_t exponent = -(int64_t)reading.decimals;
    return convert_exactly(reading.mantissa, exponent, value) ||
           convert_by_division(reading.mantissa, exponent, value);
}

bool json_read_double(const struct json_read_document *document, uint32_t node, double *value)
{
    if (!json_read_is(document, node, JSON_READ_NUMBER) ||
        (document->nodes[node].flags & JSON_READ_NUMBER_OUT_OF_RANGE) != 0)
        return false;
    const struct json_read_node *raw = &document->nodes[node];
    if (convert_plainly(document->text + raw->offset, raw->length, document->size - raw->offset,
                        value))
        return true;
    struct decimal number = decompose_node(document, node);
    *value = convert(&number);
    return true;
}

bool json_read_doubles(const struct json_read_document *document, uint32_t first, uint32_t count,
                       double *values)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct json_read_node *node = &document->nodes[first + i];
        struct reading reading = {0};
        /* As samples are mostly written; fewer digits than a double has are exact. */
        if (FLT_EVAL_METHOD == 0 && node->type == JSON_READ_NUMBER && node->length <= 8 &&
            document->size - node->offset >= 8 &&
            read_word(document->text + node->offset, node->length, &reading))
            values[i] = (double)reading.mantissa / exact_powers[reading.decimals];
        else if (!json_read_double(document, first + i, &values[i]))
            return false;
    }
    return true;
}

/* Trailing zeros of the digits belong to the exponent: 4.0 is 4. */
static size_t trailing_zeros(const struct decimal *number)
{
    size_t zeros = 0;
    for (const char *p = number->end; zeros < number->count && (p[-1] == '0' || p[-1] == '.'); p--)
        zeros += p[-1] == '0';
    return zeros;
}

bool json_read_int64(const struct json_read_document *document, uint32_t node, int64_t *value)
{
    if (!json_read_is(document, node, JSON_READ_NUMBER))
        return false;
    struct decimal number = decompose_node(document, node);
    size_t zeros = trailing_zeros(&number);
    size_t count = number.count - zeros;
    int64_t exponent = number.exponent + (int64_t)zeros;
    if (count == 0) {
        *value = 0;
        return true;
    }
    if (exponent < 0 || count > 19 || exponent > 18)
        return false;
    char digits[19];
    copy_digits(&number, digits, count);
    int64_t sum = 0; /* negative, as INT64_MIN has no counterpart */
    for (int64_t i = 0; i < (int64_t)count + exponent; i++) {
        int digit = i < (int64_t)count ? digits[i] - '0' : 0;
        if (__builtin_mul_overflow(sum, 10, &sum) || __builtin_sub_overflow(sum, digit, &sum))
            return false;
    }
    if (!number.negative && sum == INT64_MIN)
        return false;
    *value = number.negative ? sum : -sum;
    return true;
}

double json_read_half_unit(const struct json_read_document *document, uint32_t node)
{
    if (!json_read_is(document, node, JSON_READ_NUMBER))
        return NAN;
    struct decimal number = decompose_node(document, node);
    struct decimal half = {.digits = "5", .count = 1, .exponent = number.exponent - 1};
    half.end = half.digits + 1;
    return convert(&half);
}
