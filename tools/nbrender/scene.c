/* From bodies to a picture: what all of them share, the colours and the exposure, set by the first frame. */
#include "error.h"
#include "light/light.h"
#include "nbrender/colour/colour.h"
#include "nbrender/colour/value.h"
#include "nbrender/motion/shutter.h"
#include "nbrender/nbrender.h"
#include "nbrender/pane.h"
#include "nbrender/view/aim.h"

#include <math.h>
#include <stdlib.h>

struct scene {
    const struct render_options *options;
    bool is_set;
    struct panes panes;
    struct colour_ramp ramp;
    struct colour_scale *scale;
    uint16_t *step; /* of each body */
    uint64_t steps; /* allocated */
    struct nb_device *device;
    struct nb_tone tone;
    struct discs *discs; /* NULL: the bodies are light */
    struct picture few;  /* with discs: the frame drawn last */
};

struct scene *scene_create(const struct render_options *o)
{
    struct scene *s = calloc(1, sizeof *s);
    if (!s)
        die("no memory for the picture");
    s->options = o;
    s->device = nb_device_choose(o->device);
    if (!s->device)
        die("%s", nb_error());
    panes_open(&s->panes, o, s->device);
    colour_ramp_fill(&s->ramp);
    return s;
}

const char *scene_device(const struct scene *s)
{
    return s->device->description;
}

/* ---- what the first frame sets ---- */

static double total_mass(const struct nb_bodies *b)
{
    const struct nb_column *mass = nb_bodies_find(b, "mass");
    double sum = 0;
    for (uint64_t i = 0; i < b->n; i++)
        sum += value_of(mass, i, 0);
    return sum;
}

/* By rank; but speeds of bodies that start at rest say nothing of those to come, so there the scale goes to twice the
 * circular speed about all mass at half the picture's extent. */
static void set_colours(struct scene *s, const struct nb_bodies *b)
{
    const struct colour_options *o = &s->options->colour;
    double extent = 0.5 * s->panes.main->place.width / s->panes.main->view.scale, median = colour_median_speed(b);
    double circular = median > 0 ? 0 : sqrt(fmax(b->meta.G, 0) * total_mass(b) / (0.5 * extent));
    if (o->speed_slow < o->speed_fast)
        s->scale = colour_scale_linear(o->speed_slow, o->speed_fast);
    else if (circular > 0 && isfinite(circular))
        s->scale = colour_scale_linear(0, 2 * circular);
    else
        s->scale = colour_scale_rank(b);
}

static void set_exposure(struct scene *s)
{
    struct nb_light_histogram *h = calloc(1, sizeof *h);
    if (!h)
        die("no memory for the exposure");
    panes_measure(&s->panes, h);
    nb_tone_expose(&s->tone, h, s->options->light.exposure);
    free(h);
}

static void set_style(struct scene *s, const struct nb_bodies *b)
{
    const struct disc_options *o = &s->options->discs;
    if (!s->options->output.linear && discs_wanted(o, b->n)) {
        s->discs = discs_create(o);
        picture_init(&s->few, s->options->width, s->options->height, false);
    } else if (o->trails > 0 || o->labels)
        die("--%s: %llu bodies are drawn as light, without them (--style discs has them)",
            o->trails > 0 ? "trails" : "labels", (unsigned long long)b->n);
}

/* ---- drawing ---- */

static void fill_steps(struct scene *s, const struct nb_bodies *b)
{
    const uint64_t chunk = 1 << 14;
    const struct nb_column *vel = nb_bodies_find(b, "vel");
    if (s->steps < b->n) {
        free(s->step);
        s->step = malloc(b->n * sizeof *s->step);
        s->steps = b->n;
    }
    if (!s->step)
        die("no memory for the colours of %llu bodies", (unsigned long long)b->n);
#pragma omp parallel for schedule(static)
    for (uint64_t i = 0; i < b->n; i += chunk)
        colour_of_speed(s->scale, vel, i, (int)(b->n - i < chunk ? b->n - i : chunk), s->step + i);
}

static void aim_at(struct scene *s, const struct moment *now)
{
    aim_turn(&s->panes, &s->options->view, now->frame);
}

static void put_moment(struct scene *s, const struct moment *now, double share)
{
    fill_steps(s, now->bodies);
    struct nb_light_bodies light = {.n = now->bodies->n,
                                    .pos = nb_bodies_find(now->bodies, "pos"),
                                    .step = s->step,
                                    .ramp = s->ramp.step,
                                    .share = share};
    panes_put(&s->panes, &light);
}

/* Of how many moments the picture is made. */
static int count_moments(struct scene *s, struct motion *m)
{
    struct nb_view closes[LAYOUT_PANES_MAX];
    int most = 1;
    if (motion_open(m) == 0)
        return 1;
    struct moment now = motion_at(m, 1);
    aim_at(s, &now);
    for (int k = 0; k < s->panes.count; k++)
        closes[k] = s->panes.pane[k].view;
    now = motion_at(m, 0);
    aim_at(s, &now);
    for (int k = 0; k < s->panes.count; k++) {
        int moments = shutter_moments(&s->panes.pane[k].view, &closes[k], now.bodies, motion_open(m));
        most = moments > most ? moments : most;
    }
    return most;
}

static void draw_light(struct scene *s, struct motion *m)
{
    int moments = count_moments(s, m);
    panes_clear(&s->panes);
    for (int k = 0; k < moments; k++) {
        struct moment now = motion_at(m, moments > 1 ? (k + 0.5) / moments : 0);
        aim_at(s, &now);
        put_moment(s, &now, 1.0 / moments);
    }
    panes_finish(&s->panes);
    if (!s->is_set)
        set_exposure(s);
}

struct few { /* what paint_discs needs */
    const struct scene *scene;
    const struct nb_bodies *bodies;
};

static void paint_discs(const struct pane *pane, struct picture *picture, void *context)
{
    const struct few *few = context;
    const struct scene *s = few->scene;
    picture_blacken(picture);
    discs_draw(s->discs, few->bodies, &pane->view, s->step, s->ramp.shown, picture);
}

/* Of one moment: what is not light has no blur. */
static void draw_discs(struct scene *s, const struct moment *now)
{
    struct few few = {s, now->bodies};
    aim_at(s, now);
    fill_steps(s, now->bodies);
    discs_note(s->discs, now->bodies, s->step);
    panes_paint(&s->panes, &s->few, paint_discs, &few);
}

void scene_draw(struct scene *s, struct motion *m)
{
    struct moment now = motion_at(m, 0);
    if (!s->is_set && now.bodies->n == 0)
        return;
    if (!s->is_set) {
        aim_first(&s->panes, s->options, now.bodies);
        set_colours(s, now.bodies);
        set_style(s, now.bodies);
    }
    if (s->discs)
        draw_discs(s, &now);
    else
        draw_light(s, m);
    s->is_set = true;
}

void scene_develop(const struct scene *s, struct picture *p)
{
    if (!s->is_set)
        picture_blacken(p);
    else if (p->linear)
        panes_fetch(&s->panes, p);
    else if (s->discs)
        picture_copy(p, &s->few);
    else
        panes_tone(&s->panes, &s->tone, p);
}

void scene_destroy(struct scene *s)
{
    if (s->discs)
        picture_free(&s->few);
    discs_destroy(s->discs);
    panes_close(&s->panes);
    nb_device_close(s->device);
    colour_scale_free(s->scale);
    free(s->step);
    free(s);
}
