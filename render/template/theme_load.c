#include "theme_load.h"

#include <string.h>

#include "text_buffer.h"

enum scheme { LIGHT, DARK, SCHEME_COUNT };

struct reading {
    struct theme_load *load;
    const struct template_file *file;
    struct arena *arena;
    struct diag *diag;
};

/* The known members of an object, in the order of their values. */
static enum status members(const struct reading *reading, uint32_t object,
                           const struct template_file_names *names, uint32_t *values)
{
    enum status status = template_file_members(reading->file, object, names, values, reading->diag);
    for (size_t i = 0; i < names->count && reading->load->complete && status == STATUS_OK; i++)
        if (values[i] == JSON_READ_NONE)
            status = json_read_refuse(&reading->file->source, object, reading->diag,
                                      "the built-in theme lacks \"%s\"", names->name(i));
    return status;
}

/* The same of an object whose members may all be absent. */
static enum status optional(const struct reading *reading, uint32_t object,
                            const struct template_file_names *names, uint32_t *values)
{
    return template_file_members(reading->file, object, names, values, reading->diag);
}

/* One value of a kind: the fonts, the inks ... */
typedef enum status read_one(const struct reading *reading, uint32_t node, size_t index);

/* Reads the values of one kind, of which an object may lack some. */
static enum status read_each(const struct reading *reading, uint32_t object,
                             const struct template_file_names *names, read_one *read)
{
    uint32_t values[THEME_ROLE_COUNT]; /* no kind has more than all */
    enum status status = members(reading, object, names, values);
    for (size_t i = 0; i < names->count && status == STATUS_OK; i++)
        if (values[i] != JSON_READ_NONE)
            status = read(reading, values[i], i);
    return status;
}

/* ---- Colours ---- */

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

static enum status read_colour(const struct reading *reading, uint32_t node, canvas_colour *colour)
{
    static const char expected[] = "a colour such as \"#12436d\"";
    enum status status =
        template_file_expect(reading->file, node, JSON_READ_STRING, expected, reading->diag);
    if (status != STATUS_OK)
        return status;
    char text[9];
    size_t length = json_read_string(&reading->file->document, node, text, sizeof text);
    canvas_colour value = 0;
    bool sound = length == 7 && text[0] == '#';
    for (size_t i = 1; i < 7 && sound; i++) {
        int digit = hex_digit(text[i]);
        sound = digit >= 0;
        value = value << 4 | (canvas_colour)(digit & 0xF);
    }
    if (!sound)
        return template_file_refuse(reading->file, node, expected, reading->diag);
    *colour = value;
    return STATUS_OK;
}

static const char *scheme_name(size_t scheme)
{
    return scheme == LIGHT ? "light" : "dark";
}

/* A colour of both schemes; what a role does not have yet needs both. */
static enum status read_pair(const struct reading *reading, uint32_t node, size_t role)
{
    static const struct template_file_names names = {scheme_name, SCHEME_COUNT, "colour scheme"};
    struct theme *themes[SCHEME_COUNT] = {&reading->load->light, &reading->load->dark};
    uint32_t values[SCHEME_COUNT];
    enum status status = optional(reading, node, &names, values);
    for (size_t i = 0; i < SCHEME_COUNT && status == STATUS_OK; i++) {
        canvas_colour colour = theme_role_get(themes[i], role);
        if (values[i] == JSON_READ_NONE && (colour == CANVAS_NONE || reading->load->complete))
            return json_read_refuse(&reading->file->source, node, reading->diag,
                                    "expected a member \"%s\", found none: there is no colour yet "
                                    "that could stay",
                                    scheme_name(i));
        if (values[i] == JSON_READ_NONE)
            continue;
        status = read_colour(reading, values[i], &colour);
        theme_role_set(themes[i], role, colour);
    }
    if (status == STATUS_OK)
        reading->load->places[role] = node;
    return status;
}

