#include "normalise.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "statistics.h"

#define LONGEST_NAME 128

struct unit {
    const char *suffix;
    double bytes;
};

/* `_mb` is 2^20 as in the contract's own metrics; `_gb` is 10^9, as reports print it. */
static const struct unit units[] = {
    {"_bytes", 1}, {"_mb", 1048576}, {"_mib", 1048576}, {"_gib", 1073741824}, {"_gb", 1e9},
};

static const char *const kind_prefixes[MEMORY_KIND_COUNT] = {
    [MEMORY_ALLOCATED] = "peak_allocated",
    [MEMORY_RESERVED] = "peak_reserved",
    [MEMORY_DEVICE] = "peak_device",
};

/* The unit whose suffix ends `name`, or NULL. */
static const struct unit *unit_of(const char *name, size_t length)
{
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        size_t suffix = strlen(units[i].suffix);
        if (length > suffix && strcmp(name + length - suffix, units[i].suffix) == 0)
            return &units[i];
    }
    return NULL;
}

bool normalise_memory_find(const char *name, struct normalise_memory_name *found)
{
    size_t length = strlen(name);
    const struct unit *unit = unit_of(name, length);
    if (unit == NULL || strstr(name, "checkpoint") != NULL)
        return false;
    size_t stem = length - strlen(unit->suffix);
    for (int kind = 0; kind < MEMORY_KIND_COUNT; kind++) {
        size_t prefix = strlen(kind_prefixes[kind]);
        if (stem < prefix || memcmp(name, kind_prefixes[kind], prefix) != 0)
            continue;
        if (stem > prefix && name[prefix] != '_')
            continue;
        *found = (struct normalise_memory_name){(enum memory_kind)kind, unit->bytes};
        return true;
    }
    return false;
}

double normalise_mb(double value, double unit_bytes)
{
    if (unit_bytes == 1048576)
        return value;
    double bytes = value * unit_bytes;
    double whole = nearbyint(bytes);
    if (fabs(bytes - whole) < 1e-3)
        bytes = whole;
    double mb = bytes / 1048576;
    return isfinite(mb) ? mb : NAN;
}

const char *normalise_dtype(const char *dtype)
{
    static const struct {
        const char *spelling, *name;
    } spellings[] = {
        {"bf16", "bf16"},  {"bfloat16", "bf16"}, {"fp16", "fp16"}, {"float16", "fp16"},
        {"half", "fp16"},  {"f16", "fp16"},      {"fp32", "fp32"}, {"float32", "fp32"},
        {"float", "fp32"}, {"f32", "fp32"},
    };
    if (dtype == NULL)
        return NULL;
    const char *text = strncasecmp(dtype, "torch.", 6) == 0 ? dtype + 6 : dtype;
    for (size_t i = 0; i < sizeof spellings / sizeof spellings[0]; i++)
        if (strcasecmp(text, spellings[i].spelling) == 0)
            return spellings[i].name;
    return dtype;
}

void normalise_report(struct normalise *context, const char *metric, const char *from, double value,
                      const char *unit)
{
    struct normalised *items = arena_room(context->arena, context->items, context->count,
                                          &context->capacity, sizeof *items);
    if (items == NULL) {
        context->failed = true;
        return;
    }
    context->items = items;
    context->items[context->count++] = (struct normalised){metric, from, value, unit};
}

double normalise_number(const struct normalise *context, uint32_t object, const char *name)
{
    double value = NAN;
    uint32_t node = json_read_member(context->json, object, name);
    if (!json_read_is(context->json, node, JSON_READ_NUMBER) ||
        !json_read_double(context->json, node, &value))
        return NAN;
    return value;
}

static const char *text_of(struct normalise *context, uint32_t node)
{
    size_t capacity = (size_t)context->json->nodes[node].length + 1;
    char *text = arena_take(context->arena, capacity);
    if (text == NULL) {
        context->failed = true;
        return NULL;
    }
    json_read_string(context->json, node, text, capacity);
    return text;
}

const char *normalise_text(struct normalise *context, uint32_t object, const char *name)
{
    uint32_t node = json_read_member(context->json, object, name);
    if (!json_read_is(context->json, node, JSON_READ_STRING))
        return NULL;
    return text_of(context, node);
}

