#include "explanation.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "explanation_parts.h"
#include "message_table.h"
#include "text.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

const char *explanation_kind_name(enum explanation_kind kind)
{
    static const char *const names[] = {"verdict", "failure", "gate", "against", "change", "note"};
    return names[kind];
}

void explanation_parts_tell(struct explanation_teller *teller, enum explanation_kind kind,
                            const char *id, const struct sentence_value *values, size_t count)
{
    struct explanation_item *item = teller->item;
    struct arena *arena = &teller->explanation->arena;
    if (teller->status != STATUS_OK)
        return;
    struct explanation_sentence *sentences =
        arena_room(arena, item->sentences, item->count, &item->capacity, sizeof *sentences);
    if (sentences == NULL) {
        teller->status = diag_no_memory(teller->diag);
        return;
    }
    item->sentences = sentences;
    struct explanation_sentence *sentence = &item->sentences[item->count];
    sentence->kind = kind;
    teller->status = message_table_make(arena, id, values, count, &sentence->message, teller->diag);
    item->count += teller->status == STATUS_OK;
}

double explanation_parts_rounded(double value, bool share, double beyond)
{
    char text[64];
    double rounded;
    size_t length = 0;
    text_rounded_toward(text, sizeof text - sizeof "e-2", share ? 100 * value : value,
                        share ? TEXT_ROUNDED_PERCENT : TEXT_ROUNDED_PLAIN,
                        share ? 100 * beyond : beyond);
    for (const char *c = text; *c != '\0'; c++)
        if (*c != ',') /* between thousands */
            text[length++] = *c;
    /* 54.8 / 100 is less than 0.548, which is what a reader of 54.8 % types. */
    memcpy(text + length, share ? "e-2" : "", share ? sizeof "e-2" : 1);
    return isfinite(value) && text_parse_number(text, &rounded) ? rounded : value;
}

/* ---- which groups and candidates are meant ---- */

/* The value of a key as it is written on the command line: text without quotes, numbers by value.
 */
static bool value_matches(const char *json, const char *wanted)
{
    size_t length = strlen(json);
    double a, b;
    if (json[0] == '"')
        return length >= 2 && strlen(wanted) == length - 2 &&
               memcmp(json + 1, wanted, length - 2) == 0;
    if (strcmp(json, wanted) == 0)
        return true;
    return text_parse_number(json, &a) && text_parse_number(wanted, &b) && a == b;
}

static enum status refuse_field(const char *key, struct diag *diag)
{
    struct text_buffer known = {0};
    char shown[80];
    for (int i = 0; i < COMPARABILITY_FIELD_COUNT; i++)
        text_buffer_printf(&known, "%s%s", i == 0 ? "" : ", ",
                           comparability_name((enum comparability_field)i));
    enum status status =
        known.failed
            ? diag_no_memory(diag)
            : diag_set(diag, STATUS_USAGE, "--group: \"%s\" is not one of %s",
                       text_escape_into(shown, sizeof shown, key, strlen(key)), known.text);
    text_buffer_fini(&known);
    return status;
}

static enum status passes(const struct comparison_members *group,
                          const struct explanation_request *request, bool *all, struct diag *diag)
{
    *all = true;
    for (size_t i = 0; i < request->filter_count; i++) {
        enum comparability_field field;
        if (!comparability_find(request->filters[i].key, &field))
            return refuse_field(request->filters[i].key, diag);
        const char *value = group->key[field];
        *all = *all && value != NULL && value_matches(value, request->filters[i].value);
    }
    return STATUS_OK;
}

/* By its label, the beginning of it up to a comma, or its strategy. */
static bool is_called(const struct comparison_candidate *candidate, const char *name)
{
    size_t length = strlen(name);
    return strcmp(candidate->label, name) == 0 || strcmp(candidate->strategy, name) == 0 ||
           (strncmp(candidate->label, name, length) == 0 &&
            strncmp(candidate->label + length, ", ", 2) == 0);
}

/* ---- what is not there ---- */

/* The label or name nearest to what was asked for, if it is near enough to have been meant. */
static const char *nearest(const struct explanation *explanation)
{
    const char *best = NULL;
    size_t fewest = 3; /* of letters to change: more is another word */
    for (size_t g = 0; g < explanation->side.group_count; g++) {
        const struct comparison_members *group = &explanation->side.groups[g];
        for (size_t c = 0; c < group->candidate_count; c++) {
            const char *name = group->candidates[c].strategy;
            if (strlen(explanation->strategy) > 1 &&
                strncmp(name, explanation->strategy, strlen(explanation->strategy)) == 0)
                return name;
            size_t distance = text_distance(explanation->strategy, strlen(explanation->strategy),
                                            name, strlen(name));
            if (distance < fewest) {
                fewest = distance;
                best = name;
            }
        }
    }
    return best;
}

