#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "evidence_set.h"
#include "sha256.h"

#define RECORD(strategy)                                                                           \
    "{'strategy':'" strategy "','workload':{'world_size':2},'hardware':'H200',"                    \
    "'metrics':{'peak_memory_mb':5,'throughput':7},'evidence_level':'multi_gpu','failure':null,"   \
    "'decision':'measured'}"

#define FOREIGN(failure, sources)                                                                  \
    "{'role':'training_state_parallel','workload':{},'hardware':{'details':'x'},"                  \
    "'metrics':{'source_count':1},'evidence_level':'aggregated_mechanism_evidence',"               \
    "'failure':" failure ",'decision':{'decision':'tune'},'sources':[" sources "]}"

/* A directory of its own; every test is a process. */
static char directory[] = "/tmp/evidence-set-XXXXXX";

static void enter(void)
{
    cr_assert(mkdtemp(directory) != NULL);
    cr_assert_eq(chdir(directory), 0);
}

static void leave(void)
{
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", directory);
    cr_assert_eq(chdir("/"), 0);
    cr_assert_eq(system(command), 0);
}

/* Writes a text with ' for ". */
static void put(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    cr_assert(file != NULL, "%s", path);
    for (const char *c = text; *c != '\0'; c++)
        fputc(*c == '\'' ? '"' : *c, file);
    fclose(file);
}

static void load(struct evidence_set *set, const char *base, const char *const *operands)
{
    struct path_list paths = {0};
    struct diag diag = {0};
    for (; *operands != NULL; operands++)
        cr_assert_eq(path_list_add(&paths, *operands, &diag), STATUS_OK, "%s", diag.text);
    cr_assert_eq(evidence_set_load(set, &paths, base, &diag), STATUS_OK, "%s", diag.text);
    path_list_fini(&paths);
}

#define LOAD(set, base, ...) load(set, base, (const char *const[]){__VA_ARGS__, NULL})

Test(evidence_set, files_are_sorted_bytewise_whatever_the_order_of_operands, .init = enter,
     .fini = leave)
{
    struct evidence_set set = {0};
    put("b.json", RECORD("ddp"));
    put("a.json", RECORD("zero1"));
    put("B.json", RECORD("zero2"));
    LOAD(&set, ".", "b.json", "B.json", "a.json");
    cr_assert_eq(set.record_count, 3);
    cr_assert_str_eq(set.records[0].path, "B.json");
    cr_assert_str_eq(set.records[1].path, "a.json");
    cr_assert_str_eq(set.records[2].path, "b.json");
    cr_assert_eq(set.records[1].strategy, STRATEGY_ZERO1);
    cr_assert_eq(set.records[1].metrics.throughput, 7);
    evidence_set_fini(&set);
}

Test(evidence_set, one_file_by_many_names_counts_once, .init = enter, .fini = leave)
{
    struct evidence_set set = {0};
    cr_assert_eq(mkdir("sub", 0700), 0);
    put("sub/a.json", RECORD("ddp"));
    cr_assert_eq(symlink("sub/a.json", "z.json"), 0);
    LOAD(&set, ".", "sub/a.json", "./sub//a.json", "sub", "z.json", ".");
    cr_assert_eq(set.record_count, 1);
    cr_assert_str_eq(set.records[0].path, "sub/a.json");
    evidence_set_fini(&set);
}

