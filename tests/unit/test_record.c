#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "normalise.h"
#include "record_set.h"

/* The only record of a set of one. */
static const struct record *one(struct evidence_set *set, const char *workload, const char *metrics)
{
    record_set_add_run(set, "zero1", workload, metrics, "'failure':null");
    return &set->records[0];
}

/* What the record says it normalised, or NULL. */
static const struct normalised *normalised_from(const struct record *record, const char *metric)
{
    for (size_t i = 0; i < record->normalised_count; i++)
        if (strcmp(record->normalised[i].metric, metric) == 0)
            return &record->normalised[i];
    return NULL;
}

static void check_normalised(const struct record *record, const char *metric, const char *from,
                             double value, const char *unit)
{
    const struct normalised *found = normalised_from(record, metric);
    cr_assert(found != NULL, "%s was not reported", metric);
    cr_assert_str_eq(found->from, from);
    cr_assert_eq(found->value, value);
    cr_assert_str_eq(found->unit, unit);
}

Test(record, canonical_metrics_are_taken_as_they_are_and_nothing_is_reported)
{
    struct evidence_set set = {0};
    const struct record *record = one(
        &set, "'parameters':1000,'global_batch':8",
        "'peak_memory_mb':9000,'memory_kind':'device','step_time_ms':20.5,'throughput':110,"
        "'throughput_unit':'samples/s','communication_ratio':0.22,'skew_ratio':0.1,"
        "'communication_in_flight_ratio':0.5,'checkpoint_peak_memory_mb':9500,'utilisation':0.4,"
        "'achieved_tflops':120,'losses':[3,2],'grad_norms':[1,0.5],"
        "'max_peak_memory_mb':1,'tokens_per_s':2,'max_step_time_ms':3");
    cr_assert_eq(record->metrics.peak_mb[MEMORY_DEVICE], 9000);
    cr_assert(isnan(record->metrics.peak_mb[MEMORY_ALLOCATED]));
    cr_assert(isnan(record->metrics.peak_mb[MEMORY_RESERVED]));
    cr_assert_eq(record->metrics.step_time_ms, 20.5);
    cr_assert_eq(record->metrics.throughput, 110);
    cr_assert_eq(record->metrics.throughput_unit, THROUGHPUT_SAMPLES);
    cr_assert_eq(record->metrics.communication_ratio, 0.22);
    cr_assert_eq(record->metrics.skew_ratio, 0.1);
    cr_assert_eq(record->metrics.in_flight_ratio, 0.5);
    cr_assert_eq(record->metrics.checkpoint_peak_mb, 9500);
    cr_assert_eq(record->metrics.utilisation, 0.4);
    cr_assert_eq(record->metrics.achieved_tflops, 120);
    cr_assert_eq(record->metrics.losses.count, 2);
    cr_assert_eq(record->metrics.grad_norms.values[1], 0.5);
    cr_assert_eq(record->normalised_count, 0);
    record_set_fini(&set);
}

Test(record, an_empty_record_measured_nothing)
{
    struct evidence_set set = {0};
    const struct record *record = one(&set, "", "");
    for (int kind = 0; kind < MEMORY_KIND_COUNT; kind++)
        cr_assert(isnan(record->metrics.peak_mb[kind]));
    cr_assert(isnan(record->metrics.throughput) && isnan(record->metrics.step_time_ms) &&
              isnan(record->metrics.communication_ratio) && isnan(record->workload.world_size) &&
              isnan(record->workload.global_batch) && isnan(record->workload.state_bytes_sum) &&
              isnan(record->hardware.device_count));
    cr_assert_eq(record->workload.activation_checkpointing, -1);
    cr_assert_eq(record->workload.model, NULL);
    cr_assert(!record->failure.failed);
    cr_assert_eq(record->normalised_count, 0);
    record_set_fini(&set);
}

