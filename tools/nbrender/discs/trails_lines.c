/* Draws trails as lines, in pictures of discs. */
#include "nbrender/discs/discs.h"
#include "nbrender/motion/motion.h"

#define PIECE      4.0 /* approximate length of a straight piece of a trail, pixels */
#define PIECES_MAX 256
#define BRIGHTEST  0.7 /* brightness of a trail at the body, 0 to 1 */

struct lines {
    const struct period *period;
    const struct nb_view *view;
    const float (*ramp)[4];
    double radius;
    struct picture *picture;
};

/* Draws a straight piece of a trail. A piece that crosses a border of a periodic box is drawn once at each side. */
static void draw_piece(const struct lines *l, const double from[3], const double to[3], const float colour[3])
{
    const double *const ends[2] = {from, to};
    double shift[2][2] = {{0}}, x[3], at[2][2];
    for (int k = 0; k < 2; k++) {
        memcpy(x, ends[k], sizeof x);
        period_wrap(l->period, x, shift[k]);
        if (k && shift[0][0] == shift[1][0] && shift[0][1] == shift[1][1])
            return;
        for (int e = 0; e < 2; e++) {
            for (int d = 0; d < 3; d++)
                x[d] = ends[e][d] + (d < 2 ? shift[k][d] : 0);
            view_project(l->view, x, at[e]);
        }
        stroke_line(l->picture, at[0], at[1], l->radius, colour);
    }
}

static void draw_way(void *context, const struct trail_way *w)
{
    const struct lines *l = context;
    const int pieces = (int)fmin(fmax(ceil(trail_length(w, l->view) / PIECE), 1), PIECES_MAX);
    double last[3];
    for (int k = 0; k <= pieces; k++) {
        double x[3], age = trail_at(w, (double)k / pieces, x), light = BRIGHTEST * fmax(1 - age, 0);
        float colour[3];
        for (int d = 0; d < 3; d++)
            colour[d] = (float)light * l->ramp[w->to->step][d];
        if (k && light > 0)
            draw_piece(l, last, x, colour);
        memcpy(last, x, sizeof last);
    }
}

void trails_draw(const struct trails *t, const struct nb_view *view, const float (*ramp)[4], double radius,
                 struct picture *p)
{
    struct lines lines = {trails_period(t), view, ramp, radius, p};
    trails_walk(t, draw_way, &lines);
}