static bool is_repeated(const struct explanation *explanation, size_t g, size_t c)
{
    const char *label = explanation->side.groups[g].candidates[c].label;
    for (size_t i = 0; i <= g; i++)
        for (size_t k = 0; k < explanation->side.groups[i].candidate_count; k++) {
            if (i == g && k == c)
                return false;
            if (strcmp(explanation->side.groups[i].candidates[k].label, label) == 0)
                return true;
        }
    return false;
}

#define MOST_NAMED 12

static enum status not_there(const struct explanation *explanation, struct diag *diag)
{
    struct text_buffer known = {0};
    char shown[128];
    char meant[128] = "";
    size_t named = 0;
    for (size_t g = 0; g < explanation->side.group_count && named <= MOST_NAMED; g++)
        for (size_t c = 0; c < explanation->side.groups[g].candidate_count; c++) {
            const char *label = explanation->side.groups[g].candidates[c].label;
            if (named > MOST_NAMED || is_repeated(explanation, g, c))
                continue;
            text_buffer_puts(&known, named > 0 ? "; " : "");
            if (named++ == MOST_NAMED)
                text_buffer_puts(&known, "...");
            else
                text_escape(&known, label, strlen(label));
        }
    const char *near = nearest(explanation);
    if (near != NULL)
        text_escape_into(meant, sizeof meant, near, strlen(near));
    text_escape_into(shown, sizeof shown, explanation->strategy, strlen(explanation->strategy));
    enum status status =
        known.failed
            ? diag_no_memory(diag)
            : diag_set(diag, STATUS_INPUT, "%s: no strategy \"%s\"%s%s%s; it has %s",
                       explanation->side.path, shown, near != NULL ? " (did you mean " : "", meant,
                       near != NULL ? "?)" : "", named > 0 ? known.text : "none");
    text_buffer_fini(&known);
    return status;
}

/* ---- the sentences of an item ---- */

static size_t eligible_count(const struct comparison_members *group)
{
    size_t count = 0;
    for (size_t i = 0; i < group->candidate_count; i++)
        count += group->candidates[i].eligible;
    return count;
}

static const struct comparison_candidate *of_rank(const struct comparison_members *group,
                                                  double rank)
{
    for (size_t i = 0; i < group->candidate_count; i++)
        if (group->candidates[i].rank == rank)
            return &group->candidates[i];
    return NULL;
}

static const char *failed_gates(const struct comparison_candidate *candidate, struct arena *arena)
{
    const char *names = "";
    for (size_t i = 0; i < candidate->gate_count && names != NULL; i++)
        if (candidate->gates[i].failed)
            names = arena_printf(arena, "%s%s%s", names, names[0] != '\0' ? ", " : "",
                                 candidate->gates[i].name);
    return names;
}

static void tell_verdict(struct explanation_teller *teller)
{
    const struct explanation_item *item = teller->item;
    const char *gates = failed_gates(item->candidate, &teller->explanation->arena);
    size_t eligible = eligible_count(item->group);
    if (gates == NULL) {
        teller->status = diag_no_memory(teller->diag);
        return;
    }
    const struct sentence_value values[] = {
        MESSAGE_TEXT("strategy", item->candidate->label),
        MESSAGE_TEXT("gates", gates),
        MESSAGE_NUMBER("rank", item->candidate->rank),
        MESSAGE_NUMBER("count", (double)eligible),
        MESSAGE_NUMBER("total", (double)item->group->candidate_count),
        MESSAGE_TEXT("other", item->other != NULL ? item->other->label : ""),
        MESSAGE_TEXT("decision", item->group->choice.decision)};
    bool accepted = strcmp(item->group->choice.decision, "accept") == 0;
    const char *id = "explain.failed";
    if (strcmp(item->verdict, "chosen") == 0 && !accepted)
        id = eligible > 1 ? "explain.first" : "explain.first_alone";
    else if (strcmp(item->verdict, "chosen") == 0)
        id = eligible > 1 ? "explain.chosen" : "explain.chosen_alone";
    else if (strcmp(item->verdict, "ranked") == 0)
        id = "explain.ranked";
    explanation_parts_tell(teller, EXPLANATION_VERDICT, id, values, COUNT(values));
}

static void tell_failure(struct explanation_teller *teller)
{
    const struct comparison_candidate *candidate = teller->item->candidate;
    const struct sentence_value values[] = {
        MESSAGE_TEXT("failure", candidate->failure != NULL ? candidate->failure : ""),
        MESSAGE_NUMBER("failed", (double)candidate->failed_repeats),
        MESSAGE_NUMBER("runs", (double)candidate->repeats)};
    if (candidate->failure != NULL)
        explanation_parts_tell(teller, EXPLANATION_FAILURE,
                               candidate->repeats > 1 ? "explain.runs_failed"
                                                      : "explain.run_failed",
                               values, COUNT(values));
}