Test(evidence_set, paths_are_relative_to_the_base, .init = enter, .fini = leave)
{
    struct evidence_set set = {0};
    cr_assert_eq(mkdir("runs", 0700), 0);
    cr_assert_eq(mkdir("runs/deep", 0700), 0);
    cr_assert_eq(mkdir("out", 0700), 0);
    put("runs/deep/a.json", RECORD("ddp"));
    put("b.json", RECORD("zero1"));
    LOAD(&set, "out", "runs", "b.json");
    cr_assert_eq(set.record_count, 2);
    cr_assert_str_eq(set.records[0].path, "../b.json");
    cr_assert_str_eq(set.records[1].path, "../runs/deep/a.json");
    cr_assert_str_eq(set.records[1].file, "runs/deep/a.json");
    evidence_set_fini(&set);
    LOAD(&set, "runs", "runs", "b.json");
    cr_assert_str_eq(set.records[0].path, "../b.json");
    cr_assert_str_eq(set.records[1].path, "deep/a.json");
    evidence_set_fini(&set);
    LOAD(&set, NULL, "./runs", "b.json");
    cr_assert_str_eq(set.records[0].path, "./runs/deep/a.json");
    evidence_set_fini(&set);
    LOAD(&set, "/", "b.json");
    char expected[128];
    snprintf(expected, sizeof expected, "%s/b.json", directory + 1);
    cr_assert_str_eq(set.records[0].path, expected);
    evidence_set_fini(&set);
}

Test(evidence_set, the_digest_is_that_of_the_bytes, .init = enter, .fini = leave)
{
    struct evidence_set set = {0};
    char digest[65];
    char line[512];
    put("a.jsonl", RECORD("ddp") "\n\n" RECORD("zero1") "\n");
    snprintf(line, sizeof line, "%s", RECORD("zero1"));
    for (char *c = line; *c != '\0'; c++)
        *c = *c == '\'' ? '"' : *c;
    sha256_hex(line, strlen(line), digest);
    LOAD(&set, ".", "a.jsonl");
    cr_assert_eq(set.record_count, 2);
    cr_assert_str_eq(set.records[0].path, "a.jsonl:1");
    cr_assert_str_eq(set.records[1].path, "a.jsonl:3");
    cr_assert_str_eq(set.records[1].sha256, digest);
    cr_assert_str_eq(set.records[1].file, "a.jsonl");
    evidence_set_fini(&set);
}

Test(evidence_set, lines_keep_the_order_of_the_file, .init = enter, .fini = leave)
{
    struct evidence_set set = {0};
    char text[8192] = "";
    for (int i = 0; i < 11; i++)
        strcat(strcat(text, RECORD("ddp")), "\n");
    put("a.ndjson", text);
    LOAD(&set, ".", "a.ndjson");
    cr_assert_eq(set.record_count, 11);
    cr_assert_str_eq(set.records[1].path, "a.ndjson:2");
    cr_assert_str_eq(set.records[10].path, "a.ndjson:11");
    evidence_set_fini(&set);
}

Test(evidence_set, a_bad_file_never_stops_the_others, .init = enter, .fini = leave)
{
    struct evidence_set set = {0};
    put("a.json", "{'strategy':'zero-2'");
    put("b.json", RECORD("zero-2"));
    put("c.json", RECORD("ddp"));
    put("d.json", "");
    LOAD(&set, ".", ".");
    cr_assert_eq(set.record_count, 1);
    cr_assert_str_eq(set.records[0].path, "c.json");
    cr_assert_eq(set.rejected_count, 3);
    cr_assert_str_eq(set.rejected[0].path, "a.json");
    cr_assert_eq(strlen(set.rejected[0].sha256), 64);
    cr_assert_str_eq(set.rejected[0].findings.items[0].rule, "truncated");
    cr_assert_str_eq(set.rejected[1].findings.items[0].rule, "unknown_strategy");
    cr_assert_str_eq(set.rejected[2].findings.items[0].rule, "empty");
    cr_assert(strncmp(set.rejected[2].sha256, "e3b0c44298fc1c14", 16) == 0, "SHA-256 of no bytes");
    evidence_set_fini(&set);
}

