#include "options.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "text.h"

#define PRINTED 128 /* of a text from the command line in a message; a longer one is cut */

/* One run over the arguments. */
struct parsing {
    const struct options_command *command;
    char **argv;
    int argc;
    int at;                        /* the argument in work */
    uint64_t seen;                 /* one bit a row */
    const struct options_row *row; /* whose value is in work; NULL: none's */
    struct options_list *operands;
    struct diag *diag;
};

/* The message and what to type next, or STATUS_OK where the caller wants to hear of every fault.
 * Every argument that came from outside is already escaped. */
static enum status __attribute__((format(printf, 2, 3)))
refuse_usage(struct parsing *parsing, const char *format, ...)
{
    char message[640];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    if (parsing->command->fault != NULL) {
        parsing->command->fault(parsing->command->fault_context, parsing->row, message);
        return STATUS_OK;
    }
    const char *name = parsing->command->name != NULL ? parsing->command->name : "";
    return diag_set(parsing->diag, STATUS_USAGE, "%s; try '%s%s%s --help'", message,
                    parsing->command->program, *name != '\0' ? " " : "", name);
}

static const char *dashes(const char *name)
{
    return name[0] != '\0' && name[1] == '\0' ? "-" : "--";
}

static bool append_value(struct options_list *list, const char *value)
{
    if (list->count == list->capacity) {
        size_t capacity = list->capacity == 0 ? 8 : list->capacity * 2;
        if (capacity > SIZE_MAX / sizeof *list->values)
            return false;
        const char **values = realloc(list->values, capacity * sizeof *values);
        if (values == NULL)
            return false;
        list->values = values;
        list->capacity = capacity;
    }
    list->values[list->count++] = value;
    return true;
}

/* ---- Suggestions ---- */

/* How unlike a name is to what was typed; a beginning of the name is a near miss. */
static size_t unlikeness(const char *typed, size_t length, const char *name)
{
    if (length >= 3 && strncmp(typed, name, length) == 0)
        return 1;
    return text_distance(typed, length, name, strlen(name));
}

/* The nearest of the candidates, if it is near enough to be what was meant. */
struct suggestion {
    const char *name;
    size_t distance;
};

static void consider(struct suggestion *suggestion, const char *typed, size_t length,
                     const char *name)
{
    size_t distance = unlikeness(typed, length, name);
    size_t accepted = length < 2 ? 0 : length < 4 ? 1 : length < 9 ? 2 : 3;
    if (distance <= accepted && (suggestion->name == NULL || distance < suggestion->distance))
        *suggestion = (struct suggestion){name, distance};
}

static enum status refuse_unknown(struct parsing *parsing, const char *argument)
{
    parsing->row = NULL;
    const char *name = argument + (argument[1] == '-' ? 2 : 1);
    size_t length = strcspn(name, "=");
    struct suggestion suggestion = {0};
    for (size_t i = 0; i < parsing->command->row_count; i++)
        consider(&suggestion, name, length, parsing->command->rows[i].name);
    consider(&suggestion, name, length, "help");
    char printed[PRINTED];
    text_escape_into(printed, sizeof printed, argument, (size_t)(name - argument) + length);
    if (suggestion.name == NULL)
        return refuse_usage(parsing, "unknown option '%s'", printed);
    return refuse_usage(parsing, "unknown option '%s'; did you mean '%s%s'?", printed,
                        dashes(suggestion.name), suggestion.name);
}

/* ---- Values ---- */

static bool has_no_range(const struct options_row *row)
{
    return row->minimum == 0 && row->maximum == 0;
}

static double highest(const struct options_row *row)
{
    return row->maximum == 0 && row->minimum >= 0 ? (double)INFINITY : row->maximum;
}

static enum status refuse_number(struct parsing *parsing, const struct options_row *row,
                                 const char *kind, const char *value)
{
    char printed[PRINTED];
    char low[40];
    char high[40];
    text_escape_into(printed, sizeof printed, value, strlen(value));
    text_number_exact(low, sizeof low, row->minimum);
    text_number_exact(high, sizeof high, highest(row));
    if (has_no_range(row) || isinf(highest(row)))
        return refuse_usage(parsing, "option '%s%s' needs %s of at least %s, not '%s'",
                            dashes(row->name), row->name, kind, low, printed);
    return refuse_usage(parsing, "option '%s%s' needs %s from %s to %s, not '%s'",
                        dashes(row->name), row->name, kind, low, high, printed);
}

