#include "validate_hint.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "text.h"

#define WORD_CAPACITY 96 /* of a value looked at; no number and no choice is longer */

static void say(struct validate_hint *hint, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void say(struct validate_hint *hint, const char *format, ...)
{
    size_t used = strlen(hint->text);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(hint->text + used, sizeof hint->text - used, format, arguments);
    va_end(arguments);
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c; /* not tolower: no locale */
}

void validate_hint_types(unsigned types, char *out, size_t capacity)
{
    static const struct {
        unsigned type;
        const char *name;
    } names[] = {{EVIDENCE_NULL, "null"},       {EVIDENCE_BOOLEAN, "true or false"},
                 {EVIDENCE_NUMBER, "a number"}, {EVIDENCE_STRING, "a string"},
                 {EVIDENCE_ARRAY, "an array"},  {EVIDENCE_OBJECT, "an object"}};
    out[0] = '\0';
    unsigned left = types;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if ((left & names[i].type) == 0)
            continue;
        left &= ~names[i].type;
        size_t used = strlen(out);
        snprintf(out + used, capacity - used, "%s%s", names[i].name,
                 left == 0                  ? ""
                 : (left & (left - 1)) == 0 ? " or "
                                            : ", ");
    }
}

/* Texts that say that there is no number. */
static bool means_absent(const char *word)
{
    static const char *const words[] = {"",
                                        "-",
                                        "--",
                                        "?",
                                        "na",
                                        "n/a",
                                        "nan",
                                        "-nan",
                                        "none",
                                        "null",
                                        "nil",
                                        "inf",
                                        "-inf",
                                        "+inf",
                                        "infinity",
                                        "tbd",
                                        "unknown",
                                        "-infinity",
                                        "not available",
                                        "not measured"};
    char small[WORD_CAPACITY];
    size_t length = strlen(word);
    for (size_t i = 0; i <= length; i++)
        small[i] = lower(word[i]);
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strcmp(small, words[i]) == 0)
            return true;
    return false;
}

/* Copies the number at the begin of `word` without thousands separators; returns what follows it,
 * or NULL if a comma may as well be a decimal one. */
static const char *copy_number(const char *word, char *out)
{
    size_t length = 0;
    const char *p = word;
    for (; *p != '\0'; p++) {
        bool sign = (*p == '-' || *p == '+') && (p == word || lower(p[-1]) == 'e');
        bool exponent = lower(*p) == 'e' && (is_digit(p[1]) || p[1] == '-' || p[1] == '+');
        if (*p == ',' || *p == '_' || (*p == ' ' && is_digit(p[1]))) {
            bool three = is_digit(p[1]) && is_digit(p[2]) && is_digit(p[3]) && !is_digit(p[4]);
            if (!three)
                return NULL;
            continue;
        }
        if (!is_digit(*p) && *p != '.' && !sign && !exponent)
            break;
        out[length++] = *p;
    }
    out[length] = '\0';
    while (*p == ' ')
        p++;
    return p;
}

/* What a suffix multiplies with, or 0 if it is a unit or unknown. */
static double suffix_factor(const char *suffix)
{
    if (suffix[0] == '\0')
        return 1;
    if (suffix[1] != '\0')
        return 0;
    switch (lower(suffix[0])) {
    case 'k':
        return 1e3;
    case 'm':
        return 1e6;
    case 'b': /* "7B parameters" */
    case 'g':
        return 1e9;
    case '%':
        return 0.01;
    default:
        return 0;
    }
}

/* The decoded string without blanks at its ends; false if it is too long to be a word. */
static bool read_word(const struct json_read_document *json, uint32_t node, char *word)
{
    char decoded[WORD_CAPACITY];
    size_t length = json_read_string(json, node, decoded, sizeof decoded);
    if (length >= sizeof decoded)
        return false;
    size_t begin = 0;
    while (begin < length && (unsigned char)decoded[begin] <= ' ')
        begin++;
    while (length > begin && (unsigned char)decoded[length - 1] <= ' ')
        length--;
    memcpy(word, decoded + begin, length - begin);
    word[length - begin] = '\0';
    return true;
}

static void hint_number(const struct json_read_document *json, uint32_t node,
                        struct validate_hint *hint)
{
    char word[WORD_CAPACITY];
    char digits[WORD_CAPACITY];
    char exact[40];
    double number;
    if (!read_word(json, node, word)) {
        say(hint, "a text is no number");
        return;
    }
    if (means_absent(word)) {
        say(hint, "a text is no number; leave out what was not measured, or write null");
        return;
    }
    const char *suffix = copy_number(word, digits);
    if (suffix == NULL || !text_parse_number(digits, &number)) {
        say(hint, "a text is no number");
        return;
    }
    double factor = suffix_factor(suffix);
    text_number_exact(exact, sizeof exact, factor > 0 ? number * factor : number);
    if (factor > 0)
        say(hint, "it is text; write %s", exact);
    else
        say(hint, "it is text; write the number alone, %s, in the unit of the field", exact);
}