Test(record, other_producers_names_are_read_and_reported)
{
    struct evidence_set set = {0};
    const struct record *record =
        one(&set, "'num_parameters':124475904",
            "'max_step_time_ms':287,'max_peak_memory_mb':16661,'tokens_per_s_proxy':456000");
    cr_assert_eq(record->metrics.peak_mb[MEMORY_ALLOCATED], 16661);
    cr_assert_eq(record->metrics.step_time_ms, 287);
    cr_assert_eq(record->metrics.throughput, 456000);
    cr_assert_eq(record->workload.parameters, 124475904);
    check_normalised(record, "peak_memory_mb", "max_peak_memory_mb", 16661, "MiB");
    check_normalised(record, "step_time_ms", "max_step_time_ms", 287, "ms");
    check_normalised(record, "throughput", "tokens_per_s_proxy", 456000, "tokens/s");
    check_normalised(record, "workload.parameters", "num_parameters", 124475904, "parameters");
    record_set_fini(&set);
}

Test(record, maxima_of_per_rank_arrays_and_the_other_rates)
{
    struct evidence_set set = {0};
    const struct record *record =
        one(&set, "",
            "'peak_memory_mb_per_rank':[500,501,500.5],'step_time_ms_per_rank':[20.1,20.4],"
            "'tokens_per_s':50");
    check_normalised(record, "peak_memory_mb", "max of peak_memory_mb_per_rank", 501, "MiB");
    check_normalised(record, "step_time_ms", "max of step_time_ms_per_rank", 20.4, "ms");
    check_normalised(record, "throughput", "tokens_per_s", 50, "tokens/s");
    cr_assert_eq(record->metrics.per_rank_peak_mb.count, 3);
    record_set_add_run(&set, "ddp", "", "'samples_per_s':16.3", "'failure':null");
    check_normalised(&set.records[1], "throughput", "samples_per_s", 16.3, "samples/s");
    cr_assert_eq(set.records[1].metrics.throughput_unit, THROUGHPUT_SAMPLES);
    record_set_fini(&set);
}

Test(record, the_raw_sample_gives_the_step_time_when_nothing_else_does)
{
    struct evidence_set set = {0};
    const struct record *record = one(&set, "", "'step_times_ms':[[10,30,10],[20,11,12]]");
    cr_assert_eq(record->metrics.step_times_ranks, 2);
    cr_assert_eq(record->metrics.step_time_ms, 20);
    check_normalised(record, "step_time_ms", "median over steps of the largest of step_times_ms",
                     20, "ms");
    record_set_fini(&set);
}

Test(record, memory_units_are_exact)
{
    static const struct {
        const char *metric;
        enum memory_kind kind;
        double mb;
    } cases[] = {
        {"'peak_device_bytes':1048576", MEMORY_DEVICE, 1},
        {"'peak_device_memory_bytes':17179869184", MEMORY_DEVICE, 16384},
        {"'peak_reserved_mb':16661", MEMORY_RESERVED, 16661},
        {"'peak_reserved_mib':16661.5", MEMORY_RESERVED, 16661.5},
        {"'peak_allocated_gib':24", MEMORY_ALLOCATED, 24576},
        {"'peak_allocated_memory_gib':1.5", MEMORY_ALLOCATED, 1536},
        {"'peak_reserved_gb':16", MEMORY_RESERVED, 15258.7890625},
        {"'peak_reserved_memory_gb_per_rank':1,'peak_allocated_per_gpu_gb':16", MEMORY_ALLOCATED,
         15258.7890625},
        /* 83.86 GB are 83,860,000,000 bytes; 83.86 * 1e9 in binary fractions is not */
        {"'peak_reserved_gb':83.86", MEMORY_RESERVED, 83860000000.0 / 1048576},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct evidence_set set = {0};
        const struct record *record = one(&set, "", cases[i].metric);
        for (int kind = 0; kind < MEMORY_KIND_COUNT; kind++) {
            if (kind == (int)cases[i].kind)
                cr_assert_eq(record->metrics.peak_mb[kind], cases[i].mb, "%s", cases[i].metric);
            else
                cr_assert(isnan(record->metrics.peak_mb[kind]), "%s", cases[i].metric);
        }
        record_set_fini(&set);
    }
}

