#include "archive_name.h"

#include <stdlib.h>
#include <string.h>

#include "sha256.h"
#include "text_buffer.h"

#define LONGEST_MODEL 40
#define LONGEST_PART 16

/* What file systems take everywhere; other bytes, one or more, become a "-". */
static bool is_plain(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '.';
}

/* Appends `before`, the text made plain and cut, and `after`; nothing for NULL or where nothing of
 * the text is plain. A name begins with a letter, a digit or "_". */
static void add_part(struct text_buffer *name, const char *before, const char *text, size_t longest,
                     const char *after)
{
    char plain[LONGEST_MODEL + 1];
    size_t length = 0;
    for (; text != NULL && *text != '\0' && length < longest; text++) {
        char c = *text >= 'A' && *text <= 'Z' ? (char)(*text - 'A' + 'a') : *text;
        if (is_plain(c) && (c != '.' || length > 0))
            plain[length++] = c;
        else if (length > 0 && plain[length - 1] != '-')
            plain[length++] = '-';
    }
    while (length > 0 && (plain[length - 1] == '-' || plain[length - 1] == '.'))
        length--;
    plain[length] = '\0';
    if (length > 0)
        text_buffer_printf(name, "%s%s%s%s", name->length > 0 ? "-" : "", before, plain, after);
}

/* A digest of the values in which groups can differ. Groups whose runs state no world size are of
 * one run each, which is part of what they are. */
static bool add_digest(struct text_buffer *name, const char *const *key, const bool *freed,
                       const char *path)
{
    struct text_buffer all = {0};
    char digest[65];
    for (int field = 0; field < COMPARABILITY_FIELD_COUNT; field++) {
        if (freed[field])
            continue;
        text_buffer_puts(&all, comparability_name((enum comparability_field)field));
        text_buffer_puts(&all, key[field] == NULL ? "" : "=");
        text_buffer_puts(&all, key[field] == NULL ? "" : key[field]);
        text_buffer_append(&all, "", 1);
    }
    if (key[COMPARABILITY_WORLD_SIZE] == NULL)
        text_buffer_puts(&all, path);
    if (!all.failed) {
        sha256_hex(all.text, all.length, digest);
        text_buffer_printf(name, "%s%.*s", name->length > 0 ? "-" : "workload-",
                           ARCHIVE_NAME_DIGITS, digest);
    }
    bool good = !all.failed;
    text_buffer_fini(&all);
    return good;
}

static bool add_stem(struct text_buffer *name, const char *const *key, const bool *freed,
                     const char *path)
{
    static const struct {
        enum comparability_field field;
        size_t longest;
        const char *before, *after;
    } parts[] = {
        {COMPARABILITY_MODEL, LONGEST_MODEL, "", ""},
        {COMPARABILITY_WORLD_SIZE, LONGEST_PART, "", "ranks"},
        {COMPARABILITY_GLOBAL_BATCH, LONGEST_PART, "batch", ""},
        {COMPARABILITY_SEQ_LEN, LONGEST_PART, "seq", ""},
        {COMPARABILITY_DTYPE, LONGEST_PART, "", ""},
    };
    text_buffer_clear(name);
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        if (!freed[parts[i].field])
            add_part(name, parts[i].before, key[parts[i].field], parts[i].longest, parts[i].after);
    return add_digest(name, key, freed, path);
}

struct named {
    const char *stem;
    size_t group;
};

static int compare_named(const void *left, const void *right)
{
    const struct named *a = left;
    const struct named *b = right;
    int order = strcmp(a->stem, b->stem);
    return order != 0 ? order : (a->group > b->group) - (a->group < b->group);
}

/* Equal stems, which only a collision of digests gives, are numbered in the order of the groups. */
static bool number_names(struct named *all, size_t count, struct arena *arena, const char **names)
{
    size_t same = 1;
    if (count > 1)
        qsort(all, count, sizeof *all, compare_named);
    for (size_t i = 0; i < count; i++) {
        same = i > 0 && strcmp(all[i - 1].stem, all[i].stem) == 0 ? same + 1 : 1;
        names[all[i].group] = same == 1 ? arena_printf(arena, "%s.json", all[i].stem)
                                        : arena_printf(arena, "%s-%zu.json", all[i].stem, same);
        if (names[all[i].group] == NULL)
            return false;
    }
    return true;
}

enum status archive_name_all(const struct group_list *groups,
                             const char *(*keys)[COMPARABILITY_FIELD_COUNT],
                             const bool freed[COMPARABILITY_FIELD_COUNT], struct arena *arena,
                             const char **names, struct diag *diag)
{
    struct text_buffer name = {0};
    struct named *all = arena_take_array(arena, groups->count + 1, sizeof *all);
    bool good = all != NULL;
    for (size_t g = 0; good && g < groups->count; g++) {
        good = add_stem(&name, keys[g], freed, groups->items[g].first->path) && !name.failed;
        if (good)
            all[g] = (struct named){arena_copy(arena, name.text, name.length), g};
        good = good && all[g].stem != NULL;
    }
    text_buffer_fini(&name);
    if (!good || !number_names(all, groups->count, arena, names))
        return diag_no_memory(diag);
    return STATUS_OK;
}

bool archive_name_is_one(const char *name)
{
    static const char ending[] = ".json";
    size_t length = strlen(name);
    if (length < sizeof ending || strcmp(name + length - (sizeof ending - 1), ending) != 0)
        return false;
    const char *end = name + length - (sizeof ending - 1);
    const char *dash = end;
    while (dash > name && dash[-1] != '-')
        dash--;
    return dash > name + 1 && end - dash == ARCHIVE_NAME_DIGITS &&
           strspn(dash, "0123456789abcdef") == ARCHIVE_NAME_DIGITS;
}