static struct series read_series(struct normalise *context, uint32_t array, bool gaps)
{
    const struct json_read_document *json = context->json;
    if (!json_read_is(json, array, JSON_READ_ARRAY) || json_read_count(json, array) == 0)
        return (struct series){0};
    double *values = arena_take_array(context->arena, json_read_count(json, array), sizeof *values);
    if (values == NULL) {
        context->failed = true;
        return (struct series){0};
    }
    size_t count = 0;
    for (uint32_t node = json_read_first(json, array); node != JSON_READ_NONE;
         node = json_read_next(json, array, node)) {
        if (gaps && json_read_is(json, node, JSON_READ_NULL))
            values[count] = NAN;
        else if (!json_read_is(json, node, JSON_READ_NUMBER) ||
                 !json_read_double(json, node, &values[count]))
            return (struct series){0};
        count++;
    }
    return (struct series){values, count};
}

struct series normalise_series(struct normalise *context, uint32_t array)
{
    return read_series(context, array, false);
}

struct series normalise_series_with_gaps(struct normalise *context, uint32_t array)
{
    return read_series(context, array, true);
}

/* ---- memory ---- */

/* The canonical peak, or one of its plain spellings; its kind is what `memory_kind` says. */
static void read_plain_peak(struct normalise *context, uint32_t node, struct metrics *metrics)
{
    enum memory_kind kind = MEMORY_ALLOCATED;
    const char *kind_name = normalise_text(context, node, "memory_kind");
    if (kind_name != NULL && !memory_kind_find(kind_name, strlen(kind_name), &kind))
        kind = MEMORY_ALLOCATED;
    double peak = normalise_number(context, node, "peak_memory_mb");
    if (isnan(peak)) {
        const char *from = "max_peak_memory_mb";
        peak = normalise_number(context, node, from);
        if (isnan(peak)) {
            from = "max of peak_memory_mb_per_rank";
            peak =
                statistics_max(metrics->per_rank_peak_mb.values, metrics->per_rank_peak_mb.count);
        }
        if (!isnan(peak))
            normalise_report(context, "peak_memory_mb", from, peak, "MiB");
    }
    metrics->peak_mb[kind] = peak;
}

struct named_peak {
    char name[LONGEST_NAME];
    double mb;
};

/* Several spellings of one kind: the largest counts, the choice between equals is by name, so that
 * the order of members never matters. */
static bool replaces(const struct named_peak *candidate, const struct named_peak *best)
{
    if (isnan(best->mb) || candidate->mb > best->mb)
        return true;
    return candidate->mb == best->mb && strcmp(candidate->name, best->name) < 0;
}

/* peak_device_*, peak_reserved_*, peak_allocated_* for each kind that the plain peak left open. */
static void read_named_peaks(struct normalise *context, uint32_t node, struct metrics *metrics)
{
    const struct json_read_document *json = context->json;
    struct named_peak best[MEMORY_KIND_COUNT];
    for (int kind = 0; kind < MEMORY_KIND_COUNT; kind++)
        best[kind] = (struct named_peak){.mb = NAN};
    for (uint32_t key = json_read_first(json, node); key != JSON_READ_NONE;
         key = json_read_next(json, node, key)) {
        struct named_peak found;
        struct normalise_memory_name memory;
        double value = NAN;
        if (json_read_string(json, key, found.name, sizeof found.name) >= sizeof found.name ||
            !normalise_memory_find(found.name, &memory) ||
            !json_read_is(json, key + 1, JSON_READ_NUMBER) ||
            !json_read_double(json, key + 1, &value))
            continue;
        found.mb = normalise_mb(value, memory.unit_bytes);
        if (replaces(&found, &best[memory.kind]))
            best[memory.kind] = found;
    }
    for (int kind = MEMORY_KIND_COUNT - 1; kind >= 0; kind--) {
        if (isnan(best[kind].mb) || !isnan(metrics->peak_mb[kind]))
            continue;
        metrics->peak_mb[kind] = best[kind].mb;
        const char *from = arena_copy(context->arena, best[kind].name, strlen(best[kind].name));
        if (from == NULL)
            context->failed = true;
        normalise_report(context, "peak_memory_mb", from, best[kind].mb, "MiB");
    }
}

/* ---- time and throughput ---- */

