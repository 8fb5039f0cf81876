#include <criterion/criterion.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "cmd_bandwidth.h"

static enum status parse(char **argv, struct cmd_bandwidth *command, struct diag *diag)
{
    int argc = 0;
    enum options_help help = OPTIONS_HELP_NONE;
    while (argv[argc]) {
        argc++;
    }
    return cmd_bandwidth_parse(argc, argv, command, &help, diag);
}

/* 1000000 bytes in 2 ms are 0.5 GB/s; 16 bytes in 0.001 ms 0.016 GB/s. */
static struct rank_record *sample(void)
{
    struct rank_record *record = calloc(1, rank_record_size(0));
    cr_assert_not_null(record);
    record->world_size = 4;
    record->link_count = 3;
    record->links[0] = (struct rank_link){SCHEDULE_ALL_GATHER, 16, 0.001};
    record->links[1] = (struct rank_link){SCHEDULE_ALL_REDUCE, 1000000, 2};
    record->links[2] = (struct rank_link){SCHEDULE_ALL_GATHER, 1000000, 2};
    strcpy(record->mpi, "Open MPI v4.1.4");
    return record;
}

Test(cmd_bandwidth, has_defaults)
{
    char *argv[] = {NULL};
    struct cmd_bandwidth command = {0};
    struct diag diag = {0};
    cr_assert_eq(parse(argv, &command, &diag), STATUS_OK);
    cr_assert_eq(command.world_size, 2);
    cr_assert_eq(command.dtype, MODEL_FP32);
    cr_assert_not(command.json);
}

Test(cmd_bandwidth, takes_its_options)
{
    char size[] = "--world-size=4";
    char dtype[] = "--dtype=bf16";
    char format[] = "--format=json";
    char backend[] = "--backend=cpu";
    char *argv[] = {size, dtype, format, backend, NULL};
    struct cmd_bandwidth command = {0};
    struct diag diag = {0};
    cr_assert_eq(parse(argv, &command, &diag), STATUS_OK);
    cr_assert_eq(command.world_size, 4);
    cr_assert_eq(command.dtype, MODEL_BF16);
    cr_assert(command.json);
    cr_assert_str_eq(command.backend, "cpu");
}

Test(cmd_bandwidth, refuses_no_ranks)
{
    char size[] = "--world-size=0";
    char *argv[] = {size, NULL};
    struct cmd_bandwidth command = {.world_size = 7};
    struct diag diag = {0};
    cr_assert_eq(parse(argv, &command, &diag), STATUS_USAGE);
    cr_assert(strstr(diag.text, "world-size") != NULL, "%s", diag.text);
    cr_assert_eq(command.world_size, 7, "written on success only");
}

Test(cmd_bandwidth, prints_a_table_by_collective)
{
    struct cmd_bandwidth command = {.world_size = 4, .dtype = MODEL_FP32};
    struct rank_record *record = sample();
    struct text_buffer out = {0};
    struct diag diag = {0};
    cr_assert_eq(cmd_bandwidth_format(&command, record, &out, &diag), STATUS_OK);
    cr_assert_str_eq(out.text,
                     "4 ranks, fp32, Open MPI v4.1.4\n"
                     "collective          payload B           ms   alg GB/s   bus GB/s\n"
                     "all_reduce            1000000       2.0000      0.500      0.750\n"
                     "all_gather                 16       0.0010      0.016      0.012\n"
                     "all_gather            1000000       2.0000      0.500      0.375\n");
    text_buffer_fini(&out);
    free(record);
}

Test(cmd_bandwidth, has_no_table_for_one_rank)
{
    struct cmd_bandwidth command = {.world_size = 1};
    struct rank_record *record = sample();
    struct text_buffer out = {0};
    struct diag diag = {0};
    record->world_size = 1;
    cr_assert_eq(cmd_bandwidth_format(&command, record, &out, &diag), STATUS_OK);
    cr_assert_str_eq(out.text, "1 rank: nothing is sent\n");
    text_buffer_fini(&out);
    free(record);
}

Test(cmd_bandwidth, writes_the_same_as_json)
{
    struct cmd_bandwidth command = {
        .world_size = 4, .dtype = MODEL_BF16, .backend = "cpu", .json = true};
    struct rank_record *record = sample();
    struct text_buffer out = {0};
    struct diag diag = {0};
    cr_assert_eq(cmd_bandwidth_format(&command, record, &out, &diag), STATUS_OK);
    json_t *root = json_loads(out.text, JSON_REJECT_DUPLICATES, NULL);
    cr_assert_not_null(root);
    json_t *row = json_array_get(json_object_get(root, "rows"), 1);
    cr_assert_str_eq(json_string_value(json_object_get(root, "dtype")), "bf16");
    cr_assert_eq(json_integer_value(json_object_get(root, "world_size")), 4);
    cr_assert_str_eq(json_string_value(json_object_get(root, "backend")), "cpu");
    cr_assert_str_eq(json_string_value(json_object_get(root, "library")), "Open MPI v4.1.4");
    cr_assert_eq(json_array_size(json_object_get(root, "rows")), 3);
    cr_assert_str_eq(json_string_value(json_object_get(row, "collective")), "all_reduce");
    cr_assert_eq(json_number_value(json_object_get(row, "bus_gb_per_s")), 0.75);
    cr_assert_eq(json_number_value(json_object_get(row, "algorithm_gb_per_s")), 0.5);
    json_decref(root);
    text_buffer_fini(&out);
    free(record);
}

Test(cmd_bandwidth, names_the_library_of_the_streams_where_they_move_the_bytes)
{
    struct cmd_bandwidth command = {.world_size = 4, .dtype = MODEL_BF16, .backend = "cuda"};
    struct rank_record *record = sample();
    struct text_buffer out = {0};
    struct diag diag = {0};
    strcpy(record->moved_by, "stream");
    strcpy(record->algorithm, "chosen by NCCL 2.28.9");
    cr_assert_eq(cmd_bandwidth_format(&command, record, &out, &diag), STATUS_OK);
    cr_assert_eq(strncmp(out.text, "4 ranks, bf16, chosen by NCCL 2.28.9\n", 37), 0, "%s",
                 out.text);
    text_buffer_fini(&out);
    free(record);
}
