#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "path_list.h"

static char folder[] = "/tmp/path_list_XXXXXX";

static void make_folder(void)
{
    cr_assert_not_null(mkdtemp(folder));
    cr_assert_eq(chdir(folder), 0);
}

static void remove_folder(void)
{
    char command[128];
    snprintf(command, sizeof command, "rm -r %s", folder);
    cr_assert_eq(system(command), 0);
}

static void make_file(const char *path, const char *text, size_t size)
{
    FILE *file = fopen(path, "wb");
    cr_assert_not_null(file);
    cr_assert_eq(fwrite(text, 1, size, file), size);
    fclose(file);
}

static void expect_paths(const struct path_list *list, const char *const *paths)
{
    size_t count = 0;
    for (; paths[count] != NULL; count++) {
        cr_assert_lt(count, list->count);
        cr_assert_str_eq(list->entries[count].path, paths[count]);
    }
    cr_assert_eq(list->count, count);
}

TestSuite(path_list, .init = make_folder, .fini = remove_folder);

Test(path_list, walks_in_bytewise_order_of_whole_paths)
{
    mkdir("d", 0777);
    mkdir("d/a", 0777);
    make_file("d/a/x.json", "", 0);
    make_file("d/a-b.json", "", 0);
    make_file("d/a0.json", "", 0);
    make_file("d/eightby1.json", "", 0);
    make_file("d/eightby0.ndjson", "", 0);
    make_file("d/none.txt", "", 0);
    struct path_list list = {0};
    struct diag diag = {0};
    cr_assert_eq(path_list_add(&list, "d", &diag), STATUS_OK);
    expect_paths(&list, (const char *const[]){"d/a-b.json", "d/a/x.json", "d/a0.json",
                                              "d/eightby0.ndjson", "d/eightby1.json", NULL});
    cr_assert(list.entries[0].walked && list.entries[0].regular);
    path_list_fini(&list);
}

Test(path_list, keeps_operands_in_their_order_and_says_that_they_were_named)
{
    make_file("b.json", "", 0);
    make_file("a.txt", "", 0);
    struct path_list list = {0};
    struct diag diag = {0};
    cr_assert_eq(path_list_add(&list, "b.json", &diag), STATUS_OK);
    cr_assert_eq(path_list_add(&list, "-", &diag), STATUS_OK);
    cr_assert_eq(path_list_add(&list, "a.txt", &diag), STATUS_OK);
    expect_paths(&list, (const char *const[]){"b.json", "-", "a.txt", NULL});
    cr_assert_not(list.entries[2].walked);
    path_list_fini(&list);
}

Test(path_list, a_missing_operand_is_refused_and_listed)
{
    struct path_list list = {0};
    struct diag diag = {0};
    cr_assert_eq(path_list_add(&list, "none\n.json", &diag), STATUS_INPUT);
    cr_assert_str_eq(diag.text, "none\\n.json: cannot read: No such file or directory");
    expect_paths(&list, (const char *const[]){"none\n.json", NULL});
    path_list_fini(&list);
}

Test(path_list, an_empty_directory_adds_nothing)
{
    mkdir("d", 0777);
    struct path_list list = {0};
    struct diag diag = {0};
    cr_assert_eq(path_list_add(&list, "d", &diag), STATUS_OK);
    cr_assert_eq(list.count, 0);
    path_list_fini(&list);
}

Test(path_list, a_list_may_hold_line_feeds_in_names_if_separated_by_nul)
{
    static const char text[] = "a\nb.json\0\0c.json";
    make_file("a\nb.json", "", 0);
    make_file("c.json", "", 0);
    make_file("list", text, sizeof text - 1);
    struct path_list list = {0};
    struct diag diag = {0};
    cr_assert_eq(path_list_add_from(&list, "list", true, &diag), STATUS_OK);
    expect_paths(&list, (const char *const[]){"a\nb.json", "c.json", NULL});
    path_list_fini(&list);
}

Test(path_list, goes_on_behind_a_missing_line_of_a_list)
{
    static const char text[] = "none.json\nc.json\n";
    make_file("c.json", "", 0);
    make_file("list", text, sizeof text - 1);
    struct path_list list = {0};
    struct diag diag = {0};
    cr_assert_eq(path_list_add_from(&list, "list", false, &diag), STATUS_INPUT);
    expect_paths(&list, (const char *const[]){"none.json", "c.json", NULL});
    path_list_fini(&list);
}
