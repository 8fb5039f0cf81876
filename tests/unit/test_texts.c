#include "texts.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "message_table.h"
#include "temporary_memory.h"
#include "training_state.h"

static struct texts load(const char *code)
{
    struct texts texts = {0};
    struct diag diag = {0};
    cr_assert_eq(texts_load(code, NULL, &texts, &diag), STATUS_OK, "%s", diag.text);
    return texts;
}

/* The sorted names of a text's placeholders, as one string. */
static void placeholder_names(const char *text, char *out, size_t capacity)
{
    char names[16][32];
    size_t count = 0;
    for (const char *open = strchr(text, '{'); open != NULL; open = strchr(open + 1, '{')) {
        size_t length = strcspn(open + 1, ":}");
        snprintf(names[count++], sizeof names[0], "%.*s", (int)length, open + 1);
    }
    qsort(names, count, sizeof names[0], (int (*)(const void *, const void *))strcmp);
    out[0] = '\0';
    for (size_t i = 0; i < count; i++)
        if (i == 0 || strcmp(names[i], names[i - 1]) != 0)
            snprintf(out + strlen(out), capacity - strlen(out), "%s ", names[i]);
}

Test(texts, have_the_same_ids_and_placeholders_in_every_language)
{
    struct texts english = load("en");
    size_t languages = 0;
    for (const char *const *code = texts_languages(); *code != NULL; code++) {
        struct texts other = load(*code);
        cr_assert_eq(other.count, english.count, "%s has %zu texts, en %zu", *code, other.count,
                     english.count);
        for (size_t i = 0; i < english.count; i++) {
            char own[512];
            char theirs[512];
            cr_assert_str_eq(other.entries[i].id, english.entries[i].id);
            placeholder_names(english.entries[i].text, own, sizeof own);
            placeholder_names(other.entries[i].text, theirs, sizeof theirs);
            cr_assert_str_eq(theirs, own, "%s of %s", english.entries[i].id, *code);
        }
        texts_fini(&other);
        languages++;
    }
    cr_assert_geq(languages, 2);
    texts_fini(&english);
}

Test(texts, say_in_english_what_the_analyzer_says)
{
    struct texts english = load("en");
    size_t count;
    size_t seen = 0;
    size_t part = 0;
    const struct message_table_row *rows = message_table_rows(part, &count);
    for (; rows != NULL; rows = message_table_rows(++part, &count))
        for (size_t i = 0; i < count; i++, seen++)
            cr_assert_str_eq(texts_get(&english, rows[i].id), rows[i].english);
    cr_assert_gt(seen, 60);
    texts_fini(&english);
}

Test(texts, have_words_for_every_temporary_memory_of_the_ledger)
{
    const struct temporary_memory_shape shape = {.width = 768,
                                                 .layers = 12,
                                                 .heads = 12,
                                                 .vocab = 50304,
                                                 .seq_len = 1024,
                                                 .micro_batch = 4,
                                                 .world_size = 4,
                                                 .parameter_wire_bytes = 2,
                                                 .gradient_wire_bytes = 2,
                                                 .activation_bytes = 2,
                                                 .bucket_bytes = NAN};
    struct diag diag = {0};
    size_t seen = 0;
    for (const char *const *code = texts_languages(); *code != NULL; code++) {
        struct texts texts = load(*code);
        for (int strategy = 0; strategy < STRATEGY_COUNT; strategy++) {
            struct temporary_memory memory;
            cr_assert_eq(temporary_memory_of(&shape, (enum strategy)strategy, &memory, &diag),
                         STATUS_OK);
            for (size_t i = 0; i < memory.count; i++, seen++) {
                char id[80];
                snprintf(id, sizeof id, "category.%s", memory.amounts[i].category);
                cr_assert_str_neq(texts_get(&texts, id), id, "%s has no word for it", *code);
            }
        }
        texts_fini(&texts);
    }
    cr_assert_geq(seen, 10);
}

Test(texts, show_an_id_that_they_lack)
{
    struct texts texts = load("en");
    cr_assert_str_eq(texts_get(&texts, "sheet.gates"), "Gates");
    cr_assert_str_eq(texts_get(&texts, "sheet.none"), "sheet.none");
    cr_assert_str_eq(texts_word(&texts, "verdict", "tight"), "tight");
    cr_assert_str_eq(texts_word(&texts, "verdict", "unheard_of"), "unheard_of");
    cr_assert_str_eq(texts_word(&texts, "verdict", NULL), "");
    texts_fini(&texts);
}

static void expect_message(const struct texts *texts, const struct summary_message *message,
                           const char *expected)
{
    struct text_buffer out = {0};
    texts_message(&out, texts, message);
    cr_assert_str_eq(out.text, expected);
    text_buffer_fini(&out);
}

Test(texts, fill_messages_with_numbers_percentages_and_words)
{
    struct texts chinese = load("zh");
    struct texts english = load("en");
    const struct sentence_value gain[] = {{.name = "strategy", .text = "zero1"},
                                          {.name = "baseline", .text = "ddp"},
                                          {.name = "gain", .number = 0.25},
                                          {.name = "min_gain", .number = NAN}};
    const struct summary_message faster = {"reason.gain_throughput", "unused", gain, 4};
    expect_message(&english, &faster,
                   "zero1 passes every gate and is 25 % faster than ddp; not measured was asked "
                   "for.");
    const struct sentence_value gates[] = {{.name = "strategy", .text = "zero3"},
                                           {.name = "gates", .text = "memory, throughput, odd"}};
    const struct summary_message fails = {"reason.adjustment", "unused", gates, 2};
    expect_message(&chinese, &fails,
                   "没有策略通过全部门槛；zero3 最接近，未通过内存、吞吐量、odd。调整后可能通过。");
    const struct sentence_value count[] = {{.name = "rejected_count", .number = 123456}};
    const struct summary_message none = {"reason.no_evidence", "unused", count, 1};
    expect_message(&english, &none, "No usable evidence: of 123,456 sources none could be used.");
    texts_fini(&chinese);
    texts_fini(&english);
}

