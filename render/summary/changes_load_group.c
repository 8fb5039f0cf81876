#include <math.h>

#include "changes_load.h"
#include "summary_labels.h"
#include "summary_load.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

/* ---- findings ---- */

static void read_finding(struct summary_fields *fields, uint32_t node, void *element)
{
    static const struct summary_fields_row rows[] = {
        {"tendency", SUMMARY_FIELDS_NAME, offsetof(struct changes_finding, tendency)},
        {"category", SUMMARY_FIELDS_TEXT, offsetof(struct changes_finding, category)},
        {"strategy", SUMMARY_FIELDS_TEXT, offsetof(struct changes_finding, strategy)},
        {"beyond", SUMMARY_FIELDS_BOOL, offsetof(struct changes_finding, beyond)},
    };
    static const char *const tendencies[] = {"regression", "improvement", "note", NULL};
    struct changes_finding *finding = element;
    summary_fields_read(fields, node, rows, COUNT(rows), finding);
    summary_fields_check_word(fields, node, "tendency", finding->tendency, tendencies);
    finding->message = summary_fields_message(fields, node);
    finding->strategy = summary_labels_said(fields, finding->strategy);
}

struct changes_findings changes_load_findings(struct summary_fields *fields, uint32_t node)
{
    struct changes_findings findings = {0};
    findings.items = summary_fields_array(fields, node, "findings", sizeof(struct changes_finding),
                                          &findings.count, read_finding);
    return findings;
}

/* ---- a strategy ---- */

static void read_value(struct summary_fields *fields, uint32_t node, void *element)
{
    static const struct summary_fields_row rows[] = {
        {"name", SUMMARY_FIELDS_NAME, offsetof(struct changes_value, name)},
        {"category", SUMMARY_FIELDS_TEXT, offsetof(struct changes_value, category)},
        {"verdict", SUMMARY_FIELDS_NAME, offsetof(struct changes_value, verdict)},
        {"unit", SUMMARY_FIELDS_TEXT, offsetof(struct changes_value, unit)},
        {"kind", SUMMARY_FIELDS_TEXT, offsetof(struct changes_value, kind)},
        {"unlike", SUMMARY_FIELDS_TEXT, offsetof(struct changes_value, unlike)},
        {"interval_unit", SUMMARY_FIELDS_TEXT, offsetof(struct changes_value, interval_unit)},
        {"base", SUMMARY_FIELDS_AMOUNT, offsetof(struct changes_value, base)},
        {"new", SUMMARY_FIELDS_AMOUNT, offsetof(struct changes_value, now)},
        {"change", SUMMARY_FIELDS_NUMBER, offsetof(struct changes_value, change)},
        {"relative", SUMMARY_FIELDS_NUMBER, offsetof(struct changes_value, relative)},
        {"worse_by", SUMMARY_FIELDS_NUMBER, offsetof(struct changes_value, worse_by)},
        {"beyond", SUMMARY_FIELDS_BOOL, offsetof(struct changes_value, beyond)},
    };
    static const char *const verdicts[] = {"not_measured",
                                           "newly_measured",
                                           "no_longer_measured",
                                           "not_comparable",
                                           "same",
                                           "within_noise",
                                           "within_tolerance",
                                           "better",
                                           "worse",
                                           NULL};
    struct changes_value *value = element;
    summary_fields_read(fields, node, rows, COUNT(rows), value);
    summary_fields_check_word(fields, node, "verdict", value->verdict, verdicts);
    struct summary_numbers bounds = summary_fields_numbers(fields, node, "ratio_interval");
    value->lower = bounds.count == 2 ? bounds.items[0] : (double)NAN;
    value->upper = bounds.count == 2 ? bounds.items[1] : (double)NAN;
}

static void read_losses(struct summary_fields *fields, uint32_t node, struct changes_losses *losses)
{
    static const struct summary_fields_row rows[] = {
        {"base_count", SUMMARY_FIELDS_AMOUNT, offsetof(struct changes_losses, base_count)},
        {"new_count", SUMMARY_FIELDS_AMOUNT, offsetof(struct changes_losses, now_count)},
        {"compared", SUMMARY_FIELDS_AMOUNT, offsetof(struct changes_losses, compared)},
        {"first_difference", SUMMARY_FIELDS_AMOUNT,
         offsetof(struct changes_losses, first_difference)},
        {"largest_difference", SUMMARY_FIELDS_AMOUNT,
         offsetof(struct changes_losses, largest_difference)},
        {"largest_at", SUMMARY_FIELDS_AMOUNT, offsetof(struct changes_losses, largest_at)},
        {"broken_at", SUMMARY_FIELDS_AMOUNT, offsetof(struct changes_losses, broken_at)},
    };
    uint32_t object = json_fields_member(&fields->json, node, "losses", JSON_READ_OBJECT);
    losses->told = object != JSON_READ_NONE;
    summary_fields_read(fields, object, rows, COUNT(rows), losses);
}

static const struct changes_candidate *read_candidate(struct summary_fields *fields, uint32_t node,
                                                      const char *name)
{
    static const struct summary_fields_row rows[] = {
        {"label", SUMMARY_FIELDS_NAME, offsetof(struct changes_candidate, label)},
        {"evidence_level", SUMMARY_FIELDS_TEXT, offsetof(struct changes_candidate, evidence_level)},
        {"failure", SUMMARY_FIELDS_TEXT, offsetof(struct changes_candidate, failure)},
        {"eligible", SUMMARY_FIELDS_BOOL, offsetof(struct changes_candidate, eligible)},
        {"rank", SUMMARY_FIELDS_AMOUNT, offsetof(struct changes_candidate, rank)},
        {"repeats", SUMMARY_FIELDS_AMOUNT, offsetof(struct changes_candidate, repeats)},
        {"samples", SUMMARY_FIELDS_AMOUNT, offsetof(struct changes_candidate, samples)},
    };
    uint32_t object = json_fields_member(&fields->json, node, name, JSON_READ_OBJECT);
    if (object == JSON_READ_NONE)
        return NULL;
    struct changes_candidate *candidate = json_fields_take(&fields->json, 1, sizeof *candidate);
    if (candidate == NULL)
        return NULL;
    summary_fields_read(fields, object, rows, COUNT(rows), candidate);
    candidate->gates = summary_load_gates(fields, object, &candidate->gate_count);
    candidate->label = summary_labels_said(fields, candidate->label);
    return candidate;
}

