#include "text.h"

#define LONGEST 64
#define FAR_APART ((size_t)1 << 20)

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

size_t text_distance(const char *a, size_t a_length, const char *b, size_t b_length)
{
    if (a_length > LONGEST || b_length > LONGEST)
        return FAR_APART;
    /* row[j]: distance of the bytes of `a` seen so far to the first j bytes of `b` (Wagner and
     * Fischer 1974). */
    size_t row[LONGEST + 1];
    for (size_t j = 0; j <= b_length; j++)
        row[j] = j;
    for (size_t i = 1; i <= a_length; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= b_length; j++) {
            size_t substituted = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
            diagonal = row[j];
            row[j] = smaller(substituted, smaller(row[j], row[j - 1]) + 1);
        }
    }
    return row[b_length];
}
