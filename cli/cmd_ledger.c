#include "cmd_ledger.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ledger_rows.h"
#include "normalise.h"
#include "options.h"
#include "output.h"
#include "text.h"

enum ledger_format { LEDGER_TEXT, LEDGER_JSON, LEDGER_CSV };

/* What the options say, before it is understood. */
struct ledger_options {
    double parameter_mb, gradient_mb, optimizer_mb;
    bool parameter_given, gradient_given, optimizer_given;
    const char *parameters, *dtype, *world_size, *strategy;
    int format;
    int64_t width, layers, heads, vocab, seq_len, micro_batch;
    bool width_given, layers_given, heads_given, vocab_given, seq_len_given, micro_batch_given;
    double bucket_mb;
    bool bucket_given, checkpointing;
};

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

static enum status read_shape(const struct ledger_options *options, struct ledger_request *request,
                              struct diag *diag)
{
    static const char *const names[] = {"--width", "--layers",  "--heads",
                                        "--vocab", "--seq-len", "--micro-batch"};
    const bool given[] = {options->width_given, options->layers_given,  options->heads_given,
                          options->vocab_given, options->seq_len_given, options->micro_batch_given};
    bool any = options->checkpointing || options->bucket_given;
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
        .activation_checkpointing = options->checkpointing,
    };
    return require_all(given, names, sizeof given / sizeof given[0],
                       "temporary memory needs --width, --layers, --heads, --vocab, --seq-len and "
                       "--micro-batch",
                       diag);
}

static enum status understand(const struct ledger_options *options, struct arena *arena,
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

/* ---- the command ---- */

static enum status print(const struct ledger_request *request, const struct ledger_rows *rows,
                         enum ledger_format format, struct diag *diag)
{
    struct text_buffer out = {0};
    enum status status = STATUS_OK;
    if (format == LEDGER_JSON)
        status = ledger_rows_json(request, rows, &out, diag);
    else if (format == LEDGER_CSV)
        ledger_rows_csv(request, rows, &out);
    else
        ledger_rows_text(request, rows, &out);
    if (status == STATUS_OK && out.failed)
        status = diag_no_memory(diag);
    if (status == STATUS_OK)
        status = output_write_file(NULL, out.text, out.length, diag);
    text_buffer_fini(&out);
    return status;
}

static enum status run(const struct ledger_options *options, struct diag *diag)
{
    struct arena arena = {0};
    struct ledger_request request = {0};
    struct ledger_rows rows = {0};
    enum status status = understand(options, &arena, &request, diag);
    if (status == STATUS_OK)
        status = ledger_rows_compute(&request, &arena, &rows, diag);
    if (status == STATUS_OK)
        status = print(&request, &rows, (enum ledger_format)options->format, diag);
    arena_fini(&arena);
    return status;
}

enum status cmd_ledger(int argc, char **argv, struct diag *diag)
{
    static const char *const formats[] = {"text", "json", "csv", NULL};
    struct ledger_options o = {.format = LEDGER_TEXT};
    const struct options_row rows[] = {
        {.name = "parameters",
         .type = OPTIONS_TEXT,
         .argument = "COUNT",
         .help = "parameters of the model: 124475904, 7.5e9, 7.5B",
         .value = &o.parameters},
        {.name = "dtype",
         .type = OPTIONS_TEXT,
         .argument = "bf16|fp16|fp32",
         .help = "data type, for bytes per parameter",
         .value = &o.dtype},
        {.name = "parameter-mb",
         .type = OPTIONS_NUMBER,
         .argument = "P",
         .help = "or the totals: parameters,",
         .value = &o.parameter_mb,
         .given = &o.parameter_given},
        {.name = "gradient-mb",
         .type = OPTIONS_NUMBER,
         .argument = "G",
         .help = "gradients,",
         .value = &o.gradient_mb,
         .given = &o.gradient_given},
        {.name = "optimizer-mb",
         .type = OPTIONS_NUMBER,
         .argument = "O",
         .help = "and optimizer state",
         .value = &o.optimizer_mb,
         .given = &o.optimizer_given},
        {.name = "world-size",
         .type = OPTIONS_TEXT,
         .argument = "N[,N...]",
         .help = "numbers of ranks (needed)",
         .value = &o.world_size},
        {.name = "strategy",
         .type = OPTIONS_TEXT,
         .argument = "S",
         .help = "one strategy; otherwise all",
         .value = &o.strategy},
        {.name = "format",
         .type = OPTIONS_CHOICE,
         .argument = "text|json|csv",
         .help = "form of the output (text)",
         .value = &o.format,
         .choices = formats},
        {.name = "width",
         .type = OPTIONS_COUNT,
         .argument = "C",
         .minimum = 1,
         .maximum = 1e9,
         .help = "with these six also the temporary memory:",
         .value = &o.width,
         .given = &o.width_given},
        {.name = "layers",
         .type = OPTIONS_COUNT,
         .argument = "L",
         .minimum = 1,
         .maximum = 1e9,
         .help = "number of blocks",
         .value = &o.layers,
         .given = &o.layers_given},
        {.name = "heads",
         .type = OPTIONS_COUNT,
         .argument = "H",
         .minimum = 1,
         .maximum = 1e9,
         .help = "attention heads",
         .value = &o.heads,
         .given = &o.heads_given},
        {.name = "vocab",
         .type = OPTIONS_COUNT,
         .argument = "V",
         .minimum = 1,
         .maximum = 1e12,
         .help = "size of the vocabulary",
         .value = &o.vocab,
         .given = &o.vocab_given},
        {.name = "seq-len",
         .type = OPTIONS_COUNT,
         .argument = "T",
         .minimum = 1,
         .maximum = 1e12,
         .help = "tokens of a sequence",
         .value = &o.seq_len,
         .given = &o.seq_len_given},
        {.name = "micro-batch",
         .type = OPTIONS_COUNT,
         .argument = "B",
         .minimum = 1,
         .maximum = 1e12,
         .help = "sequences of a rank at a time",
         .value = &o.micro_batch,
         .given = &o.micro_batch_given},
        {.name = "bucket-mb",
         .type = OPTIONS_NUMBER,
         .argument = "MIB",
         .help = "gradient bucket (25)",
         .value = &o.bucket_mb,
         .given = &o.bucket_given},
        {.name = "activation-checkpointing",
         .type = OPTIONS_FLAG,
         .help = "recompute activations",
         .value = &o.checkpointing},
    };
    const struct options_command command = {
        .program = "rankledger",
        .name = "ledger",
        .operands = "",
        .summary = "Resident training state of one rank under each strategy, by formula. MiB.",
        .notes = "rankledger ledger --parameters 7.5e9 --dtype bf16 --world-size 1,4,16,64",
        .rows = rows,
        .row_count = sizeof rows / sizeof rows[0],
    };
    struct options_list operands = {0};
    bool help = false;
    enum status status = options_parse(&command, argc, argv, &operands, &help, diag);
    if (status == STATUS_OK && help)
        options_print_help(&command, stdout);
    else if (status == STATUS_OK && operands.count > 0)
        status = diag_set(diag, STATUS_USAGE, "ledger takes no operands; see --help");
    else if (status == STATUS_OK)
        status = run(&o, diag);
    options_fini(&command, &operands);
    return status;
}
