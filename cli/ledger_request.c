#include "ledger_request.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "normalise.h"
#include "text.h"

/* ---- single values ---- */

/* "124475904", "7.5e9", "7.5B": a whole number of at least 1. */
static enum status read_count(const char *text, double *count, struct diag *diag)
{
    static const struct {
        char letter;
        double factor;
    } suffixes[] = {{'K', 1e3}, {'M', 1e6}, {'B', 1e9}, {'T', 1e12}};
    char digits[64];
    size_t length = strlen(text);
    double factor = 1;
    double value = 0;
    for (size_t i = 0; length > 0 && i < sizeof suffixes / sizeof suffixes[0]; i++)
        if (text[length - 1] == suffixes[i].letter)
            factor = suffixes[i].factor;
    if (factor > 1)
        length--;
    bool fits = length < sizeof digits;
    if (fits) {
        memcpy(digits, text, length);
        digits[length] = '\0';
    }
    if (fits && text_parse_number(digits, &value)) {
        /* 1e-3: 7.1 times 1e9 is no whole number in binary fractions */
        double whole = nearbyint(value * factor);
        if (whole >= 1 && whole <= 1e18 && fabs(value * factor - whole) < 1e-3) {
            *count = whole;
            return STATUS_OK;
        }
    }
    char shown[96];
    return diag_set(
        diag, STATUS_USAGE,
        "--parameters: \"%s\" is no number of parameters; write for example 7.5e9, 7.5B "
        "or 124475904",
        text_escape_into(shown, sizeof shown, text, strlen(text)));
}

static enum status refuse_world_size(const char *item, size_t length, const char *why,
                                     struct diag *diag)
{
    char shown[96];
    return diag_set(
        diag, STATUS_USAGE,
        "--world-size: \"%s\" %s; write whole numbers of at least 1, for example 1,4,16",
        text_escape_into(shown, sizeof shown, item, length), why);
}

static enum status read_world_size(const char *item, size_t length, int64_t *size,
                                   struct diag *diag)
{
    char digits[32];
    while (length > 0 && *item == ' ') {
        item++;
        length--;
    }
    while (length > 0 && item[length - 1] == ' ')
        length--;
    if (length == 0)
        return refuse_world_size(item, length, "is empty", diag);
    if (strspn(item, "0123456789") < length)
        return refuse_world_size(item, length, "is no world size", diag);
    if (length >= sizeof digits)
        return refuse_world_size(item, length, "is too large", diag);
    memcpy(digits, item, length);
    digits[length] = '\0';
    errno = 0;
    long long value = strtoll(digits, NULL, 10);
    if (errno == ERANGE)
        return refuse_world_size(item, length, "is too large", diag);
    if (value < 1)
        return refuse_world_size(item, length, "is no world size", diag);
    *size = value;
    return STATUS_OK;
}

static int compare_sizes(const void *left, const void *right)
{
    int64_t a = *(const int64_t *)left;
    int64_t b = *(const int64_t *)right;
    return (a > b) - (a < b);
}

static enum status refuse_repeated(const int64_t *sizes, size_t count, struct arena *arena,
                                   struct diag *diag)
{
    int64_t *sorted = arena_take_array(arena, count, sizeof *sorted);
    if (sorted == NULL)
        return diag_no_memory(diag);
    memcpy(sorted, sizes, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, compare_sizes);
    for (size_t i = 1; i < count; i++)
        if (sorted[i] == sorted[i - 1])
            return diag_set(diag, STATUS_USAGE,
                            "--world-size: %" PRId64 " is named twice; write each size once",
                            sorted[i]);
    return STATUS_OK;
}

