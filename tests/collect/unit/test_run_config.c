#include "run_config.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#define MOST_ARGUMENTS 32

/* One run of the parser; options separated by blanks. */
struct parsed {
    struct run_config config;
    struct diag diag;
    enum status status;
    enum options_help help;
    char text[512];
    char *argv[MOST_ARGUMENTS];
};

static void parse_in_group(struct parsed *parsed, const char *options, uint64_t joined_size)
{
    memset(parsed, 0, sizeof *parsed);
    snprintf(parsed->text, sizeof parsed->text, "rankledger-collect run %s", options);
    int argc = 0;
    for (char *word = strtok(parsed->text, " "); word != NULL; word = strtok(NULL, " "))
        parsed->argv[argc++] = word;
    struct run_config_input input = {argc, parsed->argv, joined_size, true};
    parsed->status = run_config_parse(&input, &parsed->config, &parsed->help, &parsed->diag);
}

static void parse(struct parsed *parsed, const char *options)
{
    parse_in_group(parsed, options, 0);
}

#define NEEDED "--strategy ddp --world-size 2 --output-dir d "

static void expect_fault(const char *options, const char *words)
{
    struct parsed parsed;
    parse(&parsed, options);
    cr_assert_eq(parsed.status, STATUS_USAGE, "%s: status %d", options, (int)parsed.status);
    cr_assert(strstr(parsed.diag.text, words) != NULL, "%s: %s", options, parsed.diag.text);
}

Test(run_config, defaults_are_those_of_the_documentation)
{
    struct parsed p;
    parse(&p, NEEDED);
    cr_assert_eq(p.status, STATUS_OK, "%s", p.diag.text);
    const struct schedule_request *schedule = &p.config.training.schedule;
    const struct model_shape *shape = &schedule->shape;
    cr_assert_eq(shape->width, 1024);
    cr_assert_eq(shape->layers, 8);
    cr_assert_eq(shape->heads, 16);
    cr_assert_eq(shape->vocab, 8192);
    cr_assert_eq(shape->seq_len, 256);
    cr_assert_eq(shape->micro_batch, 1);
    cr_assert_eq(schedule->gradient_accumulation, 2);
    cr_assert_eq(schedule->dtype, MODEL_BF16);
    cr_assert_eq(schedule->bucket_bytes, UINT64_C(25) << 20);
    cr_assert_eq(schedule->prefetch, 1);
    cr_assert_eq(schedule->persistence_threshold, 0);
    cr_assert(schedule->overlap);
    cr_assert_not(schedule->activation_checkpointing);
    cr_assert_eq(p.config.training.warmup, 2);
    cr_assert_eq(p.config.training.repeats, 10);
    cr_assert_eq(p.config.training.learning_rate, 3e-4);
    cr_assert_eq(p.config.training.max_grad_norm, 1);
    cr_assert_eq(p.config.rounds, 1);
    cr_assert_eq(p.config.memory_limit_bytes, UINT64_MAX);
    cr_assert_eq(p.config.checkpoint, RUN_CHECKPOINT_NONE);
    cr_assert_str_eq(p.config.backend, "cpu");
    cr_assert_eq(p.config.injection.fault, RUN_FAULT_NONE);
}

Test(run_config, every_option_reaches_its_place)
{
    struct parsed p;
    parse(&p, "--strategy zero3,ddp --world-size 3 --output-dir d --force --backend cpu --width 96 "
              "--layers 2 --heads 3 --vocab 100 --seq-len 8 --micro-batch 2 "
              "--gradient-accumulation 4 --dtype fp32 --warmup 0 --repeats 7");
    cr_assert_eq(p.status, STATUS_OK, "%s", p.diag.text);
    cr_assert(p.config.strategies[STRATEGY_DDP] && p.config.strategies[STRATEGY_ZERO3]);
    cr_assert_eq(p.config.strategy_count, 2);
    cr_assert(p.config.force);
    cr_assert_eq(p.config.training.schedule.shape.heads, 3);
    cr_assert_eq(p.config.training.schedule.dtype, MODEL_FP32);
    cr_assert_eq(training_global_batch(&p.config.training), 24);
    parse(&p, NEEDED "--rounds 3 --seed 9 --learning-rate 0.1 --max-grad-norm 0 --bucket-mb 0.5 "
                     "--prefetch 2 --persistence-threshold 64 --no-overlap "
                     "--activation-checkpointing --memory-limit 1.5GiB --threads 4 --timeout 2");
    cr_assert_eq(p.status, STATUS_OK, "%s", p.diag.text);
    cr_assert_eq(p.config.rounds, 3);
    cr_assert_eq(p.config.training.seed, 9);
    cr_assert_eq(p.config.training.schedule.bucket_bytes, 524288);
    cr_assert_eq(p.config.training.schedule.prefetch, 2);
    cr_assert_eq(p.config.training.schedule.persistence_threshold, 64);
    cr_assert_not(p.config.training.schedule.overlap);
    cr_assert(p.config.training.schedule.activation_checkpointing);
    cr_assert_eq(p.config.memory_limit_bytes, UINT64_C(1610612736));
    cr_assert_eq(p.config.threads, 4);
    cr_assert_eq(p.config.timeout_s, 2);
}

