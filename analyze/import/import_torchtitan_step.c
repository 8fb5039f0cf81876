#include <ctype.h>
#include <math.h>

#include "import_count.h"
#include "import_torchtitan.h"

#define BYTES_PER_GIB (1024.0 * 1024.0 * 1024.0)

/* The number behind a label, commas between thousands allowed. */
static bool labelled(const struct import_span *span, const char *label, double *value)
{
    struct import_span rest = *span;
    return import_scan_find(&rest, label) && import_scan_grouped(&rest, value);
}

/* Days from 0000-03-01 of a date of the Gregorian calendar: years begin in March, so that the leap
 * day is the last one, and months of 30.6 days on average round to the right ones. */
static double days(int year, int month, int day)
{
    int y = month > 2 ? year : year - 1;
    int m = month > 2 ? month - 3 : month + 9;
    return 365.0 * y + y / 4 - y / 100 + y / 400 + (153 * m + 2) / 5 + day - 1;
}

static bool digits_at(const char *text, const char *pattern)
{
    for (size_t i = 0; pattern[i] != '\0'; i++)
        if (pattern[i] == '0' ? !isdigit((unsigned char)text[i]) : text[i] != pattern[i])
            return false;
    return true;
}

static int two_digits(const char *text)
{
    return 10 * (text[0] - '0') + (text[1] - '0');
}

/* "2025-06-16 22:30:50,322" in the span, in milliseconds; NAN: none. */
static double read_time(struct import_span span)
{
    static const char pattern[] = "0000-00-00 00:00:00";
    const size_t length = sizeof pattern - 1;
    for (; span.length >= length; span.text++, span.length--) {
        if (!digits_at(span.text, pattern))
            continue;
        const char *t = span.text;
        int year = 100 * two_digits(t) + two_digits(t + 2);
        double seconds = days(year, two_digits(t + 5), two_digits(t + 8)) * 86400 +
                         two_digits(t + 11) * 3600 + two_digits(t + 14) * 60 + two_digits(t + 17);
        double ms = 0;
        double unit = 100;
        for (size_t i = length + 1; i < span.length && isdigit((unsigned char)t[i]); i++) {
            ms += unit * (t[i] - '0');
            unit /= 10;
        }
        bool fraction = length < span.length && (t[length] == ',' || t[length] == '.');
        return seconds * 1e3 + (fraction ? ms : 0);
    }
    return NAN;
}

/* The step's number behind "step:", unless it is a validation's: "validate step: 10", "context: val
 * step: 10". *before becomes what stands before it. */
static bool read_head(struct import_span *rest, struct import_span *before, double *step)
{
    double total;
    struct import_span words = *rest;
    if (!import_scan_find(rest, "step:"))
        return false;
    words.length = (size_t)(rest->text - words.text);
    words.cut = false;
    *before = words;
    if (import_scan_find(&words, "validate ") || import_scan_find(&words, "context: val"))
        return false;
    if (!import_scan_count_of(rest, step))
        return false;
    return !import_scan_skip(rest, "/") || import_scan_count_of(rest, &total);
}

/* "memory: 49.66GiB(52.28%)"; a device without statistics gives -1 byte, which is no memory. */
static void read_memory(struct import_span rest, struct import_torchtitan_line *read)
{
    double bytes;
    double percent;
    if (!import_scan_find(&rest, "memory:") ||
        !import_scan_size(&rest, IMPORT_SCAN_BINARY, &bytes) || !import_count_plausible(bytes))
        return;
    read->memory_gib = bytes / BYTES_PER_GIB;
    if (import_scan_skip(&rest, "(") && import_scan_number(&rest, &percent) &&
        import_count_plausible(percent))
        read->memory_percent = percent;
}

bool import_torchtitan_line_read(const struct import_line *line,
                                 struct import_torchtitan_line *read)
{
    struct import_torchtitan_line found = {.rank = -1, .line = line->number};
    struct import_span rest = line->span;
    struct import_span before;
    found.loss = found.grad_norm = found.memory_gib = found.memory_percent = NAN;
    found.tps = found.tflops = found.mfu = NAN;
    import_scan_rank(&rest, &found.rank);
    if (!read_head(&rest, &before, &found.step) ||
        (!labelled(&rest, "tps:", &found.tps) && !labelled(&rest, "wps:", &found.tps)))
        return false;
    found.time_ms = read_time(before);
    found.has_loss = labelled(&rest, "loss:", &found.loss) && found.loss != -1;
    found.has_norm = labelled(&rest, "grad_norm:", &found.grad_norm) ||
                     labelled(&rest, "grad norm:", &found.grad_norm);
    labelled(&rest, "tflops:", &found.tflops);
    labelled(&rest, "mfu:", &found.mfu);
    read_memory(rest, &found);
    *read = found;
    return true;
}
