#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "policy.h"

/* Reads a policy from a text with ' for "; the diag's text in `message`. */
static enum status read_text(const char *text, struct arena *arena, struct policy *policy,
                             struct diag *diag)
{
    char path[] = "/tmp/policy-XXXXXX";
    int descriptor = mkstemp(path);
    cr_assert(descriptor >= 0);
    FILE *file = fdopen(descriptor, "w");
    for (const char *c = text; *c != '\0'; c++)
        fputc(*c == '\'' ? '"' : *c, file);
    fclose(file);
    policy_init(policy);
    enum status status = policy_load(path, arena, policy, diag);
    unlink(path);
    return status;
}

static void accepts(const char *text, struct arena *arena, struct policy *policy)
{
    struct diag diag = {0};
    cr_assert_eq(read_text(text, arena, policy, &diag), STATUS_OK, "%s: %s", text, diag.text);
}

static void refuses(const char *text, const char *pointer, const char *message)
{
    struct arena arena = {0};
    struct policy policy;
    struct diag diag = {0};
    cr_assert_eq(read_text(text, &arena, &policy, &diag), STATUS_INPUT, "%s was read", text);
    cr_assert(strstr(diag.text, message) != NULL, "%s: %s", text, diag.text);
    cr_assert(strstr(diag.text, pointer) != NULL, "%s: %s", text, diag.text);
    cr_assert(strstr(diag.text, ": error: ") != NULL, "%s", diag.text);
    cr_assert(isnan(policy.memory_limit_mb), "a policy refused changes nothing");
    arena_fini(&arena);
}

Test(policy, an_empty_policy_has_no_limits)
{
    struct arena arena = {0};
    struct policy policy;
    accepts("{}", &arena, &policy);
    cr_assert(isnan(policy.memory_limit_mb) && isnan(policy.min_throughput) &&
              isnan(policy.max_communication_ratio) && isnan(policy.max_memory_fraction) &&
              isnan(policy.max_step_time_variation));
    cr_assert_eq(policy.memory_kind, -1);
    cr_assert_eq(policy.tight_memory_fraction, 0.9);
    cr_assert_eq(policy.min_gain, 0);
    cr_assert_eq(policy.baseline, STRATEGY_DDP);
    cr_assert_eq(policy.ranking_count, 3);
    cr_assert_eq(policy.correctness, POLICY_CORRECTNESS_OWN);
    cr_assert(!policy.statistical_ties && !policy.allow_failed_repeats);
    arena_fini(&arena);
}

Test(policy, every_member_is_read)
{
    struct arena arena = {0};
    struct policy policy;
    accepts("{'schema':'rankledger.policy/1','description':'x','memory_limit':'24 GiB',"
            "'memory_kind':'reserved','min_throughput':100,'throughput_unit':'samples/s',"
            "'max_communication_ratio':0.25,'max_memory_fraction':0.95,'tight_memory_fraction':0.8,"
            "'min_gain':0.05,'goal':'memory','baseline':'zero1','ranking':['peak_memory_mb',"
            "'throughput'],'vary':['micro_batch','gradient_accumulation'],'ties':'statistical',"
            "'allow_failed_repeats':true,'min_evidence_level':'multi_gpu','correctness':'off',"
            "'max_step_time_variation':0.1}",
            &arena, &policy);
    cr_assert_eq(policy.memory_limit_mb, 24576);
    cr_assert_eq(policy.memory_kind, MEMORY_RESERVED);
    cr_assert_eq(policy.min_throughput, 100);
    cr_assert_eq(policy.throughput_unit, THROUGHPUT_SAMPLES);
    cr_assert_eq(policy.max_communication_ratio, 0.25);
    cr_assert_eq(policy.max_memory_fraction, 0.95);
    cr_assert_eq(policy.tight_memory_fraction, 0.8);
    cr_assert_eq(policy.min_gain, 0.05);
    cr_assert_eq(policy.goal, POLICY_GOAL_MEMORY);
    cr_assert_eq(policy.baseline, STRATEGY_ZERO1);
    cr_assert_eq(policy.ranking_count, 2);
    cr_assert_eq(policy.ranking[0], POLICY_BY_PEAK);
    cr_assert_eq(policy.ranking[1], POLICY_BY_THROUGHPUT);
    cr_assert_eq(policy.vary_count, 2);
    cr_assert_str_eq(policy.vary[1], "gradient_accumulation");
    cr_assert(policy.statistical_ties && policy.allow_failed_repeats);
    cr_assert_str_eq(policy.min_evidence_level, "multi_gpu");
    cr_assert_eq(policy.correctness, POLICY_CORRECTNESS_OFF);
    cr_assert_eq(policy.max_step_time_variation, 0.1);
    arena_fini(&arena);
}

