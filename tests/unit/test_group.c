#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "comparability.h"
#include "group.h"
#include "record_set.h"

struct fixture {
    struct evidence_set set;
    struct policy policy;
    struct arena arena;
    struct group_list groups;
};

static void form(struct fixture *f)
{
    struct diag diag = {0};
    cr_assert_eq(group_form(&f->set, &f->policy, &f->arena, &f->groups, &diag), STATUS_OK, "%s",
                 diag.text);
}

static void begin(struct fixture *f)
{
    *f = (struct fixture){0};
    policy_init(&f->policy);
}

static void end(struct fixture *f)
{
    record_set_fini(&f->set);
    arena_fini(&f->arena);
}

static void run(struct fixture *f, const char *strategy, const char *workload, const char *metrics)
{
    record_set_add_run(&f->set, strategy, workload, metrics, "'failure':null");
}

static void failed_run(struct fixture *f, const char *strategy, const char *workload)
{
    record_set_add_run(&f->set, strategy, workload, "", "'failure':'oom'");
}

static bool warns(const struct group *group, const char *id)
{
    for (size_t i = 0; i < group->warning_count; i++)
        if (strcmp(group->warnings[i].id, id) == 0)
            return true;
    return false;
}

Test(group, no_records_make_no_groups)
{
    struct fixture f;
    begin(&f);
    form(&f);
    cr_assert_eq(f.groups.count, 0);
    cr_assert_eq(f.groups.difference.field, NULL);
    end(&f);
}

Test(group, equal_workloads_are_one_group_in_strategy_order)
{
    struct fixture f;
    begin(&f);
    run(&f, "zero2", "'world_size':4,'global_batch':128,'model':'gpt2_124m'", "'peak_memory_mb':2");
    run(&f, "ddp", "'world_size':4,'global_batch':128,'model':'gpt2_124m'", "'peak_memory_mb':3");
    form(&f);
    cr_assert_eq(f.groups.count, 1);
    cr_assert_eq(f.groups.difference.field, NULL);
    const struct group *group = &f.groups.items[0];
    cr_assert_str_eq(group->label, "gpt2_124m, 4 ranks, global batch 128");
    cr_assert_eq(group->candidate_count, 2);
    cr_assert_str_eq(group->candidates[0].label, "ddp");
    cr_assert_str_eq(group->candidates[1].label, "zero2");
    cr_assert_eq(group->candidates[0].input_order, 1);
    cr_assert_eq(group->warning_count, 0);
    cr_assert(group->times_count);
    cr_assert_str_eq(group->level_name, "real_multi_gpu_zero_stage");
    end(&f);
}

