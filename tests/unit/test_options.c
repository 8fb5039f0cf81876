#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "options.h"
#include "text.h"

/* One option of each type, and the values of a run. */
struct values {
    bool strict;
    bool null_separated;
    const char *output;
    bool output_given;
    struct options_list group;
    double limit;
    int64_t jobs;
    int format;
    double ratio;
};

static const char *const formats[] = {"text", "json", "junit", NULL};

#define ROW_COUNT 8

struct run {
    struct values values;
    struct options_row rows[ROW_COUNT];
    struct options_command command;
    struct options_list operands;
    enum options_help help;
    struct diag diag;
    enum status status;
    char texts[512];
};

static void set_up(struct run *run)
{
    *run = (struct run){.values = {.limit = (double)NAN, .jobs = 1}};
    struct values *values = &run->values;
    const struct options_row rows[ROW_COUNT] = {
        {.name = "strict",
         .type = OPTIONS_FLAG,
         .help = "warnings are errors",
         .value = &values->strict},
        {.name = "0",
         .type = OPTIONS_FLAG,
         .help = "the list is separated by NUL bytes",
         .value = &values->null_separated},
        {.name = "output",
         .type = OPTIONS_TEXT,
         .argument = "FILE",
         .help = "where the result goes",
         .value = &values->output,
         .given = &values->output_given},
        {.name = "group",
         .type = OPTIONS_LIST,
         .argument = "K=V",
         .help = "choose a group",
         .value = &values->group},
        {.name = "memory-limit-mb",
         .type = OPTIONS_NUMBER,
         .argument = "X",
         .help = "peak memory of a rank in MiB",
         .value = &values->limit},
        {.name = "jobs",
         .type = OPTIONS_COUNT,
         .argument = "N",
         .help = "number of threads",
         .value = &values->jobs,
         .minimum = 1,
         .maximum = 256},
        {.name = "format",
         .type = OPTIONS_CHOICE,
         .argument = "text|json|junit",
         .help = "how the result is written",
         .value = &values->format,
         .choices = formats},
        {.name = "max-communication-ratio",
         .type = OPTIONS_NUMBER,
         .argument = "X",
         .help =
             "exposed communication as a share of the step, which is long enough to wrap around",
         .value = &values->ratio,
         .minimum = 0,
         .maximum = 1},
    };
    memcpy(run->rows, rows, sizeof rows);
    run->command = (struct options_command){.program = "rankledger",
                                            .name = "validate",
                                            .operands = "PATH...",
                                            .summary = "Checks evidence files.",
                                            .notes = "Exit codes: 0 valid, 1 invalid.",
                                            .rows = run->rows,
                                            .row_count = ROW_COUNT};
}

/* Parses a NULL-terminated list of arguments; the values borrow the copies in `run`. */
static void parse(struct run *run, const char *const *arguments)
{
    char *argv[16];
    char *to = run->texts;
    int argc = 0;
    for (; arguments[argc] != NULL; argc++) {
        size_t size = strlen(arguments[argc]) + 1;
        cr_assert_leq(size, (size_t)(run->texts + sizeof run->texts - to));
        argv[argc] = memcpy(to, arguments[argc], size);
        to += size;
    }
    run->status = options_parse(&run->command, argc, argv, &run->operands, &run->help, &run->diag);
}

#define PARSE(run, ...)                                                                            \
    do {                                                                                           \
        set_up(run);                                                                               \
        parse(run, (const char *const[]){__VA_ARGS__, NULL});                                      \
    } while (0)

#define EXPECT_USAGE(message, ...)                                                                 \
    do {                                                                                           \
        struct run refused;                                                                        \
        PARSE(&refused, __VA_ARGS__);                                                              \
        cr_assert_eq(refused.status, STATUS_USAGE);                                                \
        cr_assert_str_eq(refused.diag.text, message "; try 'rankledger validate --help'");         \
    } while (0)

