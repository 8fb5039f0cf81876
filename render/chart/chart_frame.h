#ifndef RANKLEDGER_CHART_FRAME_H
#define RANKLEDGER_CHART_FRAME_H

#include "chart.h"
#include "chart_cell.h"
#include "chart_order.h"
#include "chart_sign.h"
#include "scene.h"
#include "texts.h"
#include "theme.h"

/*
 * What all charts have in common: a page with title, subtitle, notices and legend above, the
 * source line below, and one row a candidate between them. A chart fills it from above to below;
 * `y` is the upper edge of the free space.
 */

#define CHART_FRAME_MARGIN 24.0
/* Of more candidates the best ranked are shown, and the chart says so. A taller picture would be
 * unreadable on a page and beyond what picture formats hold. */
#define CHART_FRAME_ROWS 60

struct chart_frame {
    struct scene scene;
    const struct chart_input *input;
    const struct summary_group *group;
    const struct texts *texts;
    const struct theme *theme;
    double width, content;          /* of the page; of it without its margins */
    struct chart_order_rows every;  /* all candidates: an axis must hold their values */
    struct chart_order_rows rows;   /* those of this page, a part of `every` */
    bool of_group;                  /* it has no row a candidate, so that none is left out */
    double y, head;                 /* the title ends at `head` */
    struct text_buffer description; /* the chart's content in words */
};

/* A zeroed frame is safe to fini; an initialised one borrows everything that it is given. */
enum status chart_frame_init(struct chart_frame *frame, const struct chart_input *input,
                             struct canvas *canvas, struct diag *diag) STATUS_CHECKED;
void chart_frame_fini(struct chart_frame *frame);

/* The text of a buffer, moved into the scene's arena. */
const char *chart_frame_take(struct chart_frame *frame, struct text_buffer *buffer);
/* A text of the language with its placeholders filled, in the scene's arena. */
const char *chart_frame_say(struct chart_frame *frame, const char *id,
                            const struct sentence_value *values, size_t count);
/* The same with one placeholder whose value is a text. */
const char *chart_frame_say1(struct chart_frame *frame, const char *id, const char *name,
                             const char *value);
/* A fraction as "87.3 %" (one decimal, two below 1 %), in the scene's arena; `exact`, for limits,
 * drops zeros: "25 %". */
const char *chart_frame_percent(struct chart_frame *frame, double fraction, bool exact);

/* Title, subtitle, the group's label when there are several, and the notices that hold for every
 * chart (evidence level, candidates left out). */
void chart_frame_header(struct chart_frame *frame, const char *title, const char *subtitle);
void chart_frame_notice(struct chart_frame *frame, const char *text);

/* A quiet sentence below the rows, which the description has, too. */
void chart_frame_sentence(struct chart_frame *frame, enum theme_font font, const char *text,
                          double gap);

struct chart_frame_key {
    enum theme_area area;
    const char *text;
    const struct theme_series *series; /* a line with its marker instead of an area; NULL: area */
};

/* What areas mean, in the order of a legend: the keys of those that are on the page. `keys` has
 * room for all of them; returns how many there are. */
struct chart_frame_meaning {
    enum theme_area area;
    const char *id;
};
struct chart_frame_meanings {
    const struct chart_frame_meaning *items;
    size_t count;
};
size_t chart_frame_keys_of(const struct chart_frame *frame, const bool areas[THEME_AREA_COUNT],
                           const struct chart_frame_meanings *meanings,
                           struct chart_frame_key *keys);

/* A row (or more) of swatches, or lines with markers, with their meaning. */
void chart_frame_legend(struct chart_frame *frame, const struct chart_frame_key *keys,
                        size_t count);

/* The same, followed by signs. */
struct chart_frame_keys {
    const struct chart_frame_key *items;
    size_t count;
};
struct chart_sign_key {
    enum chart_sign sign;
    const char *text;
};
void chart_frame_legend_signs(struct chart_frame *frame, const struct chart_frame_keys *keys,
                              const struct chart_sign_key *signs, size_t sign_count);

/* One page of several: some rows are on another. */
bool chart_frame_is_slice(const struct chart_frame *frame);

/* A style without a mark whose last line is cut at its end. */
struct chart_cell_style chart_frame_style(const struct chart_frame *frame, enum theme_font font,
                                          enum theme_ink ink, double width, size_t lines);

/* Whether the group's decision accepts this candidate; the selection's first need not be it. */
bool chart_frame_chosen(const struct chart_frame *frame, const struct summary_candidate *candidate);

/* A candidate's label, else its strategy, else that it is not stated. */
const char *chart_frame_name(const struct chart_frame *frame,
                             const struct summary_candidate *candidate);

/* A candidate's name with what became of it: selected, not eligible and why. */
struct chart_cell chart_frame_label(struct chart_frame *frame,
                                    const struct summary_candidate *candidate, double width);

/* Adds a row to the description: the lines of its cells. */
void chart_frame_describe(struct chart_frame *frame, const struct chart_cell *label,
                          const struct chart_cell *value, const struct chart_cell *note);

/* Whether a gate (NULL: there is none) has the verdict. */
bool chart_frame_is(const struct summary_gate *gate, const char *verdict);

/* Adds the source line and draws the page. */
enum status chart_frame_finish(struct chart_frame *frame, const char *title,
                               struct diag *diag) STATUS_CHECKED;

#endif