static void read_step_times(struct normalise *context, uint32_t node, struct metrics *metrics)
{
    const struct json_read_document *json = context->json;
    uint32_t rows = json_read_member(json, node, "step_times_ms");
    if (!json_read_is(json, rows, JSON_READ_ARRAY) || json_read_count(json, rows) == 0)
        return;
    struct series *ranks =
        arena_take_array(context->arena, json_read_count(json, rows), sizeof *ranks);
    if (ranks == NULL) {
        context->failed = true;
        return;
    }
    size_t count = 0;
    for (uint32_t row = json_read_first(json, rows); row != JSON_READ_NONE;
         row = json_read_next(json, rows, row)) {
        ranks[count] = normalise_series(context, row);
        if (ranks[count].count == 0)
            return; /* a row that is no series of numbers: no sample at all */
        count++;
    }
    metrics->step_times_ms = ranks;
    metrics->step_times_ranks = count;
}

static void read_step_time(struct normalise *context, uint32_t node, struct metrics *metrics)
{
    metrics->step_time_ms = normalise_number(context, node, "step_time_ms");
    if (!isnan(metrics->step_time_ms))
        return;
    const char *from = "max_step_time_ms";
    double time_ms = normalise_number(context, node, from);
    if (isnan(time_ms)) {
        from = "max of step_time_ms_per_rank";
        struct series ranks = normalise_series(
            context, json_read_member(context->json, node, "step_time_ms_per_rank"));
        time_ms = statistics_max(ranks.values, ranks.count);
    }
    if (isnan(time_ms)) {
        from = "median over steps of the largest of step_times_ms";
        time_ms = statistics_step_time(metrics->step_times_ms, metrics->step_times_ranks,
                                       context->arena, &context->failed);
    }
    if (isnan(time_ms))
        return;
    metrics->step_time_ms = time_ms;
    normalise_report(context, "step_time_ms", from, time_ms, "ms");
}

static void read_throughput(struct normalise *context, uint32_t node, struct metrics *metrics)
{
    static const struct {
        const char *name;
        enum throughput_unit unit;
    } spellings[] = {
        {"tokens_per_s_proxy", THROUGHPUT_TOKENS},
        {"tokens_per_s", THROUGHPUT_TOKENS},
        {"samples_per_s", THROUGHPUT_SAMPLES},
    };
    metrics->throughput = normalise_number(context, node, "throughput");
    if (!isnan(metrics->throughput)) {
        const char *unit = normalise_text(context, node, "throughput_unit");
        if (unit != NULL && strcmp(unit, throughput_unit_name(THROUGHPUT_SAMPLES)) == 0)
            metrics->throughput_unit = THROUGHPUT_SAMPLES;
        return;
    }
    for (size_t i = 0; i < sizeof spellings / sizeof spellings[0]; i++) {
        double value = normalise_number(context, node, spellings[i].name);
        if (isnan(value))
            continue;
        metrics->throughput = value;
        metrics->throughput_unit = spellings[i].unit;
        normalise_report(context, "throughput", spellings[i].name, value,
                         throughput_unit_name(spellings[i].unit));
        return;
    }
}

void normalise_metrics(struct normalise *context, uint32_t node, struct metrics *metrics)
{
    const struct json_read_document *json = context->json;
    *metrics = (struct metrics){.throughput_unit = THROUGHPUT_TOKENS};
    for (int kind = 0; kind < MEMORY_KIND_COUNT; kind++)
        metrics->peak_mb[kind] = NAN;
    metrics->per_rank_peak_mb =
        normalise_series(context, json_read_member(json, node, "peak_memory_mb_per_rank"));
    read_plain_peak(context, node, metrics);
    read_named_peaks(context, node, metrics);
    read_step_times(context, node, metrics);
    read_step_time(context, node, metrics);
    read_throughput(context, node, metrics);
    metrics->checkpoint_peak_mb = normalise_number(context, node, "checkpoint_peak_memory_mb");
    metrics->communication_ratio = normalise_number(context, node, "communication_ratio");
    metrics->skew_ratio = normalise_number(context, node, "skew_ratio");
    metrics->in_flight_ratio = normalise_number(context, node, "communication_in_flight_ratio");
    metrics->utilisation = normalise_number(context, node, "utilisation");
    metrics->achieved_tflops = normalise_number(context, node, "achieved_tflops");
    metrics->losses = normalise_series_with_gaps(context, json_read_member(json, node, "losses"));
    metrics->grad_norms =
        normalise_series_with_gaps(context, json_read_member(json, node, "grad_norms"));
}
