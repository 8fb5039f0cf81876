#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "output_folder.h"

/* A folder of the test's own and the target in it. */
struct place {
    char folder[64], target[96];
};

static struct place make_place(void)
{
    struct place place;
    snprintf(place.folder, sizeof place.folder, "/tmp/test_output_folder.XXXXXX");
    cr_assert_not_null(mkdtemp(place.folder));
    snprintf(place.target, sizeof place.target, "%s/result", place.folder);
    return place;
}

static bool is_ours(const char *name)
{
    return strcmp(name, "a") == 0 || strcmp(name, "b") == 0;
}

static void store(const char *folder, const char *name, const char *text)
{
    char *path = output_folder_path(folder, name);
    FILE *file = fopen(path, "w");
    cr_assert_not_null(file, "%s", path);
    fputs(text, file);
    fclose(file);
    free(path);
}

static void expect(const char *folder, const char *name, const char *text)
{
    char *path = output_folder_path(folder, name);
    char found[16] = "";
    FILE *file = fopen(path, "r");
    cr_expect_eq(file != NULL, text != NULL, "%s", path);
    if (file != NULL && text != NULL)
        cr_expect_str_eq(fgets(found, sizeof found, file), text);
    if (file != NULL)
        fclose(file);
    free(path);
}

/* The target with these files and nothing beside it; removes everything. */
static void expect_alone(const struct place *place, const char *a, const char *b)
{
    expect(place->target, "a", a);
    expect(place->target, "b", b);
    char *path = output_folder_path(place->target, "a");
    unlink(path);
    free(path);
    path = output_folder_path(place->target, "b");
    unlink(path);
    free(path);
    cr_expect_eq(rmdir(place->target), 0);
    cr_expect_eq(rmdir(place->folder), 0, "something is left in %s", place->folder);
}

static void begin(struct output_folder *folder, const char *target, bool force)
{
    struct diag diag = {0};
    cr_assert_eq(output_folder_begin(folder, target, is_ours, force, &diag), STATUS_OK, "%s",
                 diag.text);
}

Test(output_folder, appears_whole)
{
    struct place place = make_place();
    struct output_folder folder;
    struct diag diag = {0};
    begin(&folder, place.target, false);
    store(folder.temporary, "a", "1");
    cr_expect_neq(access(place.target, F_OK), 0);
    cr_expect_eq(output_folder_commit(&folder, &diag), STATUS_OK, "%s", diag.text);
    expect_alone(&place, "1", NULL);
}

Test(output_folder, takes_a_name_with_slashes_and_makes_one_parent)
{
    struct place place = make_place();
    struct output_folder folder;
    char deep[128];
    snprintf(deep, sizeof deep, "%s/inner//", place.target);
    begin(&folder, deep, false);
    output_folder_abandon(&folder);
    cr_expect_neq(access(place.target, F_OK), 0, "the parent made must not stay");
    begin(&folder, deep, false);
    cr_expect_eq(output_folder_commit(&folder, NULL), STATUS_OK);
    cr_expect_eq(rmdir(deep), 0);
    expect_alone(&place, NULL, NULL);
}

Test(output_folder, leaves_nothing_when_abandoned)
{
    struct place place = make_place();
    struct output_folder folder;
    begin(&folder, place.target, false);
    store(folder.temporary, "a", "1");
    output_folder_abandon(&folder);
    output_folder_abandon(&folder);
    output_folder_abandon(NULL);
    cr_expect_eq(rmdir(place.folder), 0);
}

Test(output_folder, refuses_an_existing_folder)
{
    struct place place = make_place();
    mkdir(place.target, 0777);
    struct output_folder folder;
    struct diag diag = {0};
    cr_expect_eq(output_folder_begin(&folder, place.target, is_ours, false, &diag), STATUS_USAGE);
    cr_expect_not_null(strstr(diag.text, "result: exists already; --force"), "%s", diag.text);
    cr_expect_eq(output_folder_check("/tmp/..", is_ours, true, NULL), STATUS_USAGE);
    cr_expect_eq(output_folder_check("/", is_ours, true, NULL), STATUS_USAGE);
    cr_expect_eq(output_folder_check("", is_ours, true, NULL), STATUS_USAGE);
    cr_expect_eq(output_folder_check("/etc/passwd", is_ours, true, NULL), STATUS_USAGE);
    expect_alone(&place, NULL, NULL);
}