void validate_hint_type(const struct json_read_document *json, const struct evidence_row *row,
                        uint32_t node, struct validate_hint *hint)
{
    enum json_read_type type = (enum json_read_type)json->nodes[node].type;
    bool boolean = type == JSON_READ_TRUE || type == JSON_READ_FALSE;
    if (row->field == EVIDENCE_FIELD_FAILURE)
        say(hint, "write null if the run did not fail, else the reason as text");
    else if ((row->types & EVIDENCE_NUMBER) != 0 && type == JSON_READ_STRING)
        hint_number(json, node, hint);
    else if ((row->types & EVIDENCE_NUMBER) != 0 && boolean)
        say(hint, "a boolean is no number");
    else if (row->types == EVIDENCE_ARRAY && type == JSON_READ_NUMBER)
        say(hint, "the array is [rank][step]");
    else if ((row->types & EVIDENCE_ARRAY) != 0 && type == JSON_READ_NUMBER)
        say(hint, "the array has one element a rank or step");
    else if (row->required != 0 && type == JSON_READ_NULL)
        say(hint, "null stands only for what is optional");
    else if ((row->types & EVIDENCE_NULL) == 0 && type == JSON_READ_NULL)
        say(hint, "every rank and step has its element");
}

/* ---- Choices ---- */

/* Small letters and digits alone: "ZeRO-2" and "zero_2" are "zero2". */
static void fold(const char *word, char *folded)
{
    size_t length = 0;
    for (; *word != '\0'; word++) {
        char c = lower(*word);
        if ((c >= 'a' && c <= 'z') || is_digit(c))
            folded[length++] = c;
    }
    folded[length] = '\0';
}

/* Names under which other frameworks know a strategy. */
static const char *strategy_alias(const char *folded)
{
    size_t length = strlen(folded);
    char last = length > 0 ? folded[length - 1] : '\0';
    if (strstr(folded, "shardgradop") != NULL) /* of PyTorch's FSDP, with the parameters whole */
        return "zero2";
    if (strstr(folded, "noshard") != NULL || strcmp(folded, "zero0") == 0 ||
        strcmp(folded, "stage0") == 0 || strcmp(folded, "zerostage0") == 0)
        return "ddp";
    if (strstr(folded, "fsdp") != NULL || strstr(folded, "fullshard") != NULL ||
        strstr(folded, "fullysharded") != NULL)
        return "fsdp_full_shard";
    if (strstr(folded, "zero") != NULL || strstr(folded, "stage") != NULL) {
        if (last == '1' || strstr(folded, "zero1") != NULL)
            return "zero1";
        if (last == '2' || strstr(folded, "zero2") != NULL)
            return "zero2";
        if (last == '3' || strstr(folded, "zero3") != NULL)
            return "zero3";
    }
    if (strcmp(folded, "dp") == 0 || strstr(folded, "dataparallel") != NULL)
        return "ddp";
    return NULL;
}

static const char *nearest_choice(const struct evidence_row *row, const char *word)
{
    char folded[WORD_CAPACITY];
    fold(word, folded);
    const char *nearest = NULL;
    size_t best = SIZE_MAX;
    for (const char *const *choice = row->choices; *choice != NULL; choice++) {
        char other[WORD_CAPACITY];
        fold(*choice, other);
        size_t distance = text_distance(folded, strlen(folded), other, strlen(other));
        if (distance < best) {
            best = distance;
            nearest = *choice;
        }
    }
    if (best > 0 && row->field == EVIDENCE_FIELD_STRATEGY && strategy_alias(folded) != NULL)
        return strategy_alias(folded);
    /* Half of the letters wrong is another word. */
    return nearest != NULL && best * 2 <= strlen(folded) ? nearest : NULL;
}

static void hint_blanks(const struct json_read_document *json, uint32_t node,
                        struct validate_hint *hint)
{
    const struct json_read_node *value = &json->nodes[node];
    const char *text = json->text + value->offset;
    if (value->length > 0 && (unsigned char)text[0] <= ' ')
        say(hint, " (it begins with a space)");
    if (value->length > 0 && (unsigned char)text[value->length - 1] <= ' ')
        say(hint, " (it ends with a space)");
    /* A letter of another script, a blank of another kind or one without width looks like nothing
     * at all in the quotes. */
    for (size_t i = 0; i < value->length; i++) {
        uint32_t code = 0;
        if ((unsigned char)text[i] >= 0x80 && text_decode(text + i, value->length - i, &code) > 0) {
            say(hint, " (it contains the character U+%04X)", (unsigned)code);
            break;
        }
    }
}

void validate_hint_choice(const struct json_read_document *json, const struct evidence_row *row,
                          uint32_t node, struct validate_hint *hint)
{
    char word[WORD_CAPACITY];
    hint->text[0] = '\0';
    const char *nearest = read_word(json, node, word) ? nearest_choice(row, word) : NULL;
    bool level = row->choice_severity == FINDING_WARNING;
    say(hint, "is not one of the names of the evidence contract");
    hint_blanks(json, node, hint);
    if (level)
        say(hint, "; it is kept and ranks lowest");
    if (nearest != NULL)
        say(hint, "; did you mean \"%s\"?", nearest);
    if (nearest != NULL || level)
        return;
    for (const char *const *choice = row->choices; *choice != NULL; choice++)
        say(hint, "%s\"%s\"",
            choice == row->choices ? "; write "
            : choice[1] == NULL    ? " or "
                                   : ", ",
            *choice);
}
