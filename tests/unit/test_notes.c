#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "group_sample.h"
#include "notes.h"

static struct group_sample sample;
static struct message_list notes;

static void setup(void)
{
    group_sample_init(&sample);
    notes = (struct message_list){0};
}

static void teardown(void)
{
    arena_fini(&sample.arena);
}

TestSuite(notes, .init = setup, .fini = teardown);

static void make(void)
{
    struct diag diag = {0};
    cr_assert_eq(notes_make(&sample.group, &sample.arena, &notes, &diag), STATUS_OK);
}

static const struct message *find(const char *id)
{
    for (size_t i = 0; i < notes.count; i++)
        if (strcmp(notes.items[i].id, id) == 0)
            return &notes.items[i];
    return NULL;
}

static double number(const struct message *note, const char *name)
{
    for (size_t i = 0; i < note->value_count; i++)
        if (strcmp(note->values[i].name, name) == 0)
            return note->values[i].number;
    cr_assert_fail("no value %s", name);
    return NAN;
}

static struct candidate *add_with_ledger(double peak_mb, double resident_mb, double temporary_mb)
{
    struct candidate *candidate = group_sample_add(&sample, STRATEGY_DDP, 100, 0.1, peak_mb);
    candidate->ledger.available = true;
    candidate->ledger.state.resident = resident_mb;
    candidate->ledger.temporary_mb = temporary_mb;
    candidate->ledger.residual_mb = peak_mb - resident_mb - temporary_mb;
    return candidate;
}

Test(notes, say_what_of_a_peak_the_ledger_explains)
{
    add_with_ledger(100, 60, 30);
    make();
    const struct message *note = find("note.residual");
    cr_assert_not_null(note);
    cr_assert_eq(number(note, "residual_mb"), 10);
    cr_assert_eq(number(note, "resident_mb"), 60);
}

Test(notes, say_that_a_peak_is_explained_whole)
{
    add_with_ledger(90, 60, 30);
    make();
    cr_assert_not_null(find("note.explained"));
    cr_assert_null(find("note.residual"));
}

Test(notes, say_once_that_several_peaks_are_explained_to_the_byte)
{
    struct candidate *first = add_with_ledger(90, 60, 30);
    struct candidate *second = add_with_ledger(80, 50, 30);
    first->ledger.temporary_source = second->ledger.temporary_source = CANDIDATE_MEASURED;
    add_with_ledger(100, 60, 30)->ledger.temporary_source = CANDIDATE_MEASURED;
    make();
    const struct message *note = find("note.explained_all");
    cr_assert_not_null(note);
    cr_assert_str_eq(note->values[0].text, "ddp, ddp");
    cr_assert_null(find("note.explained"));
    cr_assert_not_null(find("note.residual"), "the third has a rest");
}

Test(notes, count_what_is_kept_whole_and_padded)
{
    struct candidate *candidate = add_with_ledger(100, 60, 30);
    candidate->ledger.persistent_parameters_mb = 6;
    candidate->ledger.padding_mb = 3;
    candidate->ledger.residual_mb = 1;
    make();
    const struct message *note = find("note.residual_kept");
    cr_assert_not_null(note);
    cr_assert_eq(number(note, "kept_mb"), 9);
    cr_assert_eq(number(note, "residual_mb"), 1);
    candidate->ledger.residual_mb = 0;
    make();
    cr_assert_not_null(find("note.explained_kept"));
}

Test(notes, name_the_category_that_was_foreseen_otherwise)
{
    static const struct memory_amount foreseen[] = {{"activations", "", 20}, {"workspace", "", 8}};
    static const struct memory_amount measured[] = {{"activations", "", 21},
                                                    {"communication_buffers", "", 9}};
    struct candidate *candidate = add_with_ledger(90, 60, 30);
    candidate->ledger.temporary = measured;
    candidate->ledger.temporary_count = 2;
    candidate->ledger.foreseen = foreseen;
    candidate->ledger.foreseen_count = 2;
    make();
    cr_assert_null(find("note.prediction_category"), "nothing was measured");
    candidate->ledger.temporary_source = CANDIDATE_MEASURED;
    candidate->ledger.foreseen_peak_mb = 88;
    candidate->ledger.measured_peak_mb = 90;
    make();
    const struct message *note = find("note.prediction_category");
    cr_assert_not_null(note);
    cr_assert_eq(number(note, "category_mb"), 9, "the buffers differ most");
    cr_assert_eq(number(note, "category_predicted_mb"), 0);
    cr_assert_eq(number(note, "predicted_mb"), 88);
}

Test(notes, say_nothing_where_what_was_foreseen_was_measured)
{
    static const struct memory_amount amounts[] = {{"activations", "", 30}};
    struct candidate *candidate = add_with_ledger(90, 60, 30);
    candidate->ledger.temporary = candidate->ledger.foreseen = amounts;
    candidate->ledger.temporary_count = candidate->ledger.foreseen_count = 1;
    candidate->ledger.temporary_source = CANDIDATE_MEASURED;
    candidate->ledger.foreseen_peak_mb = candidate->ledger.measured_peak_mb = 90;
    make();
    cr_assert_null(find("note.prediction"));
    cr_assert_null(find("note.prediction_category"));
    candidate->ledger.foreseen_peak_mb = 89; /* the state's part differs */
    make();
    cr_assert_not_null(find("note.prediction"));
}