/* Every field by itself splits, and is named. */
Test(group, each_field_splits_and_is_named)
{
    static const struct {
        const char *field, *a, *b, *value_a, *value_b;
    } cases[] = {
        {"world_size", "'world_size':4", "'world_size':8", "4", "8"},
        {"global_batch", "'world_size':4,'global_batch':320", "'world_size':4,'global_batch':64",
         "320", "64"},
        {"micro_batch", "'world_size':4,'global_batch':64,'micro_batch':8",
         "'world_size':4,'global_batch':64,'micro_batch':4", "8", "4"},
        {"gradient_accumulation", "'world_size':4,'gradient_accumulation':1",
         "'world_size':4,'gradient_accumulation':2", "1", "2"},
        {"seq_len", "'world_size':4,'seq_len':512", "'world_size':4,'seq_len':1024", "512", "1024"},
        {"model", "'world_size':4,'model':'a'", "'world_size':4,'model':'b'", "a", "b"},
        {"parameters", "'world_size':4,'parameters':7e9", "'world_size':4,'num_parameters':8e9",
         "7000000000", "8000000000"},
        {"width", "'world_size':4,'width':64", "'world_size':4,'width':65", "64", "65"},
        {"layers", "'world_size':4,'layers':2", "'world_size':4,'layers':3", "2", "3"},
        {"heads", "'world_size':4,'heads':2", "'world_size':4,'heads':3", "2", "3"},
        {"vocab", "'world_size':4,'vocab':2", "'world_size':4,'vocab':3", "2", "3"},
        {"dtype", "'world_size':4,'dtype':'bf16'", "'world_size':4,'dtype':'float32'", "bf16",
         "fp32"},
        {"optimizer", "'world_size':4,'optimizer':'adamw'", "'world_size':4,'optimizer':'sgd'",
         "adamw", "sgd"},
        {"activation_checkpointing", "'world_size':4,'activation_checkpointing':true",
         "'world_size':4,'activation_checkpointing':false", "true", "false"},
        {"state_bytes",
         "'world_size':4,'state_bytes':{'parameters':2,'gradients':2,'optimizer':12}",
         "'world_size':4,'state_bytes':{'parameters':2,'gradients':4,'optimizer':12}", "16", "18"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct fixture f;
        begin(&f);
        run(&f, "ddp", cases[i].a, "'peak_memory_mb':1");
        run(&f, "zero1", cases[i].b, "'peak_memory_mb':1");
        form(&f);
        cr_assert_eq(f.groups.count, 2, "%s", cases[i].field);
        cr_assert_str_eq(f.groups.difference.field, cases[i].field);
        cr_assert_str_eq(f.groups.difference.value_a, cases[i].value_a);
        cr_assert_str_eq(f.groups.difference.value_b, cases[i].value_b);
        cr_assert_str_eq(f.groups.difference.path_a, "a.json");
        cr_assert_str_eq(f.groups.difference.path_b, "b.json");
        end(&f);
    }
}

Test(group, unit_level_and_device_split_as_well)
{
    static const struct {
        const char *field, *a, *b;
    } cases[] = {
        {"throughput_unit",
         "{'strategy':'ddp','workload':{'world_size':2},'metrics':{'tokens_per_s':1},"
         "'evidence_level':'multi_gpu'}",
         "{'strategy':'ddp','workload':{'world_size':2},'metrics':{'samples_per_s':1},"
         "'evidence_level':'multi_gpu'}"},
        {"times_count",
         "{'strategy':'ddp','workload':{'world_size':2},'evidence_level':'multi_gpu'}",
         "{'strategy':'zero1','workload':{'world_size':2},'evidence_level':'predicted'}"},
        {"device",
         "{'strategy':'ddp','workload':{'world_size':2},'hardware':'A','evidence_level':'multi_gpu'"
         "}",
         "{'strategy':'ddp','workload':{'world_size':2},'hardware':{'device':'B'},"
         "'evidence_level':'multi_gpu'}"},
        {"device_count",
         "{'strategy':'ddp','workload':{'world_size':2},'hardware':{'device_count':2},"
         "'evidence_level':'multi_gpu'}",
         "{'strategy':'ddp','workload':{'world_size':2},'hardware':{'gpus':4},"
         "'evidence_level':'multi_gpu'}"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct fixture f;
        begin(&f);
        record_set_add(&f.set, cases[i].a);
        record_set_add(&f.set, cases[i].b);
        form(&f);
        cr_assert_eq(f.groups.count, 2, "%s", cases[i].field);
        cr_assert_str_eq(f.groups.difference.field, cases[i].field);
        end(&f);
    }
}

Test(group, spellings_of_one_value_do_not_split)
{
    struct fixture f;
    begin(&f);
    run(&f, "ddp",
        "'world_size':4,'dtype':'bfloat16','parameters':7500000000,"
        "'state_bytes':{'parameters':2,'gradients':2,'optimizer':12}",
        "");
    run(&f, "fsdp_full_shard",
        "'world_size':4.0,'dtype':'bf16','num_parameters':7.5e9,"
        "'state_bytes':{'parameters':4,'gradients':4,'optimizer':8}",
        "");
    form(&f);
    cr_assert_eq(f.groups.count, 1, "the sum of the state bytes is compared");
    end(&f);
}

Test(group, the_first_difference_in_the_order_of_the_rules_is_named)
{
    struct fixture f;
    begin(&f);
    /* 40, 8 and a failed 44 sequences on 8 ranks: the global batch is tested before the micro-batch
     */
    run(&f, "zero2", "'world_size':8,'micro_batch':40", "'samples_per_s':26.7");
    run(&f, "fsdp_full_shard", "'world_size':8,'micro_batch':8", "'samples_per_s':16.3");
    failed_run(&f, "zero2", "'world_size':8,'micro_batch':44");
    form(&f);
    cr_assert_eq(f.groups.count, 3);
    cr_assert_str_eq(f.groups.difference.field, "global_batch");
    cr_assert_str_eq(f.groups.difference.value_a, "320");
    cr_assert_str_eq(f.groups.difference.value_b, "64");
    end(&f);
}

Test(group, absent_in_one_and_present_in_the_other_is_a_warning)
{
    struct fixture f;
    begin(&f);
    run(&f, "ddp", "'world_size':4,'seq_len':1024", "");
    run(&f, "zero1", "'world_size':4", "");
    form(&f);
    cr_assert_eq(f.groups.count, 1);
    const struct group *group = &f.groups.items[0];
    cr_assert_eq(group->warning_count, 1);
    cr_assert_str_eq(group->warnings[0].id, "field_absent");
    cr_assert_str_eq(group->warnings[0].text,
                     "seq_len is given in a.json and not in b.json: taken as equal");
    cr_assert_eq(group->first->workload.seq_len, 1024, "what one says describes the group");
    end(&f);
}

Test(group, a_failed_run_that_lacks_fields_belongs_to_its_group)
{
    struct fixture f;
    begin(&f);
    failed_run(&f, "ddp", "'micro_batch':4");
    run(&f, "zero1", "'world_size':4,'micro_batch':4,'seq_len':1024", "'tokens_per_s':1");
    form(&f);
    cr_assert_eq(f.groups.count, 1);
    cr_assert_eq(f.groups.items[0].candidate_count, 2);
    cr_assert_str_eq(f.groups.items[0].first->path, "b.json");
    cr_assert(f.groups.items[0].candidates[0].failure.failed);
    end(&f);
}

/* "Equal where both say" is no equivalence: c agrees with a and with b, which differ. */
Test(group, what_lacks_the_field_that_divides_the_others_joins_neither)
{
    static const char *const workloads[3] = {"'world_size':4,'seq_len':512",
                                             "'world_size':4,'seq_len':1024", "'world_size':4"};
    static const size_t orders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                        {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    for (size_t o = 0; o < 6; o++) {
        struct fixture f;
        begin(&f);
        for (size_t i = 0; i < 3; i++)
            run(&f, "ddp", workloads[orders[o][i]], "");
        form(&f);
        cr_assert_eq(f.groups.count, 3, "order %zu", o);
        cr_assert_str_eq(f.groups.difference.field, "seq_len");
        end(&f);
    }
}

Test(group, a_field_that_all_have_decides_before_one_that_some_lack)
{
    struct fixture f;
    begin(&f);
    run(&f, "ddp", "'world_size':4,'seq_len':512,'model':'x'", "");
    run(&f, "ddp", "'world_size':4,'seq_len':1024,'model':'y'", "");
    run(&f, "zero1", "'world_size':4,'model':'y'", "");
    form(&f);
    cr_assert_eq(f.groups.count, 2, "the model tells which sequence length is meant");
    cr_assert_eq(f.groups.items[1].candidate_count, 2);
    cr_assert_str_eq(f.groups.difference.field, "seq_len");
    end(&f);
}

Test(group, nothing_is_compared_with_an_unknown_world_size)
{
    struct fixture f;
    begin(&f);
    run(&f, "ddp", "'micro_batch':1", "");
    run(&f, "zero1", "'micro_batch':1", "");
    run(&f, "zero2", "'micro_batch':1,'world_size':4", "");
    form(&f);
    cr_assert_eq(f.groups.count, 3);
    cr_assert_str_eq(f.groups.difference.field, "world_size");
    cr_assert_str_eq(f.groups.difference.value_a, "not given");
    end(&f);
}

Test(group, a_single_record_without_world_size_is_a_group)
{
    struct fixture f;
    begin(&f);
    run(&f, "ddp", "'micro_batch':1", "");
    form(&f);
    cr_assert_eq(f.groups.count, 1);
    cr_assert_eq(f.groups.difference.field, NULL);
    cr_assert_str_eq(f.groups.items[0].label, "workload not described");
    end(&f);
}

Test(group, warmup_repeats_version_and_kind_of_memory_warn)
{
    struct fixture f;
    begin(&f);
    record_set_add_run(&f.set, "ddp", "'world_size':4,'warmup':2,'repeats':5",
                       "'peak_memory_mb':1,'memory_kind':'reserved'",
                       "'run':{'program_version':'0.1.0'}");
    record_set_add_run(&f.set, "zero1", "'world_size':4,'warmup':3,'repeats':6",
                       "'peak_memory_mb':1", "'run':{'program_version':'0.2.0'}");
    form(&f);
    cr_assert_eq(f.groups.count, 1);
    const struct group *group = &f.groups.items[0];
    cr_assert(warns(group, "warmup_differs") && warns(group, "repeats_differs") &&
              warns(group, "version_differs") && warns(group, "memory_kind_differs"));
    cr_assert_eq(group->warning_count, 4);
    cr_assert_str_eq(group->warnings[0].text, "warm-up differs: 2 in a.json, 3 in b.json");
    end(&f);
}

Test(group, as_many_devices_on_more_hosts_warn)
{
    struct fixture f;
    begin(&f);
    record_set_add(&f.set, "{'strategy':'ddp','workload':{'world_size':4},'metrics':{},"
                           "'hardware':{'device':'A','device_count':4,'hosts':1}}");
    record_set_add(&f.set, "{'strategy':'zero1','workload':{'world_size':4},'metrics':{},"
                           "'hardware':{'device':'A','device_count':4,'hosts':2}}");
    form(&f);
    cr_assert_eq(f.groups.count, 1);
    const struct group *group = &f.groups.items[0];
    cr_assert_eq(group->warning_count, 1);
    cr_assert_str_eq(group->warnings[0].text,
                     "the number of hosts differs: 1 in a.json, 2 in b.json");
    end(&f);
}

Test(group, varied_fields_make_candidates_of_one_strategy)
{
    static const char *const vary[] = {"micro_batch", "gradient_accumulation"};
    struct fixture f;
    begin(&f);
    f.policy.vary = vary;
    f.policy.vary_count = 2;
    run(&f, "zero2", "'world_size':4,'micro_batch':16,'gradient_accumulation':1", "");
    run(&f, "zero2", "'world_size':4,'micro_batch':4,'gradient_accumulation':4", "");
    run(&f, "ddp", "'world_size':4,'micro_batch':4,'gradient_accumulation':4", "");
    form(&f);
    cr_assert_eq(f.groups.count, 1);
    const struct group *group = &f.groups.items[0];
    cr_assert_eq(group->candidate_count, 3);
    cr_assert_str_eq(group->candidates[0].label, "ddp, micro-batch 4, accumulation 4");
    cr_assert_str_eq(group->candidates[1].label, "zero2, micro-batch 4, accumulation 4");
    cr_assert_str_eq(group->candidates[2].label, "zero2, micro-batch 16, accumulation 1");
    cr_assert(isnan(group->first->workload.micro_batch), "what differs is not shared");
    cr_assert_eq(group->first->workload.global_batch, 64);
    end(&f);
}

Test(group, labels_say_varied_fields_in_words)
{
    static const char *const vary[] = {"global_batch", "activation_checkpointing", "seq_len"};
    struct fixture f;
    begin(&f);
    f.policy.vary = vary;
    f.policy.vary_count = 3;
    run(&f, "ddp", "'world_size':4,'global_batch':64,'seq_len':8,'activation_checkpointing':false",
        "");
    run(&f, "ddp", "'world_size':4,'global_batch':256,'seq_len':9,'activation_checkpointing':true",
        "");
    form(&f);
    cr_assert_eq(f.groups.count, 1);
    cr_assert_str_eq(f.groups.items[0].candidates[1].label,
                     "ddp, global batch 256, sequence length 9, activation checkpointing true");
    end(&f);
}

Test(group, every_field_has_words)
{
    for (int field = 0; field < COMPARABILITY_FIELD_COUNT; field++)
        cr_assert_null(strchr(comparability_words((enum comparability_field)field), '_'));
}

Test(group, the_label_names_what_tells_the_groups_apart)
{
    struct fixture f;
    begin(&f);
    run(&f, "ddp", "'world_size':4,'model':'m','seq_len':512", "");
    run(&f, "ddp", "'world_size':4,'model':'m','seq_len':1024", "");
    form(&f);
    cr_assert_str_eq(f.groups.items[0].label, "m, 4 ranks, sequence length 512");
    cr_assert_str_eq(f.groups.items[1].label, "m, 4 ranks, sequence length 1024");
    end(&f);
}

Test(group, labels_name_as_many_fields_as_it_takes)
{
    struct fixture f;
    begin(&f);
    run(&f, "ddp", "'world_size':4,'model':'m','seq_len':512,'width':64,'vocab':7", "");
    run(&f, "ddp", "'world_size':4,'model':'m','seq_len':1024,'width':64,'vocab':7", "");
    run(&f, "ddp", "'world_size':4,'model':'m','seq_len':1024,'width':65,'vocab':8", "");
    form(&f);
    cr_assert_str_eq(f.groups.items[0].label, "m, 4 ranks, sequence length 512, width 64");
    cr_assert_str_eq(f.groups.items[1].label, "m, 4 ranks, sequence length 1024, width 64");
    cr_assert_str_eq(f.groups.items[2].label, "m, 4 ranks, sequence length 1024, width 65");
    end(&f);
}

Test(group, labels_of_groups_that_no_field_tells_apart_name_their_files)
{
    struct fixture f;
    begin(&f);
    run(&f, "ddp", "'model':'m'", "");
    run(&f, "zero1", "'model':'m'", "");
    form(&f);
    cr_assert_str_eq(f.groups.items[0].label, "m (a.json)");
    cr_assert_str_eq(f.groups.items[1].label, "m (b.json)");
    end(&f);
}

Test(group, a_filter_compares_values_as_printed_and_numbers_as_numbers)
{
    struct fixture f;
    begin(&f);
    run(&f, "ddp", "'world_size':4,'parameters':7.5e9,'dtype':'bfloat16'", "");
    form(&f);
    static const struct {
        const char *key, *value;
        bool matches;
    } cases[] = {
        {"world_size", "4", true},     {"world_size", "4.0", true}, {"world_size", "8", false},
        {"parameters", "7.5e9", true}, {"dtype", "bf16", true},     {"dtype", "fp32", false},
        {"times_count", "true", true}, {"device", "H200", true},    {"model", "x", false},
        {"world_size", "", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct group_filter filter = {cases[i].key, cases[i].value};
        struct diag diag = {0};
        bool matches = !cases[i].matches;
        cr_assert_eq(group_matches(&f.groups.items[0], &filter, &matches, &diag), STATUS_OK);
        cr_assert_eq(matches, cases[i].matches, "%s=%s", cases[i].key, cases[i].value);
    }
    struct group_filter filter = {"worldsize", "4"};
    struct diag diag = {0};
    bool matches = false;
    cr_assert_eq(group_matches(&f.groups.items[0], &filter, &matches, &diag), STATUS_USAGE);
    cr_assert(strstr(diag.text, "world_size") != NULL);
    end(&f);
}

Test(group, field_texts_are_printed_safely)
{
    struct fixture f;
    begin(&f);
    run(&f, "ddp", "'world_size':4,'model':'a\\u001bb'", "");
    cr_assert_str_eq(group_field_text(&f.set.records[0], "model", &f.arena), "a\\x1bb");
    cr_assert_str_eq(group_field_text(&f.set.records[0], "world_size", &f.arena), "4");
    cr_assert_eq(group_field_text(&f.set.records[0], "vocab", &f.arena), NULL);
    size_t count = 0;
    const char *const *fields = group_fields(&count);
    cr_assert_eq(count, 19);
    cr_assert_str_eq(fields[0], "world_size");
    cr_assert_str_eq(fields[18], "device_count");
    end(&f);
}
