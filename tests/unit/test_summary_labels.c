#include <criterion/criterion.h>
#include <string.h>

#include "summary.h"
#include "texts.h"

static struct texts texts;
static struct summary summary;

static void load(const char *language, const char *text)
{
    struct diag diag = {0};
    const struct summary_document document = {"s.json", text, strlen(text)};
    cr_assert_eq(texts_load(language, NULL, &texts, &diag), STATUS_OK, "%s", diag.text);
    cr_assert_eq(summary_load_in(&document, &texts, &summary, &diag), STATUS_OK, "%s", diag.text);
}

static void teardown(void)
{
    summary_fini(&summary);
    texts_fini(&texts);
}

TestSuite(summary_labels, .fini = teardown);

static const char varied[] =
    "{\"schema\": \"rankledger.summary/1\", \"decision\": {\"decision\": \"reject\"}, \"groups\": ["
    "{\"label\": \"gpt, 4 ranks, global batch 64, sequence length 128 (a.json)\","
    " \"label_fields\": [\"seq_len\", \"dtype\"], \"label_path\": \"a.json\","
    " \"key\": {\"model\": \"gpt\", \"world_size\": 4, \"global_batch\": 64, \"seq_len\": 128},"
    " \"decision\": {\"decision\": \"tune\", \"candidate\": 1, \"notes\": ["
    "{\"id\": \"x\", \"text\": \"t\", \"values\": {\"a\": \"zero2, micro-batch 16\","
    " \"b\": \"zero2\", \"c\": \"zero2, micro-batch 1, zero2, micro-batch 16\","
    " \"d\": \"zero2, micro-batch 16, and more\", \"e\": 5}}]}, \"candidates\": ["
    "{\"label\": \"zero2, micro-batch 1\", \"strategy\": \"zero2\","
    " \"varied\": [{\"name\": \"micro_batch\", \"value\": 1}]},"
    "{\"label\": \"zero2, micro-batch 16\", \"strategy\": \"zero2\","
    " \"varied\": [{\"name\": \"micro_batch\", \"value\": 16}]},"
    "{\"label\": \"zero3, micro-batch not given, activation checkpointing true, odd x\","
    " \"strategy\": \"zero3\", \"varied\": [{\"name\": \"micro_batch\", \"value\": null},"
    " {\"name\": \"activation_checkpointing\", \"value\": true},"
    " {\"name\": \"odd\", \"value\": \"x\"}]}]}]}";

Test(summary_labels, are_said_in_the_language)
{
    load("zh", varied);
    const struct summary_group *group = &summary.groups[0];
    cr_assert_str_eq(group->candidates[0].label, "zero2（微批大小 1）");
    cr_assert_str_eq(group->candidates[1].label, "zero2（微批大小 16）");
    cr_assert_str_eq(group->candidates[2].label, "zero3（微批大小 未给出，激活重计算 是，odd x）");
    cr_assert_str_eq(group->decision.label, "zero2（微批大小 16）");
    cr_assert_str_eq(group->label,
                     "gpt，4 个 rank，全局批大小 64，序列长度 128，数值格式 未给出（a.json）");
    const struct sentence_value *values = group->decision.notes[0].values;
    cr_assert_str_eq(values[0].text, "zero2（微批大小 16）");
    cr_assert_str_eq(values[1].text, "zero2", "no label: a strategy");
    cr_assert_str_eq(values[2].text, "zero2（微批大小 1）、zero2（微批大小 16）");
    cr_assert_str_eq(values[3].text, "zero2, micro-batch 16, and more", "no list of labels");
    cr_assert_eq(values[4].number, 5);
}

Test(summary_labels, are_in_english_what_the_analyzer_wrote)
{
    load("en", varied);
    const struct summary_group *group = &summary.groups[0];
    cr_assert_str_eq(group->candidates[1].label, "zero2, micro-batch 16");
    cr_assert_str_eq(group->candidates[2].label,
                     "zero3, micro-batch not given, activation checkpointing true, odd x");
    cr_assert_str_eq(
        group->label,
        "gpt, 4 ranks, global batch 64, sequence length 128, number format not given (a.json)");
    cr_assert_str_eq(group->decision.notes[0].values[0].text, "zero2, micro-batch 16");
}

Test(summary_labels, of_a_summary_without_parts_stay)
{
    load("zh", "{\"schema\": \"rankledger.summary/1\", \"decision\": {\"decision\": \"reject\"},"
               " \"groups\": [{\"label\": \"gpt, 4 ranks\", \"key\": {\"world_size\": 4},"
               " \"decision\": {\"decision\": \"tune\"}, \"candidates\": ["
               "{\"label\": \"zero2, micro-batch 1\", \"strategy\": \"zero2\"}]}]}");
    cr_assert_str_eq(summary.groups[0].label, "gpt, 4 ranks");
    cr_assert_str_eq(summary.groups[0].candidates[0].label, "zero2, micro-batch 1");
}
