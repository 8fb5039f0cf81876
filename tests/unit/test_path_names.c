#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "path_names.h"

static char folder[64];
static int directory;

static void enter_folder(void)
{
    strcpy(folder, "/tmp/rankledger-names-XXXXXX");
    cr_assert_not_null(mkdtemp(folder));
    directory = open(folder, O_RDONLY | O_DIRECTORY);
    cr_assert_geq(directory, 0);
}

static void leave_folder(void)
{
    char command[128];
    close(directory);
    snprintf(command, sizeof command, "rm -r %s", folder);
    cr_assert_eq(system(command), 0);
}

TestSuite(path_names, .init = enter_folder, .fini = leave_folder);

static void make_file(const char *name)
{
    int file = openat(directory, name, O_WRONLY | O_CREAT, 0644);
    cr_assert_geq(file, 0);
    close(file);
}

/* All names in turns of at most `limit` bytes, in one text; *turns is how many. */
static void list(size_t limit, struct text_buffer *all, size_t *turns)
{
    struct path_names names = {.limit = limit};
    struct path_names_part part;
    struct diag diag = {0};
    char after[256] = "";
    *turns = 0;
    do {
        cr_assert_eq(lseek(directory, 0, SEEK_SET), 0);
        cr_assert_eq(path_names_push(&names, directory, after, &part, &diag), STATUS_OK);
        cr_assert_eq(part.error_number, 0);
        for (size_t i = part.begin; i < part.end; i++)
            text_buffer_printf(all, "%s ", path_names_text(&names, &part, i));
        if (part.end > part.begin)
            strcpy(after, path_names_text(&names, &part, part.end - 1));
        path_names_pop(&names, &part);
        ++*turns;
    } while (part.more);
    path_names_fini(&names);
}

Test(path_names, are_those_of_evidence_and_directories_in_the_order_of_paths)
{
    struct text_buffer all = {0};
    size_t turns;
    make_file("a.json");
    make_file("a-b.jsonl.gz");
    make_file("a.txt");
    make_file("b.ndjson");
    make_file(".json");
    cr_assert_eq(mkdirat(directory, "a", 0755), 0);
    cr_assert_eq(symlinkat("a", directory, "c"), 0);
    cr_assert_eq(symlinkat("none", directory, "d"), 0);
    cr_assert_eq(symlinkat("none", directory, "e.json"), 0);
    list(0, &all, &turns);
    cr_assert_str_eq(all.text, "a-b.jsonl.gz a.json a/ b.ndjson c e.json ");
    cr_assert_eq(turns, 1);
    text_buffer_fini(&all);
}

/* A directory may have more than memory: the same names, whatever fits at once. */
Test(path_names, come_in_turns_where_they_do_not_fit)
{
    struct text_buffer whole = {0};
    size_t turns;
    for (int i = 0; i < 300; i++) {
        char name[32];
        /* Multiplied by a number without a common divisor: in no order. */
        snprintf(name, sizeof name, "%s-%03d.json", i % 3 == 0 ? "one" : "a_longer_name",
                 i * 7 % 300);
        if (i % 10 == 0)
            cr_assert_eq(mkdirat(directory, name, 0755), 0);
        else
            make_file(name);
    }
    list(0, &whole, &turns);
    cr_assert_eq(turns, 1);
    for (size_t limit = 200; limit < 20000; limit += 1234) {
        struct text_buffer all = {0};
        list(limit, &all, &turns);
        cr_assert_str_eq(all.text, whole.text);
        cr_assert(limit > 5000 || turns > 2, "%zu turns for %zu bytes", turns, limit);
        text_buffer_fini(&all);
    }
    text_buffer_fini(&whole);
}
