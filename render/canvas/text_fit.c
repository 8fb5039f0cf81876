#include "text_fit.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "text.h"

/* More than six lines of a page's width hold, in Latin and in Chinese; see text_fit.h. */
#define BYTES_MAX ((size_t)4096)
#define MARKS_MAX 4
#define ZERO_WIDTH_JOINER 0x200D
/* Three points: U+2026 stands at half height in Chinese fonts, which looks odd after Latin. */
static const char ellipsis[] = "...";

struct unit {
    size_t offset; /* into the clean text */
    uint32_t code;
    unsigned char columns; /* 0: joins the unit before it */
};

struct work {
    struct arena *arena;
    struct canvas *canvas;
    const struct canvas_font *font;
    double width;
    const char *text; /* clean */
    struct unit *units;
    size_t count;  /* units[count].offset is the length */
    bool more;     /* the input went on */
    bool anywhere; /* every place between characters is one to break at */
    bool failed;
};

/* The input up to BYTES_MAX, cut between characters. */
static size_t bounded_length(const char *text, bool *more)
{
    size_t length = strnlen(text, BYTES_MAX + 1);
    *more = length > BYTES_MAX;
    if (!*more)
        return length;
    length = BYTES_MAX;
    while (length > 0 && ((unsigned char)text[length] & 0xC0) == 0x80)
        length--;
    return length;
}

static void split_units(struct work *work, const char *text, size_t length)
{
    char *clean = arena_take(work->arena, length + 1);
    work->units = arena_take_array(work->arena, length + 1, sizeof *work->units);
    if (clean == NULL || work->units == NULL) {
        work->failed = true;
        return;
    }
    size_t used = 0;
    size_t marks = 0;
    for (size_t i = 0, size = 0; i < length; i += size) {
        uint32_t code = 0;
        size = text_decode(text + i, length - i, &code);
        size = size > 0 ? size : 1;
        size_t columns = text_width(text + i, size);
        marks = columns == 0 ? marks + 1 : 0;
        if (marks > MARKS_MAX)
            continue;
        work->units[work->count++] = (struct unit){used, code, (unsigned char)columns};
        memcpy(clean + used, text + i, size);
        used += size;
    }
    work->units[work->count].offset = used;
    work->text = clean;
}

static void prepare(struct work *work, const char *text, size_t length)
{
    struct text_buffer safe = {0};
    text_escape(&safe, text, length);
    if (safe.failed)
        work->failed = true;
    else
        split_units(work, safe.text != NULL ? safe.text : "", safe.length);
    text_buffer_fini(&safe);
}

/* ---- Where a line may end ---- */

static bool is_in(uint32_t code, const uint32_t *set, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (set[i] == code)
            return true;
    }
    return false;
}

/* Marks that may not begin, and may not end, a line of Chinese (GB/T 15834-2011, section 5.1). */
static const uint32_t closing[] = {0xFF0C, 0x3002, 0x3001, 0xFF1B, 0xFF1A, 0xFF01, 0xFF1F, 0xFF09,
                                   0x300B, 0x300D, 0x300F, 0x3011, 0x3009, 0x201D, 0x2019, '%',
                                   ')',    ',',    '.',    ';',    ':',    0x00B7};
static const uint32_t opening[] = {0xFF08, 0x300A, 0x300C, 0x300E, 0x3010,
                                   0x3008, 0x201C, 0x2018, '('};

static bool may_break(const struct work *work, size_t at)
{
    const struct unit *before = &work->units[at - 1];
    const struct unit *after = &work->units[at];
    if (after->columns == 0 || before->code == ZERO_WIDTH_JOINER)
        return false;
    /* "25 %" stays together */
    const struct unit *next = after->code == ' ' ? after + 1 : after;
    if ((before->code == ' ' || after->code == ' ') && next->code == '%' && !work->anywhere)
        return false;
    if (before->code == ' ' || after->code == ' ' || work->anywhere)
        return true;
    bool digit = after->code >= '0' && after->code <= '9';
    if (before->code < 0x80 && memchr("-/_|+=,;:", (int)before->code, 9) != NULL)
        return !digit || before->code == '/' || before->code == '_';
    if (before->columns < 2 && after->columns < 2)
        return false;
    return !is_in(after->code, closing, sizeof closing / sizeof closing[0]) &&
           !is_in(before->code, opening, sizeof opening / sizeof opening[0]);
}