Test(notes, say_what_keeps_the_rest_from_being_split)
{
    static const char *const missing[] = {"workload.vocab"};
    struct candidate *candidate = add_with_ledger(100, 60, NAN);
    candidate->ledger.temporary_missing = missing;
    candidate->ledger.temporary_missing_count = 1;
    make();
    const struct message *note = find("note.residual_unsplit");
    cr_assert_not_null(note);
    cr_assert_eq(number(note, "rest_mb"), 40);
    cr_assert_not_null(strstr(note->text, "workload.vocab"));
}

Test(notes, tell_a_peak_below_the_resident_state)
{
    add_with_ledger(59, 60, 30);
    make();
    cr_assert_not_null(find("note.residual_negative"));
}

Test(notes, tell_temporary_memory_that_is_not_held_at_one_time)
{
    add_with_ledger(89, 60, 30)->ledger.temporary_source = CANDIDATE_RECORD;
    make();
    cr_assert_not_null(find("note.residual_overlap"));
}

Test(notes, lay_what_was_computed_and_not_measured_to_the_closed_form)
{
    add_with_ledger(89, 60, 30);
    make();
    cr_assert_null(find("note.residual_overlap"));
    cr_assert_not_null(find("note.residual_closed_form"));
}

Test(notes, name_the_slowest_rank_by_its_median_step)
{
    static const double first[] = {10, 99, 10};
    static const double second[] = {10.5, 10.5, 10.5};
    static const double third[] = {11, 11, 11};
    static const struct series near_ranks[] = {{first, 3}, {second, 3}};
    static const struct series far_ranks[] = {{first, 3}, {second, 3}, {third, 3}};
    struct candidate *near = group_sample_add(&sample, STRATEGY_DDP, 100, 0.1, 100);
    near->metrics.step_times_ms = near_ranks;
    near->metrics.step_times_ranks = 2;
    make();
    cr_assert_null(find("note.slowest_rank"), "5 %% apart is not more than 5 %%");
    struct candidate *far = group_sample_add(&sample, STRATEGY_ZERO1, 100, 0.1, 100);
    far->metrics.step_times_ms = far_ranks;
    far->metrics.step_times_ranks = 3;
    make();
    const struct message *note = find("note.slowest_rank");
    cr_assert_not_null(note);
    cr_assert_eq(number(note, "rank"), 2);
    cr_assert_eq(number(note, "value"), 11);
    cr_assert_eq(number(note, "other_rank"), 0);
}

Test(notes, tell_step_times_that_vary)
{
    static const double steady[] = {10, 11, 10, 9, 10};
    static const double restless[] = {10, 15, 10, 5, 10};
    static const struct series steady_ranks[] = {{steady, 5}};
    static const struct series restless_ranks[] = {{restless, 5}};
    struct candidate *candidate = group_sample_add(&sample, STRATEGY_DDP, 100, 0.1, 100);
    candidate->metrics.step_times_ms = steady_ranks;
    candidate->metrics.step_times_ranks = 1;
    make();
    cr_assert_null(find("note.step_variation"), "7 %%");
    candidate->metrics.step_times_ms = restless_ranks;
    make();
    const struct message *note = find("note.step_variation");
    cr_assert_not_null(note);
    cr_assert_float_eq(number(note, "variation"), sqrt(50.0 / 4) / 10, 1e-15);
    cr_assert_eq(number(note, "steps"), 5);
}

Test(notes, compare_memory_within_one_setting_and_kind)
{
    group_sample_add(&sample, STRATEGY_DDP, 100, 0.1, 50)->workload.micro_batch = 4;
    group_sample_add(&sample, STRATEGY_ZERO1, 100, 0.1, 90)->workload.micro_batch = 8;
    group_sample_add(&sample, STRATEGY_ZERO2, 100, 0.1, 95)->memory_kind = MEMORY_DEVICE;
    make();
    cr_assert_null(find("note.inversion"));
    group_sample_add(&sample, STRATEGY_FSDP, 100, 0.1, 91)->workload.micro_batch = 8;
    make();
    const struct message *note = find("note.inversion");
    cr_assert_not_null(note);
    cr_assert_eq(number(note, "peak_mb"), 91);
    cr_assert_eq(number(note, "other_peak_mb"), 90);
}

Test(notes, say_nothing_of_the_memory_of_failed_runs)
{
    group_sample_add(&sample, STRATEGY_DDP, 100, 0.1, 50);
    struct candidate *failed = group_sample_add(&sample, STRATEGY_ZERO3, 100, 0.1, 90);
    failed->failure = (struct failure){.failed = true, .reason = "oom"};
    make();
    cr_assert_null(find("note.inversion"));
}

Test(notes, name_the_weakest_evidence)
{
    group_sample_add(&sample, STRATEGY_DDP, 100, 0.1, 50)->level_name = "published_report";
    group_sample_add(&sample, STRATEGY_ZERO1, 100, 0.1, 40);
    sample.group.level_name = "published_report";
    make();
    const struct message *note = find("note.evidence_level");
    cr_assert_eq(number(note, "count"), 1);
    cr_assert_eq(number(note, "candidate_count"), 2);
}