Test(texts, keep_numbers_of_one_sentence_apart)
{
    struct texts chinese = load("zh");
    const struct sentence_value values[] = {{.name = "strategy", .text = "zero1"},
                                            {.name = "baseline", .text = "ddp"},
                                            {.name = "gain", .number = 0.04996},
                                            {.name = "min_gain", .number = 0.05}};
    const struct summary_message message = {"reason.no_gain_throughput", "unused", values, 4};
    struct text_buffer out = {0};
    texts_message(&out, &chinese, &message);
    cr_assert_not_null(strstr(out.text, "4.996 %"), "%s", out.text);
    text_buffer_fini(&out);
    texts_fini(&chinese);
}

Test(texts, fall_back_to_the_text_of_a_message_without_a_template)
{
    struct texts texts = load("zh");
    const struct summary_message unknown = {"reason.of_tomorrow", "It is {so}.", NULL, 0};
    expect_message(&texts, &unknown, "It is {so}.");
    const struct summary_message nameless = {NULL, "No id.", NULL, 0};
    expect_message(&texts, &nameless, "No id.");
    texts_fini(&texts);
}

Test(texts, keep_a_placeholder_that_has_no_value)
{
    struct texts texts = load("en");
    struct text_buffer out = {0};
    texts_fill(&out, &texts, "column.category", NULL, 0);
    cr_assert_str_eq(out.text, "{category} (MiB)");
    text_buffer_fini(&out);
    texts_fini(&texts);
}

/* ---- A folder of the user's ---- */

struct folder {
    char path[64], language[96], file[128];
};

static struct folder make_folder(const char *code, const char *text)
{
    struct folder folder = {.path = "/tmp/rankledger-texts-XXXXXX"};
    cr_assert_not_null(mkdtemp(folder.path));
    snprintf(folder.language, sizeof folder.language, "%s/language", folder.path);
    snprintf(folder.file, sizeof folder.file, "%s/%s.json", folder.language, code);
    cr_assert_eq(mkdir(folder.language, 0700), 0);
    FILE *file = fopen(folder.file, "w");
    cr_assert_not_null(file);
    fputs(text, file);
    fclose(file);
    return folder;
}

static void remove_folder(const struct folder *folder)
{
    unlink(folder->file);
    rmdir(folder->language);
    rmdir(folder->path);
}

static void expect_refusal(const char *code, const char *text, const char *message)
{
    struct folder folder = make_folder(code, text);
    struct texts texts = {0};
    struct diag diag = {0};
    cr_assert_eq(texts_load(code, folder.path, &texts, &diag), STATUS_INPUT);
    cr_assert_not_null(strstr(diag.text, folder.file), "no path in: %s", diag.text);
    cr_assert_not_null(strstr(diag.text, message), "not in: %s", diag.text);
    cr_assert_eq(texts.count, 0);
    remove_folder(&folder);
}

Test(texts, are_replaced_one_by_one_from_a_folder)
{
    struct folder folder = make_folder("en", "{\"sheet.gates\": \"Hurdles\"}");
    struct texts texts = {0};
    struct diag diag = {0};
    cr_assert_eq(texts_load("en", folder.path, &texts, &diag), STATUS_OK, "%s", diag.text);
    cr_assert_str_eq(texts_get(&texts, "sheet.gates"), "Hurdles");
    cr_assert_str_eq(texts_get(&texts, "sheet.ledger"), "Ledger");
    texts_fini(&texts);
    remove_folder(&folder);
}

Test(texts, refuse_a_broken_folder_with_the_position)
{
    expect_refusal("en", "{\n  \"sheet.gatse\": \"x\"}", ":2:");
    expect_refusal("en", "{\n\n  \"sheet.gates\": 3}", ":3:");
    expect_refusal("en", "{\"column.category\": \"{categroy}\"}", "placeholders differ");
    expect_refusal("en", "{\"column.category\": \"MiB\"}", "placeholders differ");
    expect_refusal("en", "[]", "one object of texts");
    expect_refusal("en", "{\"sheet.gates\": ", ":1:");
    expect_refusal("en", "{\"sheet.gates\": \"a\", \"sheet.gates\": \"b\"}", "a second time");
    /* the first ids in order are named, the others counted */
    expect_refusal("fr", "{\"sheet.gates\": \"Seuils\"}", "missing: about.");
    expect_refusal("fr", "{\"sheet.gates\": \"Seuils\"}", " more");
}

Test(texts, refuse_a_language_that_nobody_has)
{
    struct texts texts = {0};
    struct diag diag = {0};
    cr_assert_eq(texts_load("fr", NULL, &texts, &diag), STATUS_USAGE);
    cr_assert_not_null(strstr(diag.text, "en, zh"));
    struct diag path = {0};
    cr_assert_eq(texts_load("../en", "/tmp", &texts, &path), STATUS_USAGE);
    struct diag absent = {0};
    cr_assert_eq(texts_load("fr", "/nowhere", &texts, &absent), STATUS_INPUT);
    cr_assert_not_null(strstr(absent.text, "/nowhere/language/fr.json"));
}

Test(texts, of_a_folder_without_the_language_are_the_built_in_ones)
{
    struct texts texts = {0};
    struct diag diag = {0};
    cr_assert_eq(texts_load("en", "/nowhere", &texts, &diag), STATUS_OK, "%s", diag.text);
    cr_assert_str_eq(texts_get(&texts, "sheet.gates"), "Gates");
    texts_fini(&texts);
}