Test(options, sets_each_type_of_value)
{
    struct run run;
    PARSE(&run, "--strict", "-0", "--output", "a.json", "--group", "world_size=4",
          "--group=dtype=bf16", "--memory-limit-mb=80.5", "--jobs", "2", "--format", "junit");
    cr_assert_eq(run.status, STATUS_OK, "%s", run.diag.text);
    cr_assert(run.values.strict);
    cr_assert(run.values.null_separated);
    cr_assert_str_eq(run.values.output, "a.json");
    cr_assert(run.values.output_given);
    cr_assert_eq(run.values.group.count, 2);
    cr_assert_str_eq(run.values.group.values[0], "world_size=4");
    cr_assert_str_eq(run.values.group.values[1], "dtype=bf16");
    cr_assert_eq(run.values.limit, 80.5);
    cr_assert_eq(run.values.jobs, 2);
    cr_assert_eq(run.values.format, 2);
    cr_assert_not(run.help);
    cr_assert_eq(run.operands.count, 0);
    options_fini(&run.command, &run.operands);
}

Test(options, leaves_the_defaults_of_what_was_not_given)
{
    struct run run;
    PARSE(&run, "x");
    cr_assert_eq(run.status, STATUS_OK);
    cr_assert(isnan(run.values.limit));
    cr_assert_eq(run.values.jobs, 1);
    cr_assert_not(run.values.output_given);
    cr_assert_null(run.values.output);
    options_fini(&run.command, &run.operands);
}

Test(options, mixes_operands_and_options_in_order)
{
    struct run run;
    PARSE(&run, "a", "--strict", "-", "b", "--jobs", "3", "", "--", "--strict", "-x", "--help");
    cr_assert_eq(run.status, STATUS_OK, "%s", run.diag.text);
    static const char *const expected[] = {"a", "-", "b", "", "--strict", "-x", "--help"};
    cr_assert_eq(run.operands.count, 7);
    for (size_t i = 0; i < 7; i++)
        cr_assert_str_eq(run.operands.values[i], expected[i]);
    cr_assert_not(run.help);
    options_fini(&run.command, &run.operands);
    cr_assert_eq(run.operands.count, 0);
    options_fini(&run.command, &run.operands);
}

Test(options, takes_many_operands)
{
    struct run run;
    set_up(&run);
    static char name[] = "operand";
    char **argv = malloc(1000 * sizeof *argv);
    cr_assert_not_null(argv);
    for (int i = 0; i < 1000; i++)
        argv[i] = name;
    cr_assert_eq(options_parse(&run.command, 1000, argv, &run.operands, &run.help, &run.diag),
                 STATUS_OK);
    cr_assert_eq(run.operands.count, 1000);
    cr_assert_eq(run.operands.values[999], name);
    options_fini(&run.command, &run.operands);
    free(argv);
}

Test(options, an_empty_value_is_a_value)
{
    struct run run;
    PARSE(&run, "--output=");
    cr_assert_eq(run.status, STATUS_OK);
    cr_assert_str_eq(run.values.output, "");
    options_fini(&run.command, &run.operands);
}

Test(options, a_dash_and_a_negative_number_can_be_values)
{
    struct run run;
    PARSE(&run, "--output", "-");
    cr_assert_eq(run.status, STATUS_OK);
    cr_assert_str_eq(run.values.output, "-");
    PARSE(&run, "--output=--strict");
    cr_assert_eq(run.status, STATUS_OK);
    cr_assert_str_eq(run.values.output, "--strict");
    EXPECT_USAGE("option '--memory-limit-mb' needs a number of at least 0, not '-5'",
                 "--memory-limit-mb", "-5");
}

Test(options, help_wins_over_every_fault_but_not_over_the_end_of_options)
{
    struct run run;
    PARSE(&run, "--nonsense", "--jobs", "x", "-h");
    cr_assert_eq(run.status, STATUS_OK);
    cr_assert(run.help);
    PARSE(&run, "--help", "--", "x");
    cr_assert(run.help);
}

Test(options, an_unknown_option_names_the_nearest)
{
    EXPECT_USAGE("unknown option '--formt'; did you mean '--format'?", "--formt", "json");
    EXPECT_USAGE("unknown option '--formt'; did you mean '--format'?", "--formt=json");
    EXPECT_USAGE("unknown option '-format'; did you mean '--format'?", "-format");
    EXPECT_USAGE("unknown option '--out'; did you mean '--output'?", "--out", "x");
    EXPECT_USAGE("unknown option '--hlep'; did you mean '--help'?", "--hlep");
    EXPECT_USAGE("unknown option '--completely-else'", "--completely-else");
    EXPECT_USAGE("unknown option '--\\x1b[2J'", "--\x1b[2J");
    EXPECT_USAGE("unknown option '--0'; did you mean '-0'?", "--0");
    EXPECT_USAGE("unknown option '-00'; did you mean '-0'?", "-00");
    EXPECT_USAGE("unknown option '--'", "--=");
    EXPECT_USAGE("unknown option '-x'", "-x");
}