static void tell_notes(struct explanation_teller *teller)
{
    const struct comparison_candidate *candidate = teller->item->candidate;
    const struct comparison_members *group = teller->item->group;
    const struct comparison_choice *choice = &group->choice;
    const struct sentence_value values[] = {
        MESSAGE_TEXT("decision", choice->decision),
        MESSAGE_TEXT("rule", choice->rule != NULL ? choice->rule : ""),
        MESSAGE_TEXT("reason", choice->reason != NULL ? choice->reason : ""),
        MESSAGE_TEXT("other", group->fastest != NULL ? group->fastest : ""),
        MESSAGE_NUMBER("runs", (double)candidate->repeats)};
    bool tied = group->tied != NULL && group->tied[candidate - group->candidates];
    if (tied && group->fastest != NULL && strcmp(group->fastest, candidate->label) != 0)
        explanation_parts_tell(teller, EXPLANATION_NOTE, "explain.tied", values, COUNT(values));
    if (candidate->repeats > 1)
        explanation_parts_tell(teller, EXPLANATION_NOTE, "explain.pooled", values, COUNT(values));
    if (teller->within_run)
        explanation_parts_tell(teller, EXPLANATION_NOTE, "explain.within_run", NULL, 0);
    explanation_parts_tell(teller, EXPLANATION_NOTE, "explain.decision", values, COUNT(values));
}

static enum status explain_item(struct explanation *explanation, struct explanation_item *item,
                                struct diag *diag)
{
    struct explanation_teller teller = {.explanation = explanation, .item = item, .diag = diag};
    bool first = item->candidate->rank == 1;
    item->verdict = first ? "chosen" : item->candidate->eligible ? "ranked" : "failed";
    item->other = of_rank(item->group, first ? 2 : 1);
    tell_verdict(&teller);
    tell_failure(&teller);
    explanation_parts_gates(&teller);
    explanation_parts_against(&teller);
    explanation_parts_changes(&teller);
    explanation_parts_needs(&teller);
    tell_notes(&teller);
    return teller.status;
}

/* ---- all ---- */

static enum status add_items(struct explanation *explanation,
                             const struct explanation_request *request, struct diag *diag)
{
    const struct comparison_side *side = &explanation->side;
    size_t candidates = 0;
    size_t passed = 0;
    for (size_t g = 0; g < side->group_count; g++)
        candidates += side->groups[g].candidate_count;
    explanation->items =
        arena_take_array(&explanation->arena, candidates, sizeof *explanation->items);
    if (explanation->items == NULL)
        return diag_no_memory(diag);
    for (size_t g = 0; g < side->group_count; g++) {
        const struct comparison_members *group = &side->groups[g];
        bool wanted;
        enum status status = passes(group, request, &wanted, diag);
        if (status != STATUS_OK)
            return status;
        passed += wanted;
        for (size_t c = 0; c < group->candidate_count && wanted; c++)
            if (is_called(&group->candidates[c], request->strategy))
                explanation->items[explanation->count++] =
                    (struct explanation_item){.group = group, .candidate = &group->candidates[c]};
    }
    if (passed == 0 && side->group_count > 0)
        return diag_set(diag, STATUS_INPUT, "%s: no group has the values that --group asks for",
                        side->path);
    return explanation->count == 0 ? not_there(explanation, diag) : STATUS_OK;
}

static enum status refuse_other(const struct comparison_side *side, struct diag *diag)
{
    if (side->directory)
        return diag_set(diag, STATUS_INPUT, "%s: not a summary but a folder: name a summary in it",
                        side->path);
    if (side->broken != NULL)
        return diag_set(diag, STATUS_INPUT, "%s: not a summary: %s", side->path, side->broken);
    return diag_set(diag, STATUS_INPUT,
                    "%s: not a summary of rankledger analyze (its schema is not "
                    "rankledger.summary/1); write one with rankledger analyze --output",
                    side->path);
}

enum status explanation_make(struct explanation *explanation,
                             const struct explanation_request *request, struct diag *diag)
{
    bool found = false;
    *explanation = (struct explanation){.strategy = request->strategy};
    enum status status = comparison_side_open(&explanation->side, request->path, &found, diag);
    if (status == STATUS_OK && !found)
        status = refuse_other(&explanation->side, diag);
    if (status == STATUS_OK)
        status = comparison_side_read(&explanation->side, diag);
    if (status == STATUS_OK)
        status = add_items(explanation, request, diag);
    for (size_t i = 0; i < explanation->count && status == STATUS_OK; i++)
        status = explain_item(explanation, &explanation->items[i], diag);
    return status;
}

void explanation_fini(struct explanation *explanation)
{
    if (explanation == NULL)
        return;
    comparison_side_fini(&explanation->side);
    arena_fini(&explanation->arena);
    *explanation = (struct explanation){0};
}