static enum status read_world_sizes(const char *text, struct arena *arena,
                                    struct ledger_request *request, struct diag *diag)
{
    size_t capacity = 1;
    if (text == NULL)
        return diag_set(diag, STATUS_USAGE,
                        "--world-size is missing; write for example "
                        "--world-size 1,4,16");
    for (const char *c = text; *c != '\0'; c++)
        capacity += *c == ',';
    int64_t *sizes = arena_take_array(arena, capacity, sizeof *sizes);
    if (sizes == NULL)
        return diag_no_memory(diag);
    size_t count = 0;
    const char *item = text;
    while (item != NULL) {
        const char *comma = strchr(item, ',');
        size_t length = comma == NULL ? strlen(item) : (size_t)(comma - item);
        enum status status = read_world_size(item, length, &sizes[count], diag);
        if (status != STATUS_OK)
            return status;
        count++;
        item = comma == NULL ? NULL : comma + 1;
    }
    request->world_sizes = sizes;
    request->world_size_count = count;
    return refuse_repeated(sizes, count, arena, diag);
}

/* Letters and digits alone, in lower case. */
static void fold(const char *name, char *out, size_t capacity)
{
    size_t at = 0;
    for (; *name != '\0' && at + 1 < capacity; name++) {
        char c = *name;
        if (c >= 'A' && c <= 'Z')
            out[at++] = (char)(c - 'A' + 'a');
        else if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'))
            out[at++] = c;
    }
    out[at] = '\0';
}

/* The strategy that a name may have meant ("ZeRO-2", "fsdp"), or NULL. */
static const char *nearest_strategy(const char *name)
{
    char folded[64];
    const char *nearest = NULL;
    size_t nearest_distance = 3; /* further away it is another word */
    fold(name, folded, sizeof folded);
    for (int s = 0; s < STRATEGY_COUNT; s++) {
        char known[64];
        const char *strategy = training_state_row((enum strategy)s)->name;
        fold(strategy, known, sizeof known);
        size_t distance = text_distance(folded, strlen(folded), known, strlen(known));
        if (strlen(folded) >= 3 && strncmp(known, folded, strlen(folded)) == 0)
            distance = 0;
        if (distance < nearest_distance) {
            nearest = strategy;
            nearest_distance = distance;
        }
    }
    return nearest;
}

static enum status read_strategy(const char *name, int *strategy, struct diag *diag)
{
    enum strategy found;
    *strategy = -1;
    if (name == NULL)
        return STATUS_OK;
    if (training_state_find(name, strlen(name), &found)) {
        *strategy = (int)found;
        return STATUS_OK;
    }
    const char *nearest = nearest_strategy(name);
    char shown[96];
    return diag_set(
        diag, STATUS_USAGE,
        "--strategy: \"%s\" is not one of ddp, zero1, zero2, zero3, fsdp_full_shard%s%s%s",
        text_escape_into(shown, sizeof shown, name, strlen(name)),
        nearest == NULL ? "" : "; did you mean ", nearest == NULL ? "" : nearest,
        nearest == NULL ? "" : "?");
}

/* ---- what belongs together ---- */

static enum status require_all(const bool *given, const char *const *names, size_t count,
                               const char *purpose, struct diag *diag)
{
    for (size_t i = 0; i < count; i++)
        if (!given[i])
            return diag_set(diag, STATUS_USAGE, "%s is missing; %s", names[i], purpose);
    return STATUS_OK;
}

static enum status read_totals(const struct ledger_options *options, struct ledger_request *request,
                               struct diag *diag)
{
    static const char *const names[] = {"--parameter-mb", "--gradient-mb", "--optimizer-mb"};
    const bool given[] = {options->parameter_given, options->gradient_given,
                          options->optimizer_given};
    if (options->dtype != NULL)
        return diag_set(diag, STATUS_USAGE,
                        "--dtype belongs to --parameters; totals in MiB need no data type");
    request->totals = (struct training_state_bytes){options->parameter_mb, options->gradient_mb,
                                                    options->optimizer_mb};
    return require_all(given, names, 3,
                       "give --parameter-mb, --gradient-mb and --optimizer-mb together", diag);
}