Test(run_config, all_faults_are_in_one_message)
{
    struct parsed p;
    parse(&p, "--strategy zero-2,ddp,ddp --width 100 --heads 3 --memory-limit 80G");
    cr_assert_eq(p.status, STATUS_USAGE);
    static const char *const words[] = {
        "\"zero-2\" is none; did you mean zero2?", "names ddp twice", "no --world-size",
        "width 100 is not a multiple of heads 3",  "\"80G\"",         "no --output-dir"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        cr_assert(strstr(p.diag.text, words[i]) != NULL, "\"%s\" is not in: %s", words[i],
                  p.diag.text);
}

Test(run_config, faults_of_single_options_are_in_that_message_too)
{
    struct parsed p;
    parse(&p, "--strategy nothing --width abc --layers 0 --bogus 3 --timeout nan --seed "
              "9007199254740993 --force=1 --repeats 3 --repeats 4 --layers 5 --dtype fp64 word "
              "--heads 3 --inject boom --output-dir");
    cr_assert_eq(p.status, STATUS_USAGE);
    static const char *const words[] = {"'--width' needs a whole number",
                                        "'--layers' needs a whole number from 1 to 4096, not '0'",
                                        "unknown option '--bogus'",
                                        "'--timeout' needs a number",
                                        "'--seed' needs a whole number from 0 to 9007199254740992",
                                        "'--force' takes no value",
                                        "'--repeats' was given twice",
                                        "'--layers' was given twice",
                                        "'fp64' is none of fp32, bf16",
                                        "unexpected argument 'word'",
                                        "'--output-dir' needs a value",
                                        "\"nothing\" is none of",
                                        "no --world-size",
                                        "no --output-dir"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        cr_assert(strstr(p.diag.text, words[i]) != NULL, "\"%s\" is not in: %s", words[i],
                  p.diag.text);
    /* What follows from a number that could not be read is no fault of its own. */
    cr_assert_null(strstr(p.diag.text, "multiple"), "%s", p.diag.text);
    cr_assert_null(strstr(p.diag.text, "boom"), "%s", p.diag.text);
    cr_assert_null(strstr(p.diag.text, "'3'"), "%s", p.diag.text);
    cr_assert_null(strstr(p.diag.text, "'4'"), "%s", p.diag.text);
}

Test(run_config, names_of_files_and_folders_are_names)
{
    static const char *const typed[] = {"", "-", "out/", "out/.", "..", "/"};
    for (size_t i = 0; i < sizeof typed / sizeof typed[0]; i++) {
        char options[128];
        char words[128];
        snprintf(options, sizeof options, "--strategy ddp --world-size 2 --output=%s", typed[i]);
        snprintf(words, sizeof words, "--output needs a file's name, not \"%s\"", typed[i]);
        expect_fault(options, words);
    }
    expect_fault("--strategy ddp --world-size 2 --output-dir=", "--output-dir needs a folder's");
    expect_fault(NEEDED "--restore=", "--restore needs a folder's");
    expect_fault(NEEDED "--dump=", "--dump needs a folder's");
    expect_fault(NEEDED "--checkpoint full --checkpoint-dir=", "--checkpoint-dir needs a folder's");
}

Test(run_config, near_miss_of_a_strategy_is_never_guessed)
{
    static const char *const typed[][2] = {{"FSDP", "fsdp_full_shard"},
                                           {"fsdp", "fsdp_full_shard"},
                                           {"DDP", "ddp"},
                                           {"zero_3", "zero3"}};
    for (size_t i = 0; i < sizeof typed / sizeof typed[0]; i++) {
        char options[128];
        char words[128];
        snprintf(options, sizeof options, "--strategy %s --world-size 2 --output-dir d",
                 typed[i][0]);
        snprintf(words, sizeof words, "\"%s\" is none; did you mean %s?", typed[i][0], typed[i][1]);
        expect_fault(options, words);
    }
    expect_fault("--strategy pipeline --world-size 2 --output-dir d", "none of ddp, zero1");
    expect_fault("--strategy ddp, --world-size 2 --output-dir d", "\"\" is none");
}

Test(run_config, world_size_is_that_of_the_joined_group)
{
    struct parsed p;
    parse_in_group(&p, "--strategy ddp --output-dir d", 4);
    cr_assert_eq(p.status, STATUS_OK, "%s", p.diag.text);
    cr_assert_eq(p.config.training.schedule.world_size, 4);
    parse_in_group(&p, "--strategy ddp --output-dir d --world-size 2", 4);
    cr_assert_eq(p.status, STATUS_USAGE);
    cr_assert(strstr(p.diag.text, "started 4 ranks") != NULL, "%s", p.diag.text);
}

Test(run_config, places_of_the_evidence)
{
    struct parsed p;
    char path[64];
    parse(&p, NEEDED);
    cr_assert_eq(run_config_target(&p.config, STRATEGY_FSDP, path, sizeof path, &p.diag),
                 STATUS_OK);
    cr_assert_str_eq(path, "d/fsdp_full_shard.json");
    cr_assert_eq(run_config_checkpoint_dir(&p.config, path, sizeof path, &p.diag), STATUS_OK);
    cr_assert_str_eq(path, "d/checkpoints");
    parse(&p, "--strategy zero1 --world-size 2 --output a/b.json");
    cr_assert_eq(run_config_target(&p.config, STRATEGY_ZERO1, path, sizeof path, &p.diag),
                 STATUS_OK);
    cr_assert_str_eq(path, "a/b.json");
    cr_assert_eq(run_config_checkpoint_dir(&p.config, path, sizeof path, &p.diag), STATUS_OK);
    cr_assert_str_eq(path, "a/checkpoints");
    expect_fault("--strategy zero1,ddp --world-size 2 --output a.json", "one strategy");
    expect_fault("--strategy zero1 --world-size 2 --output a.json --output-dir d", "both given");
    expect_fault("--strategy zero1 --world-size 2 --output -", "a file's name");
    char small[8];
    cr_assert_eq(run_config_target(&p.config, STRATEGY_ZERO1, small, sizeof small, &p.diag),
                 STATUS_USAGE);
}

Test(run_config, reference_experiment_has_five_repeats_of_all_strategies)
{
    struct parsed p;
    char path[64];
    parse(&p, "--reference --world-size 2 --output-dir d");
    cr_assert_eq(p.status, STATUS_OK, "%s", p.diag.text);
    cr_assert_eq(p.config.strategy_count, STRATEGY_COUNT);
    cr_assert_eq(p.config.training.repeats, 5);
    cr_assert_eq(run_config_target(&p.config, STRATEGY_DDP, path, sizeof path, &p.diag), STATUS_OK);
    cr_assert_str_eq(path, "d/zero_ddp.json");
    parse(&p, "--reference --world-size 2 --output-dir d --repeats 9 --strategy ddp");
    cr_assert_eq(p.config.training.repeats, 9);
    cr_assert_eq(p.config.strategy_count, 1);
}

Test(run_config, injected_faults_that_can_happen_are_taken)
{
    struct parsed p;
    parse(&p, NEEDED "--inject hang@rank:1,step:11");
    cr_assert_eq(p.status, STATUS_OK, "%s", p.diag.text);
    cr_assert_eq(p.config.injection.fault, RUN_FAULT_HANG);
    cr_assert_eq(p.config.injection.rank, 1);
    cr_assert_eq(p.config.injection.step, 11);
    cr_assert_not(p.config.injection.at_checkpoint);
    parse(&p, NEEDED "--checkpoint sharded --inject disk_full@rank:1,step:checkpoint");
    cr_assert_eq(p.status, STATUS_OK, "%s", p.diag.text);
    cr_assert_eq(p.config.injection.fault, RUN_FAULT_DISK_FULL);
    cr_assert(p.config.injection.at_checkpoint);
    cr_assert_str_eq(p.config.injection.text, "disk_full@rank:1,step:checkpoint");
}

Test(run_config, injected_faults_that_cannot_happen_are_refused)
{
    static const char *const cases[][2] = {
        {"hang@rank:2,step:1", "rank 2"},
        {"hang@rank:1,step:12", "step 12"},
        {"nan@rank:1,step:checkpoint", "step:S"},
        {"disk_full@rank:0,step:1", "step:checkpoint"},
        {"kill@rank:0,step:checkpoint", "add --checkpoint"},
        {"explode@rank:0,step:1", "is not kill|hang"},
        {"kill@rank:0", "is not kill|hang"},
        {"kill@rank:0,step:1x", "is not kill|hang"},
        {"kill@rank:-1,step:1", "is not kill|hang"},
        {"kill@rank:99999999999999999999,step:1", "is not kill|hang"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char options[256];
        snprintf(options, sizeof options, NEEDED "--inject %s", cases[i][0]);
        expect_fault(options, cases[i][1]);
    }
    expect_fault(NEEDED "--checkpoint full --inject disk_full@rank:1,step:checkpoint",
                 "rank 0 alone");
}