/* The same of a part of an area, which may be "none". */
static enum status read_part(const struct reading *reading, uint32_t node, size_t role)
{
    if (!json_read_is(&reading->file->document, node, JSON_READ_STRING))
        return read_pair(reading, node, role);
    if (!json_read_equals(&reading->file->document, node, "none"))
        return template_file_refuse(reading->file, node,
                                    "an object with a light and a dark colour, or \"none\"",
                                    reading->diag);
    theme_role_set(&reading->load->light, role, CANVAS_NONE);
    theme_role_set(&reading->load->dark, role, CANVAS_NONE);
    reading->load->places[role] = node;
    return STATUS_OK;
}

static enum status read_inks(const struct reading *reading, uint32_t object)
{
    static const struct template_file_names names = {theme_role_ink, THEME_INK_COUNT, "ink"};
    return read_each(reading, object, &names, read_pair);
}

/* ---- Areas ---- */

enum { AREA_WIDTH = THEME_ROLE_PARTS, AREA_DASH, AREA_MEMBERS };

static const char *area_member(size_t member)
{
    return member == AREA_WIDTH ? "width" : member == AREA_DASH ? "dash" : theme_role_part(member);
}

static enum status read_area(const struct reading *reading, uint32_t object, size_t area)
{
    static const struct template_file_names names = {area_member, AREA_MEMBERS, "part of an area"};
    static const double widths[2] = {0, 4};
    static const double dashes[2] = {0, 20};
    uint32_t values[AREA_MEMBERS];
    struct canvas_paint *light = &reading->load->light.area[area];
    struct canvas_paint *dark = &reading->load->dark.area[area];
    enum status status = optional(reading, object, &names, values);
    for (size_t i = 0; i < THEME_ROLE_PARTS && status == STATUS_OK; i++)
        if (values[i] != JSON_READ_NONE)
            status = read_part(reading, values[i], THEME_ROLE_AREAS + area * THEME_ROLE_PARTS + i);
    if (status == STATUS_OK)
        status = template_file_number(reading->file, values[AREA_WIDTH], widths, &light->width,
                                      reading->diag);
    if (status == STATUS_OK)
        status = template_file_number(reading->file, values[AREA_DASH], dashes, &light->dash,
                                      reading->diag);
    dark->width = light->width;
    dark->dash = light->dash;
    return status;
}

static enum status read_areas(const struct reading *reading, uint32_t object)
{
    static const struct template_file_names names = {theme_role_area, THEME_AREA_COUNT, "area"};
    return read_each(reading, object, &names, read_area);
}

/* ---- Series ---- */

enum { SERIES_COLOUR, SERIES_DASH, SERIES_MARKER, SERIES_MEMBERS };

static const char *series_member(size_t member)
{
    static const char *const names[SERIES_MEMBERS] = {"colour", "dash", "marker"};
    return names[member];
}

static enum status read_marker(const struct reading *reading, uint32_t node,
                               enum theme_marker *marker)
{
    static const struct template_file_names names = {theme_role_marker, THEME_ROLE_MARKERS,
                                                     "marker"};
    size_t index = *marker;
    enum status status = STATUS_OK;
    if (node != JSON_READ_NONE)
        status = template_file_choose(reading->file, node, &names, &index, reading->diag);
    *marker = (enum theme_marker)index;
    return status;
}

static enum status read_one_series(const struct reading *reading, uint32_t object, size_t index)
{
    static const struct template_file_names names = {series_member, SERIES_MEMBERS,
                                                     "part of a series"};
    static const double dashes[2] = {0, 20};
    uint32_t values[SERIES_MEMBERS];
    struct theme_series *light = &reading->load->light.series[index];
    struct theme_series *dark = &reading->load->dark.series[index];
    enum status status = members(reading, object, &names, values);
    if (status == STATUS_OK && values[SERIES_COLOUR] != JSON_READ_NONE)
        status = read_pair(reading, values[SERIES_COLOUR], THEME_ROLE_SERIES + index);
    if (status == STATUS_OK)
        status = template_file_number(reading->file, values[SERIES_DASH], dashes, &light->dash,
                                      reading->diag);
    if (status == STATUS_OK)
        status = read_marker(reading, values[SERIES_MARKER], &light->marker);
    dark->dash = light->dash;
    dark->marker = light->marker;
    return status;
}