static enum status read_model(const struct ledger_options *options, struct ledger_request *request,
                              struct diag *diag)
{
    struct training_state_bytes bytes;
    if (options->dtype == NULL)
        return diag_set(diag, STATUS_USAGE,
                        "--dtype is missing; write --dtype bf16 or --dtype fp32");
    char shown[96];
    const char *dtype = normalise_dtype(options->dtype);
    if (!training_state_bytes_of_dtype(dtype, STRATEGY_DDP, &bytes))
        return diag_set(
            diag, STATUS_USAGE, "--dtype: \"%s\" is not one of bf16, fp16, fp32",
            text_escape_into(shown, sizeof shown, options->dtype, strlen(options->dtype)));
    request->by_model = true;
    request->dtype = dtype;
    return read_count(options->parameters, &request->parameters, diag);
}

/* Sizes that are no model, or larger than a schedule counts exactly. */
static enum status refuse_shape(const struct ledger_options *options, struct diag *diag)
{
    char text[256];
    const struct model_shape shape = {
        .width = (uint64_t)options->width,
        .layers = (uint64_t)options->layers,
        .heads = (uint64_t)options->heads,
        .vocab = (uint64_t)options->vocab,
        .seq_len = (uint64_t)options->seq_len,
        .micro_batch = (uint64_t)options->micro_batch,
    };
    if (model_shape_fault(&shape, text, sizeof text) != NULL)
        return diag_set(diag, STATUS_USAGE, "temporary memory: %s", text);
    return STATUS_OK;
}

static enum status read_shape(const struct ledger_options *options, struct ledger_request *request,
                              struct diag *diag)
{
    static const char *const names[] = {"--width", "--layers",  "--heads",
                                        "--vocab", "--seq-len", "--micro-batch"};
    const bool given[] = {options->width_given, options->layers_given,  options->heads_given,
                          options->vocab_given, options->seq_len_given, options->micro_batch_given};
    bool any = options->checkpointing || options->bucket_given || options->prefetch_given;
    for (size_t i = 0; i < sizeof given / sizeof given[0]; i++)
        any = any || given[i];
    if (!any)
        return STATUS_OK;
    if (!request->by_model)
        return diag_set(diag, STATUS_USAGE,
                        "a model's shape goes with --parameters and --dtype, not with totals");
    request->with_temporary = true;
    request->shape = (struct temporary_memory_shape){
        .width = (double)options->width,
        .layers = (double)options->layers,
        .heads = (double)options->heads,
        .vocab = (double)options->vocab,
        .seq_len = (double)options->seq_len,
        .micro_batch = (double)options->micro_batch,
        .bucket_bytes = options->bucket_given ? options->bucket_mb * 1048576 : NAN,
        .prefetch = options->prefetch_given ? (double)options->prefetch : NAN,
        .persistence_threshold = NAN,
        .overlap = 1,
        .activation_checkpointing = options->checkpointing,
    };
    enum status status =
        require_all(given, names, sizeof given / sizeof given[0],
                    "temporary memory needs --width, --layers, --heads, --vocab, --seq-len and "
                    "--micro-batch",
                    diag);
    return status == STATUS_OK ? refuse_shape(options, diag) : status;
}

enum status ledger_request_read(const struct ledger_options *options, struct arena *arena,
                                struct ledger_request *request, struct diag *diag)
{
    bool totals = options->parameter_given || options->gradient_given || options->optimizer_given;
    enum status status = STATUS_OK;
    if (totals && options->parameters != NULL)
        return diag_set(diag, STATUS_USAGE,
                        "--parameters and totals in MiB exclude each other; keep one");
    if (!totals && options->parameters == NULL)
        return diag_set(
            diag, STATUS_USAGE,
            "give --parameters COUNT --dtype bf16, or --parameter-mb, --gradient-mb and "
            "--optimizer-mb");
    status = totals ? read_totals(options, request, diag) : read_model(options, request, diag);
    if (status == STATUS_OK)
        status = read_world_sizes(options->world_size, arena, request, diag);
    if (status == STATUS_OK)
        status = read_strategy(options->strategy, &request->strategy, diag);
    if (status == STATUS_OK)
        status = read_shape(options, request, diag);
    return status;
}
