/* From bodies to a picture: the camera, the colours and the exposure, set by the first frame for all of them. */
#include "error.h"
#include "framing.h"
#include "nbrender.h"
#include "splat.h"
#include "tone.h"
#include "value.h"

#include <math.h>
#include <stdlib.h>

struct scene {
    const struct render_options *options;
    bool is_set;
    struct camera camera;
    struct colour_scale *scale;
    struct canvas *canvas;
    struct splat *splat;
    struct tone tone;
};

struct scene *scene_create(const struct render_options *o)
{
    struct scene *s = calloc(1, sizeof *s);
    if (!s)
        die("no memory for the picture");
    s->options = o;
    s->canvas = canvas_create(o->width, o->height);
    s->splat = splat_create(s->canvas);
    return s;
}

/* ---- what the first frame sets ---- */

static void set_camera(struct scene *s, const struct nb_bodies *b)
{
    const struct render_options *o = s->options;
    struct camera *c = &s->camera;
    struct framing_frame frame = {(double)o->width / o->height, tan(o->fov_deg * M_PI / 360), o->spin_deg != 0};
    if (isnan(o->center[0]) && framing_centre(b, c->centre))
        die("%s (--center X,Y,Z)", nb_error());
    for (int d = 0; d < 3 && !isnan(o->center[0]); d++)
        c->centre[d] = o->center[d];
    camera_turn(c, o->azimuth_deg, o->elevation_deg);
    camera_zoom(c, o->width, o->height, o->extent > 0 ? o->extent : framing_extent(b, c, frame), o->fov_deg);
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
    const struct render_options *o = s->options;
    double extent = 0.5 * o->width / s->camera.scale, median = colour_median_speed(b);
    double circular = median > 0 ? 0 : sqrt(fmax(b->meta.G, 0) * total_mass(b) / (0.5 * extent));
    if (o->speed_slow < o->speed_fast)
        s->scale = colour_scale_linear(o->speed_slow, o->speed_fast);
    else if (circular > 0 && isfinite(circular))
        s->scale = colour_scale_linear(0, 2 * circular);
    else
        s->scale = colour_scale_rank(b);
}

/* ---- drawing ---- */

void scene_draw(struct scene *s, const struct nb_bodies *b, int64_t frame)
{
    const struct render_options *o = s->options;
    if (!s->is_set) {
        set_camera(s, b);
        set_colours(s, b);
    }
    camera_turn(&s->camera, o->azimuth_deg + o->spin_deg * (double)frame, o->elevation_deg);
    canvas_clear(s->canvas);
    splat_bodies(s->splat, s->canvas, b, &s->camera, s->scale);
    if (!s->is_set)
        tone_expose(&s->tone, s->canvas, o->exposure);
    s->is_set = true;
}

void scene_develop(const struct scene *s, struct picture *p)
{
    tone_develop(&s->tone, s->canvas, p);
}

void scene_destroy(struct scene *s)
{
    canvas_destroy(s->canvas);
    splat_destroy(s->splat);
    colour_scale_free(s->scale);
    free(s);
}
