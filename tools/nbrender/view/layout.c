#include "nbrender/view/view.h"

#define GAP 270 /* picture heights over a gap */

/* Of the parity that leaves two panes of one size. */
static int gap_of(int length, int wanted)
{
    return wanted + (length - wanted) % 2;
}

static void fill_quad(struct layout *layout, int width, int height)
{
    static const struct layout_pane from[4] = {
        {.fixed = true, .azimuth_deg = -90, .elevation_deg = 90},
        {.fixed = false},
        {.fixed = true, .azimuth_deg = -90},
        {.fixed = true},
    };
    int wanted = height / GAP > 2 ? height / GAP : 2, gap_x = gap_of(width, wanted), gap_y = gap_of(height, wanted);
    for (int k = 0; k < 4; k++) {
        struct layout_pane *p = &layout->pane[k];
        *p = from[k];
        p->width = (width - gap_x) / 2;
        p->height = (height - gap_y) / 2;
        p->x = k % 2 ? width - p->width : 0;
        p->y = k / 2 ? height - p->height : 0;
    }
    layout->count = 4;
    layout->main = 1;
}

void layout_fill(struct layout *layout, enum layout_kind kind, int width, int height)
{
    const struct layout_pane whole = {.width = width, .height = height};
    *layout = (struct layout){.count = kind == LAYOUT_STEREO ? 2 : 1, .pane = {whole, whole}};
    for (int k = 0; k < 2 && kind == LAYOUT_STEREO; k++)
        layout->pane[k].eye = 2 * k - 1;
    if (kind == LAYOUT_QUAD)
        fill_quad(layout, width, height);
}
