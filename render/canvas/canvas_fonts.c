#include "canvas_fonts.h"

#include <fontconfig/fontconfig.h>
#include <stddef.h>

enum status canvas_fonts_load(struct diag *diag)
{
    FcConfig *config = FcInitLoadConfigAndFonts();
    if (config == NULL)
        return diag_no_memory(diag);
    FcBool set = FcConfigSetCurrent(config);
    FcConfigDestroy(config); /* the current one is held by the library */
    return set ? STATUS_OK : diag_no_memory(diag);
}
