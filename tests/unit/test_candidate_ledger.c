#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "candidate_ledger.h"
#include "record_set.h"
#include "repeats.h"

#define MIB 1048576.0

/* The ledger of the only record. */
static struct candidate_ledger ledger_of(struct evidence_set *set, struct candidate *candidate)
{
    struct policy policy;
    struct diag diag = {0};
    const struct record **records = arena_take(&set->arena, sizeof *records);
    policy_init(&policy);
    records[0] = &set->records[0];
    cr_assert_eq(repeats_pool(records, 1, &policy, &set->arena, candidate, &diag), STATUS_OK);
    cr_assert_eq(candidate_ledger_fill(candidate, &set->arena, &diag), STATUS_OK);
    return candidate->ledger;
}

/* karpathy/llm.c pull request 309: ZeRO-1 on 4 GPUs saved 1068 MiB at 124,475,904 parameters and
 * 13,374 MiB at 1.56 billion; 12 P (1 - 1/N) says 1068.4 and 13,369. */
Test(candidate_ledger, zero1_saves_what_was_measured)
{
    struct workload workload = {
        .parameters = 124475904, .dtype = "bf16", .world_size = 4, .state_bytes = {NAN, NAN, NAN}};
    struct arena arena = {0};
    struct diag diag = {0};
    struct candidate_ledger ddp;
    struct candidate_ledger zero1;
    cr_assert_eq(candidate_ledger_of_workload(&workload, STRATEGY_DDP, &arena, &ddp, &diag),
                 STATUS_OK);
    cr_assert_eq(candidate_ledger_of_workload(&workload, STRATEGY_ZERO1, &arena, &zero1, &diag),
                 STATUS_OK);
    double saved = ddp.state.resident - zero1.state.resident;
    cr_assert_eq(saved, 12.0 * 124475904 * 0.75 / MIB);
    cr_assert_float_eq(saved, 1068.4, 0.05, "the published digits: %.3f", saved);
    cr_assert_eq(ddp.optimizer_divisor, 1);
    cr_assert_eq(zero1.optimizer_divisor, 4);
    cr_assert_eq(zero1.parameters_divisor, 1);
    arena_fini(&arena);
}

Test(candidate_ledger, missing_inputs_are_named_and_nothing_is_guessed)
{
    struct evidence_set set = {0};
    struct candidate candidate;
    record_set_add_run(&set, "zero1", "'dtype':'int8'", "'peak_memory_mb':5", "'failure':null");
    struct candidate_ledger ledger = ledger_of(&set, &candidate);
    cr_assert(!ledger.available);
    cr_assert_eq(ledger.missing_count, 3);
    cr_assert_str_eq(ledger.missing[0], "workload.parameters");
    cr_assert_str_eq(ledger.missing[1], "workload.state_bytes");
    cr_assert_str_eq(ledger.missing[2], "workload.world_size");
    cr_assert(isnan(ledger.state.resident) && isnan(ledger.residual_mb) &&
              isnan(ledger.temporary_mb) && isnan(candidate.formula_payload_mb));
    record_set_fini(&set);
}

Test(candidate_ledger, ddp_needs_no_world_size)
{
    struct evidence_set set = {0};
    struct candidate candidate;
    record_set_add_run(&set, "ddp", "'dtype':'fp32','parameters':1048576", "", "'failure':null");
    struct candidate_ledger ledger = ledger_of(&set, &candidate);
    cr_assert(ledger.available);
    cr_assert_eq(ledger.state.resident, 16);
    record_set_fini(&set);
}

Test(candidate_ledger, given_state_bytes_count_before_those_of_the_data_type)
{
    struct evidence_set set = {0};
    struct candidate candidate;
    record_set_add_run(&set, "zero2",
                       "'dtype':'bf16','parameters':1048576,'world_size':4,"
                       "'state_bytes':{'parameters':2,'gradients':4,'optimizer':12}",
                       "", "'failure':null");
    struct candidate_ledger ledger = ledger_of(&set, &candidate);
    cr_assert_eq(ledger.state.parameters, 2);
    cr_assert_eq(ledger.state.gradients, 1);
    cr_assert_eq(ledger.state.optimizer, 3);
    cr_assert_eq(ledger.state.resident, 6);
    record_set_fini(&set);
}

static const char shape[] =
    "'parameters':1048576,'dtype':'bf16','world_size':4,'width':64,'layers':3,'heads':4,'vocab':"
    "512,"
    "'seq_len':32,'micro_batch':2,'gradient_accumulation':2,'activation_checkpointing':false";

