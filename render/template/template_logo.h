#ifndef RANKLEDGER_TEMPLATE_LOGO_H
#define RANKLEDGER_TEMPLATE_LOGO_H

#include "report_template.h"

/* The longest side and the largest file of a logo. */
#define TEMPLATE_LOGO_PIXELS 2048u
#define TEMPLATE_LOGO_BYTES ((size_t)1 << 20)

/*
 * Reads a PNG and decodes it once, so that whoever draws it will not fail; its bytes, as they are,
 * go to the arena. STATUS_INPUT names the file and what is wrong with it.
 */
enum status template_logo_read(struct report_template_logo *logo, const char *path,
                               struct arena *arena, struct diag *diag) STATUS_CHECKED;

#endif