Test(options, refuses_what_is_incomplete_or_contradictory)
{
    EXPECT_USAGE("option '--output' needs a value (FILE)", "--output");
    EXPECT_USAGE("option '--output' needs a value (FILE; one that begins with a dash as "
                 "--output=...)",
                 "--output", "--strict");
    EXPECT_USAGE("option '--strict' takes no value", "--strict=yes");
    EXPECT_USAGE("option '--strict' takes no value", "--strict=");
    EXPECT_USAGE("option '--strict' was given twice", "--strict", "--strict");
    EXPECT_USAGE("option '--output' was given twice", "--output=a", "--output", "a");
}

Test(options, refuses_numbers_that_are_none_or_out_of_range)
{
    static const char *const bad[] = {"nan", "inf",   "-inf",  "0x10", "",      " 1",
                                      "1 ",  "1e99x", "80GiB", "1,5",  "1e400", "abc"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct run run;
        char argument[64];
        snprintf(argument, sizeof argument, "--memory-limit-mb=%s", bad[i]);
        PARSE(&run, argument);
        cr_assert_eq(run.status, STATUS_USAGE, "%s", bad[i]);
    }
    EXPECT_USAGE("option '--max-communication-ratio' needs a number from 0 to 1, not '1.5'",
                 "--max-communication-ratio", "1.5");
    struct run run;
    PARSE(&run, "--max-communication-ratio", "1");
    cr_assert_eq(run.status, STATUS_OK);
}

Test(options, refuses_counts_that_are_none_or_out_of_range)
{
    static const char *const bad[] = {"0",
                                      "257",
                                      "1.0",
                                      "1e2",
                                      "",
                                      "+",
                                      "-",
                                      "0x1",
                                      " 2",
                                      "2 ",
                                      "99999999999999999999",
                                      "-99999999999999999999"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct run run;
        char argument[64];
        snprintf(argument, sizeof argument, "--jobs=%s", bad[i]);
        PARSE(&run, argument);
        cr_assert_eq(run.status, STATUS_USAGE, "%s", bad[i]);
    }
    EXPECT_USAGE("option '--jobs' needs a whole number from 1 to 256, not '0'", "--jobs", "0");
    struct run run;
    PARSE(&run, "--jobs", "256");
    cr_assert_eq(run.status, STATUS_OK);
    cr_assert_eq(run.values.jobs, 256);
}

Test(options, a_choice_lists_what_is_known)
{
    EXPECT_USAGE("option '--format': 'ya\\nml' is none of text, json, junit", "--format", "ya\nml");
    EXPECT_USAGE("option '--format': '' is none of text, json, junit", "--format=");
}

Test(options, a_command_without_operands_refuses_them)
{
    struct run run;
    set_up(&run);
    run.command.operands = "";
    parse(&run, (const char *const[]){"stray", NULL});
    cr_assert_eq(run.status, STATUS_USAGE);
    cr_assert_str_eq(run.diag.text,
                     "unexpected argument 'stray'; try 'rankledger validate --help'");
}

Test(options, a_fault_after_lists_were_filled_releases_them)
{
    struct run run;
    PARSE(&run, "a", "--group", "x=1", "--bad");
    cr_assert_eq(run.status, STATUS_USAGE);
    cr_assert_null(run.values.group.values);
    cr_assert_null(run.operands.values);
}

static char *help_text(const struct run *run, enum options_help form)
{
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    cr_assert_not_null(stream);
    options_print_help(&run->command, form, stream);
    fclose(stream);
    return text;
}

