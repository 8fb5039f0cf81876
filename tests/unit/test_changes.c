#include "changes.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "changes_view.h"

static struct texts texts;
static struct summary summary;
static struct diag diag;

static enum status load(const char *language, const char *text)
{
    const struct summary_document document = {"c.json", text, strlen(text)};
    cr_assert_eq(texts_load(language, NULL, &texts, &diag), STATUS_OK, "%s", diag.text);
    return changes_load(&document, &texts, &summary, &diag);
}

static void teardown(void)
{
    summary_fini(&summary);
    texts_fini(&texts);
    diag = (struct diag){0};
}

TestSuite(changes, .fini = teardown);

#define CHOICE(decision)                                                                           \
    "{\"decision\": \"" decision "\", \"evidence_level\": \"multi_gpu\", \"strategy\": \"zero2\"," \
    " \"reason\": \"No candidate.\", \"reason_id\": \"verdict.pass\", \"reason_values\": {}}"
#define SIDE(more) "{\"label\": \"zero2, micro-batch 8\", \"eligible\": true" more "}"
#define GATE ", \"gates\": [{\"name\": \"memory\", \"verdict\": \"fail\", \"failed\": true}]"

static const char document[] =
    "{\"schema\": \"rankledger.comparison/1\", \"verdict\": {\"id\": \"none\", \"text\": \"v\"},"
    " \"regressions\": 2, \"improvements\": 1, \"beyond\": 1,"
    " \"base\": {\"path\": \"/home/alice/a\", \"kind\": \"archive\", \"sources\": 3,"
    " \"rejected_sources\": [{\"path\": \"x\", \"error\": \"no JSON\"}]},"
    " \"new\": {\"path\": \"b\", \"kind\": \"summary\", \"sources\": 2},"
    " \"settings\": {\"tolerance\": 0.02, \"max_regression\": null, \"fail_on\": [\"memory\"]},"
    " \"policy_differences\": [{\"field\": \"vary\", \"base\": \"[]\", \"new\": \"null\"}],"
    " \"findings\": [{\"id\": \"n\", \"text\": \"t\", \"tendency\": \"note\","
    " \"values\": {\"strategy\": \"zero2, micro-batch 8\"}}],"
    " \"missing_groups\": [{\"label\": \"m\", \"differs_in\": \"seq_len\"}],"
    " \"groups\": [{\"label\": \"g\", \"key\": {\"world_size\": 4}, \"label_fields\": [],"
    " \"base\": " CHOICE("accept") ", \"new\": " CHOICE(
        "tune") ","
                " \"findings\": [{\"id\": \"r\", \"text\": \"t\", \"tendency\": \"regression\","
                " \"beyond\": true, \"strategy\": \"zero2, micro-batch 8\","
                " \"values\": {\"reason\": \"No candidate.\"}}],"
                " \"strategies\": [{\"label\": \"zero2, micro-batch 8\", \"strategy\": \"zero2\","
                " \"varied\": [{\"name\": \"micro_batch\", \"value\": 8}], \"presence\": \"both\","
                " \"base\": " SIDE(", \"rank\": 1, \"samples\": 10") ", \"new\": " SIDE(
                    GATE) ","
                          " \"values\": [{\"name\": \"throughput\", \"verdict\": \"worse\", "
                          "\"unit\": \"tokens/s\","
                          " \"base\": 100, \"new\": 88, \"change\": -12, \"relative\": -0.12,"
                          " \"ratio_interval\": [0.87, 0.89], \"interval_unit\": \"round\", "
                          "\"beyond\": true},"
                          " {\"name\": \"communication_ratio\", \"verdict\": \"better\", \"unit\": "
                          "\"ratio\","
                          " \"base\": 0.25, \"new\": 0.2, \"change\": -0.05, \"relative\": -0.2},"
                          " {\"name\": \"peak_memory_mb\", \"verdict\": \"not_comparable\", "
                          "\"unlike\": \"kind\","
                          " \"base\": 5, \"new\": 9, \"relative\": 0.8},"
                          " {\"name\": \"communication_payload_mb\", \"verdict\": \"worse\", "
                          "\"base\": 0, \"new\": 4,"
                          " \"relative\": null}],"
                          " \"losses\": {\"compared\": 4, \"first_difference\": null}},"
                          " {\"label\": \"ddp\", \"strategy\": \"ddp\", \"presence\": \"missing\", "
                          "\"new\": null,"
                          " \"base\": {\"label\": \"ddp\", \"failure\": \"out of memory\"}}]}]}";