Test(policy, null_is_no_limit_and_a_number_is_mib)
{
    struct arena arena = {0};
    struct policy policy;
    accepts("{'memory_limit_mb':null,'memory_kind':null,'min_evidence_level':null}", &arena,
            &policy);
    cr_assert(isnan(policy.memory_limit_mb));
    accepts("{'memory_limit_mb':16384}", &arena, &policy);
    cr_assert_eq(policy.memory_limit_mb, 16384);
    accepts("{'memory_limit_mb':0.5}", &arena, &policy);
    cr_assert_eq(policy.memory_limit_mb, 0.5);
    arena_fini(&arena);
}

Test(policy, what_cannot_be_meant_is_refused_with_its_place)
{
    refuses("[]", ":1:1:", "a policy is an object");
    refuses("{'memory_limt':'24 GiB'}", ":1:", "did you mean \"memory_limit\"?");
    refuses("{'memory_limit':'24 GiB','memory_limit_mb':24576}", "/memory_limit_mb", "keep one");
    refuses("{'memory_limit':'24 parsecs'}", "/memory_limit", "is not a size");
    refuses("{'memory_limit':'24G'}", "/memory_limit", "is not a size");
    refuses("{'memory_limit_mb':0}", "/memory_limit_mb", "above 0");
    refuses("{'memory_limit':80}", "/memory_limit", "has no unit");
    refuses("{'memory_limit':'80'}", "/memory_limit", "is not a size");
    refuses("{'memory_limit_mb':-1}", "/memory_limit_mb", "above 0");
    refuses("{'memory_limit_mb':'24'}", "/memory_limit_mb", "found a string");
    refuses("{'memory_limit_mb':true}", "/memory_limit_mb", "a number of MiB");
    refuses("{'min_throughput':-1}", "/min_throughput", "not negative");
    refuses("{'max_communication_ratio':1.1}", "/max_communication_ratio", "from 0 to 1");
    refuses("{'max_communication_ratio':25}", "/max_communication_ratio", "from 0 to 1");
    refuses("{'max_memory_fraction':0}", "/max_memory_fraction", "at most 1");
    refuses("{'tight_memory_fraction':90}", "/tight_memory_fraction", "at most 1");
    refuses("{'min_gain':-1}", "/min_gain", "above -1");
    refuses("{'goal':'speed'}", "/goal", "throughput, memory");
    refuses("{'baseline':'zero-1'}", "/baseline", "did you mean \"zero1\"?");
    refuses("{'memory_kind':'vram'}", "/memory_kind", "allocated, reserved, device");
    refuses("{'throughput_unit':'tokens'}", "/throughput_unit", "did you mean \"tokens/s\"?");
    refuses("{'ranking':[]}", "/ranking", "at least one");
    refuses("{'ranking':'throughput'}", "/ranking", "an array");
    refuses("{'ranking':['throughput','throughput']}", "/ranking/1", "named twice");
    refuses("{'ranking':['speed']}", "/ranking/0", "is not one of throughput");
    refuses("{'vary':['strategy']}", "/vary/0", "is not one of world_size");
    refuses("{'vary':['throughput_unit']}", "/vary/0", "is not one of");
    refuses("{'vary':['micro_batch','micro_batch']}", "/vary/1", "named twice");
    refuses("{'vary':[3]}", "/vary/0", "expected a text");
    refuses("{'ties':'none'}", "/ties", "strict, statistical");
    refuses("{'allow_failed_repeats':'yes'}", "/allow_failed_repeats", "true or false");
    refuses("{'min_evidence_level':'gpu'}", "/min_evidence_level", "multi_gpu");
    refuses("{'correctness':true}", "/correctness", "expected a text");
    refuses("{'schema':'rankledger.summary/1'}", "/schema", "no policy");
    refuses("{'description':5}", "/description", "expected a text");
    refuses("{'memory_limit_mb':1,'memory_limit_mb':2}", ":1:", "given twice");
    refuses("{'memory_limit_mb':1e999}", ":1:", "too large");
    refuses("{'memory_limit_mb':1", ":1:", "error");
    refuses("", ":1:", "[empty]");
}