Test(record, names_that_only_look_like_a_peak_are_left_alone)
{
    static const char *const names[] = {
        "peak_reserved",
        "peak_reserved_kb",
        "peak_reservedx_gb",
        "reserved_gb",
        "peak_memory_gb",
        "peak_device_bandwidth_gb_per_s",
        "peak_reserved_gb_note",
        "peak_allocated_checkpoint_gb",
        "",
        "_gb",
        "gb",
    };
    struct normalise_memory_name found;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        cr_assert(!normalise_memory_find(names[i], &found), "%s", names[i]);
}

Test(record, each_kind_of_memory_is_kept_and_the_canonical_one_wins_its_kind)
{
    struct evidence_set set = {0};
    const struct record *record =
        one(&set, "", "'peak_allocated_gb':51.29,'peak_reserved_gb':78.07,'peak_device_gib':76");
    cr_assert_eq(record->metrics.peak_mb[MEMORY_ALLOCATED], 51290000000.0 / 1048576);
    cr_assert_eq(record->metrics.peak_mb[MEMORY_RESERVED], 78070000000.0 / 1048576);
    cr_assert_eq(record->metrics.peak_mb[MEMORY_DEVICE], 77824);
    cr_assert_eq(record->normalised_count, 3);
    record_set_add_run(&set, "ddp", "",
                       "'peak_memory_mb':100,'memory_kind':'reserved','peak_reserved_gb':78.07,"
                       "'peak_allocated_mb':90",
                       "'failure':null");
    cr_assert_eq(set.records[1].metrics.peak_mb[MEMORY_RESERVED], 100);
    cr_assert_eq(set.records[1].metrics.peak_mb[MEMORY_ALLOCATED], 90);
    cr_assert_eq(set.records[1].normalised_count, 1);
    record_set_fini(&set);
}

Test(record, of_two_spellings_of_one_kind_the_largest_counts_in_either_order)
{
    static const char *const orders[] = {"'peak_reserved_mb':5,'peak_reserved_memory_mb':7",
                                         "'peak_reserved_memory_mb':7,'peak_reserved_mb':5"};
    for (size_t i = 0; i < 2; i++) {
        struct evidence_set set = {0};
        const struct record *record = one(&set, "", orders[i]);
        check_normalised(record, "peak_memory_mb", "peak_reserved_memory_mb", 7, "MiB");
        record_set_fini(&set);
    }
}

Test(record, the_global_batch_is_derived_and_said_so)
{
    struct evidence_set set = {0};
    const struct record *record =
        one(&set, "'micro_batch':8,'gradient_accumulation':2,'world_size':4", "");
    check_normalised(record, "workload.global_batch",
                     "micro_batch * gradient_accumulation * world_size", 64, "sequences");
    record_set_add_run(&set, "ddp", "'micro_batch':8,'world_size':4", "", "'failure':null");
    check_normalised(&set.records[1], "workload.global_batch",
                     "micro_batch * world_size (gradient_accumulation not given: taken as 1)", 32,
                     "sequences");
    record_set_add_run(&set, "ddp", "'micro_batch':8", "", "'failure':null");
    cr_assert(isnan(set.records[2].workload.global_batch), "nothing is guessed");
    record_set_add_run(&set, "ddp", "'micro_batch':8,'world_size':4,'global_batch':5", "",
                       "'failure':null");
    cr_assert_eq(set.records[3].workload.global_batch, 5);
    cr_assert_eq(set.records[3].normalised_count, 0);
    record_set_fini(&set);
}

