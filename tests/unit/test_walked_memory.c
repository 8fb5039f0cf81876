#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "candidate_ledger.h"
#include "record_set.h"
#include "repeats.h"
#include "schedule_walk.h"
#include "walked_memory.h"

#define MIB 1048576.0

static struct schedule_request request_of(enum strategy strategy)
{
    return (struct schedule_request){
        .strategy = strategy,
        .shape =
            {.width = 64, .layers = 3, .heads = 4, .vocab = 513, .seq_len = 32, .micro_batch = 2},
        .dtype = MODEL_FP32,
        .world_size = 4,
        .gradient_accumulation = 1,
        .bucket_bytes = 100000,
        .prefetch = 1,
        .overlap = true,
        .workspace_bytes = 4096,
    };
}

static struct schedule_walk walk_of(const struct schedule_request *request)
{
    struct arena arena = {0};
    struct schedule schedule;
    struct schedule_walk walk;
    struct diag diag = {0};
    cr_assert_eq(schedule_build(request, &arena, &schedule, &diag), STATUS_OK, "%s", diag.text);
    cr_assert_eq(schedule_walk_of(&schedule, &walk, &diag), STATUS_OK, "%s", diag.text);
    arena_fini(&arena);
    return walk;
}

static double peak_of(const struct schedule_request *request)
{
    struct diag diag = {0};
    double peak_mb;
    cr_assert_eq(walked_memory_peak(request, &peak_mb, &diag), STATUS_OK, "%s", diag.text);
    return peak_mb;
}

/* One micro-batch says what many need: so the peak of any accumulation is cheap. */
Test(walked_memory, is_that_of_every_accumulation)
{
    for (int s = 0; s < STRATEGY_COUNT; s++)
        for (int choice = 0; choice < 4; choice++) {
            struct schedule_request request = request_of((enum strategy)s);
            request.overlap = (choice & 1) != 0;
            request.activation_checkpointing = (choice & 2) != 0;
            for (uint64_t accumulation = 1; accumulation <= 5; accumulation++) {
                request.gradient_accumulation = accumulation;
                cr_assert_eq((double)walk_of(&request).peak / MIB, peak_of(&request),
                             "%s, %llu micro-batches", training_state_row((enum strategy)s)->name,
                             (unsigned long long)accumulation);
            }
        }
}

Test(walked_memory, refuses_what_no_schedule_can_be_built_of)
{
    struct schedule_request request = request_of(STRATEGY_DDP);
    struct diag diag = {0};
    double peak_mb;
    request.shape.heads = 5;
    cr_assert_eq(walked_memory_peak(&request, &peak_mb, &diag), STATUS_USAGE);
}

/* ---- of records ---- */

static struct evidence_set set;

static void teardown(void)
{
    record_set_fini(&set);
}

TestSuite(walked_record, .fini = teardown);

static const char shape[] =
    "'parameters':%d,'dtype':'fp32','world_size':4,'width':64,'layers':3,'heads':4,'vocab':513,"
    "'seq_len':32,'micro_batch':2,'gradient_accumulation':2,'activation_checkpointing':false,"
    "'wire_bytes':{'parameter':4,'gradient':4}";

/* A record of our own collector whose workspace is 4096 bytes and whose peak is the walk's and
 * `more` bytes. */
static struct walked_memory read(const char *schema, const char *kind, uint64_t parameters,
                                 uint64_t more)
{
    char workload[512];
    char metrics[160];
    char rest[1024];
    struct schedule_request request = request_of(STRATEGY_DDP);
    struct walked_memory walked;
    struct candidate candidate;
    struct policy policy;
    struct diag diag = {0};
    const struct schedule_walk walk = walk_of(&request);
    const uint64_t peak = walk.peak + more;
    const uint64_t state = walk.resident[SCHEDULE_PARAMETERS];
    snprintf(workload, sizeof workload, shape, (int)parameters);
    snprintf(metrics, sizeof metrics, "'peak_memory_mb':%.17g,'memory_kind':'%s'%s",
             (double)peak / MIB, strcmp(kind, "both") == 0 ? "allocated" : kind,
             strcmp(kind, "both") == 0 ? ",'peak_device_mb':700" : "");
    snprintf(rest, sizeof rest,
             "'schema':'%s','strategy_options':{'bucket_bytes':100000,'overlap':true},"
             "'ledger':{'parameters_bytes':%llu,'gradients_bytes':%llu,"
             "'optimizer_state_bytes':%llu},'memory':{'per_rank':[{'phases':[{'phase':'forward',"
             "'peak_bytes':%llu,'by_category':{'parameters':%llu,'gradients':%llu,"
             "'optimizer_state':%llu,'workspace':4096,'activations':%llu}}]}]}",
             schema, (unsigned long long)state, (unsigned long long)state,
             (unsigned long long)(2 * state), (unsigned long long)peak, (unsigned long long)state,
             (unsigned long long)state, (unsigned long long)(2 * state),
             (unsigned long long)(peak - 4 * state - 4096));
    record_set_add_run(&set, "ddp", workload, metrics, rest);
    const struct record **records = arena_take(&set.arena, sizeof *records);
    policy_init(&policy);
    records[0] = &set.records[set.record_count - 1];
    cr_assert_eq(repeats_pool(records, 1, &policy, &set.arena, &candidate, &diag), STATUS_OK);
    candidate.memory_kind = strcmp(kind, "allocated") == 0 ? MEMORY_ALLOCATED : MEMORY_DEVICE;
    candidate.peak_mb = strcmp(kind, "both") == 0 ? 700 : (double)peak / MIB;
    cr_assert_eq(candidate_ledger_fill(&candidate, &set.arena, &diag), STATUS_OK);
    cr_assert_eq(walked_memory_of(&candidate, &walked, &diag), STATUS_OK);
    return walked;
}

static uint64_t right_parameters(void)
{
    struct schedule_request request = request_of(STRATEGY_DDP);
    return model_parameters(&request.shape);
}

Test(walked_record, is_known_where_the_walk_gives_the_measured_peak)
{
    struct walked_memory walked = read("rankledger.evidence/1", "allocated", right_parameters(), 0);
    cr_assert(walked.known);
    cr_assert_eq(walked.request.workspace_bytes, 4096);
    cr_assert_eq(walked.request.bucket_bytes, 100000);
}

Test(walked_record, is_known_on_a_device_with_what_that_holds_besides)
{
    struct walked_memory walked = read("rankledger.evidence/1", "both", right_parameters(), 0);
    struct schedule_request request = request_of(STRATEGY_DDP);
    cr_assert(walked.known && walked.on_device);
    cr_assert_float_eq(walked.beside_mb, 700 - (double)walk_of(&request).peak / MIB, 1e-9);
    cr_assert_not(read("rankledger.evidence/1", "both", right_parameters(), 1).known);
    walked = read("rankledger.evidence/1", "allocated", right_parameters(), 0);
    cr_assert(!walked.on_device && walked.beside_mb == 0);
}

Test(walked_record, is_not_known_where_a_byte_more_was_measured)
{
    cr_assert_not(read("rankledger.evidence/1", "allocated", right_parameters(), 1).known);
}

Test(walked_record, is_not_known_of_other_producers_models_and_kinds_of_memory)
{
    cr_assert_not(read("else/1", "allocated", right_parameters(), 0).known);
    cr_assert_not(read("rankledger.evidence/1", "device", right_parameters(), 0).known);
    cr_assert_not(read("rankledger.evidence/1", "allocated", right_parameters() + 1, 0).known);
}
