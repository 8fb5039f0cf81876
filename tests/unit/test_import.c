#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "import_record.h"

/* An import of a source that is not looked at, with the settings of `texts`. */
struct sample {
    struct import import;
    struct import_settings settings;
    struct import_source source;
    struct import_format format;
};

static void begin(struct sample *sample, const char *const *texts, size_t count)
{
    struct diag diag = {0};
    *sample = (struct sample){.source = {.path = "a.log", .text = "", .size = 0},
                              .format = {.name = "tool", .title = "tool's log"}};
    cr_assert_eq(import_settings_read(&sample->settings, texts, count, &diag), STATUS_OK, "%s",
                 diag.text);
    sample->import = (struct import){
        .format = &sample->format, .source = &sample->source, .settings = &sample->settings};
}

static void end(struct sample *sample)
{
    import_record_fini(&sample->import);
    import_settings_fini(&sample->settings);
}

static void expect_status(struct sample *sample, enum status status, const char *words)
{
    struct diag diag = {0};
    cr_assert_eq(import_record_status(&sample->import, &diag), status, "%s", diag.text);
    cr_assert_not_null(strstr(diag.text, words), "%s", diag.text);
}

Test(import, a_record_begins_as_an_imported_one_with_what_is_given)
{
    static const char *const texts[] = {"strategy=zero1", "workload.world_size=8"};
    struct sample sample;
    begin(&sample, texts, 2);
    struct import_record *record = import_begin(&sample.import);
    const char *text = NULL;
    double number = 0;
    cr_assert(import_given_text(record, "evidence_level", &text));
    cr_assert_str_eq(text, "imported_log");
    cr_assert(import_given_text(record, "strategy", &text));
    cr_assert_str_eq(text, "zero1");
    cr_assert(import_given_number(record, "workload.world_size", &number));
    cr_assert_eq(number, 8);
    cr_assert_not(import_given_number(record, "workload.seq_len", &number));
    cr_assert_not(import_given_number(record, "strategy", &number));
    expect_status(&sample, STATUS_OK, "");
    end(&sample);
}

Test(import, fields_are_put_where_their_path_says_with_their_lines)
{
    struct sample sample;
    begin(&sample, NULL, 0);
    struct import_record *record = import_begin(&sample.import);
    import_number(record, "workload.state_bytes.parameters", 2, 7);
    import_number_over(record, "metrics.step_time_ms", 5.5, 3, 9);
    import_flag(record, "strategy_options.overlap", true, 0);
    cr_assert_eq(
        json_number_value(import_record_get(record->root, "workload.state_bytes.parameters")), 2);
    cr_assert(json_is_true(import_record_get(record->root, "strategy_options.overlap")));
    const json_t *lines = json_object_get(record->lines, "metrics.step_time_ms");
    cr_assert_eq(json_array_size(lines), 2);
    cr_assert_eq(json_integer_value(json_array_get(lines, 1)), 9);
    cr_assert_eq(json_array_size(json_object_get(record->lines, "workload.state_bytes.parameters")),
                 1);
    cr_assert_null(json_object_get(record->lines, "strategy_options.overlap"));
    end(&sample);
}

Test(import, what_contradicts_a_setting_ends_the_import)
{
    static const char *const texts[] = {"workload.world_size=8", "strategy=ddp"};
    struct sample sample;
    begin(&sample, texts, 2);
    struct import_record *record = import_begin(&sample.import);
    import_number(record, "workload.world_size", 8, 3);
    import_text(record, "strategy", "ddp", 4);
    expect_status(&sample, STATUS_OK, "");
    import_number(record, "workload.world_size", 4, 12);
    cr_assert_not(import_goes_on(&sample.import));
    expect_status(&sample, STATUS_USAGE, "a.log:12: workload.world_size is 4");
    import_number(record, "workload.seq_len", 4, 13);
    cr_assert_null(import_record_get(record->root, "workload.seq_len"), "nothing is done any more");
    end(&sample);
}

Test(import, a_part_of_a_given_object_must_agree_too)
{
    static const char *const texts[] = {"workload.state_bytes={\"parameters\": 2}"};
    struct sample sample;
    begin(&sample, texts, 1);
    struct import_record *record = import_begin(&sample.import);
    import_number(record, "workload.state_bytes.gradients", 4, 1);
    expect_status(&sample, STATUS_OK, "");
    import_number(record, "workload.state_bytes.parameters", 4, 1);
    expect_status(&sample, STATUS_USAGE, "--set workload.state_bytes=");
    end(&sample);
}

Test(import, a_number_that_is_not_finite_is_the_importers_fault)
{
    struct sample sample;
    begin(&sample, NULL, 0);
    import_number(import_begin(&sample.import), "metrics.throughput", NAN, 1);
    expect_status(&sample, STATUS_BUG, "not finite");
    end(&sample);
}

Test(import, nan_in_lists_and_values_is_null)
{
    static const double values[] = {1, NAN};
    struct sample sample;
    begin(&sample, NULL, 0);
    struct import_record *record = import_begin(&sample.import);
    import_numbers(record, "metrics.losses", values, 2, 1, 2);
    import_value(record, "loss_last", NAN);
    import_samples(record, "ms", values, 2, 4, 6);
    cr_assert(json_is_null(json_array_get(import_record_get(record->root, "metrics.losses"), 1)));
    cr_assert(json_is_null(json_object_get(record->values, "loss_last")));
    cr_assert_eq(json_array_size(json_object_get(record->samples, "ms")), 2);
    cr_assert_not_null(json_object_get(record->lines, "import.samples.ms"));
    expect_status(&sample, STATUS_OK, "");
    end(&sample);
}

Test(import, the_first_failure_stays_and_decides)
{
    struct sample sample;
    begin(&sample, NULL, 0);
    struct import_record *record = import_begin(&sample.import);
    struct import_failure failure = IMPORT_FAILURE_NONE;
    const char *text = NULL;
    double rank = 0;
    failure.kind = "timeout";
    failure.rank = 0;
    failure.line = 5;
    import_fail(record, &failure);
    failure.kind = "exception";
    import_fail(record, &failure);
    cr_assert(import_given_text(record, "failure.kind", &text));
    cr_assert_str_eq(text, "timeout");
    cr_assert(import_given_text(record, "failure.reason", &text), "a reason is required");
    cr_assert(import_given_number(record, "failure.rank", &rank), "rank 0 is told");
    cr_assert_null(import_record_get(record->root, "failure.step"));
    cr_assert(import_given_text(record, "decision", &text));
    cr_assert_str_eq(text, "failed");
    end(&sample);
}

Test(import, warnings_are_clean_and_not_without_end)
{
    struct sample sample;
    begin(&sample, NULL, 0);
    struct import_record *record = import_begin(&sample.import);
    for (int i = 0; i < 150; i++)
        import_warn(record, 3, "\033[1m /home/alice/%d", i);
    cr_assert_eq(json_array_size(record->warnings), 100);
    cr_assert_eq(record->warning_count, 150);
    const json_t *message = json_object_get(json_array_get(record->warnings, 0), "message");
    cr_assert_str_eq(json_string_value(message), "\\x1b[1m /home/<user>/0");
    end(&sample);
}
