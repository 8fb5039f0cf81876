#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "comparability.h"
#include "policy.h"
#include "text.h"

/* What reading needs; `found` is the policy so far. */
struct reading {
    const struct json_read_source *source;
    struct arena *arena;
    struct policy found;
    uint32_t limit_node; /* memory_limit or memory_limit_mb, whichever came first */
    struct diag *diag;
};

typedef enum status read_value(struct reading *reading, uint32_t node);

/* ---- numbers ---- */

struct number_rule {
    const char *name;
    size_t offset; /* of the double in struct policy */
    double least, most;
    bool above_least; /* the least value itself is refused */
    const char *expected;
};

static const struct number_rule number_rules[] = {
    {"memory_limit_mb", offsetof(struct policy, memory_limit_mb), 0, HUGE_VAL, true,
     "a number of MiB above 0"},
    {"min_throughput", offsetof(struct policy, min_throughput), 0, HUGE_VAL, false,
     "a number that is not negative"},
    {"max_communication_ratio", offsetof(struct policy, max_communication_ratio), 0, 1, false,
     "a ratio from 0 to 1"},
    {"max_memory_fraction", offsetof(struct policy, max_memory_fraction), 0, 1, true,
     "a fraction above 0 and at most 1"},
    {"tight_memory_fraction", offsetof(struct policy, tight_memory_fraction), 0, 1, true,
     "a fraction above 0 and at most 1"},
    {"min_gain", offsetof(struct policy, min_gain), -1, HUGE_VAL, true,
     "a fraction above -1 (0.05 demands 5 %)"},
    {"max_step_time_variation", offsetof(struct policy, max_step_time_variation), 0, HUGE_VAL,
     false, "a number that is not negative"},
};

static enum status read_number(struct reading *reading, uint32_t node,
                               const struct number_rule *rule)
{
    const struct json_read_document *json = reading->source->document;
    double value = NAN;
    if (!json_read_is(json, node, JSON_READ_NUMBER))
        return json_read_refuse(reading->source, node, reading->diag, "expected %s, found %s",
                                rule->expected,
                                json_read_type_name((enum json_read_type)json->nodes[node].type));
    if (!json_read_double(json, node, &value) || value < rule->least || value > rule->most ||
        (rule->above_least && value == rule->least))
        return json_read_refuse(reading->source, node, reading->diag, "expected %s, found %.*s",
                                rule->expected, (int)json->nodes[node].length,
                                json->text + json->nodes[node].offset);
    char *field = (char *)&reading->found + rule->offset;
    memcpy(field, &value, sizeof value);
    return STATUS_OK;
}

/* ---- texts ---- */

#define LONGEST_WORD 64

/* The text of a node; anything longer than a word of a policy is refused like an unknown word. */
static enum status read_word(struct reading *reading, uint32_t node, char word[LONGEST_WORD],
                             const char *expected)
{
    const struct json_read_document *json = reading->source->document;
    if (!json_read_is(json, node, JSON_READ_STRING))
        return json_read_refuse(reading->source, node, reading->diag, "expected %s, found %s",
                                expected,
                                json_read_type_name((enum json_read_type)json->nodes[node].type));
    json_read_string(json, node, word, LONGEST_WORD);
    return STATUS_OK;
}

/* Refuses a word, naming the allowed ones and the nearest. */
static enum status refuse_word(struct reading *reading, uint32_t node, const char *word,
                               const char *const *allowed, size_t count)
{
    struct text_buffer list = {0};
    char shown[4 * LONGEST_WORD];
    size_t best = 0;
    size_t best_distance = SIZE_MAX;
    for (size_t i = 0; i < count; i++) {
        text_buffer_printf(&list, "%s%s", i == 0 ? "" : ", ", allowed[i]);
        size_t distance = text_distance(word, strlen(word), allowed[i], strlen(allowed[i]));
        if (distance < best_distance) {
            best = i;
            best_distance = distance;
        }
    }
    enum status status = STATUS_OK;
    text_escape_into(shown, sizeof shown, word, strlen(word));
    if (list.failed)
        status = diag_no_memory(reading->diag);
    else if (best_distance <= 3)
        status = json_read_refuse(reading->source, node, reading->diag,
                                  "\"%s\" is not one of %s; did you mean \"%s\"?", shown, list.text,
                                  allowed[best]);
    else
        status = json_read_refuse(reading->source, node, reading->diag, "\"%s\" is not one of %s",
                                  shown, list.text);
    text_buffer_fini(&list);
    return status;
}

