#include "canvas_fonts.h"

#include <errno.h>
#include <fontconfig/fontconfig.h>
#include <stddef.h>

/* Pango measures without a font, and what it measures is nothing. */
static enum status require_font(FcConfig *config, struct diag *diag)
{
    const FcFontSet *fonts = FcConfigGetFonts(config, FcSetSystem);
    if (fonts != NULL && fonts->nfont > 0)
        return STATUS_OK;
    if (errno == ENOMEM)
        return diag_no_memory(diag);
    return diag_set(diag, STATUS_ENVIRONMENT,
                    "fontconfig finds no font, and pages and charts need one: install one "
                    "(fonts-dejavu-core, for Chinese fonts-noto-cjk) and look with fc-list");
}

enum status canvas_fonts_load(struct diag *diag)
{
    errno = 0;
    FcConfig *config = FcInitLoadConfigAndFonts();
    if (config == NULL)
        return diag_no_memory(diag);
    enum status status = require_font(config, diag);
    if (status != STATUS_OK) {
        FcConfigDestroy(config);
        return status;
    }
    FcBool set = FcConfigSetCurrent(config);
    FcConfigDestroy(config); /* the current one is held by the library */
    return set ? STATUS_OK : diag_no_memory(diag);
}