static enum status set_number(struct parsing *parsing, const struct options_row *row,
                              const char *value)
{
    double number = 0;
    if (!text_parse_number(value, &number) || number < row->minimum || number > highest(row))
        return refuse_number(parsing, row, "a number", value);
    *(double *)row->value = number;
    return STATUS_OK;
}

/* Compared as whole numbers: as a double 2^53 + 1 is 2^53. */
static bool is_in_range(const struct options_row *row, intmax_t number)
{
    const double high = highest(row);
    if (number < INT64_MIN || number > INT64_MAX || (double)number < row->minimum)
        return false;
    return high >= (double)INT64_MAX || number <= (intmax_t)high;
}

static enum status set_count(struct parsing *parsing, const struct options_row *row,
                             const char *value)
{
    const char *digits = value + (*value == '+' || *value == '-' ? 1 : 0);
    bool is_integer = *digits != '\0' && digits[strspn(digits, "0123456789")] == '\0';
    errno = 0;
    intmax_t number = strtoimax(value, NULL, 10);
    if (!is_integer || errno != 0 || !is_in_range(row, number))
        return refuse_number(parsing, row, "a whole number", value);
    *(int64_t *)row->value = number;
    return STATUS_OK;
}

static enum status set_choice(struct parsing *parsing, const struct options_row *row,
                              const char *value)
{
    char known[256] = "";
    size_t used = 0;
    for (int i = 0; row->choices[i] != NULL; i++) {
        if (strcmp(row->choices[i], value) == 0) {
            *(int *)row->value = i;
            return STATUS_OK;
        }
        int length =
            snprintf(known + used, sizeof known - used, "%s%s", i > 0 ? ", " : "", row->choices[i]);
        used += (size_t)length < sizeof known - used ? (size_t)length : sizeof known - 1 - used;
    }
    char printed[PRINTED];
    text_escape_into(printed, sizeof printed, value, strlen(value));
    return refuse_usage(parsing, "option '%s%s': '%s' is none of %s", dashes(row->name), row->name,
                        printed, known);
}

/* `value` is NULL for a flag. */
static enum status set_value(struct parsing *parsing, const struct options_row *row,
                             const char *value)
{
    if (row->given != NULL)
        *row->given = true;
    switch (row->type) {
    case OPTIONS_FLAG:
        *(bool *)row->value = true;
        return STATUS_OK;
    case OPTIONS_TEXT:
        *(const char **)row->value = value;
        return STATUS_OK;
    case OPTIONS_LIST:
        return append_value(row->value, value) ? STATUS_OK : diag_no_memory(parsing->diag);
    case OPTIONS_NUMBER:
        return set_number(parsing, row, value);
    case OPTIONS_COUNT:
        return set_count(parsing, row, value);
    case OPTIONS_CHOICE:
        return set_choice(parsing, row, value);
    }
    return diag_set(parsing->diag, STATUS_BUG, "option '%s' has no known type", row->name);
}

/* ---- Arguments ---- */

/* "-" is standard input or output, and "-5" a number; "-x" and "--x" look like options. */
static bool looks_like_option(const char *argument)
{
    return argument[0] == '-' && argument[1] != '\0' &&
           !(argument[1] >= '0' && argument[1] <= '9') && argument[1] != '.';
}

/* The value behind the option in work, or NULL. */
static const char *next_value(struct parsing *parsing)
{
    if (parsing->at + 1 >= parsing->argc || looks_like_option(parsing->argv[parsing->at + 1]))
        return NULL;
    return parsing->argv[++parsing->at];
}

static enum status refuse_missing(struct parsing *parsing, const struct options_row *row)
{
    if (parsing->at + 1 < parsing->argc)
        return refuse_usage(
            parsing, "option '%s%s' needs a value (%s; one that begins with a dash as %s%s=...)",
            dashes(row->name), row->name, row->argument, dashes(row->name), row->name);
    return refuse_usage(parsing, "option '%s%s' needs a value (%s)", dashes(row->name), row->name,
                        row->argument);
}

static enum status parse_option(struct parsing *parsing, const struct options_row *row,
                                const char *value)
{
    const uint64_t bit = (uint64_t)1 << (size_t)(row - parsing->command->rows);
    const bool is_again = (parsing->seen & bit) != 0 && row->type != OPTIONS_LIST;
    parsing->seen |= bit;
    parsing->row = row;
    if (row->type == OPTIONS_FLAG && value != NULL)
        return refuse_usage(parsing, "option '%s%s' takes no value", dashes(row->name), row->name);
    if (row->type != OPTIONS_FLAG && value == NULL)
        value = next_value(parsing);
    if (is_again)
        return refuse_usage(parsing, "option '%s%s' was given twice", dashes(row->name), row->name);
    if (row->type != OPTIONS_FLAG && value == NULL)
        return refuse_missing(parsing, row);
    return set_value(parsing, row, value);
}