/* ---- Measuring ---- */

static struct canvas_extent extent_of(const struct work *work, size_t from, size_t to)
{
    size_t start = work->units[from].offset;
    return work->canvas->backend->measure(work->canvas, work->font, work->text + start,
                                          work->units[to].offset - start);
}

/* About as many units as fill `width`: half an em a column, a little less than fonts take. */
static size_t likely_run(const struct work *work, size_t from, double width)
{
    double columns = width / (0.48 * work->font->size);
    size_t to = from;
    while (to < work->count && columns > 0)
        columns -= work->units[to++].columns;
    return to > from ? to : from + 1;
}

/*
 * The most units from `from` that are at most `width` wide. A measure tells how wide a unit is on
 * average, and with it where the end lies; each narrows the range in which it can lie.
 */
static size_t widest_fit(const struct work *work, size_t from, double width)
{
    size_t fits = from;
    size_t fails = work->count + 1;
    size_t probe = likely_run(work, from, width);
    for (size_t tries = 0; fails - fits > 1 && fits < work->count; tries++) {
        if (tries > 8) /* widths that differ much: by halves */
            probe = fits + (fails - fits) / 2;
        probe = probe <= fits ? fits + 1 : probe >= fails ? fails - 1 : probe;
        double taken = extent_of(work, from, probe).width;
        size_t next = from + (size_t)((double)(probe - from) * width / fmax(taken, 1e-6));
        if (taken <= width)
            fits = probe;
        else
            fails = probe;
        probe = next < work->count ? next : work->count;
    }
    return fits;
}

/* The same, never inside a character with its marks, and at least one character. */
static size_t longest_run(const struct work *work, size_t from, double width)
{
    size_t fits = widest_fit(work, from, width);
    while (fits > from && fits < work->count && work->units[fits].columns == 0)
        fits--;
    if (fits > from)
        return fits;
    for (fits = from + 1; fits < work->count && work->units[fits].columns == 0;)
        fits++;
    return fits;
}

static size_t trimmed_end(const struct work *work, size_t from, size_t to)
{
    while (to > from && work->units[to - 1].code == ' ')
        to--;
    return to;
}

/* Adds `head`, units [from, to) and `tail` as a line. */
static void add_line(struct work *work, struct text_fit *fit, size_t from, size_t to,
                     const char *head_tail[2])
{
    size_t start = work->units[from].offset;
    size_t length = work->units[to].offset - start;
    size_t head = strlen(head_tail[0]);
    size_t tail = strlen(head_tail[1]);
    char *line = arena_take(work->arena, head + length + tail + 1);
    if (line == NULL) {
        work->failed = true;
        return;
    }
    memcpy(line, head_tail[0], head);
    memcpy(line + head, work->text + start, length);
    memcpy(line + head + length, head_tail[1], tail + 1);
    fit->lines[fit->count++] = (struct text_fit_line){
        line, work->canvas->backend->measure(work->canvas, work->font, line, head + length + tail)};
}

/* The start of the longest run up to the end that is at most `width` wide. */
static size_t longest_end(const struct work *work, size_t from, double width)
{
    size_t fails = from;
    size_t fits = work->count;
    while (fits - fails > 1) {
        size_t middle = fails + (fits - fails) / 2;
        /* A measure of a far longer run says no more than one of a little longer run. */
        size_t most = (size_t)(width / work->font->size * 8) + 16;
        bool too_long = work->count - middle > most;
        if (!too_long && extent_of(work, middle, work->count).width <= width)
            fits = middle;
        else
            fails = middle;
    }
    while (fits < work->count && (work->units[fits].columns == 0 || work->units[fits].code == ' '))
        fits++;
    return fits;
}

