#include "template_logo.h"

#include <png.h>
#include <stdlib.h>
#include <string.h>

#include "input.h"
#include "text.h"

static enum status refuse(const char *path, const char *what, struct diag *diag)
{
    char shown[1024];
    return diag_set(diag, STATUS_INPUT,
                    "%s: error: %s: a logo is a PNG of at most %u x %u pixels "
                    "and %zu KiB",
                    text_escape_into(shown, sizeof shown, path, strlen(path)), what,
                    TEMPLATE_LOGO_PIXELS, TEMPLATE_LOGO_PIXELS, TEMPLATE_LOGO_BYTES >> 10);
}

static enum status refuse_decoding(const char *path, const png_image *image, struct diag *diag)
{
    char shown[80], what[128];
    text_escape_into(shown, sizeof shown, image->message, strlen(image->message));
    snprintf(what, sizeof what, "it cannot be decoded (%s)", shown);
    return refuse(path, what, diag);
}

static enum status decode(const char *path, const struct input_buffer *input,
                          struct report_template_logo *logo, struct diag *diag)
{
    png_image image = {.version = PNG_IMAGE_VERSION};
    if (!png_image_begin_read_from_memory(&image, input->data, input->size))
        return refuse_decoding(path, &image, diag);
    if (image.width > TEMPLATE_LOGO_PIXELS || image.height > TEMPLATE_LOGO_PIXELS) {
        char what[64];
        snprintf(what, sizeof what, "it has %u x %u pixels", (unsigned)image.width,
                 (unsigned)image.height);
        png_image_free(&image);
        return refuse(path, what, diag);
    }
    image.format = PNG_FORMAT_RGBA;
    void *pixels = malloc(PNG_IMAGE_SIZE(image));
    enum status status = pixels == NULL ? diag_no_memory(diag) : STATUS_OK;
    /* A warning may be of a part that was left out: what is not whole is refused. */
    if (status == STATUS_OK &&
        (!png_image_finish_read(&image, NULL, pixels, 0, NULL) || PNG_IMAGE_FAILED(image)))
        status = refuse_decoding(path, &image, diag);
    logo->width = image.width;
    logo->height = image.height;
    png_image_free(&image);
    free(pixels);
    return status;
}

enum status template_logo_read(struct report_template_logo *logo, const char *path,
                               struct arena *arena, struct diag *diag)
{
    struct input_buffer input = {0};
    struct report_template_logo found = {0};
    enum input_fault fault = INPUT_FAULT_NONE;
    enum status status = input_read_file(&input, path, TEMPLATE_LOGO_BYTES, &fault, diag);
    if (status == STATUS_OK)
        status = input.size == 0 ? refuse(path, "it is empty", diag)
                                 : decode(path, &input, &found, diag);
    if (status == STATUS_OK) {
        found.png = (const unsigned char *)arena_copy(arena, input.data, input.size);
        found.size = input.size;
        status = found.png == NULL ? diag_no_memory(diag) : STATUS_OK;
    }
    if (status == STATUS_OK)
        *logo = found;
    input_fini(&input);
    return status;
}
