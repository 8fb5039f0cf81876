#include "import_told.h"

#include <math.h>

#include "text.h"

/* The range is that of bytes and FLOPS of the largest machines, and of seconds of the shortest
 * times. */
#define LARGEST 1e18
#define SMALLEST 1e-12

bool import_told_usable(double value)
{
    double size = fabs(value); /* a NAN compares false */
    return size == 0 || (size >= SMALLEST && size <= LARGEST);
}

void import_told_add(struct import_told *told, double value, size_t line)
{
    if (!import_told_usable(value) || value < 0)
        return;
    if (told->line == 0) {
        told->value = value;
        told->line = line;
    } else if (value != told->value && told->other_line == 0) {
        told->other = value;
        told->other_line = line;
    }
}

bool import_told_once(const struct import_told *told)
{
    return told->line != 0 && told->other_line == 0;
}

void import_told_write(struct import_record *record, const char *field,
                       const struct import_told *told)
{
    char first[32];
    char second[32];
    if (import_told_once(told))
        import_number(record, field, told->value, told->line);
    else if (told->line != 0)
        import_warn(record, told->other_line,
                    "the log tells two values of %s: %s in line %zu and %s here; it is left out",
                    field, text_number_exact(first, sizeof first, told->value), told->line,
                    text_number_exact(second, sizeof second, told->other));
}

void import_told_labelled(struct import_told *told, const struct import_line *line,
                          const char *label)
{
    struct import_span rest = line->span;
    double value = 0;
    if (import_scan_find(&rest, label) && import_scan_grouped(&rest, &value))
        import_told_add(told, value, line->number);
}

double import_told_whole(double value, double slack)
{
    double whole = round(value);
    if (!isfinite(value) || !(slack < 0.5) || whole < 1 || fabs(value - whole) > slack)
        return NAN;
    return fabs(value - (whole + 1)) <= slack || fabs(value - (whole - 1)) <= slack ? NAN : whole;
}