static enum status read_choice(struct reading *reading, uint32_t node, const char *const *allowed,
                               size_t count, int *choice)
{
    char word[LONGEST_WORD];
    enum status status = read_word(reading, node, word, "a text");
    if (status != STATUS_OK)
        return status;
    for (size_t i = 0; i < count; i++) {
        if (strcmp(word, allowed[i]) == 0) {
            *choice = (int)i;
            return STATUS_OK;
        }
    }
    return refuse_word(reading, node, word, allowed, count);
}

static enum status read_memory_kind(struct reading *reading, uint32_t node)
{
    const char *allowed[MEMORY_KIND_COUNT];
    for (int i = 0; i < MEMORY_KIND_COUNT; i++)
        allowed[i] = memory_kind_name((enum memory_kind)i);
    return read_choice(reading, node, allowed, MEMORY_KIND_COUNT, &reading->found.memory_kind);
}

static enum status read_throughput_unit(struct reading *reading, uint32_t node)
{
    static const char *const allowed[] = {"tokens/s", "samples/s"};
    int choice = 0;
    enum status status = read_choice(reading, node, allowed, 2, &choice);
    reading->found.throughput_unit = (enum throughput_unit)choice;
    return status;
}

static enum status read_goal(struct reading *reading, uint32_t node)
{
    static const char *const allowed[] = {"throughput", "memory"};
    int choice = 0;
    enum status status = read_choice(reading, node, allowed, 2, &choice);
    reading->found.goal = (enum policy_goal)choice;
    return status;
}

static enum status read_ties(struct reading *reading, uint32_t node)
{
    static const char *const allowed[] = {"strict", "statistical"};
    int choice = 0;
    enum status status = read_choice(reading, node, allowed, 2, &choice);
    reading->found.statistical_ties = choice == 1;
    return status;
}

static enum status read_correctness(struct reading *reading, uint32_t node)
{
    static const char *const allowed[] = {"own", "on", "off"};
    int choice = 0;
    enum status status = read_choice(reading, node, allowed, 3, &choice);
    reading->found.correctness = (enum policy_correctness)choice;
    return status;
}

static enum status read_baseline(struct reading *reading, uint32_t node)
{
    const char *allowed[STRATEGY_COUNT];
    int choice = 0;
    for (int i = 0; i < STRATEGY_COUNT; i++)
        allowed[i] = training_state_row((enum strategy)i)->name;
    enum status status = read_choice(reading, node, allowed, STRATEGY_COUNT, &choice);
    reading->found.baseline = (enum strategy)choice;
    return status;
}

static enum status read_level(struct reading *reading, uint32_t node)
{
    size_t count = 0;
    const struct evidence_level *levels = evidence_level_table(&count);
    const char *allowed[32];
    if (count > sizeof allowed / sizeof allowed[0])
        return diag_set(reading->diag, STATUS_BUG, "more evidence levels than expected");
    for (size_t i = 0; i < count; i++)
        allowed[i] = levels[i].name;
    int choice = 0;
    enum status status = read_choice(reading, node, allowed, count, &choice);
    if (status == STATUS_OK)
        reading->found.min_evidence_level = levels[choice].name;
    return status;
}

static enum status read_allow_failed(struct reading *reading, uint32_t node)
{
    const struct json_read_document *json = reading->source->document;
    bool yes = json_read_is(json, node, JSON_READ_TRUE);
    if (!yes && !json_read_is(json, node, JSON_READ_FALSE))
        return json_read_refuse(reading->source, node, reading->diag,
                                "expected true or false, found %s",
                                json_read_type_name((enum json_read_type)json->nodes[node].type));
    reading->found.allow_failed_repeats = yes;
    return STATUS_OK;
}