Test(changes, are_read_with_their_labels_in_the_language)
{
    cr_assert_eq(load("zh", document), STATUS_OK, "%s", diag.text);
    const struct changes *changes = summary.changes;
    cr_assert_str_eq(changes->base.path, "/home/<user>/a");
    cr_assert_eq(changes->base.rejected_count, 1);
    cr_assert_eq(changes->beyond, 1);
    cr_assert_eq(changes->tolerance, 0.02);
    cr_assert(isnan(changes->max_regression));
    cr_assert_str_eq(changes->fail_on.items[0], "memory");
    cr_assert_str_eq(changes->policy[0].now, "null");
    cr_assert_str_eq(changes->missing[0].differs_in, "seq_len");
    const struct changes_group *group = &changes->groups[0];
    cr_assert_str_eq(group->label, "4 个 rank");
    cr_assert_str_eq(group->strategies[0].label, "zero2（微批大小 8）");
    cr_assert_str_eq(group->strategies[0].base->label, "zero2（微批大小 8）");
    cr_assert_str_eq(group->findings.items[0].strategy, "zero2（微批大小 8）");
    cr_assert_str_eq(changes->findings.items[0].message.values[0].text, "zero2（微批大小 8）");
    cr_assert_eq(group->strategies[0].base->samples, 10);
    cr_assert_str_eq(group->base.strategy, "zero2（微批大小 8）", "the one that ranks first");
    cr_assert_str_eq(group->now.strategy, "zero2", "none of them ranks first");
    cr_assert_str_eq(group->findings.items[0].message.values[0].text, "通过", "a quoted reason");
    cr_assert_null(group->strategies[1].now);
    cr_assert(isnan(group->strategies[0].losses.first_difference));
    cr_assert_not(group->strategies[1].losses.told);
}

Test(changes, have_the_rows_of_a_summary)
{
    cr_assert_eq(load("en", document), STATUS_OK, "%s", diag.text);
    cr_assert_eq(summary.group_count, 1);
    const struct summary_group *group = &summary.groups[0];
    cr_assert_eq(group->candidate_count, 2);
    cr_assert_str_eq(group->candidates[0].gate_failures.items[0], "memory");
    cr_assert(isnan(group->candidates[0].throughput), "no value of a comparison is a measurement");
    cr_assert_str_eq(group->candidates[1].failure.reason, "out of memory");
    cr_assert_eq(group->decision.candidate, -1);
}

static void expect_change(const char *name, const char *change, const char *bounds)
{
    struct text_buffer out = {0};
    const struct changes_value *value =
        changes_find(&summary.changes->groups[0].strategies[0], name);
    changes_view_change(&out, &texts, value);
    cr_assert_str_eq(out.text, change);
    text_buffer_clear(&out);
    changes_view_bounds(&out, &texts, value);
    cr_assert_str_eq(out.length > 0 ? out.text : "", bounds);
    text_buffer_fini(&out);
}

Test(changes, are_said_in_per_cent_points_or_words)
{
    cr_assert_eq(load("en", document), STATUS_OK, "%s", diag.text);
    expect_change("throughput", "-12 %", "-13 % to -11 %");
    expect_change("communication_ratio", "-5 points", "");
    expect_change("peak_memory_mb", "another kind of memory", "");
    expect_change("communication_payload_mb", "from 0", "");
    cr_assert_eq(changes_view_rank(&summary.changes->groups[0]), CHANGES_VIEW_BEYOND);
    cr_assert_eq(changes_view_compared(summary.changes), 1);
    cr_assert_str_eq(changes_view_headline(summary.changes), "changes.beyond");
}

static void expect_standing(const struct changes_candidate *candidate, const char *expected)
{
    struct text_buffer out = {0};
    const struct changes_choice choice = {.strategy = "zero2"};
    changes_view_standing(&out, &texts, &choice, candidate);
    cr_assert_str_eq(out.text, expected);
    text_buffer_fini(&out);
}

Test(changes, say_how_a_strategy_stands)
{
    cr_assert_eq(load("en", document), STATUS_OK, "%s", diag.text);
    const struct changes_strategy *strategies = summary.changes->groups[0].strategies;
    expect_standing(strategies[0].base, "selected");
    expect_standing(strategies[1].base, "run failed: out of memory");
    expect_standing(strategies[1].now, "no evidence");
    struct changes_candidate failing = *strategies[0].now;
    failing.eligible = false;
    expect_standing(&failing, "fails memory");
}

static void expect_refusal(const char *text, const char *message)
{
    summary = (struct summary){0};
    cr_assert_eq(load("en", text), STATUS_INPUT, "accepted: %s", text);
    cr_assert_eq(strncmp(diag.text, "c.json:", 7), 0, "no position: %s", diag.text);
    cr_assert_not_null(strstr(diag.text, message), "not '%s': %s", message, diag.text);
    texts_fini(&texts);
    diag = (struct diag){0};
}

#define WITH(groups) "{\"schema\": \"rankledger.comparison/1\", \"groups\": " groups "}"

Test(changes, refuses_what_no_comparison_has)
{
    expect_refusal("", "");
    expect_refusal("[]", "expected a comparison");
    expect_refusal("{\"schema\": \"rankledger.comparison/2\"}", "another edition");
    expect_refusal(WITH("{}"), "groups");
    expect_refusal(WITH("[{\"label\": \"g\"}]"), "decision");
    expect_refusal(WITH("[{\"label\": \"g\", \"strategies\": [{\"label\": \"a\"}]}]"), "strategy");
    expect_refusal(WITH("[{\"label\": \"g\", \"strategies\": [{\"label\": \"a\", \"strategy\": "
                        "\"b\", \"presence\": \"gone\"}]}]"),
                   "presence");
    expect_refusal(WITH("[{\"label\": \"g\", \"strategies\": [{\"label\": \"a\", \"strategy\": "
                        "\"b\", \"presence\": \"both\"}]}]"),
                   "neither");
}