Test(record, hardware_is_a_text_or_an_object)
{
    static const struct {
        const char *hardware, *device;
        double count;
    } cases[] = {
        {"'NVIDIA H200'", "NVIDIA H200", NAN},
        {"{'device':'A100','device_count':4}", "A100", 4},
        {"{'gpu_name':'A100','num_gpus':8}", "A100", 8},
        {"{'gpu':'L4','gpus':2}", "L4", 2},
        {"{'name':'L4','count':2}", "L4", 2},
        {"{'model':'L4','gpu_count':2}", "L4", 2},
        {"{'device':7,'device_name':'T4'}", "T4", NAN},
        {"{'details':'x'}", NULL, NAN},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct evidence_set set = {0};
        char *text =
            arena_printf(&set.arena, "{'strategy':'ddp','hardware':%s}", cases[i].hardware);
        record_set_add(&set, text);
        const struct hardware *hardware = &set.records[0].hardware;
        if (cases[i].device == NULL)
            cr_assert_eq(hardware->device, NULL);
        else
            cr_assert_str_eq(hardware->device, cases[i].device);
        if (isnan(cases[i].count))
            cr_assert(isnan(hardware->device_count));
        else
            cr_assert_eq(hardware->device_count, cases[i].count);
        record_set_fini(&set);
    }
}

Test(record, a_loss_that_was_not_finite_keeps_its_place)
{
    struct evidence_set set = {0};
    record_set_add_run(&set, "ddp", "", "'losses':[2.5,null,2],'grad_norms':[null]",
                       "'failure':null");
    const struct metrics *metrics = &set.records[0].metrics;
    cr_assert_eq(metrics->losses.count, 3);
    cr_assert_eq(metrics->losses.values[0], 2.5);
    cr_assert(isnan(metrics->losses.values[1]));
    cr_assert_eq(metrics->losses.values[2], 2);
    cr_assert_eq(metrics->grad_norms.count, 1);
    record_set_fini(&set);
}

