#include "validation_own.h"

#include <math.h>

bool validation_own_whole(const struct validation *v)
{
    return v->own_producer && !validation_has_failed(v);
}

uint32_t validation_own_section(const struct validation *v, const char *name)
{
    return validation_member(v, v->root, name);
}

uint32_t validation_own_list(const struct validation *v, uint32_t section, const char *name)
{
    uint32_t list = validation_member(v, section, name);
    return json_read_is(v->json, list, JSON_READ_ARRAY) ? list : JSON_READ_NONE;
}

static bool read(const struct validation *v, uint32_t node, double *value)
{
    return json_read_is(v->json, node, JSON_READ_NUMBER) &&
           json_read_double(v->json, node, value) && *value >= 0;
}

bool validation_own_number(const struct validation *v, uint32_t object, const char *name,
                           double *value)
{
    return read(v, validation_member(v, object, name), value);
}

bool validation_own_count(const struct validation *v, uint32_t object, const char *name,
                          double *value)
{
    if (!validation_own_number(v, object, name, value))
        return false;
    /* Beyond 2^53 there are no fractions. */
    return *value >= 0x1p53 || *value == (double)(int64_t)*value;
}

bool validation_own_sum(const struct validation *v, uint32_t object, double *sum)
{
    *sum = 0;
    if (!json_read_is(v->json, object, JSON_READ_OBJECT))
        return false;
    for (uint32_t key = json_read_first(v->json, object); key != JSON_READ_NONE;
         key = json_read_next(v->json, object, key)) {
        double value;
        if (!read(v, key + 1, &value))
            return false;
        *sum += value;
    }
    return true;
}

bool validation_own_same(double a, double b)
{
    return fabs(a - b) <= 1e-9 * fmax(fabs(a), fabs(b));
}