static enum status read_schema(struct reading *reading, uint32_t node)
{
    const struct json_read_document *json = reading->source->document;
    if (json_read_is(json, node, JSON_READ_STRING) &&
        json_read_equals(json, node, "rankledger.policy/1"))
        return STATUS_OK;
    return json_read_refuse(reading->source, node, reading->diag,
                            "this is no policy: expected \"rankledger.policy/1\"");
}

static enum status read_description(struct reading *reading, uint32_t node)
{
    const struct json_read_document *json = reading->source->document;
    if (json_read_is(json, node, JSON_READ_STRING))
        return STATUS_OK;
    return json_read_refuse(reading->source, node, reading->diag, "expected a text, found %s",
                            json_read_type_name((enum json_read_type)json->nodes[node].type));
}

/* ---- limits and lists ---- */

static enum status claim_limit(struct reading *reading, uint32_t node)
{
    if (reading->limit_node != JSON_READ_NONE)
        return json_read_refuse(reading->source, node, reading->diag,
                                "memory_limit and memory_limit_mb are both given; keep one");
    reading->limit_node = node;
    return STATUS_OK;
}

/* A text with its unit; memory_limit_mb is the number. */
static enum status read_limit(struct reading *reading, uint32_t node)
{
    enum status status = claim_limit(reading, node);
    if (status != STATUS_OK)
        return status;
    if (json_read_is(reading->source->document, node, JSON_READ_NUMBER))
        return json_read_refuse(reading->source, node, reading->diag,
                                "a number has no unit: write a text such as \"80 GiB\", or "
                                "memory_limit_mb for MiB");
    char word[LONGEST_WORD];
    status = read_word(reading, node, word, "a size such as \"80 GiB\"");
    if (status != STATUS_OK)
        return status;
    struct diag reason = {0};
    if (policy_parse_size(word, &reading->found.memory_limit_mb, &reason) != STATUS_OK)
        return json_read_refuse(reading->source, node, reading->diag, "%s", reason.text);
    return STATUS_OK;
}

static enum status read_limit_mb(struct reading *reading, uint32_t node)
{
    enum status status = claim_limit(reading, node);
    return status != STATUS_OK ? status : read_number(reading, node, &number_rules[0]);
}

static enum status expect_array(struct reading *reading, uint32_t node, const char *expected)
{
    const struct json_read_document *json = reading->source->document;
    if (json_read_is(json, node, JSON_READ_ARRAY))
        return STATUS_OK;
    return json_read_refuse(reading->source, node, reading->diag, "expected %s, found %s", expected,
                            json_read_type_name((enum json_read_type)json->nodes[node].type));
}

static enum status read_ranking(struct reading *reading, uint32_t array)
{
    const struct json_read_document *json = reading->source->document;
    enum status status = expect_array(reading, array, "an array of ranking keys");
    if (status != STATUS_OK)
        return status;
    const char *allowed[POLICY_KEY_COUNT];
    for (int i = 0; i < POLICY_KEY_COUNT; i++)
        allowed[i] = policy_key_name((enum policy_key)i);
    struct policy *found = &reading->found;
    found->ranking_count = 0;
    for (uint32_t node = json_read_first(json, array); node != JSON_READ_NONE;
         node = json_read_next(json, array, node)) {
        int key = 0;
        status = read_choice(reading, node, allowed, POLICY_KEY_COUNT, &key);
        if (status != STATUS_OK)
            return status;
        for (size_t i = 0; i < found->ranking_count; i++)
            if (found->ranking[i] == (enum policy_key)key)
                return json_read_refuse(reading->source, node, reading->diag,
                                        "\"%s\" is named twice", allowed[key]);
        found->ranking[found->ranking_count++] = (enum policy_key)key;
    }
    if (found->ranking_count == 0)
        return json_read_refuse(reading->source, array, reading->diag,
                                "a ranking needs at least one key");
    return STATUS_OK;
}