static void read_strategy(struct summary_fields *fields, uint32_t node, void *element)
{
    static const struct summary_fields_row rows[] = {
        {"label", SUMMARY_FIELDS_NAME, offsetof(struct changes_strategy, label)},
        {"strategy", SUMMARY_FIELDS_NAME, offsetof(struct changes_strategy, strategy)},
        {"presence", SUMMARY_FIELDS_NAME, offsetof(struct changes_strategy, presence)},
    };
    static const char *const presences[] = {"both", "missing", "new", NULL};
    struct changes_strategy *strategy = element;
    summary_fields_read(fields, node, rows, COUNT(rows), strategy);
    summary_fields_check_word(fields, node, "presence", strategy->presence, presences);
    struct summary_candidate named = {.label = strategy->label, .strategy = strategy->strategy};
    named.varied = summary_load_varied(fields, node);
    summary_labels_candidate(fields, &named);
    strategy->label = named.label;
    strategy->base = read_candidate(fields, node, "base");
    strategy->now = read_candidate(fields, node, "new");
    if (strategy->base == NULL && strategy->now == NULL && fields->json.status == STATUS_OK)
        fields->json.status = json_read_refuse(&fields->json.source, node, fields->json.diag,
                                               "the strategy is in neither BASE nor NEW");
    strategy->values = summary_fields_array(fields, node, "values", sizeof(struct changes_value),
                                            &strategy->value_count, read_value);
    read_losses(fields, node, &strategy->losses);
}

/* ---- a group ---- */

static void read_choice(struct summary_fields *fields, uint32_t node, const char *name,
                        struct changes_choice *choice)
{
    static const struct summary_fields_row rows[] = {
        {"label", SUMMARY_FIELDS_TEXT, offsetof(struct changes_choice, label)},
        {"evidence_level", SUMMARY_FIELDS_TEXT, offsetof(struct changes_choice, evidence_level)},
        {"decision", SUMMARY_FIELDS_NAME, offsetof(struct changes_choice, decision)},
        {"rule", SUMMARY_FIELDS_TEXT, offsetof(struct changes_choice, rule)},
        {"strategy", SUMMARY_FIELDS_TEXT, offsetof(struct changes_choice, strategy)},
        {"gain", SUMMARY_FIELDS_NUMBER, offsetof(struct changes_choice, gain)},
    };
    static const char *const decisions[] = {"accept", "tune", "reject", NULL};
    uint32_t object = json_fields_member(&fields->json, node, name, JSON_READ_OBJECT);
    summary_fields_read(fields, object, rows, COUNT(rows), choice);
    summary_fields_check_word(fields, object, "decision", choice->decision, decisions);
    choice->strategy = summary_labels_said(fields, choice->strategy);
    choice->reason.id = summary_fields_text(fields, object, "reason_id");
    choice->reason.text = summary_fields_text(fields, object, "reason");
    choice->reason.values =
        summary_fields_values(fields, object, "reason_values", &choice->reason.value_count);
}

/* The finding that the decision is another one quotes its reason. */
static void remember_reason(struct summary_fields *fields, const struct changes_choice *choice)
{
    struct text_buffer said = {0};
    if (fields->labels.texts == NULL || choice->reason.text == NULL)
        return;
    texts_message(&said, fields->labels.texts, &choice->reason);
    const char *copy = said.failed ? NULL : arena_copy(fields->json.arena, said.text, said.length);
    text_buffer_fini(&said);
    if (copy == NULL)
        json_fields_no_memory(&fields->json);
    else
        summary_labels_remember(fields, choice->reason.text, copy);
}

/* The label of what was selected tells it from others of its strategy. */
static void name_selected(struct changes_group *group)
{
    for (size_t i = 0; i < group->strategy_count; i++) {
        const struct changes_candidate *base = group->strategies[i].base;
        const struct changes_candidate *now = group->strategies[i].now;
        if (base != NULL && base->rank == 1 && group->base.strategy != NULL)
            group->base.strategy = base->label;
        if (now != NULL && now->rank == 1 && group->now.strategy != NULL)
            group->now.strategy = now->label;
    }
}

const char *changes_load_label(struct summary_fields *fields, uint32_t node)
{
    static const struct summary_fields_row rows[] = {
        {"label", SUMMARY_FIELDS_NAME, offsetof(struct summary_group, label)},
    };
    struct summary_group named = {0};
    summary_fields_read(fields, node, rows, COUNT(rows), &named);
    named.key = summary_load_key(fields, node);
    summary_labels_group(fields, node, &named);
    return named.label;
}

void changes_load_group(struct summary_fields *fields, uint32_t node, void *element)
{
    struct changes_group *group = element;
    group->label = changes_load_label(fields, node);
    group->strategies =
        summary_fields_array(fields, node, "strategies", sizeof(struct changes_strategy),
                             &group->strategy_count, read_strategy);
    read_choice(fields, node, "base", &group->base);
    read_choice(fields, node, "new", &group->now);
    remember_reason(fields, &group->now);
    name_selected(group);
    group->findings = changes_load_findings(fields, node);
}
