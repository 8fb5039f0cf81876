#ifndef RANKLEDGER_CANVAS_PART_H
#define RANKLEDGER_CANVAS_PART_H

#include "scene.h"

/*
 * A canvas whose page becomes a part of another page, at a place and scale: what is drawn on it is
 * added to a scene. The place is asked for when the page begins, for only then its size is known.
 */
struct canvas_part {
    struct canvas canvas; /* first: a canvas is one of these */
    struct canvas *measuring;
    double scale; /* units of the scene to one of the part */
    /* Where a page of this size (in units of the scene) goes: the scene to add to and the upper
     * left corner; NULL: nowhere, and what is drawn is dropped. */
    struct scene *(*place)(void *context, double width, double height, struct canvas_point *corner);
    void *context;
    struct scene *scene;
    struct canvas_point corner;
};

void canvas_part_init(struct canvas_part *part, struct canvas *measuring, double scale);

#endif
