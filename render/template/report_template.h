#ifndef RANKLEDGER_REPORT_TEMPLATE_H
#define RANKLEDGER_REPORT_TEMPLATE_H

#include <stdbool.h>
#include <stddef.h>

#include "arena.h"
#include "diag.h"
#include "theme.h"

struct chart_row;   /* chart_table.h */
struct section_row; /* section_table.h */
struct sheet_row;   /* sheet_table.h */

/*
 * What a report shows, in which order and in which look: data, from templates/report.json and
 * templates/theme.json, which are built into the program, and from a folder of the user's whose
 * values take their place one by one. Names are resolved when it is loaded, so that whoever lays
 * out a format finds the rows to show, in their order, and nothing to check.
 */

struct report_template_charts {
    const struct chart_row *const *rows;
    size_t count;
};

struct report_template_sections {
    const struct section_row *const *rows;
    size_t count;
};

struct report_template_sheets {
    const struct sheet_row *const *rows;
    size_t count;
};

/* A format that a manuscript is laid out in: PDF, HTML, Markdown. */
struct report_template_document {
    struct report_template_sections sections; /* in this order */
    struct report_template_charts charts;     /* what the section "charts" shows, in this order */
};

/* A sound PNG (decoded once when it was loaded), for a place of any size: scale it to fit. */
struct report_template_logo {
    const unsigned char *png; /* NULL: there is none */
    size_t size;
    unsigned width, height; /* pixels */
};

struct report_template {
    struct theme theme;             /* on a light page; paper */
    struct theme dark;              /* the same roles on a dark page: HTML alone */
    double page_width, page_height; /* of paper, points (1/72 inch) */
    const char *organisation;       /* shown on the first page and in headers; NULL: none */
    struct report_template_logo logo;
    struct report_template_document pdf, html, markdown;
    struct report_template_sheets sheets; /* of the workbook */
    struct report_template_charts workbook_charts;
    struct report_template_charts pictures; /* charts that become files of their own */
    struct arena arena;
};

/*
 * Loads the built-in template and puts over it what a folder (NULL: none) says: report.json,
 * theme.json and the logo, logo.png unless report.json names another; each may be absent. What is
 * wrong there is STATUS_INPUT with file, line and column; so is a folder that is none, or that has
 * nothing of a template. Release it with report_template_fini.
 */
enum status report_template_load(const char *folder, struct report_template *template,
                                 struct diag *diag) STATUS_CHECKED;

/* A zeroed one and NULL are fine. */
void report_template_fini(struct report_template *template);

#endif
