#include <string.h>

#include "evidence_loader.h"

/* The first name that is not before `wanted`, among sorted ones. */
static size_t first_from(const struct evidence_choice *choice, const char *wanted)
{
    size_t from = 0;
    size_t to = choice->only_count;
    while (from < to) {
        size_t middle = from + (to - from) / 2;
        if (strcmp(choice->only[middle], wanted) < 0)
            from = middle + 1;
        else
            to = middle;
    }
    return from;
}

bool evidence_loader_takes(const struct evidence_loader *loader, const char *name)
{
    const struct evidence_choice *choice = loader->choice;
    if (choice->only == NULL)
        return true;
    size_t at = first_from(choice, name);
    return at < choice->only_count && strcmp(choice->only[at], name) == 0;
}

/* What begins with the summary's name and "#/sources/" stands together: it is one run of the
 * sorted names. The summary's name itself and those behind it with other bytes come before. */
bool evidence_loader_takes_summary(const struct evidence_loader *loader, const char *name)
{
    static const char mark[] = "#/sources/";
    const struct evidence_choice *choice = loader->choice;
    size_t length = strlen(name);
    for (size_t at = choice->only == NULL ? 0 : first_from(choice, name); at < choice->only_count;
         at++) {
        const char *candidate = choice->only[at];
        if (strncmp(candidate, name, length) != 0)
            return false;
        if (strncmp(candidate + length, mark, sizeof mark - 1) == 0)
            return true;
    }
    return choice->only == NULL;
}