static void add_last_line(struct work *work, struct text_fit *fit, size_t from, bool keep_end)
{
    size_t dots = sizeof ellipsis - 1;
    double room = work->width -
                  work->canvas->backend->measure(work->canvas, work->font, ellipsis, dots).width;
    fit->cut = true;
    if (keep_end && !work->more) {
        size_t start = longest_end(work, from, room);
        add_line(work, fit, start, work->count, (const char *[]){ellipsis, ""});
        return;
    }
    size_t to = trimmed_end(work, from, longest_run(work, from, room));
    add_line(work, fit, from, to, (const char *[]){"", ellipsis});
}

/* The last place to break in units (from, to], or `to`. */
static size_t break_before(const struct work *work, size_t from, size_t to)
{
    for (size_t best = to; best > from; best--)
        if (may_break(work, best))
            return best;
    return to;
}

static void break_lines(struct work *work, struct text_fit *fit, size_t lines, bool keep_end)
{
    size_t from = 0;
    while (!work->failed) {
        while (from < work->count && work->units[from].code == ' ')
            from++;
        if (from == work->count)
            return;
        size_t to = longest_run(work, from, work->width);
        bool whole = trimmed_end(work, from, work->count) <= to && !work->more;
        if (fit->count + 1 == lines && !whole) {
            add_last_line(work, fit, from, keep_end);
            return;
        }
        to = whole ? work->count : break_before(work, from, to);
        add_line(work, fit, from, trimmed_end(work, from, to), (const char *[]){"", ""});
        from = to;
    }
}

enum status text_fit(struct arena *arena, struct canvas *canvas, const struct canvas_font *font,
                     const char *text, struct text_fit_room room, struct text_fit *fit,
                     struct diag *diag)
{
    struct work work = {.arena = arena, .canvas = canvas, .font = font, .width = room.width};
    struct text_fit result = {0};
    size_t lines = room.lines < 1 ? 1 : room.lines > TEXT_FIT_LINES ? TEXT_FIT_LINES : room.lines;
    size_t length = bounded_length(text, &work.more);
    prepare(&work, text, length);
    if (!work.failed)
        break_lines(&work, &result, lines, room.keep_end);
    if (work.failed)
        return diag_no_memory(diag);
    *fit = result;
    return STATUS_OK;
}

/* The end of the line that begins at `from`. */
static size_t line_end(const struct work *work, size_t from)
{
    size_t to = longest_run(work, from, work->width);
    return trimmed_end(work, from, work->count) <= to ? work->count : break_before(work, from, to);
}

enum status text_lines(struct arena *arena, struct canvas *canvas, const struct canvas_font *font,
                       const char *text, struct text_lines_room room, struct text_lines *lines,
                       struct diag *diag)
{
    struct work work = {.arena = arena,
                        .canvas = canvas,
                        .font = font,
                        .width = room.width,
                        .anywhere = room.anywhere};
    struct text_fit_line *all = NULL;
    size_t count = 0;
    size_t capacity = 0;
    size_t from = 0;
    prepare(&work, text, strlen(text));
    while (!work.failed) {
        while (from < work.count && work.units[from].code == ' ')
            from++;
        if (from == work.count)
            break;
        size_t to = line_end(&work, from);
        struct text_fit line = {0};
        add_line(&work, &line, from, trimmed_end(&work, from, to), (const char *[]){"", ""});
        struct text_fit_line *room_for = arena_room(arena, all, count, &capacity, sizeof *all);
        work.failed |= room_for == NULL;
        if (room_for == NULL)
            break;
        all = room_for;
        all[count++] = line.lines[0];
        from = to;
    }
    if (work.failed)
        return diag_no_memory(diag);
    *lines = (struct text_lines){all, count};
    return STATUS_OK;
}
