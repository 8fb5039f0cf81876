#include "import_count.h"

#include <math.h>

/* Far above every count, time and rate of training, far below where digits are lost (2^53). */
#define LARGEST 1e15

bool import_count_plausible(double value)
{
    return value > 0 && value <= LARGEST;
}

static void refuse(struct import_record *record, const char *field, double value, size_t line)
{
    import_warn(record, line, "%g is no %s: it is left out", value, field);
}

void import_count_write(struct import_record *record, const char *field, double value, size_t line)
{
    if (import_count_plausible(value) && value == floor(value))
        import_number(record, field, value, line);
    else
        refuse(record, field, value, line);
}

void import_count_write_amount(struct import_record *record, const char *field, double value,
                               size_t line)
{
    if (value == 0 || import_count_plausible(value))
        import_number(record, field, value, line);
    else
        refuse(record, field, value, line);
}
