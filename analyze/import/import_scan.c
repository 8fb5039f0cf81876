#include "import_scan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static void advance(struct import_span *rest, size_t bytes)
{
    rest->text += bytes;
    rest->length -= bytes;
}

static struct import_span without_blanks(struct import_span span)
{
    while (span.length > 0 && is_blank(span.text[0]))
        advance(&span, 1);
    return span;
}

struct import_span import_scan_trim(struct import_span span)
{
    span = without_blanks(span);
    while (span.length > 0 && is_blank(span.text[span.length - 1])) {
        span.length--;
        span.cut = false;
    }
    return span;
}

bool import_scan_begins(const struct import_span *span, const char *text)
{
    size_t length = strlen(text);
    return length == 0 || (span->length >= length && memcmp(span->text, text, length) == 0);
}

bool import_scan_is(const struct import_span *span, const char *text)
{
    return span->length == strlen(text) && import_scan_begins(span, text);
}

/* Where `word` stands, NULL: nowhere. memmem prepares a table for every search, which takes longer
 * than looking through a line of usual length. */
static const char *find(const char *text, size_t size, const char *word, size_t length)
{
    enum { USUAL = 512 };
    if (size > USUAL)
        return memmem(text, size, word, length);
    const char *end = text + size;
    while ((size_t)(end - text) >= length) {
        text = memchr(text, word[0], (size_t)(end - text) - length + 1);
        if (text == NULL)
            return NULL;
        if (memcmp(text, word, length) == 0)
            return text;
        text++;
    }
    return NULL;
}

bool import_scan_find(struct import_span *rest, const char *word)
{
    size_t length = strlen(word);
    if (rest->length < length) /* a zeroed span has no text at all */
        return false;
    const char *found = length > 0 ? find(rest->text, rest->length, word, length) : rest->text;
    if (found == NULL)
        return false;
    advance(rest, (size_t)(found - rest->text) + length);
    return true;
}

bool import_scan_skip(struct import_span *rest, const char *word)
{
    struct import_span span = without_blanks(*rest);
    if (!import_scan_begins(&span, word))
        return false;
    advance(&span, strlen(word));
    *rest = span;
    return true;
}

bool import_scan_word(struct import_span *rest, struct import_span *word)
{
    struct import_span span = without_blanks(*rest);
    size_t length = 0;
    while (length < span.length && !is_blank(span.text[length]))
        length++;
    if (length == 0)
        return false;
    *word = (struct import_span){span.text, length, span.cut && length == span.length};
    advance(&span, length);
    *rest = span;
    return true;
}

/* ---- Numbers ---- */

/* Bytes of the digits, and of commas between groups of three of them where they are wanted. */
static size_t digits_length(const struct import_span *span, size_t at, bool grouped)
{
    size_t length = 0;
    for (; at + length < span->length; length++) {
        char c = span->text[at + length];
        bool comma = grouped && c == ',' && length > 0 && at + length + 3 < span->length &&
                     is_digit(span->text[at + length + 1]) &&
                     is_digit(span->text[at + length + 2]) && is_digit(span->text[at + length + 3]);
        if (!is_digit(c) && !comma)
            break;
    }
    return length;
}

/* Bytes of "e-05" at `at`, 0 if there is no exponent. */
static size_t exponent_length(const struct import_span *span, size_t at)
{
    size_t length = 1;
    if (at >= span->length || lower(span->text[at]) != 'e')
        return 0;
    if (at + length < span->length && strchr("+-", span->text[at + length]) != NULL)
        length++;
    size_t digits = digits_length(span, at + length, false);
    return digits > 0 ? length + digits : 0;
}

/* Bytes of a decimal number at the beginning, 0 if there is none. */
static size_t decimal_length(const struct import_span *span, bool grouped)
{
    size_t at = span->length > 0 && strchr("+-", span->text[0]) != NULL ? 1 : 0;
    size_t whole = digits_length(span, at, grouped);
    size_t fraction = 0;
    at += whole;
    if (at < span->length && span->text[at] == '.') {
        fraction = digits_length(span, at + 1, false);
        if (whole + fraction > 0)
            at += 1 + fraction;
    }
    return whole + fraction > 0 ? at + exponent_length(span, at) : 0;
}

static bool begins_lower(const struct import_span *span, size_t at, const char *word)
{
    size_t length = strlen(word);
    if (span->length - at < length)
        return false;
    for (size_t i = 0; i < length; i++)
        if (lower(span->text[at + i]) != word[i])
            return false;
    /* "info" is no number, "nanz" neither. */
    size_t end = at + length;
    return end == span->length || lower(span->text[end]) < 'a' || lower(span->text[end]) > 'z';
}

