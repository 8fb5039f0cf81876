#include <math.h>
#include <string.h>

#include "byte_size.h"
#include "normalise.h"
#include "policy.h"
#include "text.h"

enum status policy_parse_size(const char *text, double *mb, struct diag *diag)
{
    struct byte_size size;
    enum status status = byte_size_parse(text, &size, diag);
    if (status != STATUS_OK)
        return status;
    double size_mb = normalise_mb(size.value, size.unit_bytes);
    if (!isfinite(size_mb) || size_mb <= 0) {
        char shown[128];
        text_escape_into(shown, sizeof shown, text, strlen(text));
        return diag_set(diag, STATUS_USAGE, "\"%s\" is beyond any memory", shown);
    }
    *mb = size_mb;
    return STATUS_OK;
}