Test(evidence_set, messages_name_a_file_as_it_was_given, .init = enter, .fini = leave)
{
    struct evidence_set set = {0};
    cr_assert_eq(mkdir("out", 0700), 0);
    put("a.jsonl", RECORD("ddp") "\n" RECORD("zero-2") "\n");
    put("s.json", FOREIGN("null", RECORD("zero-3")));
    LOAD(&set, "out", "./a.jsonl", "s.json");
    cr_assert_eq(set.rejected_count, 2);
    cr_assert_str_eq(set.rejected[0].path, "../a.jsonl:2");
    cr_assert_str_eq(set.rejected[0].file, "./a.jsonl");
    cr_assert_eq(set.rejected[0].findings.items[0].line, 2);
    cr_assert_str_eq(set.rejected[1].path, "../s.json#/sources/0");
    cr_assert_str_eq(set.rejected[1].file, "s.json");
    evidence_set_fini(&set);
}

Test(evidence_set, what_cannot_be_read_is_rejected_without_a_digest, .init = enter, .fini = leave)
{
    struct evidence_set set = {0};
    struct path_list paths = {0};
    struct diag diag = {0};
    put("a.json", RECORD("ddp"));
    cr_assert_eq(path_list_add(&paths, "a.json", &diag), STATUS_OK);
    cr_assert_eq(unlink("a.json"), 0);
    cr_assert_eq(evidence_set_load(&set, &paths, ".", &diag), STATUS_OK);
    cr_assert_eq(set.record_count, 0);
    cr_assert_eq(set.rejected_count, 1);
    cr_assert_eq(set.rejected[0].sha256, NULL);
    cr_assert_eq(set.rejected[0].findings.errors, 1);
    path_list_fini(&paths);
    evidence_set_fini(&set);
}

#define OWN_SUMMARY "{'schema':'rankledger.summary/1','strategy':null}"

static void passes_over_its_summary(const struct evidence_set *set)
{
    cr_assert_eq(set->record_count, 1);
    cr_assert_eq(set->rejected_count, 0);
    cr_assert_eq(set->skipped_count, 1);
    cr_assert_str_eq(set->skipped[0].path, "summary.json");
    cr_assert(set->skipped[0].own);
}

Test(evidence_set, an_own_summary_is_passed_over_whether_walked_or_named, .init = enter,
     .fini = leave)
{
    struct evidence_set set = {0};
    put("a.json", RECORD("ddp"));
    put("summary.json", OWN_SUMMARY);
    LOAD(&set, ".", ".");
    passes_over_its_summary(&set);
    evidence_set_fini(&set);
    LOAD(&set, ".", "a.json", "summary.json");
    passes_over_its_summary(&set);
    evidence_set_fini(&set);
}

Test(evidence_set, another_tools_summary_gives_its_sources_as_records, .init = enter, .fini = leave)
{
    struct evidence_set set = {0};
    put("s.json", FOREIGN("null", RECORD("ddp") ",\n  " RECORD("zero1")));
    LOAD(&set, ".", "s.json");
    cr_assert_eq(set.record_count, 2);
    cr_assert_str_eq(set.records[0].path, "s.json#/sources/0");
    cr_assert_str_eq(set.records[1].path, "s.json#/sources/1");
    cr_assert_eq(set.records[1].strategy, STRATEGY_ZERO1);
    cr_assert_eq(set.records[1].metrics.peak_mb[MEMORY_ALLOCATED], 5);
    cr_assert_str_eq(set.records[0].sha256, set.records[1].sha256);
    cr_assert_eq(set.records[1].warning_count, 0, "sources of one summary are no copies");
    cr_assert_eq(set.incomplete, NULL);
    evidence_set_fini(&set);
}

