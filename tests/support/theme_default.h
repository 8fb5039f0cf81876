#ifndef RANKLEDGER_TESTS_THEME_DEFAULT_H
#define RANKLEDGER_TESTS_THEME_DEFAULT_H

#include "report_template.h"

/* The built-in template and the theme in it, loaded once a process and never released. Aborts if
 * that fails. */
const struct report_template *theme_default_template(void);
const struct theme *theme_default(void);

#endif