Test(policy, an_unreadable_file_is_named)
{
    struct arena arena = {0};
    struct policy policy;
    struct diag diag = {0};
    policy_init(&policy);
    cr_assert_eq(policy_load("/nowhere/policy.json", &arena, &policy, &diag), STATUS_INPUT);
    cr_assert(strstr(diag.text, "/nowhere/policy.json") != NULL);
    arena_fini(&arena);
}

Test(policy, a_written_policy_reads_back_the_same)
{
    struct arena arena = {0};
    struct policy policy;
    struct policy again;
    struct json_write writer = {0};
    struct text_buffer first = {0};
    struct text_buffer second = {0};
    struct diag diag = {0};
    accepts("{'memory_limit':'80 GB','memory_kind':'device','min_throughput':0.1,'goal':'memory',"
            "'vary':['micro_batch'],'ranking':['peak_memory_mb'],'min_evidence_level':'predicted',"
            "'ties':'statistical','allow_failed_repeats':true,'correctness':'on'}",
            &arena, &policy);
    json_t *root = policy_write(&writer, &policy);
    cr_assert_eq(json_write_text(&writer, root, &first, &diag), STATUS_OK);
    json_decref(root);
    accepts(first.text, &arena, &again);
    root = policy_write(&writer, &again);
    cr_assert_eq(json_write_text(&writer, root, &second, &diag), STATUS_OK);
    json_decref(root);
    cr_assert_str_eq(first.text, second.text);
    cr_assert_eq(again.memory_limit_mb, 80e9 / 1048576);
    text_buffer_fini(&first);
    text_buffer_fini(&second);
    arena_fini(&arena);
}

Test(policy, sizes_in_binary_and_decimal_units)
{
    static const struct {
        const char *text;
        double mb;
    } cases[] = {
        {"24GiB", 24576},
        {"24 GiB", 24576},
        {"16 GB", 15258.7890625},
        {"15.5 GiB", 15872},
        {"24576MiB", 24576},
        {"1TiB", 1048576},
        {"1 TB", 1e12 / 1048576},
        {"1048576 B", 1},
        {"512KiB", 0.5},
        {"1e3 MiB", 1000},
        {"1000 kB", 1e6 / 1048576},
        {"83.86 GB", 83860000000.0 / 1048576},
        {"80 gb", 80e9 / 1048576},
        {".5 MiB", 0.5},
        {"100 MB", 1e8 / 1048576},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct diag diag = {0};
        double mb = 0;
        cr_assert_eq(policy_parse_size(cases[i].text, &mb, &diag), STATUS_OK, "%s", cases[i].text);
        cr_assert_eq(mb, cases[i].mb, "%s gives %.17g", cases[i].text, mb);
    }
}

Test(policy, what_is_no_size_is_refused)
{
    static const char *const texts[] = {"",          "GiB",     "-1 GiB", "0",    "80",    "24576",
                                        "0 GiB",     "nan",     "inf",    "0x10", "24G",   "24 Gi",
                                        "24 GiB x",  "1..2",    ".",      "1e",   "1e999", "24GiBs",
                                        "1,000 MiB", " 24 GiB", "1e-400", "+5"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct diag diag = {0};
        double mb = 7;
        cr_assert_eq(policy_parse_size(texts[i], &mb, &diag), STATUS_USAGE, "\"%s\" was read as %g",
                     texts[i], mb);
        cr_assert_eq(mb, 7);
        cr_assert(strstr(diag.text, "80GiB") != NULL);
    }
}
