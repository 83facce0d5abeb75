/* From bodies to a picture: the camera, the colours and the exposure, set by the first frame for all of them. */
#include "error.h"
#include "light/light.h"
#include "nbrender/colour/colour.h"
#include "nbrender/colour/value.h"
#include "nbrender/nbrender.h"
#include "nbrender/view/camera.h"
#include "nbrender/view/framing.h"

#include <math.h>
#include <stdlib.h>

#define SPLINE_RADIUS 1.5 /* pixels, of --smooth fixed */

struct scene {
    const struct render_options *options;
    bool is_set;
    struct nb_view view;
    struct colour_ramp ramp;
    struct colour_scale *scale;
    uint16_t *step; /* of each body */
    uint64_t steps; /* allocated */
    struct nb_device *device;
    struct nb_light *light;
    struct nb_tone tone;
};

static void check(int status)
{
    if (status)
        die("%s", nb_error());
}

struct scene *scene_create(const struct render_options *o)
{
    struct scene *s = calloc(1, sizeof *s);
    struct nb_light_style style = {.width = o->width,
                                   .height = o->height,
                                   .smooth = o->light.smooth,
                                   .radius = SPLINE_RADIUS,
                                   .stars = o->light.stars,
                                   .bloom = o->light.bloom};
    if (!s)
        die("no memory for the picture");
    s->options = o;
    s->device = nb_device_choose("cpu");
    s->light = s->device ? nb_light_open(s->device, &style) : NULL;
    if (!s->light)
        die("%s", nb_error());
    colour_ramp_fill(&s->ramp);
    return s;
}

/* ---- what the first frame sets ---- */

static void set_view(struct scene *s, const struct nb_bodies *b)
{
    const struct render_options *o = s->options;
    const struct view_options *view = &o->view;
    struct nb_view *v = &s->view;
    struct framing_frame frame = {(double)o->width / o->height, tan(view->fov_deg * M_PI / 360), view->spin_deg != 0};
    if (isnan(view->center[0]) && framing_centre(b, v->centre))
        die("%s (--center X,Y,Z)", nb_error());
    for (int d = 0; d < 3 && !isnan(view->center[0]); d++)
        v->centre[d] = view->center[d];
    camera_turn(v, view->azimuth_deg, view->elevation_deg);
    camera_zoom(v, o->width, o->height, view->extent > 0 ? view->extent : framing_extent(b, v, frame), view->fov_deg);
}

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
    double extent = 0.5 * s->options->width / s->view.scale, median = colour_median_speed(b);
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
    check(nb_light_measure(s->light, h));
    nb_tone_expose(&s->tone, h, s->options->light.exposure);
    free(h);
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

void scene_draw(struct scene *s, const struct nb_bodies *b, int64_t frame)
{
    const struct view_options *o = &s->options->view;
    if (!s->is_set) {
        set_view(s, b);
        set_colours(s, b);
    }
    camera_turn(&s->view, o->azimuth_deg + o->spin_deg * (double)frame, o->elevation_deg);
    fill_steps(s, b);
    struct nb_light_bodies light = {
        .n = b->n, .pos = nb_bodies_find(b, "pos"), .step = s->step, .ramp = s->ramp.step, .share = 1};
    check(nb_light_clear(s->light));
    check(nb_light_put(s->light, &s->view, &light));
    check(nb_light_finish(s->light));
    if (!s->is_set)
        set_exposure(s);
    s->is_set = true;
}

void scene_develop(const struct scene *s, struct picture *p)
{
    check(nb_light_tone(s->light, &s->tone, p->plane));
}

void scene_destroy(struct scene *s)
{
    nb_light_close(s->light);
    nb_device_close(s->device);
    colour_scale_free(s->scale);
    free(s->step);
    free(s);
}
