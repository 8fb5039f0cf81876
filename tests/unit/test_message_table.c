#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "message_table.h"

Test(message_table, is_sorted_so_that_it_can_be_searched)
{
    size_t count;
    size_t part = 0;
    const struct message_table_row *rows = message_table_rows(part, &count);
    for (; rows != NULL; rows = message_table_rows(++part, &count))
        for (size_t i = 1; i < count; i++)
            cr_assert_lt(strcmp(rows[i - 1].id, rows[i].id), 0, "%s", rows[i].id);
    cr_assert_eq(part, 3);
}

Test(message_table, fills_texts_numbers_and_percentages)
{
    struct arena arena = {0};
    struct diag diag = {0};
    struct message message;
    const struct sentence_value values[] = {
        MESSAGE_TEXT("strategy", "zero1"), MESSAGE_TEXT("baseline", "ddp"),
        MESSAGE_NUMBER("gain", 0.125), MESSAGE_NUMBER("min_gain", 0), MESSAGE_TEXT("other", "x")};
    cr_assert_eq(message_table_make(&arena, "reason.gain_throughput", values, 5, &message, &diag),
                 STATUS_OK);
    cr_assert_str_eq(message.text, "zero1 passes every gate and is 12.5 % faster than ddp; 0 % was "
                                   "asked for.");
    cr_assert_eq(message.value_count, 4, "those that the text mentions");
    arena_fini(&arena);
}

Test(message_table, keeps_numbers_of_one_sentence_apart)
{
    struct arena arena = {0};
    struct diag diag = {0};
    struct message message;
    const struct sentence_value gains[] = {
        MESSAGE_TEXT("strategy", "zero1"), MESSAGE_TEXT("baseline", "ddp"),
        MESSAGE_NUMBER("gain", 0.04996), MESSAGE_NUMBER("min_gain", 0.05)};
    const struct sentence_value peaks[] = {
        MESSAGE_TEXT("strategy", "zero1"), MESSAGE_NUMBER("predicted_peak_mb", 15258.71),
        MESSAGE_TEXT("basis", "exact"), MESSAGE_NUMBER("limit_mb", 15258.7421875)};
    cr_assert_eq(message_table_make(&arena, "reason.no_gain_throughput", gains, 4, &message, &diag),
                 STATUS_OK);
    cr_assert_not_null(strstr(message.text, "is 4.996 %; 5 % was"), "%s", message.text);
    cr_assert_eq(message_table_make(&arena, "action.checkpointing", peaks, 4, &message, &diag),
                 STATUS_OK);
    cr_assert_not_null(
        strstr(message.text, "15,258.71 MiB (exact) against the limit of 15,258.74 MiB"), "%s",
        message.text);
    arena_fini(&arena);
}

Test(message_table, says_not_measured_where_nothing_was)
{
    struct arena arena = {0};
    struct diag diag = {0};
    struct message message;
    const struct sentence_value values[] = {MESSAGE_TEXT("strategy", "zero1"),
                                            MESSAGE_NUMBER("peak_mb", NAN)};
    cr_assert_eq(message_table_make(&arena, "action.use_smaller", values, 2, &message, &diag),
                 STATUS_OK);
    cr_assert_not_null(strstr(message.text, "peak not measured MiB"));
    arena_fini(&arena);
}

Test(message_table, makes_texts_of_others_safe_to_print)
{
    struct arena arena = {0};
    struct diag diag = {0};
    struct message message;
    const struct sentence_value values[] = {
        MESSAGE_TEXT("failure", "\033[31m/home/alice/x.json\n: {missing}")};
    cr_assert_eq(
        message_table_make(&arena, "reason.incomplete_summary", values, 1, &message, &diag),
        STATUS_OK);
    cr_assert_str_eq(message.text, "The evidence is incomplete: "
                                   "\\x1b[31m/home/<user>/x.json\\n: {missing}");
    arena_fini(&arena);
}

Test(message_table, refuses_an_unknown_id_and_a_missing_value)
{
    struct arena arena = {0};
    struct message message;
    struct diag unknown = {0};
    cr_assert_eq(message_table_make(&arena, "reason.none", NULL, 0, &message, &unknown),
                 STATUS_BUG);
    struct diag missing = {0};
    cr_assert_eq(message_table_make(&arena, "reason.baseline", NULL, 0, &message, &missing),
                 STATUS_BUG);
    arena_fini(&arena);
}
