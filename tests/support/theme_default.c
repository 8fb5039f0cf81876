#include "theme_default.h"

#include <stdio.h>
#include <stdlib.h>

const struct report_template *theme_default_template(void)
{
    static struct report_template template;
    struct diag diag = {0};
    if (template.page_width > 0)
        return &template;
    if (report_template_load(NULL, &template, &diag) != STATUS_OK) {
        fprintf(stderr, "the built-in template: %s\n", diag.text);
        abort();
    }
    return &template;
}

const struct theme *theme_default(void)
{
    return &theme_default_template()->theme;
}