/* Bytes of "nan", "-inf", "Infinity" at the beginning, 0 if none stands there. */
static size_t not_finite_length(const struct import_span *span, double *value)
{
    static const struct {
        const char *word;
        double value;
    } words[] = {{"nan", NAN}, {"infinity", INFINITY}, {"inf", INFINITY}};
    size_t sign = span->length > 0 && strchr("+-", span->text[0]) != NULL ? 1 : 0;
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (begins_lower(span, sign, words[i].word)) {
            *value = sign == 1 && span->text[0] == '-' ? -words[i].value : words[i].value;
            return sign + strlen(words[i].word);
        }
    }
    return 0;
}

/* The value of a number's characters; the program never leaves the C locale. A number longer than
 * any that is printed, or larger than any double, is refused. */
static bool convert(const char *text, size_t length, double *value)
{
    char digits[128];
    size_t count = 0;
    if (length >= sizeof digits)
        return false;
    for (size_t i = 0; i < length; i++)
        if (text[i] != ',')
            digits[count++] = text[i];
    digits[count] = '\0';
    double number = strtod(digits, NULL);
    if (!isfinite(number))
        return false;
    *value = number;
    return true;
}

static bool read_number(struct import_span *rest, bool grouped, double *value)
{
    struct import_span span = without_blanks(*rest);
    double number = 0;
    size_t length = not_finite_length(&span, &number);
    if (length == 0) {
        length = decimal_length(&span, grouped);
        if (length == 0 || !convert(span.text, length, &number))
            return false;
    }
    if (span.cut && length == span.length)
        return false;
    advance(&span, length);
    *rest = span;
    *value = number;
    return true;
}

bool import_scan_number(struct import_span *rest, double *value)
{
    return read_number(rest, false, value);
}

bool import_scan_grouped(struct import_span *rest, double *value)
{
    return read_number(rest, true, value);
}

bool import_scan_count_of(struct import_span *rest, double *value)
{
    struct import_span after = *rest;
    double number = 0;
    if (!read_number(&after, false, &number) || !(number >= 0) || number >= 0x1p53 ||
        number != floor(number))
        return false;
    *rest = after;
    *value = number;
    return true;
}

bool import_scan_labelled(const struct import_span *span, const char *label, double *value)
{
    struct import_span rest = *span;
    return import_scan_find(&rest, label) && import_scan_number(&rest, value);
}

/* ---- Sizes ---- */

/* Bytes of the unit that the word names; 0: it is none. */
static double unit_bytes(const struct import_span *word, enum import_scan_units units,
                         size_t *length)
{
    static const char prefixes[] = "kmgtp";
    if (begins_lower(word, 0, "bytes") || begins_lower(word, 0, "b")) {
        *length = begins_lower(word, 0, "b") ? 1 : 5;
        return 1;
    }
    const char *prefix = word->length > 0 ? strchr(prefixes, lower(word->text[0])) : NULL;
    if (prefix == NULL || *prefix == '\0')
        return 0;
    double power = (double)(prefix - prefixes) + 1;
    if (begins_lower(word, 1, "ib")) {
        *length = 3;
        return pow(1024, power);
    }
    if (!begins_lower(word, 1, "b"))
        return 0;
    *length = 2;
    return pow(units == IMPORT_SCAN_BINARY ? 1024 : 1000, power);
}

bool import_scan_size(struct import_span *rest, enum import_scan_units units, double *bytes)
{
    struct import_span after = *rest;
    double number = 0;
    size_t length = 0;
    if (!import_scan_grouped(&after, &number) || !isfinite(number))
        return false;
    after = without_blanks(after);
    double unit = unit_bytes(&after, units, &length);
    if (unit == 0)
        return false;
    advance(&after, length);
    *bytes = number * unit;
    *rest = after;
    return true;
}

/* ---- JSON ---- */

bool import_scan_json_number(const struct json_read_document *json, uint32_t node, double *value)
{
    if (json_read_double(json, node, value))
        return true;
    if (!json_read_is(json, node, JSON_READ_STRING))
        return false;
    if (json_read_equals(json, node, "NaN"))
        *value = NAN;
    else if (json_read_equals(json, node, "Infinity"))
        *value = INFINITY;
    else if (json_read_equals(json, node, "-Infinity"))
        *value = -INFINITY;
    else
        return false;
    return true;
}

size_t import_scan_json_line(const struct json_read_document *json, uint32_t node)
{
    size_t line = 0;
    size_t column = 0;
    if (node == JSON_READ_NONE)
        return 0;
    json_read_position(json, json->nodes[node].offset, &line, &column);
    return line;
}