/* The row that an argument beginning with a dash names, and the text after "=" or NULL. */
static const struct options_row *find_row(const struct options_command *command,
                                          const char *argument, const char **inline_value)
{
    bool is_long = argument[1] == '-';
    const char *name = argument + (is_long ? 2 : 1);
    size_t length = strcspn(name, "=");
    if (is_long != (length > 1))
        return NULL;
    for (size_t i = 0; i < command->row_count; i++) {
        const char *known = command->rows[i].name;
        if (strlen(known) == length && memcmp(known, name, length) == 0) {
            *inline_value = name[length] == '=' ? name + length + 1 : NULL;
            return &command->rows[i];
        }
    }
    return NULL;
}

/* What stands behind an unknown option may be its value: it is passed over where nothing else could
 * stand there, so that it is not told as another fault. */
static enum status parse_unknown(struct parsing *parsing, const char *argument)
{
    const char *wanted = parsing->command->operands;
    enum status status = refuse_unknown(parsing, argument);
    if ((wanted == NULL || *wanted == '\0') && strchr(argument, '=') == NULL)
        (void)next_value(parsing);
    return status;
}

static enum status parse_operand(struct parsing *parsing, const char *argument)
{
    const char *wanted = parsing->command->operands;
    if (wanted == NULL || *wanted == '\0') {
        char printed[PRINTED];
        text_escape_into(printed, sizeof printed, argument, strlen(argument));
        parsing->row = NULL;
        return refuse_usage(parsing, "unexpected argument '%s'", printed);
    }
    return append_value(parsing->operands, argument) ? STATUS_OK : diag_no_memory(parsing->diag);
}

static enum status parse_arguments(struct parsing *parsing)
{
    bool only_operands = false;
    enum status status = STATUS_OK;
    for (; parsing->at < parsing->argc && status == STATUS_OK; parsing->at++) {
        const char *argument = parsing->argv[parsing->at];
        if (only_operands || argument[0] != '-' || argument[1] == '\0') {
            status = parse_operand(parsing, argument);
        } else if (strcmp(argument, "--") == 0) {
            only_operands = true;
        } else {
            const char *inline_value = NULL;
            const struct options_row *row = find_row(parsing->command, argument, &inline_value);
            status = row != NULL ? parse_option(parsing, row, inline_value)
                                 : parse_unknown(parsing, argument);
        }
    }
    return status;
}

enum options_help options_help_asked(const char *argument)
{
    static const struct {
        const char *argument;
        enum options_help help;
    } forms[] = {{"--help", OPTIONS_HELP_TEXT},
                 {"-h", OPTIONS_HELP_TEXT},
                 {"--help=man", OPTIONS_HELP_MAN},
                 {"--help=bash", OPTIONS_HELP_BASH},
                 {"--help=zsh", OPTIONS_HELP_ZSH}};
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++)
        if (strcmp(argument, forms[i].argument) == 0)
            return forms[i].help;
    return OPTIONS_HELP_NONE;
}

/* Help wins over every fault before and after it, but not over "--". */
static enum options_help find_help(int argc, char **argv)
{
    enum options_help help = OPTIONS_HELP_NONE;
    for (int i = 0; i < argc && strcmp(argv[i], "--") != 0 && help == OPTIONS_HELP_NONE; i++)
        help = options_help_asked(argv[i]);
    return help;
}

enum status options_parse(const struct options_command *command, int argc, char **argv,
                          struct options_list *operands, enum options_help *help, struct diag *diag)
{
    *help = find_help(argc, argv);
    if (*help != OPTIONS_HELP_NONE)
        return STATUS_OK;
    if (command->row_count > OPTIONS_MAX_ROWS)
        return diag_set(diag, STATUS_BUG, "%s has more than %d options", command->program,
                        OPTIONS_MAX_ROWS);
    struct parsing parsing = {
        .command = command, .argv = argv, .argc = argc, .operands = operands, .diag = diag};
    enum status status = parse_arguments(&parsing);
    if (status != STATUS_OK)
        options_fini(command, operands);
    return status;
}

static void release_list(struct options_list *list)
{
    free(list->values);
    *list = (struct options_list){0};
}

void options_fini(const struct options_command *command, struct options_list *operands)
{
    for (size_t i = 0; i < command->row_count; i++) {
        if (command->rows[i].type == OPTIONS_LIST)
            release_list(command->rows[i].value);
    }
    if (operands != NULL)
        release_list(operands);
}