Test(candidate_ledger, the_residual_is_what_neither_state_nor_temporary_memory_explains)
{
    struct evidence_set set = {0};
    struct candidate candidate;
    record_set_add_run(&set, "ddp", shape, "'peak_memory_mb':100", "'failure':null");
    struct candidate_ledger ledger = ledger_of(&set, &candidate);
    double activations = 4 * (2.0 * 64 * 64) + 3 * (2.0 * 64 * 15 * 64 + 4.0 * 64 * 8) +
                         2.0 * 64 * (64 + 512) + 4.0 * 64 * 3;
    cr_assert(!ledger.from_record);
    cr_assert_eq(ledger.temporary_mb, activations / MIB);
    cr_assert_eq(ledger.residual_mb, 100 - 16 - activations / MIB);
    cr_assert_eq(candidate.formula_payload_mb, 2, "gradients of 2 bytes once a step");
    record_set_fini(&set);
}

Test(candidate_ledger, a_sound_section_of_the_record_counts_before_the_formula)
{
    struct evidence_set set = {0};
    struct candidate candidate;
    record_set_add_run(&set, "zero3", shape, "'peak_memory_mb':10",
                       "'ledger':{'parameters_bytes':1048576,'gradients_bytes':2097152,"
                       "'optimizer_state_bytes':3145728,'resident_bytes':6291466,"
                       "'persistent_parameters_bytes':6,'padding_bytes':4,"
                       "'temporary':{'activations':1048576,'gathered_parameters':524288}}");
    struct candidate_ledger ledger = ledger_of(&set, &candidate);
    cr_assert(ledger.available && ledger.from_record);
    cr_assert_eq(ledger.state.parameters, 1);
    cr_assert_eq(ledger.state.resident, 6);
    cr_assert_eq(ledger.persistent_parameters_mb, 6 / MIB);
    cr_assert_eq(ledger.padding_mb, 4 / MIB);
    cr_assert_eq(ledger.temporary_count, 2);
    cr_assert_eq(ledger.temporary_mb, 1.5);
    cr_assert_eq(ledger.temporary_source, CANDIDATE_RECORD);
    cr_assert_eq(ledger.residual_mb, 2.5 - 10 / MIB, "10 - 6 - 1.5, and what is kept and padded");
    cr_assert_eq(ledger.parameters_divisor, 4);
    record_set_fini(&set);
}

/*
 * zero3 keeps the 1-D tensors of every block and the final norm whole, 2 bytes each: of width 64
 * and 3 layers 3 * 13 * 64 and 2 * 64 numbers.
 */
Test(candidate_ledger, persistent_parameters_by_the_schedule_where_no_record_tells)
{
    struct evidence_set set = {0};
    struct candidate candidate;
    record_set_add_run(&set, "zero3", shape, "'peak_memory_mb':100", "'failure':null");
    struct candidate_ledger ledger = ledger_of(&set, &candidate);
    cr_assert_eq(ledger.persistent_parameters_mb, 2 * (3 * 13 * 64 + 2 * 64) / MIB);
    cr_assert_eq(ledger.residual_mb,
                 100 - 4 - ledger.persistent_parameters_mb - ledger.temporary_mb);
    record_set_fini(&set);
    set = (struct evidence_set){0};
    record_set_add_run(&set, "fsdp_full_shard", shape, "'peak_memory_mb':100", "'failure':null");
    cr_assert(isnan(ledger_of(&set, &candidate).persistent_parameters_mb), "zero3's alone");
    record_set_fini(&set);
}

/* Three phases; the peak of training is the backward's, of 10 MiB, 1024 bytes of them foreseen
 * otherwise. */
static const char measured[] =
    "'ledger':{'parameters_bytes':1048576,'gradients_bytes':2097152,"
    "'optimizer_state_bytes':3145728,'resident_bytes':6291456,"
    "'persistent_parameters_bytes':1024,'padding_bytes':1024,'predicted_peak_bytes':10484736,"
    "'temporary':{'activations':4192256,'workspace':0}},"
    "'memory':{'per_rank':[{'rank':0,'phases':["
    "{'phase':'forward','peak_bytes':6293504,'by_category':{'parameters':6293504}},"
    "{'phase':'backward','peak_bytes':10485760,'by_category':{'parameters':1050624,"
    "'gradients':2097152,'optimizer_state':3145728,'activations':4191232,'workspace':%d}},"
    "{'phase':'checkpoint_save','peak_bytes':20971520,'by_category':{'workspace':20971520}}]}]}";

Test(candidate_ledger, what_was_measured_at_the_peak_counts_before_what_was_foreseen)
{
    char rest[2048];
    struct evidence_set set = {0};
    struct candidate candidate;
    snprintf(rest, sizeof rest, measured, 1024);
    record_set_add_run(&set, "zero3", shape, "'peak_memory_mb':10", rest);
    struct candidate_ledger ledger = ledger_of(&set, &candidate);
    cr_assert_eq(ledger.temporary_source, CANDIDATE_MEASURED);
    cr_assert_eq(ledger.temporary_count, 2, "parameters, gradients and optimizer are state");
    cr_assert_eq(ledger.temporary_mb, (4191232.0 + 1024) / MIB);
    cr_assert_eq(ledger.measured_peak_mb, 10, "a checkpoint's peak is not training's");
    cr_assert_eq(ledger.foreseen_peak_mb, 10484736 / MIB);
    cr_assert_eq(ledger.residual_mb, 0, "resident, persistent, padding and temporary are all");
    record_set_fini(&set);
}

