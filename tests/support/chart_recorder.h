#ifndef RANKLEDGER_CHART_RECORDER_H
#define RANKLEDGER_CHART_RECORDER_H

#include "canvas_cairo.h"
#include "chart.h"
#include "measure_cache.h"
#include "recording_canvas.h"
#include "summary_sample.h"
#include "texts.h"
#include "theme_default.h"

/*
 * Draws a chart of a sample onto a recording canvas. Aborts the test with Criterion's assertions
 * when something that the test does not ask about fails.
 */
struct chart_recorder {
    struct summary summary;
    struct texts texts;
    struct canvas_cairo *fonts;  /* NULL: texts are measured by rule */
    struct measure_cache *cache; /* what the fonts measured */
    const struct theme *theme;   /* theme_default(), to be changed */
    double width;                /* of the page: CHART_WIDTH, to be changed */
    size_t first_row, row_count; /* of the page: all, to be changed */
    bool below_heading;          /* false, to be changed */
    struct recording_canvas canvas;
};

/* Makes the sample and loads the language; `real` fonts or the rule. */
void chart_recorder_init(struct chart_recorder *recorder, enum summary_sample_kind kind,
                         size_t count, const char *language, bool real);
/* Takes another sample; language and fonts stay. */
void chart_recorder_change(struct chart_recorder *recorder, enum summary_sample_kind kind,
                           size_t count);
void chart_recorder_draw(struct chart_recorder *recorder, const char *chart);
/* The first item with this text; fails the test where there is none. */
const struct recording_item *chart_recorder_text(const struct chart_recorder *recorder,
                                                 const char *text);
void chart_recorder_fini(struct chart_recorder *recorder);

const struct chart_row *chart_recorder_row(const char *name);

#endif