Test(options, help_fits_80_columns_and_aligns)
{
    struct run run;
    set_up(&run);
    char *text = help_text(&run, OPTIONS_HELP_TEXT);
    cr_assert_str_eq(
        text, "Usage: rankledger validate [OPTION...] PATH...\n"
              "Checks evidence files.\n"
              "\n"
              "Options:\n"
              "  --strict                     warnings are errors\n"
              "  -0                           the list is separated by NUL bytes\n"
              "  --output FILE                where the result goes\n"
              "  --group K=V                  choose a group\n"
              "  --memory-limit-mb X          peak memory of a rank in MiB\n"
              "  --jobs N                     number of threads\n"
              "  --format text|json|junit     how the result is written\n"
              "  --max-communication-ratio X  exposed communication as a share of the step,\n"
              "                               which is long enough to wrap around\n"
              "  -h, --help                   show this text and exit\n"
              "\n"
              "Exit codes: 0 valid, 1 invalid.\n");
    for (const char *line = text; *line != '\0';) {
        size_t length = strcspn(line, "\n");
        cr_assert_leq(text_width(line, length), 80);
        line += length + 1;
    }
    free(text);
}

Test(options, a_label_too_wide_puts_its_help_below)
{
    struct run run;
    set_up(&run);
    run.command.row_count = 2;
    run.command.name = NULL;
    run.command.operands = NULL;
    run.command.notes = NULL;
    run.rows[0] = (struct options_row){.name = "a-name-that-is-really-much-too-long",
                                       .type = OPTIONS_TEXT,
                                       .argument = "SOMETHING",
                                       .help = "below",
                                       .value = &run.values.output};
    char *text = help_text(&run, OPTIONS_HELP_TEXT);
    cr_assert_str_eq(text, "Usage: rankledger [OPTION...]\n"
                           "Checks evidence files.\n"
                           "\n"
                           "Options:\n"
                           "  --a-name-that-is-really-much-too-long SOMETHING\n"
                           "              below\n"
                           "  -0          the list is separated by NUL bytes\n"
                           "  -h, --help  show this text and exit\n");
    free(text);
}

/* Each form holds every option, and no character of a text that would end a quotation. */
Test(options, help_has_forms_for_machines)
{
    struct run run;
    set_up(&run);
    run.rows[0].help = "it's [odd]: a\\b .so";
    char *man = help_text(&run, OPTIONS_HELP_MAN);
    cr_expect_not_null(strstr(man, ".TH \"RANKLEDGER-VALIDATE\" 1"), "%s", man);
    cr_expect_not_null(strstr(man, "\nrankledger\\-validate \\- checks evidence files\n"), "%s",
                       man);
    cr_expect_not_null(strstr(man, "\nit\\(aqs [odd]: a\\eb .so\n"), "%s", man);
    cr_expect_not_null(
        strstr(man, "EXIT STATUS\"\n.TP\n\\fB0\\fR\nvalid\n.TP\n\\fB1\\fR\ninvalid\n"), "%s", man);
    run.command.summary = "Writes report.xlsx and charts; more.";
    char *purpose = help_text(&run, OPTIONS_HELP_MAN);
    cr_expect_not_null(strstr(purpose, " \\- writes report.xlsx and charts\n"), "%s", purpose);
    free(purpose);
    char *bash = help_text(&run, OPTIONS_HELP_BASH);
    cr_assert_str_eq(bash, "    validate)\n"
                           "        options='--strict -0 --output --group --memory-limit-mb --jobs "
                           "--format --max-communication-ratio --help'\n"
                           "        kind=files\n"
                           "        case $before in\n"
                           "        --output) value=yes kind=files ;;\n"
                           "        --group) value=yes kind=nothing ;;\n"
                           "        --memory-limit-mb) value=yes kind=nothing ;;\n"
                           "        --jobs) value=yes kind=nothing ;;\n"
                           "        --format) value=yes kind=words values='text json junit' ;;\n"
                           "        --max-communication-ratio) value=yes kind=nothing ;;\n"
                           "        esac\n"
                           "        ;;\n");
    char *zsh = help_text(&run, OPTIONS_HELP_ZSH);
    cr_expect_not_null(strstr(zsh, " '--strict[it'\\''s \\[odd\\]\\: a\\\\b .so]' "), "%s", zsh);
    cr_expect_not_null(strstr(zsh, " '*--group=[choose a group]:K=V: ' "), "%s", zsh);
    cr_expect_not_null(strstr(zsh,
                              " '--format=[how the result is written]:text|json|junit:(text json "
                              "junit)' "),
                       "%s", zsh);
    free(man);
    free(bash);
    free(zsh);
}