Test(candidate_ledger, categories_that_do_not_add_up_to_their_peak_are_not_believed)
{
    char rest[2048];
    struct evidence_set set = {0};
    struct candidate candidate;
    snprintf(rest, sizeof rest, measured, 1023);
    record_set_add_run(&set, "zero3", shape, "'peak_memory_mb':10", rest);
    cr_assert_eq(ledger_of(&set, &candidate).temporary_source, CANDIDATE_RECORD);
    record_set_fini(&set);
}

Test(candidate_ledger, what_a_failed_run_had_reached_is_not_its_peak)
{
    char rest[2048];
    struct evidence_set set = {0};
    struct candidate candidate;
    snprintf(rest, sizeof rest, measured, 1024);
    strcat(rest, ",'failure':'killed'");
    record_set_add_run(&set, "zero3", shape, "'peak_memory_mb':10", rest);
    cr_assert_eq(ledger_of(&set, &candidate).temporary_source, CANDIDATE_RECORD);
    record_set_fini(&set);
}

Test(candidate_ledger, an_unsound_section_gives_way_to_the_formula)
{
    static const char *const sections[] = {
        "'ledger':{'parameters_bytes':1,'gradients_bytes':2,'optimizer_state_bytes':3,"
        "'resident_bytes':7}",
        "'ledger':{'parameters_bytes':-1,'gradients_bytes':2,'optimizer_state_bytes':3}",
        "'ledger':{'parameters_bytes':1,'gradients_bytes':2}",
        "'ledger':{'parameters_bytes':'1','gradients_bytes':2,'optimizer_state_bytes':3}",
        "'ledger':[]",
    };
    for (size_t i = 0; i < sizeof sections / sizeof sections[0]; i++) {
        struct evidence_set set = {0};
        struct candidate candidate;
        record_set_add_run(&set, "ddp", shape, "", sections[i]);
        struct candidate_ledger ledger = ledger_of(&set, &candidate);
        cr_assert(!ledger.from_record, "%s", sections[i]);
        cr_assert_eq(ledger.state.resident, 16);
        record_set_fini(&set);
    }
}

Test(candidate_ledger, payload_by_strategy)
{
    struct diag diag = {0};
    struct workload workload = {.parameters = 1048576,
                                .gradient_accumulation = 3,
                                .parameter_wire_bytes = 2,
                                .gradient_wire_bytes = 2,
                                .world_size = 8};
    const double expected[STRATEGY_COUNT] = {2, 4, 8, 18, 18};
    for (int s = 0; s < STRATEGY_COUNT; s++) {
        double payload_mb;
        cr_assert_eq(candidate_ledger_payload(&workload, (enum strategy)s, &payload_mb, &diag),
                     STATUS_OK);
        cr_assert_eq(payload_mb, expected[s]);
    }
}

Test(candidate_ledger, inputs_beyond_reason_count_as_missing)
{
    static const char *const workloads[] = {
        "'dtype':'bf16','world_size':4,'parameters':1e308",
        "'world_size':4,'parameters':1,'state_bytes':{'parameters':1e308,'gradients':1,'optimizer':"
        "1}",
    };
    static const char *const missing[] = {"workload.parameters", "workload.state_bytes"};
    for (size_t i = 0; i < 2; i++) {
        struct evidence_set set = {0};
        struct candidate candidate;
        record_set_add_run(&set, "zero1", workloads[i], "", "'failure':null");
        struct candidate_ledger ledger = ledger_of(&set, &candidate);
        cr_assert(!ledger.available);
        cr_assert_eq(ledger.missing_count, 1);
        cr_assert_str_eq(ledger.missing[0], missing[i]);
        record_set_fini(&set);
    }
}

Test(candidate_ledger, sums_beyond_a_double_are_unsound)
{
    struct evidence_set set = {0};
    struct candidate candidate;
    record_set_add_run(&set, "ddp", shape, "",
                       "'ledger':{'parameters_bytes':1e308,'gradients_bytes':1e308,"
                       "'optimizer_state_bytes':1}");
    cr_assert(!ledger_of(&set, &candidate).from_record);
    record_set_fini(&set);
    set = (struct evidence_set){0};
    record_set_add_run(
        &set, "ddp", shape, "",
        "'ledger':{'parameters_bytes':1,'gradients_bytes':1,'optimizer_state_bytes':1,"
        "'temporary':{'a':1e308,'b':1e308}}");
    struct candidate_ledger ledger = ledger_of(&set, &candidate);
    cr_assert(ledger.from_record && isfinite(ledger.temporary_mb), "the formula takes its place");
    record_set_fini(&set);
}
