#include <ctype.h>
#include <math.h>
#include <string.h>

#include "import_llmc.h"

static bool belongs_to_number(char c)
{
    return isdigit((unsigned char)c) || c == '.' || c == '-' || c == '+' || c == 'e' || c == ',';
}

/* The number that stands right before the first `unit`, blanks between allowed: "287.00 ms". */
static bool number_before(const struct import_span *span, const char *unit, double *value)
{
    struct import_span rest = *span;
    if (!import_scan_find(&rest, unit))
        return false;
    const char *end = rest.text - strlen(unit);
    while (end > span->text && (end[-1] == ' ' || end[-1] == '\t'))
        end--;
    const char *begin = end;
    while (begin > span->text && belongs_to_number(begin[-1]))
        begin--;
    struct import_span number = {begin, (size_t)(end - begin), false};
    return import_scan_grouped(&number, value) && number.length == 0;
}

/* Percent in front of the MFU: "43.3% bf16 MFU", "-100.0% MFU"; it stands in a column of its own.
 */
static double read_mfu(const struct import_span *span)
{
    struct import_span rest = *span;
    struct import_span before = *span;
    if (!import_scan_find(&rest, "MFU"))
        return NAN;
    before.length = (size_t)(rest.text - span->text);
    before.cut = false;
    double percent;
    return number_before(&before, "%", &percent) ? percent : NAN;
}

/* "step    1/4 |", "step 0:", "step    1/20 |", "step 1/37:"; old train_gpt2.py: "iteration 0,". */
static bool read_head(struct import_span *rest, struct import_llmc_step *step)
{
    double rank;
    import_scan_rank(rest, &rank);
    if (!import_scan_skip(rest, "step") && !import_scan_skip(rest, "iteration"))
        return false;
    if (!import_scan_count_of(rest, &step->step))
        return false;
    step->total = NAN;
    if (import_scan_skip(rest, "/") && !import_scan_count_of(rest, &step->total))
        return false;
    return import_scan_skip(rest, "|") || import_scan_skip(rest, ":") ||
           import_scan_skip(rest, ",");
}

bool import_llmc_step_read(const struct import_line *line, struct import_llmc_step *step)
{
    struct import_span rest = line->span;
    struct import_llmc_step read = {.line = line->number, .norm = NAN, .rate = NAN, .loss = NAN};
    if (!read_head(&rest, &read))
        return false;
    bool has_loss = import_scan_labelled(&rest, "loss:", &read.loss) ||
                    import_scan_labelled(&rest, "loss", &read.loss);
    if (!has_loss || !number_before(&rest, "ms", &read.ms))
        return false; /* a line that was cut, or another program's */
    read.has_norm = import_scan_labelled(&rest, "norm:", &read.norm) ||
                    import_scan_labelled(&rest, "norm", &read.norm);
    if (!import_scan_labelled(&rest, "tok/s:", &read.rate) &&
        !number_before(&rest, "tok/s", &read.rate))
        read.rate = NAN;
    read.mfu = read_mfu(&rest);
    *step = read;
    return true;
}
