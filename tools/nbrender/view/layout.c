/* Divides a picture into panes. */
#include "nbrender/view/view.h"

#define GAP 270 /* the gap between panes is (picture height / GAP) pixels wide, at least 2 */

/* Returns the width of the gap between two panes in a picture of `length` pixels: `wanted` pixels, or one pixel more if
 * the panes would not have equal sizes otherwise. */
static int gap_of(int length, int wanted)
{
    return wanted + (length - wanted) % 2;
}

/* In the layout of four panes, replaces pane 1 (perspective) by two panes, for the left and the right eye. Both panes
 * have the rectangle of pane 1. */
static void split_eyes(struct panes *p)
{
    for (int k = p->count++; k > 1; k--)
        p->pane[k] = p->pane[k - 1];
    p->pane[1].place.eye = -1;
    p->pane[2].place.eye = 1;
}

static void fill_quad(struct panes *p, int width, int height)
{
    static const struct layout_pane from[4] = {
        {.fixed = true, .azimuth_deg = -90, .elevation_deg = 90},
        {.fixed = false},
        {.fixed = true, .azimuth_deg = -90},
        {.fixed = true},
    };
    int wanted = height / GAP > 2 ? height / GAP : 2, gap_x = gap_of(width, wanted), gap_y = gap_of(height, wanted);
    for (int k = 0; k < 4; k++) {
        struct layout_pane *place = &p->pane[k].place;
        *place = from[k];
        place->width = (width - gap_x) / 2;
        place->height = (height - gap_y) / 2;
        place->x = k % 2 ? width - place->width : 0;
        place->y = k / 2 ? height - place->height : 0;
    }
    p->count = 4;
    p->main = &p->pane[1];
}

void layout_fill(struct panes *p, enum layout_kind kind, int width, int height)
{
    *p = (struct panes){.count = kind == LAYOUT_STEREO ? 2 : 1, .main = &p->pane[0]};
    for (int k = 0; k < p->count; k++)
        p->pane[k].place =
            (struct layout_pane){.width = width, .height = height, .eye = kind == LAYOUT_STEREO ? 2 * k - 1 : 0};
    if (kind == LAYOUT_QUAD || kind == LAYOUT_STEREO_QUAD)
        fill_quad(p, width, height);
    if (kind == LAYOUT_STEREO_QUAD)
        split_eyes(p);
    if (layout_is_round(kind))
        sphere_layout(p, kind, width, height);
}
