#ifndef RANKLEDGER_CHART_SIGN_H
#define RANKLEDGER_CHART_SIGN_H

#include "scene.h"
#include "theme.h"

/* Small signs on and beside bars, drawn the same in a chart and in its legend. Their forms differ,
 * so that none needs its colour. */

enum chart_sign {
    CHART_SIGN_NONE,
    CHART_SIGN_BRACKET,     /* below a bar, from its beginning to where something ends */
    CHART_SIGN_WHISKER,     /* an interval: a line with caps over the end of a bar */
    CHART_SIGN_WHISKER_CUT, /* the same, dashed: an interval of another kind */
    CHART_SIGN_RANGE,       /* a plain line from the smallest sample to the largest */
    CHART_SIGN_DOT,         /* a sample */
    CHART_SIGN_MARK,        /* a stroke across a bar: a value to compare with */
    CHART_SIGN_LINE,        /* the line that counts */
    CHART_SIGN_LINE_THIN,   /* others like it */
    CHART_SIGN_LINE_DASHED, /* a value that holds for all of a panel */
    CHART_SIGN_BAND,        /* the area that many lines cover */
    CHART_SIGN_LIMIT,       /* the line of a limit */
    CHART_SIGN_UPRIGHT,     /* where one part of a run ends and the next begins */
    CHART_SIGN_GREY,        /* a part of a run that does not count */
    CHART_SIGN_CROSS,       /* where a run ended badly */
    CHART_SIGN_RING         /* a point that is spoken of */
};

#define CHART_SIGN_BRACKET_HEIGHT 5.0
#define CHART_SIGN_CAP 10.0 /* height of an interval's caps */

/* Draws a sign from x `from` to `to` around the height `y` (DOT, MARK: at `from`). */
void chart_sign_put(struct scene *scene, const struct theme *theme, enum chart_sign sign,
                    struct canvas_point from, double to);

/* A dot of a sample; small ones are squares, which look the same and weigh less. */
void chart_sign_dot(struct scene *scene, struct canvas_point at, double radius,
                    canvas_colour colour);

/* A stroke of the given height across a bar, with a halo so that it is seen on any ground. */
void chart_sign_mark(struct scene *scene, const struct theme *theme, struct canvas_point at,
                     double height);

/* An open circle around a point. */
void chart_sign_ring(struct scene *scene, const struct theme *theme, struct canvas_point at);

#endif
