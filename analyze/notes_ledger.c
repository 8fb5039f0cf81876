#include "notes_ledger.h"

#include <math.h>
#include <string.h>

#include "candidate_ledger.h"
#include "notes.h"
#include "text_buffer.h"

/* ---- what the ledger explains ---- */

static const char *missing_text(const struct notes_context *context,
                                const struct candidate_ledger *ledger)
{
    struct text_buffer text = {0};
    text_buffer_puts(&text, "");
    for (size_t i = 0; i < ledger->temporary_missing_count; i++)
        text_buffer_printf(&text, "%s%s", i > 0 ? ", " : "", ledger->temporary_missing[i]);
    const char *copy = text.failed ? NULL : arena_copy(context->arena, text.text, text.length);
    text_buffer_fini(&text);
    return copy;
}

/* Which sentence tells what of the peak is explained; `rest`: beyond what is held all the time. */
static const char *residual_id(const struct candidate_ledger *ledger, double rest)
{
    bool kept = candidate_ledger_kept_mb(ledger) > 0;
    if (rest < 0)
        return "note.residual_negative";
    if (isnan(ledger->residual_mb))
        return "note.residual_unsplit";
    if (ledger->residual_mb < 0)
        return ledger->temporary_source == CANDIDATE_FORMULA ? "note.residual_closed_form"
                                                             : "note.residual_overlap";
    if (ledger->residual_mb == 0)
        return kept ? "note.explained_kept" : "note.explained";
    return kept ? "note.residual_kept" : "note.residual";
}

/* Measured to the byte, and nothing is left over. */
static bool is_explained(const struct candidate *candidate)
{
    return candidate->ledger.available && !candidate->failure.failed &&
           candidate->ledger.temporary_source == CANDIDATE_MEASURED &&
           candidate->ledger.residual_mb == 0;
}

/* Of several the same is said once. */
static size_t explained_count(const struct group *group)
{
    size_t count = 0;
    for (size_t i = 0; i < group->candidate_count; i++)
        count += is_explained(&group->candidates[i]);
    return count;
}

static enum status note_explained(const struct notes_context *context)
{
    const struct group *group = context->group;
    struct text_buffer text = {0};
    if (explained_count(group) < 2)
        return STATUS_OK;
    for (size_t i = 0; i < group->candidate_count; i++)
        if (is_explained(&group->candidates[i]))
            text_buffer_printf(&text, "%s%s", text.length > 0 ? ", " : "",
                               group->candidates[i].label);
    const char *labels = text.failed ? NULL : arena_copy(context->arena, text.text, text.length);
    text_buffer_fini(&text);
    if (labels == NULL)
        return diag_no_memory(context->diag);
    const struct sentence_value values[] = {MESSAGE_TEXT("strategies", labels)};
    return notes_context_add(context, "note.explained_all", values, 1);
}

static enum status note_residual(const struct notes_context *context,
                                 const struct candidate *candidate)
{
    const struct candidate_ledger *ledger = &candidate->ledger;
    if (!ledger->available || isnan(candidate->peak_mb) || candidate->failure.failed)
        return STATUS_OK;
    if (is_explained(candidate) && explained_count(context->group) > 1)
        return STATUS_OK;
    double kept = candidate_ledger_kept_mb(ledger);
    double held = ledger->state.resident + kept;
    double rest = candidate->peak_mb - held;
    const char *missing = missing_text(context, ledger);
    if (missing == NULL)
        return diag_no_memory(context->diag);
    const struct sentence_value values[] = {MESSAGE_TEXT("strategy", candidate->label),
                                            MESSAGE_NUMBER("peak_mb", candidate->peak_mb),
                                            MESSAGE_NUMBER("resident_mb", ledger->state.resident),
                                            MESSAGE_NUMBER("kept_mb", kept),
                                            MESSAGE_NUMBER("held_mb", held),
                                            MESSAGE_NUMBER("temporary_mb", ledger->temporary_mb),
                                            MESSAGE_NUMBER("residual_mb", ledger->residual_mb),
                                            MESSAGE_NUMBER("rest_mb", rest),
                                            MESSAGE_TEXT("missing", missing)};
    return notes_context_add(context, residual_id(ledger, rest), values,
                             sizeof values / sizeof values[0]);
}

/* ---- what was foreseen and what was measured ---- */

static double amount_of(const struct memory_amount *amounts, size_t count, const char *category)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(amounts[i].category, category) == 0)
            return amounts[i].mb;
    return 0;
}

/* The temporary category that differs most from what was foreseen; NULL if none does. */
static const char *differing_category(const struct candidate_ledger *ledger)
{
    const char *category = NULL;
    double most = 0;
    const struct {
        const struct memory_amount *items;
        size_t count;
    } lists[] = {{ledger->temporary, ledger->temporary_count},
                 {ledger->foreseen, ledger->foreseen_count}};
    for (size_t list = 0; list < 2; list++)
        for (size_t i = 0; i < lists[list].count; i++) {
            const char *name = lists[list].items[i].category;
            double difference = fabs(amount_of(ledger->temporary, ledger->temporary_count, name) -
                                     amount_of(ledger->foreseen, ledger->foreseen_count, name));
            if (difference > most) {
                most = difference;
                category = name;
            }
        }
    return category;
}

static enum status note_prediction(const struct notes_context *context,
                                   const struct candidate *candidate)
{
    const struct candidate_ledger *ledger = &candidate->ledger;
    if (ledger->temporary_source != CANDIDATE_MEASURED || ledger->foreseen_count == 0)
        return STATUS_OK;
    const char *category = differing_category(ledger);
    bool same_peak =
        isnan(ledger->foreseen_peak_mb) || ledger->foreseen_peak_mb == ledger->measured_peak_mb;
    if (category == NULL && same_peak)
        return STATUS_OK;
    const char *name = category != NULL ? category : "";
    const struct sentence_value values[] = {
        MESSAGE_TEXT("strategy", candidate->label),
        MESSAGE_NUMBER("predicted_mb", ledger->foreseen_peak_mb),
        MESSAGE_NUMBER("peak_mb", ledger->measured_peak_mb),
        MESSAGE_TEXT("category", name),
        MESSAGE_NUMBER("category_predicted_mb",
                       amount_of(ledger->foreseen, ledger->foreseen_count, name)),
        MESSAGE_NUMBER("category_mb", amount_of(ledger->temporary, ledger->temporary_count, name))};
    return notes_context_add(context,
                             category != NULL ? "note.prediction_category" : "note.prediction",
                             values, sizeof values / sizeof values[0]);
}

enum status notes_ledger_add(const struct notes_context *context)
{
    const struct group *group = context->group;
    enum status status = note_explained(context);
    for (size_t i = 0; status == STATUS_OK && i < group->candidate_count && i < NOTES_CANDIDATES;
         i++) {
        status = note_residual(context, &group->candidates[i]);
        if (status == STATUS_OK)
            status = note_prediction(context, &group->candidates[i]);
    }
    return status;
}
