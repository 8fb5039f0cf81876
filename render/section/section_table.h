#ifndef RANKLEDGER_SECTION_TABLE_H
#define RANKLEDGER_SECTION_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "diag.h"
#include "manuscript.h"
#include "summary.h"
#include "texts.h"

struct chart_row; /* chart_table.h */
struct theme;     /* theme.h */

/*
 * The sections of a report: what it says, in the order in which a template names them. To add one:
 * a file section_<name>.c and a row in section_table.c.
 */

/* What the sections of one report have in common. All of it is borrowed and must outlive the
 * manuscript. */
struct section_input {
    const struct summary *summary;
    const struct texts *texts;
    const struct theme *theme;             /* with which a chart tells whether it has content */
    const struct chart_row *const *charts; /* to show, in order */
    size_t chart_count;
    unsigned formats; /* of enum report_format (report.h): the files that this report is made of */
};

/* A section being written. */
struct section {
    const struct section_input *input;
    const struct summary *summary;
    const struct summary_group *group; /* NULL: the report has none */
    size_t group_index;
    const struct texts *texts;
    struct manuscript *out;
    const char *anchor; /* of its heading, and the beginning of those below it */
    unsigned level;     /* of its heading: 1, or 2 below the heading of a group */
};

struct section_row {
    const char *name; /* as templates name it: "decision" */
    bool of_group;    /* once a comparability group, else once a report */
    void (*write)(const struct section *section);
    /* Of a section of groups: what stands once before the groups where there are several; NULL:
     * nothing. */
    void (*overview)(const struct section *section);
};

const struct section_row *section_table(size_t *count);
/* NULL if there is no such section. */
const struct section_row *section_find(const char *name);

/*
 * Appends sections to a manuscript. Of several comparability groups each gets a part of its own
 * with all the sections that are once a group; a report without any group (nothing usable was
 * read) still says so. Those of a comparison and those of a summary are left out of each other's
 * reports; where none of a kind is named, all of its kind are written. STATUS_ENVIRONMENT if memory
 * is exhausted.
 */
enum status section_build(const struct section_input *input, const struct section_row *const *rows,
                          size_t count, struct manuscript *out, struct diag *diag) STATUS_CHECKED;

#endif
