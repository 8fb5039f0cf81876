#include <criterion/criterion.h>
#include <string.h>

#include "evidence_index.h"
#include "evidence_level.h"
#include "training_state.h"
#include "validation_rules.h"

/* Every row of both tables. */
static const struct evidence_row *row_at(size_t index)
{
    size_t count;
    size_t own_count;
    const struct evidence_row *rows = evidence_rules_table(&count);
    const struct evidence_row *own = evidence_rules_own_table(&own_count);
    if (index < count)
        return &rows[index];
    return index - count < own_count ? &own[index - count] : NULL;
}

static const struct evidence_row *row_of(const char *pointer)
{
    for (size_t i = 0; row_at(i) != NULL; i++)
        if (strcmp(row_at(i)->pointer, pointer) == 0)
            return row_at(i);
    cr_assert_fail("no rule for %s", pointer);
    return NULL;
}

Test(evidence_rules, strategies_are_those_of_the_ledger_in_its_order)
{
    const struct evidence_row *row = row_of("/strategy");
    for (int s = 0; s < STRATEGY_COUNT; s++)
        cr_assert_str_eq(row->choices[s], training_state_row((enum strategy)s)->name);
    cr_assert_null(row->choices[STRATEGY_COUNT]);
}

Test(evidence_rules, levels_are_those_of_the_table_of_levels)
{
    size_t count;
    const struct evidence_level *levels = evidence_level_table(&count);
    const struct evidence_row *row = row_of("/evidence_level");
    for (size_t i = 0; i < count; i++)
        cr_assert_str_eq(row->choices[i], levels[i].name);
    cr_assert_null(row->choices[count]);
}

Test(evidence_rules, every_row_says_what_it_is_and_every_choice_has_a_rule)
{
    size_t rule_count;
    const struct validation_rule *rules = validation_rules_table(&rule_count);
    for (size_t i = 0; row_at(i) != NULL; i++) {
        const struct evidence_row *row = row_at(i);
        cr_assert_not_null(row->description, "%s", row->pointer);
        cr_assert_neq(row->types, 0, "%s", row->pointer);
        if (row->choices == NULL)
            continue;
        size_t known = 0;
        for (size_t r = 0; r < rule_count; r++)
            known += strcmp(rules[r].id, row->choice_rule) == 0;
        cr_assert_eq(known, 1, "%s", row->pointer);
    }
}

static void expect_peak(const char *name, enum evidence_peak_kind kind, double mib)
{
    struct evidence_peak_name peak;
    cr_assert(evidence_rules_peak_name(name, strlen(name), &peak), "%s", name);
    cr_assert_eq(peak.kind, kind, "%s", name);
    cr_assert_eq(peak.mib, mib, "%s", name);
}

Test(evidence_rules, peak_names_give_kind_and_unit)
{
    expect_peak("peak_reserved_gb", EVIDENCE_PEAK_RESERVED, 1e9 / 1048576);
    expect_peak("peak_allocated_gib", EVIDENCE_PEAK_ALLOCATED, 1024);
    expect_peak("peak_device_memory_mib", EVIDENCE_PEAK_DEVICE, 1);
    expect_peak("peak_device_mb", EVIDENCE_PEAK_DEVICE, 1);
    expect_peak("peak_allocated_total_memory_bytes", EVIDENCE_PEAK_ALLOCATED, 1.0 / 1048576);
}

Test(evidence_rules, other_names_are_no_peaks)
{
    static const char *const names[] = {"peak_reserved",    "peak_reservedgb", "peak_memory_mb",
                                        "peak_reserved_kb", "peak_gb",         "reserved_gb",
                                        "peak_device_name", "peak_cached_gb",  ""};
    struct evidence_peak_name peak;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        cr_assert_not(evidence_rules_peak_name(names[i], strlen(names[i]), &peak), "%s", names[i]);
}

static uint16_t find(const struct evidence_index *index, uint16_t parent, const char *name)
{
    size_t length = strlen(name);
    struct evidence_index_name wanted = {name, length, name + length, json_read_hash(name, length)};
    return evidence_index_find(index, parent, &wanted);
}

Test(evidence_rules, the_index_finds_every_row_by_its_pointer)
{
    static struct evidence_index index;
    struct diag diag = {0};
    cr_assert_eq(evidence_index_build(&index, &diag), STATUS_OK, "%s", diag.text);
    for (size_t i = 0; row_at(i) != NULL; i++) {
        char pointer[128];
        const struct evidence_row *row = row_at(i);
        if (row->family != NULL)
            continue;
        cr_assert_lt(strlen(row->pointer), sizeof pointer);
        strcpy(pointer, row->pointer + 1);
        uint16_t node = EVIDENCE_INDEX_ROOT;
        for (char *rest = pointer, *name; (name = strsep(&rest, "/")) != NULL;)
            node = find(&index, node, strcmp(name, "*") == 0 ? "any" : name);
        unsigned scopes = row->scopes != 0 ? row->scopes : (unsigned)EVIDENCE_EVERYWHERE;
        for (int scope = 0; scope < EVIDENCE_SCOPE_COUNT; scope++)
            if ((scopes & 1u << scope) != 0)
                cr_assert_eq(index.nodes[node].rows[scope], row, "%s", row->pointer);
    }
    cr_assert_eq(find(&index, EVIDENCE_INDEX_ROOT, "unknown"), 0);
    uint16_t metrics = find(&index, EVIDENCE_INDEX_ROOT, "metrics");
    cr_assert_neq(find(&index, metrics, "peak_reserved_gb"), 0);
    cr_assert_eq(find(&index, metrics, "peak_reserved_kb"), 0);
}
