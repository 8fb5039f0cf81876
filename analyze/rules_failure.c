#include <string.h>

#include "validation_rules.h"

/* The decoded string in small letters, cut to the array: these words are short. */
static void read_small(const struct validation *v, uint32_t node, char *out, size_t capacity)
{
    json_read_string(v->json, node, out, capacity);
    for (; *out != '\0'; out++)
        if (*out >= 'A' && *out <= 'Z')
            *out = (char)(*out - 'A' + 'a');
}

static bool is_one_of(const char *word, const char *const *words)
{
    for (; *words != NULL; words++)
        if (strcmp(word, *words) == 0)
            return true;
    return false;
}

/* Cuts the blanks at the end off and returns what follows those at the begin. */
static const char *without_blanks(char *text)
{
    size_t length = strlen(text);
    while (length > 0 && strchr(" \t\r\n", text[length - 1]) != NULL)
        text[--length] = '\0';
    return text + strspn(text, " \t\r\n");
}

void rules_failure_text(struct validation *v)
{
    /* What printing "no failure" gives in Python, C and JavaScript, and what people write. */
    static const char *const none[] = {"none", "null",    "nil", "nan", "n/a",       "na",
                                       "no",   "false",   "0",   "-",   "undefined", "no failure",
                                       "ok",   "success", "{}",  "[]",  "\"\"",      NULL};
    uint32_t failure = v->found[EVIDENCE_FIELD_FAILURE];
    if (!json_read_is(v->json, failure, JSON_READ_STRING))
        failure = v->found[EVIDENCE_FIELD_FAILURE_REASON];
    if (failure == JSON_READ_NONE)
        return;
    char text[32];
    read_small(v, failure, text, sizeof text);
    bool empty = text[0] == '\0';
    const char *word = without_blanks(text);
    if (empty)
        validation_report(v, VALIDATION_WARNING(failure, "failure_empty_text"),
                          "an empty text counts as no failure: write null");
    else if (word[0] == '\0' || is_one_of(word, none))
        validation_report(v, VALIDATION_WARNING(failure, "failure_none_text"),
                          "the text %s counts as a failure; if the run did not fail, write null "
                          "without quotes",
                          validation_show(v, failure).text);
}

static uint32_t decision_text(const struct validation *v)
{
    uint32_t decision = v->found[EVIDENCE_FIELD_DECISION];
    if (json_read_is(v->json, decision, JSON_READ_STRING))
        return decision;
    return v->found[EVIDENCE_FIELD_DECISION_TEXT];
}

void rules_failure_success(struct validation *v)
{
    static const char *const success[] = {
        "accept",  "accepted",  "measured", "completed", "stage_completed", "complete",
        "success", "succeeded", "ok",       "pass",      "passed",          NULL};
    uint32_t decision = decision_text(v);
    if (decision == JSON_READ_NONE || !validation_has_failed(v))
        return;
    if (json_read_is(v->json, v->found[EVIDENCE_FIELD_FAILURE], JSON_READ_OBJECT) &&
        v->found[EVIDENCE_FIELD_FAILURE_REASON] == JSON_READ_NONE)
        return; /* what {} means is not known, and it is an error already */
    char word[32];
    read_small(v, decision, word, sizeof word);
    if (is_one_of(word, success))
        validation_report(v, VALIDATION_WARNING(decision, "failure_with_success"),
                          "the decision is %s although a failure is set; it counts as failed",
                          validation_show(v, decision).text);
}

void rules_failure_decision(struct validation *v)
{
    uint32_t decision = decision_text(v);
    if (decision != JSON_READ_NONE && v->json->nodes[decision].length == 0)
        validation_report(v, VALIDATION_WARNING(decision, "empty_decision"),
                          "the decision is empty: say what the producer concluded");
}
