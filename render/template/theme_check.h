#ifndef RANKLEDGER_THEME_CHECK_H
#define RANKLEDGER_THEME_CHECK_H

#include "theme_load.h"

/*
 * Whether a theme can be read by everyone who will read it. Refused (STATUS_INPUT, at the place in
 * `file` of one of the two colours) are
 * - a text that has a contrast below 4.5:1 on a ground it may stand on, in either scheme;
 * - areas of one chart, or series with the same dash and marker, that look alike to some sight;
 * - one light colour with two dark ones, for a chart in an HTML page gets its dark colours by its
 *   light ones.
 */
enum status theme_check(const struct theme_load *load, const struct template_file *file,
                        struct diag *diag) STATUS_CHECKED;

/* WCAG 2.1, success criterion 1.4.3, for texts of ordinary size. */
#define THEME_CHECK_CONTRAST 4.5
/* CIE 1976 units that two areas side by side must differ by; 2.3 is the threshold of sight. The
 * built-in theme has twice as much. */
#define THEME_CHECK_DISTANCE 10.0
/* The same of lightness alone, in grey. */
#define THEME_CHECK_LIGHTNESS 5.0

#endif