Test(evidence_set, an_invalid_source_is_rejected_at_its_place_in_the_file, .init = enter,
     .fini = leave)
{
    static const char *const rules[] = {"unknown_strategy", "wrong_type", "wrong_type",
                                        "missing_field"};
    struct evidence_set set = {0};
    put("s.json", FOREIGN("null", RECORD("ddp") ",\n  " RECORD(
                                      "zero-2") ", 7, 'text',\n"
                                                "{'path':'results/a.json'},\n" RECORD("zero1")));
    LOAD(&set, ".", "s.json");
    cr_assert_eq(set.record_count, 2);
    cr_assert_str_eq(set.records[1].path, "s.json#/sources/5");
    cr_assert_eq(set.rejected_count, 4);
    for (size_t i = 0; i < 4; i++) {
        char path[64];
        snprintf(path, sizeof path, "s.json#/sources/%zu", i + 1);
        cr_assert_str_eq(set.rejected[i].path, path);
        cr_assert_eq(set.rejected[i].findings.errors, 1);
        cr_assert_str_eq(set.rejected[i].findings.items[0].rule, rules[i]);
    }
    const struct finding *finding = &set.rejected[0].findings.items[0];
    cr_assert_str_eq(finding->pointer, "/sources/1/strategy");
    cr_assert_eq(finding->line, 2);
    cr_assert_eq(finding->column, 3 + strlen("{'strategy':"), "found %zu", finding->column);
    cr_assert_eq(set.rejected[3].findings.items[0].line, 3);
    cr_assert_eq(set.rejected[3].findings.items[0].column, 1);
    evidence_set_fini(&set);
}

Test(evidence_set, a_summary_with_faults_of_its_own_is_rejected_whole, .init = enter, .fini = leave)
{
    struct evidence_set set = {0};
    put("s.json", FOREIGN("false", RECORD("ddp")));
    LOAD(&set, ".", "s.json");
    cr_assert_eq(set.record_count, 0);
    cr_assert_eq(set.rejected_count, 1);
    cr_assert_str_eq(set.rejected[0].path, "s.json");
    evidence_set_fini(&set);
}

Test(evidence_set, the_failure_of_a_summary_makes_the_evidence_incomplete, .init = enter,
     .fini = leave)
{
    struct evidence_set set = {0};
    put("s.json", FOREIGN("{'reason':'/home/mia/27_zero1.json: unreadable'}", RECORD("ddp")));
    LOAD(&set, ".", "s.json");
    cr_assert_eq(set.record_count, 1);
    cr_assert_str_eq(set.incomplete, "/home/<user>/27_zero1.json: unreadable");
    evidence_set_fini(&set);
    put("s.json", FOREIGN("'none given'", ""));
    LOAD(&set, ".", "s.json");
    cr_assert_eq(set.record_count, 0);
    cr_assert_str_eq(set.incomplete, "none given");
    evidence_set_fini(&set);
}

Test(evidence_set, a_copy_of_a_file_is_pointed_out, .init = enter, .fini = leave)
{
    struct evidence_set set = {0};
    put("a.json", RECORD("ddp"));
    put("b.json", RECORD("ddp"));
    LOAD(&set, ".", ".");
    cr_assert_eq(set.record_count, 2);
    cr_assert_eq(set.records[0].warning_count, 0);
    cr_assert_eq(set.records[1].warning_count, 1);
    cr_assert(strstr(set.records[1].warnings[0], "a.json") != NULL);
    evidence_set_fini(&set);
}

Test(evidence_set, warnings_of_validation_stay_with_the_record, .init = enter, .fini = leave)
{
    struct evidence_set set = {0};
    put("a.json", "\xEF\xBB\xBF" RECORD("ddp"));
    LOAD(&set, ".", "a.json");
    cr_assert_eq(set.record_count, 1);
    cr_assert_eq(set.records[0].warning_count, 1);
    cr_assert(strstr(set.records[0].warnings[0], "1:1: ") == set.records[0].warnings[0]);
    evidence_set_fini(&set);
}

Test(evidence_set, a_name_of_any_bytes_is_printed_escaped, .init = enter, .fini = leave)
{
    struct evidence_set set = {0};
    put("a\x1b[31m.json", RECORD("ddp"));
    LOAD(&set, ".", ".");
    cr_assert_eq(set.record_count, 1);
    cr_assert_str_eq(set.records[0].path, "a\\x1b[31m.json");
    evidence_set_fini(&set);
}