static enum status read_vary(struct reading *reading, uint32_t array)
{
    const struct json_read_document *json = reading->source->document;
    enum status status = expect_array(reading, array, "an array of workload fields");
    if (status != STATUS_OK)
        return status;
    const char *allowed[COMPARABILITY_FIELD_COUNT];
    size_t allowed_count = comparability_free_fields(allowed);
    const char **vary =
        arena_take_array(reading->arena, (size_t)json_read_count(json, array) + 1, sizeof *vary);
    if (vary == NULL)
        return diag_no_memory(reading->diag);
    bool named[COMPARABILITY_FIELD_COUNT] = {false};
    size_t count = 0;
    for (uint32_t node = json_read_first(json, array); node != JSON_READ_NONE;
         node = json_read_next(json, array, node)) {
        int field = 0;
        status = read_choice(reading, node, allowed, allowed_count, &field);
        if (status != STATUS_OK)
            return status;
        if (named[field])
            return json_read_refuse(reading->source, node, reading->diag, "\"%s\" is named twice",
                                    allowed[field]);
        named[field] = true;
        vary[count++] = allowed[field];
    }
    reading->found.vary = vary;
    reading->found.vary_count = count;
    return STATUS_OK;
}

/* ---- the whole ---- */

static const struct {
    const char *name;
    read_value *read;
} members[] = {
    {"schema", read_schema},
    {"description", read_description},
    {"memory_limit", read_limit},
    {"memory_limit_mb", read_limit_mb},
    {"memory_kind", read_memory_kind},
    {"throughput_unit", read_throughput_unit},
    {"goal", read_goal},
    {"baseline", read_baseline},
    {"ranking", read_ranking},
    {"vary", read_vary},
    {"ties", read_ties},
    {"allow_failed_repeats", read_allow_failed},
    {"min_evidence_level", read_level},
    {"correctness", read_correctness},
};

#define MEMBER_COUNT (sizeof members / sizeof members[0])
#define NUMBER_COUNT (sizeof number_rules / sizeof number_rules[0])

static enum status refuse_key(struct reading *reading, uint32_t key, const char *name)
{
    const char *allowed[MEMBER_COUNT + NUMBER_COUNT];
    size_t count = 0;
    for (size_t i = 0; i < MEMBER_COUNT; i++)
        allowed[count++] = members[i].name;
    for (size_t i = 1; i < NUMBER_COUNT; i++) /* 0 is memory_limit_mb, named above */
        allowed[count++] = number_rules[i].name;
    return refuse_word(reading, key, name, allowed, count);
}

/* null leaves a default as it is: a written policy says "no limit" with it. */
static enum status read_member(struct reading *reading, uint32_t key)
{
    const struct json_read_document *json = reading->source->document;
    char name[LONGEST_WORD];
    json_read_string(json, key, name, sizeof name);
    bool is_null = json_read_is(json, key + 1, JSON_READ_NULL);
    for (size_t i = 0; i < MEMBER_COUNT; i++)
        if (strcmp(name, members[i].name) == 0)
            return is_null ? STATUS_OK : members[i].read(reading, key + 1);
    for (size_t i = 1; i < NUMBER_COUNT; i++)
        if (strcmp(name, number_rules[i].name) == 0)
            return is_null ? STATUS_OK : read_number(reading, key + 1, &number_rules[i]);
    return refuse_key(reading, key, name);
}

enum status policy_read(const struct json_read_source *source, uint32_t object, struct arena *arena,
                        struct policy *policy, struct diag *diag)
{
    const struct json_read_document *json = source->document;
    struct reading reading = {.source = source,
                              .arena = arena,
                              .found = *policy,
                              .limit_node = JSON_READ_NONE,
                              .diag = diag};
    if (!json_read_is(json, object, JSON_READ_OBJECT))
        return json_read_refuse(source, object, diag, "a policy is an object, found %s",
                                json_read_type_name((enum json_read_type)json->nodes[object].type));
    for (uint32_t key = json_read_first(json, object); key != JSON_READ_NONE;
         key = json_read_next(json, object, key)) {
        enum status status = read_member(&reading, key);
        if (status != STATUS_OK)
            return status;
    }
    *policy = reading.found;
    return STATUS_OK;
}