static enum status read_series(const struct reading *reading, uint32_t object)
{
    static const struct template_file_names names = {theme_role_series, THEME_SERIES_COUNT,
                                                     "series"};
    return read_each(reading, object, &names, read_one_series);
}

/* ---- Fonts ---- */

enum { FONT_SIZE, FONT_BOLD, FONT_MEMBERS };

static const char *font_member(size_t member)
{
    return member == FONT_SIZE ? "size" : "bold";
}

static enum status read_font(const struct reading *reading, uint32_t object, size_t index)
{
    static const struct template_file_names names = {font_member, FONT_MEMBERS, "part of a font"};
    /* below 8 pixels nobody reads, above 32 the charts' pages have no room */
    static const double sizes[2] = {8, 32};
    uint32_t values[FONT_MEMBERS];
    struct canvas_font *font = &reading->load->light.font[index];
    enum status status = members(reading, object, &names, values);
    if (status == STATUS_OK)
        status = template_file_number(reading->file, values[FONT_SIZE], sizes, &font->size,
                                      reading->diag);
    if (status == STATUS_OK)
        status = json_read_get_bool(&reading->file->source, object, "bold", JSON_READ_OPTIONAL,
                                    &font->bold, reading->diag);
    reading->load->dark.font[index] = *font;
    return status;
}

static enum status read_fonts(const struct reading *reading, uint32_t object)
{
    static const struct template_file_names names = {theme_role_font, THEME_FONT_COUNT, "font"};
    return read_each(reading, object, &names, read_font);
}

/* A list with commas between, as fontconfig takes it; so no family may have one. */
static enum status read_families(const struct reading *reading, uint32_t array)
{
    static const char expected[] = "a list of at least one font family";
    const struct json_read_document *json = &reading->file->document;
    struct text_buffer list = {0};
    enum status status =
        template_file_expect(reading->file, array, JSON_READ_ARRAY, expected, reading->diag);
    if (status == STATUS_OK && json_read_count(json, array) == 0)
        status = json_read_refuse(&reading->file->source, array, reading->diag,
                                  "expected %s, found an empty list", expected);
    for (uint32_t node = status == STATUS_OK ? json_read_first(json, array) : JSON_READ_NONE;
         node != JSON_READ_NONE && status == STATUS_OK; node = json_read_next(json, array, node)) {
        const char *family = "";
        status =
            template_file_text(reading->file, node, 100, reading->arena, &family, reading->diag);
        if (status == STATUS_OK && strpbrk(family, ",\"\\") != NULL)
            status = template_file_refuse(reading->file, node,
                                          "one font family, without comma, quote or backslash",
                                          reading->diag);
        text_buffer_printf(&list, "%s%s", list.length > 0 ? "," : "", family);
    }
    if (status == STATUS_OK) {
        char *copy = list.failed ? NULL : arena_copy(reading->arena, list.text, list.length);
        reading->load->light.families = reading->load->dark.families = copy;
        status = copy == NULL ? diag_no_memory(reading->diag) : STATUS_OK;
    }
    text_buffer_fini(&list);
    return status;
}

/* ---- The file ---- */

typedef enum status read_member(const struct reading *reading, uint32_t node);

static const struct {
    const char *name;
    read_member *read;
} rows[] = {{"families", read_families},
            {"fonts", read_fonts},
            {"inks", read_inks},
            {"areas", read_areas},
            {"series", read_series}};
#define ROW_COUNT (sizeof rows / sizeof rows[0])

static const char *row_name(size_t row)
{
    return rows[row].name;
}

enum status theme_load_file(struct theme_load *load, const struct template_file *file,
                            struct arena *arena, struct diag *diag)
{
    static const struct template_file_names names = {row_name, ROW_COUNT, "part of a theme"};
    const struct reading reading = {load, file, arena, diag};
    uint32_t values[ROW_COUNT];
    for (size_t i = 0; i < THEME_ROLE_COUNT; i++)
        load->places[i] = JSON_READ_NONE;
    enum status status = members(&reading, 0, &names, values);
    for (size_t i = 0; i < ROW_COUNT && status == STATUS_OK; i++)
        if (values[i] != JSON_READ_NONE)
            status = rows[i].read(&reading, values[i]);
    return status;
}
