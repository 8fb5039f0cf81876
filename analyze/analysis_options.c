#include "analysis_options.h"

#include <string.h>

#include "text.h"

static const char *const kinds[] = {"allocated", "reserved", "device", NULL};
static const char *const strategies[] = {"ddp", "zero1", "zero2", "zero3", "fsdp_full_shard", NULL};

void analysis_options_rows(struct analysis_arguments *arguments, struct options_row *rows)
{
    const struct options_row all[ANALYSIS_OPTIONS_ROWS] = {
        {"policy", OPTIONS_TEXT, "FILE", "limits and goals; the options below override it",
         &arguments->policy, NULL, 0, 0, NULL},
        {"memory-limit", OPTIONS_TEXT, "SIZE", "per rank, with unit: 80GiB, 80GB, 24576MiB",
         &arguments->memory_limit, NULL, 0, 0, NULL},
        {"memory-limit-mb", OPTIONS_NUMBER, "X", "the same as a number of MiB",
         &arguments->memory_limit_mb, &arguments->memory_limit_mb_given, 0, 0, NULL},
        {"memory-kind", OPTIONS_CHOICE, "KIND", "allocated|reserved|device (the largest present)",
         &arguments->memory_kind, &arguments->memory_kind_given, 0, 0, kinds},
        {"min-throughput", OPTIONS_TEXT, "X", "tokens/s, or with a unit: \"16 samples/s\"",
         &arguments->min_throughput, NULL, 0, 0, NULL},
        {"max-communication-ratio", OPTIONS_NUMBER, "X", "largest exposed share, 0 to 1",
         &arguments->max_communication_ratio, &arguments->max_communication_ratio_given, 0, 1,
         NULL},
        {"baseline", OPTIONS_CHOICE, "S", "strategy that a gain is counted from (ddp)",
         &arguments->baseline, &arguments->baseline_given, 0, 0, strategies},
        {"group", OPTIONS_LIST, "KEY=VALUE", "pick a group where records are not comparable",
         &arguments->group, NULL, 0, 0, NULL},
        {"allow-invalid", OPTIONS_FLAG, NULL, "decide although sources were left out",
         &arguments->allow_invalid, NULL, 0, 0, NULL},
        {"files-from", OPTIONS_LIST, "FILE", "read more paths from FILE (- : standard input)",
         &arguments->files_from, NULL, 0, 0, NULL},
        {"0", OPTIONS_FLAG, NULL, "paths in that FILE are separated by NUL bytes",
         &arguments->nul_separated, NULL, 0, 0, NULL},
    };
    memcpy(rows, all, sizeof all);
}

static enum status resolve_memory(const struct analysis_arguments *arguments, struct policy *policy,
                                  struct diag *diag)
{
    if (arguments->memory_limit != NULL && arguments->memory_limit_mb_given)
        return diag_set(diag, STATUS_USAGE,
                        "--memory-limit and --memory-limit-mb say the same thing: give one");
    if (arguments->memory_limit_mb_given) {
        if (!(arguments->memory_limit_mb > 0))
            return diag_set(diag, STATUS_USAGE, "--memory-limit-mb must be above 0");
        policy->memory_limit_mb = arguments->memory_limit_mb;
    }
    if (arguments->memory_limit != NULL)
        return policy_parse_size(arguments->memory_limit, &policy->memory_limit_mb, diag);
    return STATUS_OK;
}

/* "456000", "456000 tokens/s", "16.3samples/s". Without a unit the policy's stands. */
static enum status resolve_throughput(const char *text, struct policy *policy, struct diag *diag)
{
    char number[64];
    char shown[80];
    size_t digits = strspn(text, "+-.0123456789eE");
    size_t unit = digits + strspn(text + digits, " ");
    double value;
    memcpy(number, text, digits < sizeof number ? digits : 0);
    number[digits < sizeof number ? digits : 0] = '\0';
    bool known = text[unit] == '\0';
    for (int i = THROUGHPUT_TOKENS; i <= THROUGHPUT_SAMPLES; i++) {
        if (strcmp(text + unit, throughput_unit_name((enum throughput_unit)i)) != 0)
            continue;
        policy->throughput_unit = (enum throughput_unit)i;
        known = true;
    }
    if (!known || !text_parse_number(number, &value) || !(value > 0))
        return diag_set(diag, STATUS_USAGE,
                        "--min-throughput takes a number above 0, with tokens/s or samples/s or "
                        "without a unit, not \"%s\"",
                        text_escape_into(shown, sizeof shown, text, strlen(text)));
    policy->min_throughput = value;
    return STATUS_OK;
}

static enum status resolve_filters(const struct analysis_arguments *arguments, struct arena *arena,
                                   struct analysis_options *options, struct diag *diag)
{
    size_t count = arguments->group.count;
    struct group_filter *filters = arena_take_array(arena, count, sizeof *filters);
    if (filters == NULL)
        return diag_no_memory(diag);
    for (size_t i = 0; i < count; i++) {
        const char *text = arguments->group.values[i];
        const char *equals = strchr(text, '=');
        char shown[80];
        if (equals == NULL || equals == text)
            return diag_set(diag, STATUS_USAGE,
                            "--group takes KEY=VALUE, for example world_size=4, not \"%s\"",
                            text_escape_into(shown, sizeof shown, text, strlen(text)));
        filters[i].key = arena_copy(arena, text, (size_t)(equals - text));
        filters[i].value = equals + 1;
        if (filters[i].key == NULL)
            return diag_no_memory(diag);
    }
    options->filters = filters;
    options->filter_count = count;
    return STATUS_OK;
}

enum status analysis_options_resolve(const struct analysis_arguments *arguments,
                                     struct arena *arena, struct analysis_options *options,
                                     struct diag *diag)
{
    struct analysis_options result = {.allow_invalid = arguments->allow_invalid};
    struct policy *policy = &result.policy;
    policy_init(policy);
    enum status status = STATUS_OK;
    if (arguments->policy != NULL)
        status = policy_load(arguments->policy, arena, policy, diag);
    if (status == STATUS_OK)
        status = resolve_memory(arguments, policy, diag);
    if (status == STATUS_OK && arguments->min_throughput != NULL)
        status = resolve_throughput(arguments->min_throughput, policy, diag);
    if (status == STATUS_OK)
        status = resolve_filters(arguments, arena, &result, diag);
    if (arguments->max_communication_ratio_given)
        policy->max_communication_ratio = arguments->max_communication_ratio;
    if (arguments->memory_kind_given)
        policy->memory_kind = arguments->memory_kind;
    if (arguments->baseline_given)
        policy->baseline = (enum strategy)arguments->baseline;
    if (status == STATUS_OK)
        *options = result;
    return status;
}

enum status analysis_options_paths(const struct analysis_arguments *arguments,
                                   const struct options_list *operands, struct path_list *paths,
                                   struct diag *diag)
{
    if (operands->count + arguments->files_from.count == 0)
        return diag_set(diag, STATUS_USAGE,
                        "no path given: name evidence files, a directory of them, or -");
    if (arguments->nul_separated && arguments->files_from.count == 0)
        return diag_set(diag, STATUS_USAGE, "-0 needs --files-from FILE");
    for (size_t i = 0; i < arguments->files_from.count; i++) {
        enum status status = path_list_add_from(paths, arguments->files_from.values[i],
                                                arguments->nul_separated, diag);
        if (status != STATUS_OK)
            return status;
    }
    for (size_t i = 0; i < operands->count; i++) {
        enum status status = path_list_add(paths, operands->values[i], diag);
        if (status != STATUS_OK)
            return status;
    }
    return STATUS_OK;
}
