/* Draws trails as light, as rows of points along the paths. */
#include "nbrender/discs/discs.h"

#include "base/portable.h"
#include "nbrender/motion/motion.h"

#define HEAD 0.4 /* brightness of a trail at its body, as a fraction of white, if there is only one trail */
/* The distance between neighbouring points of a trail is (picture height) / APART, but at least one pixel. */
#define APART      540
#define WIDE       2.0 /* width of a trail, as a multiple of the distance of its points */
#define PIECES_MAX 4096

struct points {
    const struct period *period;
    const struct nb_view *view;
    double apart; /* distance between neighbouring points of a trail, pixels */
    double unit;  /* light of a point of the trail close to the body, for a body with light 1 */
    uint64_t count, room;
    double (*pos)[3];
    float *light;
    uint16_t *step;
};

static void make_room(struct points *p, uint64_t more)
{
    if (p->count + more <= p->room)
        return;
    p->room = 2 * (p->count + more);
    p->pos = claimed(nb_realloc_array(p->pos, p->room, sizeof *p->pos), "no memory for the trails");
    p->light = claimed(nb_realloc_array(p->light, p->room, sizeof *p->light), "no memory for the trails");
    p->step = claimed(nb_realloc_array(p->step, p->room, sizeof *p->step), "no memory for the trails");
}

static void add_way(void *context, const struct trail_way *w)
{
    struct points *p = context;
    /* apart: (length of the path) / (distance between neighbouring points); pieces: number of points, which is `apart`
     * rounded up */
    const double apart = fmin(trail_length(w, p->view) / p->apart, PIECES_MAX);
    const int pieces = (int)ceil(apart);
    const double light = p->unit * (double)w->to->light * apart / pieces;
    make_room(p, (uint64_t)pieces);
    for (int k = 0; k < pieces; k++) {
        double shift[2];
        const double age = trail_at(w, (k + 0.5) / pieces, p->pos[p->count]);
        period_wrap(p->period, p->pos[p->count], shift);
        p->light[p->count] = (float)(light * (1 - age));
        p->step[p->count] = w->to->step;
        p->count += age < 1;
    }
}

void trails_shine(const struct trails *t, double white, struct panes *panes, const struct nb_light_bodies *lit)
{
    const struct pane *main = panes->main;
    const double height = main->place.height, apart = fmax(height / APART, 1);
    /* If there are many trails, each has less light, because trails cross and their light adds up. */
    const double head = white * HEAD / cbrt((double)trails_count(t));
    struct points p = {trails_period(t), &main->view, apart, head * WIDE * pow(apart / height, 2)};
    trails_walk(t, add_way, &p);
    const struct nb_column pos = {.name = "pos", .type = NB_F64, .width = 3, .data = p.pos};
    const struct nb_light_bodies light = {
        .n = p.count, .pos = &pos, .light = p.light, .step = p.step, .ramp = lit->ramp, .share = 1};
    if (p.count > 0 && white > 0)
        panes_put(panes, &light, false);
    free(p.pos);
    free(p.light);
    free(p.step);
}