Test(record, failure_is_null_a_text_or_an_object)
{
    static const struct {
        const char *failure;
        bool failed;
        const char *reason;
    } cases[] = {
        {"null", false, NULL},
        {"''", false, NULL},
        {"'oom'", true, "oom"},
        {"'None'", true, "None"},
        {"{'reason':'lost','kind':'rank_lost','phase':'forward','rank':2,'step':7}", true, "lost"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct evidence_set set = {0};
        char *text = arena_printf(&set.arena, "{'strategy':'ddp','failure':%s}", cases[i].failure);
        record_set_add(&set, text);
        const struct failure *failure = &set.records[0].failure;
        cr_assert_eq(failure->failed, cases[i].failed, "%s", cases[i].failure);
        if (cases[i].reason != NULL)
            cr_assert_str_eq(failure->reason, cases[i].reason);
        if (i == 4) {
            cr_assert_str_eq(failure->kind, "rank_lost");
            cr_assert_str_eq(failure->phase, "forward");
            cr_assert_eq(failure->rank, 2);
            cr_assert_eq(failure->step, 7);
        }
        record_set_fini(&set);
    }
}

Test(record, state_bytes_by_component_as_an_array_or_as_their_sum)
{
    struct evidence_set set = {0};
    const struct record *record =
        one(&set, "'state_bytes':{'parameters':2,'gradients':2,'optimizer':12}", "");
    cr_assert_eq(record->workload.state_bytes.optimizer, 12);
    cr_assert_eq(record->workload.state_bytes_sum, 16);
    record_set_add_run(&set, "ddp", "'state_bytes':[4,4,8]", "", "'failure':null");
    cr_assert_eq(set.records[1].workload.state_bytes.optimizer, 8);
    cr_assert_eq(set.records[1].workload.state_bytes_sum, 16);
    record_set_add_run(&set, "ddp", "'state_bytes':18", "", "'failure':null");
    cr_assert(isnan(set.records[2].workload.state_bytes.optimizer));
    cr_assert_eq(set.records[2].workload.state_bytes_sum, 18);
    record_set_fini(&set);
}

Test(record, data_types_have_one_name)
{
    static const char *const spellings[][2] = {
        {"bf16", "bf16"},          {"bfloat16", "bf16"}, {"torch.bfloat16", "bf16"},
        {"BF16", "bf16"},          {"float32", "fp32"},  {"FP32", "fp32"},
        {"torch.float16", "fp16"}, {"half", "fp16"},     {"int8", "int8"},
    };
    for (size_t i = 0; i < sizeof spellings / sizeof spellings[0]; i++)
        cr_assert_str_eq(normalise_dtype(spellings[i][0]), spellings[i][1]);
    cr_assert_eq(normalise_dtype(NULL), NULL);
}

Test(record, who_wrote_it_and_whether_its_times_count)
{
    struct evidence_set set = {0};
    record_set_add(&set, "{'strategy':'fsdp_full_shard','schema':'rankledger.evidence/1',"
                         "'evidence_level':'multi_gpu','decision':{'decision':'measured'}}");
    record_set_add(&set, "{'strategy':'ddp','schema':'other/1','evidence_level':'predicted',"
                         "'decision':'done'}");
    record_set_add(&set, "{'strategy':'ddp','evidence_level':'somewhere'}");
    cr_assert(set.records[0].own_collector && record_times_count(&set.records[0]));
    cr_assert_eq(set.records[0].strategy, STRATEGY_FSDP);
    cr_assert_str_eq(set.records[0].decision, "measured");
    cr_assert(!set.records[1].own_collector && !record_times_count(&set.records[1]));
    cr_assert_str_eq(set.records[1].decision, "done");
    cr_assert_eq(set.records[2].level, NULL);
    cr_assert_str_eq(set.records[2].level_name, "somewhere");
    cr_assert(!record_times_count(&set.records[2]));
    record_set_fini(&set);
}

Test(record, wire_bytes_and_options_as_recorded_else_of_the_data_type)
{
    struct evidence_set set = {0};
    record_set_add(&set, "{'strategy':'ddp','workload':{'dtype':'bf16'},'strategy_options':"
                         "{'bucket_mb':10,'prefetch':2,'persistence_threshold':100,"
                         "'overlap':false}}");
    record_set_add(&set, "{'strategy':'ddp','workload':{'dtype':'bf16','wire_bytes':"
                         "{'parameter':2,'gradient':4}}}");
    cr_assert_eq(set.records[0].workload.gradient_wire_bytes, 2);
    cr_assert_eq(set.records[0].workload.bucket_bytes, 10485760);
    cr_assert_eq(set.records[1].workload.parameter_wire_bytes, 2);
    cr_assert_eq(set.records[1].workload.gradient_wire_bytes, 4);
    cr_assert_eq(set.records[0].workload.prefetch, 2);
    cr_assert_eq(set.records[0].workload.persistence_threshold, 100);
    cr_assert_eq(set.records[0].workload.overlap, 0);
    cr_assert(isnan(set.records[1].workload.bucket_bytes));
    cr_assert(isnan(set.records[1].workload.prefetch));
    cr_assert_eq(set.records[1].workload.overlap, -1);
    record_set_fini(&set);
}

Test(record, an_unvalidated_strategy_is_our_fault)
{
    struct json_read_document json = {0};
    struct json_read_fault fault = {0};
    struct diag diag = {0};
    struct arena arena = {0};
    struct record record = {.strategy = STRATEGY_ZERO3};
    const char *text = "{\"strategy\":\"zero-2\"}";
    cr_assert_eq(json_read_parse(&json, text, strlen(text), &fault, &diag), STATUS_OK);
    cr_assert_eq(record_read(&json, 0, &arena, &record, &diag), STATUS_BUG);
    cr_assert_eq(record.strategy, STRATEGY_ZERO3, "outputs are written on success only");
    json_read_fini(&json);
    arena_fini(&arena);
}

Test(record, what_is_beyond_a_double_is_not_measured)
{
    struct evidence_set set = {0};
    const struct record *record = one(&set,
                                      "'micro_batch':1e200,'gradient_accumulation':1e200,"
                                      "'world_size':2,'state_bytes':[1e308,1e308,1]",
                                      "'peak_reserved_gb':1e308");
    cr_assert(isnan(record->workload.global_batch));
    cr_assert(isnan(record->workload.state_bytes_sum));
    cr_assert(isnan(record->metrics.peak_mb[MEMORY_RESERVED]));
    cr_assert_eq(record->normalised_count, 0);
    record_set_fini(&set);
}