Test(output_folder, does_not_replace_one_that_appeared_meanwhile)
{
    struct place place = make_place();
    struct output_folder folder;
    begin(&folder, place.target, false);
    store(folder.temporary, "a", "1");
    mkdir(place.target, 0777);
    cr_expect_eq(output_folder_commit(&folder, NULL), STATUS_USAGE);
    expect_alone(&place, NULL, NULL);
}

Test(output_folder, replaces_by_force)
{
    struct place place = make_place();
    struct output_folder folder;
    struct diag diag = {0};
    mkdir(place.target, 0777);
    store(place.target, "b", "old");
    begin(&folder, place.target, true);
    store(folder.temporary, "a", "new");
    expect(place.target, "b", "old");
    cr_expect_eq(output_folder_commit(&folder, &diag), STATUS_OK, "%s", diag.text);
    expect_alone(&place, "new", NULL);
}

Test(output_folder, never_deletes_what_is_not_its_own)
{
    struct place place = make_place();
    struct output_folder folder;
    struct diag diag = {0};
    mkdir(place.target, 0777);
    store(place.target, "thesis", "x");
    cr_expect_eq(output_folder_begin(&folder, place.target, is_ours, true, &diag), STATUS_USAGE);
    cr_expect_not_null(strstr(diag.text, "holds more"), "%s", diag.text);
    expect(place.target, "thesis", "x");
    char *path = output_folder_path(place.target, "thesis");
    unlink(path);
    free(path);
    expect_alone(&place, NULL, NULL);
}

Test(output_folder, is_discarded_after_its_process_ended)
{
    struct place place = make_place();
    struct output_folder folder;
    begin(&folder, place.target, false);
    store(folder.temporary, "a", "1");
    output_folder_discard(place.target, getpid() + 1, is_ours);
    expect(folder.temporary, "a", "1");
    output_folder_discard(place.target, getpid(), is_ours);
    cr_expect_neq(access(folder.temporary, F_OK), 0);
    /* Killed between the two steps of a replacement: the old folder comes back. */
    char aside[256];
    snprintf(aside, sizeof aside, "%s.old", folder.temporary);
    mkdir(aside, 0777);
    store(aside, "b", "old");
    output_folder_discard(place.target, getpid(), is_ours);
    output_folder_abandon(&folder);
    expect_alone(&place, NULL, "old");
}

Test(output_folder, makes_the_folders_above_it_and_takes_them_away_again)
{
    struct place place = make_place();
    struct output_folder folder;
    char deep[128];
    snprintf(deep, sizeof deep, "%s/x//y/z/", place.target);
    begin(&folder, deep, false);
    output_folder_abandon(&folder);
    cr_expect_neq(access(place.target, F_OK), 0, "a folder that was made stays");
    /* What was there before stays, and so does what somebody else needs meanwhile. */
    mkdir(place.target, 0777);
    begin(&folder, deep, false);
    store(place.target, "x/a", "1");
    output_folder_abandon(&folder);
    snprintf(deep, sizeof deep, "%s/x/y", place.target);
    cr_expect_neq(access(deep, F_OK), 0);
    snprintf(deep, sizeof deep, "%s/x", place.target);
    expect(deep, "a", "1");
    snprintf(deep, sizeof deep, "%s/x/a", place.target);
    unlink(deep);
    snprintf(deep, sizeof deep, "%s/x", place.target);
    cr_expect_eq(rmdir(deep), 0);
    expect_alone(&place, NULL, NULL);
}

Test(output_folder, says_why_the_folder_above_cannot_be_made)
{
    struct place place = make_place();
    struct output_folder folder;
    struct diag diag = {0};
    char deep[128];
    store(place.folder, "file", "1");
    snprintf(deep, sizeof deep, "%s/file/x/y", place.folder);
    cr_expect_eq(output_folder_begin(&folder, deep, is_ours, false, &diag), STATUS_ENVIRONMENT);
    cr_expect_not_null(strstr(diag.text, "Not a directory"), "%s", diag.text);
    snprintf(deep, sizeof deep, "%s/file", place.folder);
    unlink(deep);
    cr_expect_eq(rmdir(place.folder), 0);
}
