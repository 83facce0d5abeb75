/* From bodies to a picture: what all of them share, the colours and the exposure, found before or from the first frame.
 */
#include "device/group.h"
#include "nbrender/nbrender.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>

struct scene {
    const struct render_options *options;
    bool is_set;
    bool is_surveyed; /* exposure and colours are known before the first frame */
    struct panes panes;
    struct aim *aim;
    struct shade *shade;          /* light and colour of each body */
    struct nb_light_bodies light; /* as the shade has filled it in */
    struct nb_device *device;
    struct exposure exposure;
    double
        share; /* of the way to what a picture alone would have, that exposure and colours go with each; 0: they stay */
    struct nb_light_histogram *histogram; /* work space */
    struct nb_tone tone;
    struct map *map;               /* NULL: a picture of light, or of discs */
    bool has_bodies;               /* they are drawn, or lie over a map */
    struct colour_options colours; /* theirs */
    struct discs *discs;           /* NULL: the bodies are light */
    struct picture few;            /* with discs: the frame drawn last */
    struct walls *walls;
    struct overlay *overlay;
    struct overlay_moment moment; /* what is written over the frame drawn last */
};

/* Of a pipe the GPU is likely to be at work for the program that writes it. Two programs take turns on it: 200k bodies,
 * whose simulation fills an H200, then step 0.86 times as fast as with a CPU that draws, and that keeps up with a
 * thread for each PIXELS_A_THREAD. A map of forces is another matter. */
#define PIXELS_A_THREAD ((int64_t)1 << 18)
static const char *device_name(const struct render_options *o)
{
    const bool spared = strcmp(o->device, "auto") == 0 && !map_is_field(&o->map) && !source_is_file(o->input) &&
                        (int64_t)o->width * o->height <= PIXELS_A_THREAD * omp_get_max_threads();
    return spared ? "cpu" : o->device;
}

struct scene *scene_create(const struct render_options *o)
{
    struct scene *s = claimed(calloc(1, sizeof *s), "no memory for the picture");
    s->options = o;
    s->device = nb_device_choose(device_name(o));
    if (s->device && nb_device_is_group(s->device))
        die_usage("--device %s: pictures are drawn by one device", o->device);
    if (!s->device)
        die("%s", nb_error());
    panes_open(&s->panes, o, s->device);
    s->aim = aim_create(o);
    s->map = map_create(o, &s->panes, s->device);
    s->has_bodies = !s->map || map_has_bodies(&o->map);
    s->colours = o->colour;
    if (s->map) /* the map's, not the bodies' */
        s->colours = (struct colour_options){
            .color = o->colour.color, .weight = o->colour.weight, .colormap = colour_defaults.colormap};
    s->shade = shade_create(&s->colours);
    exposure_open(&s->exposure);
    s->histogram = claimed(malloc(sizeof *s->histogram), "no memory for the exposure");
    s->walls = walls_create(&o->walls);
    s->overlay = overlay_create(&o->overlay, o->width, o->height, o->motion.interpolate);
    return s;
}

void scene_survey(struct scene *s, bool is_single)
{
    const struct render_options *o = s->options;
    enum exposure_mode mode = o->light.exposure_mode;
    if (s->map && mode != EXPOSURE_ADAPT)
        map_survey(s->map, o);
    if (!s->has_bodies)
        return;
    if (mode != EXPOSURE_ADAPT && survey_file(o, s->device, s->shade, &s->exposure) > 0)
        s->is_surveyed = true;
    else if (mode != EXPOSURE_FIXED)
        s->share = is_single ? 1 : exposure_share((double)o->output.fps_num / o->output.fps_den);
}

const char *scene_device(const struct scene *s)
{
    return s->device->description;
}

struct overlay *scene_overlay(const struct scene *s)
{
    return s->overlay;
}

/* ---- what the first frame sets ---- */

static void set_colours(struct scene *s, const struct nb_bodies *b)
{
    double width_length = s->panes.main->place.width / s->panes.main->view.scale;
    if (!s->is_surveyed)
        shade_survey(s->shade, b, NULL);
    shade_settle(s->shade, shade_circular_speed(b, 0.25 * width_length));
}

/* In pixels and in lengths, for densities. */
static struct shade_picture extent_of(const struct scene *s)
{
    const struct pane *pane = s->panes.main;
    double height = pane->place.height;
    return (struct shade_picture){s->options->light.smooth, height, height / pane->view.scale};
}

static void set_tone(struct scene *s)
{
    struct shade_picture picture = extent_of(s);
    nb_tone_set(&s->tone, &s->exposure.range, s->options->light.exposure);
    shade_set_density(s->shade, s->exposure.h, &picture);
}

/* By the light that is drawn. */
static void adapt_exposure(struct scene *s)
{
    memset(s->histogram, 0, sizeof *s->histogram);
    panes_measure(&s->panes, s->histogram);
    exposure_adapt(&s->exposure, s->histogram, s->share);
    set_tone(s);
}

static void warn_of_light(const struct render_options *o, uint64_t n)
{
    const char *idle = o->light.smooth != light_defaults.smooth     ? "smooth"
                       : o->light.stars > 0                         ? "stars"
                       : o->light.bloom != light_defaults.bloom     ? "bloom"
                       : o->light.exposure != 1                     ? "exposure"
                       : o->colour.weight != colour_defaults.weight ? "weight"
                                                                    : NULL;
    if (idle)
        warn("--%s: %s drawn as discs, which it does not change (--style light)", idle,
             tool_many(n, "body is", "bodies are"));
}

/* Density is that of light: bodies that touch, of which few are seen as large as they are, are that then. */
bool scene_has_discs(const struct render_options *o, const struct nb_bodies *first, double scale)
{
    const bool counted = strcmp(o->colour.color, "density") == 0 && first->n > DISCS_FEW;
    return !o->output.linear && !(counted && o->discs.style == STYLE_AUTO) && discs_wanted(&o->discs, first, scale);
}

#define BLEND 10 /* footprints: a mean of as many more bodies is less by chance */
double scene_blend(const struct render_options *o, const struct nb_bodies *first, double scale)
{
    return scene_has_discs(o, first, scale) ? 0 : BLEND * o->light.smooth;
}

static void set_style(struct scene *s, const struct nb_bodies *b)
{
    const struct disc_options *o = &s->options->discs;
    if (scene_has_discs(s->options, b, s->panes.main->view.scale)) {
        if (shade_is_density(s->shade))
            die("--color density: %s discs, not light (--style light)", tool_many(b->n, "body is", "bodies are"));
        warn_of_light(s->options, b->n);
        s->discs = discs_create(o, &b->meta);
        picture_init(&s->few, s->options->width, s->options->height, false);
    } else if (o->trails > 0 || o->labels)
        die("--%s: %s drawn as light, without them (--style discs has them)", o->trails > 0 ? "trails" : "labels",
            tool_many(b->n, "body is", "bodies are"));
}

static void set_look(struct scene *s, const struct nb_bodies *b)
{
    shade_blend(s->shade, scene_blend(s->options, b, s->panes.main->view.scale));
    set_colours(s, b);
    set_style(s, b);
    set_tone(s);
}

/* ---- drawing ---- */

static void put_moment(struct scene *s, const struct moment *now, double share)
{
    shade_fill(s->shade, now->bodies, NULL, &s->light);
    s->light.share = share;
    panes_shine(&s->panes, &s->light);
}

/* Of how many moments the picture is made. */
static int count_moments(struct scene *s, struct motion *m)
{
    struct nb_view closes[LAYOUT_PANES_MAX];
    int most = 1;
    if (motion_open(m) == 0)
        return 1;
    struct moment now = motion_at(m, 1);
    aim_at(s->aim, &s->panes, &now);
    for (int k = 0; k < s->panes.count; k++)
        closes[k] = s->panes.pane[k].view;
    now = motion_at(m, 0);
    aim_at(s->aim, &s->panes, &now);
    for (int k = 0; k < s->panes.count; k++) {
        int moments = shutter_moments(&s->panes.pane[k].view, &closes[k], now.bodies, motion_open(m));
        most = moments > most ? moments : most;
    }
    return most;
}

static void put_light(struct scene *s, struct motion *m)
{
    int moments = count_moments(s, m);
    panes_clear(&s->panes);
    for (int k = 0; k < moments; k++) {
        struct moment now = motion_at(m, moments > 1 ? (k + 0.5) / moments : 0);
        aim_at(s->aim, &s->panes, &now);
        put_moment(s, &now, 1.0 / moments);
    }
    panes_finish(&s->panes);
}

static void draw_light(struct scene *s, struct motion *m)
{
    bool is_first = s->exposure.frames == 0;
    put_light(s, m);
    if (is_first || s->share > 0)
        adapt_exposure(s);
    if (is_first && shade_is_density(s->shade))
        put_light(s, m); /* in the colours of the distribution that is known now */
}

struct few { /* what paint_discs needs */
    const struct scene *scene;
    const struct nb_bodies *bodies;
};

static void paint_discs(const struct pane *pane, struct picture *picture, void *context)
{
    const struct few *few = context;
    const struct scene *s = few->scene;
    if (s->map)
        map_paint(s->map, &s->panes, pane, picture);
    else
        picture_blacken(picture);
    discs_draw(s->discs, few->bodies, &pane->view, s->light.step, s->shade->ramp.shown, picture);
}

/* Of one moment: what is not light has no blur. */
static void draw_discs(struct scene *s, const struct moment *now)
{
    struct few few = {s, now->bodies};
    aim_at(s->aim, &s->panes, now);
    shade_fill(s->shade, now->bodies, NULL, &s->light);
    discs_note(s->discs, now->bodies, s->light.step);
    panes_paint(&s->panes, &s->few, paint_discs, &few);
}

static void draw_map(struct scene *s, const struct moment *now)
{
    aim_at(s->aim, &s->panes, now);
    map_draw(s->map, &s->panes, now->bodies, now->all);
}

/* A frame that nobody sees, once the first one has set the scene: what later ones take from it. */
static void pass(struct scene *s, const struct moment *now)
{
    aim_at(s->aim, &s->panes, now);
    if (s->discs) {
        shade_fill(s->shade, now->bodies, NULL, &s->light);
        discs_note(s->discs, now->bodies, s->light.step);
    }
}

void scene_draw(struct scene *s, struct motion *m)
{
    const bool adapts = (s->share > 0 && s->share < 1) || s->map; /* from one picture to the next */
    struct moment now = motion_at(m, 0);
    if (!s->is_set && now.bodies->n == 0)
        return;
    if (s->is_set && motion_passes(m) && !adapts) {
        pass(s, &now);
        return;
    }
    if (!s->is_set) {
        aim_first(s->aim, &s->panes, now.bodies);
        if (s->has_bodies)
            set_look(s, now.bodies);
    } else if (s->share > 0 && s->has_bodies) {
        shade_adapt(s->shade, now.bodies, NULL, s->share);
    }
    if (s->map)
        draw_map(s, &now);
    if (s->discs)
        draw_discs(s, &now);
    else if (s->has_bodies)
        draw_light(s, m);
    walls_catch(s->walls, motion_meta(m), &s->panes);
    overlay_catch(s->overlay, motion_meta(m), &s->panes, &s->moment);
    if (s->map)
        map_legend(s->map, &s->moment.legend);
    else
        shade_legend(s->shade, &s->moment.legend);
    s->is_set = true;
}

void scene_develop(const struct scene *s, struct picture *p)
{
    if (!s->is_set)
        picture_blacken(p);
    else if (p->linear && s->map)
        map_fetch(s->map, &s->panes, p);
    else if (p->linear)
        panes_fetch(&s->panes, p);
    else if (s->discs)
        picture_copy(p, &s->few);
    else if (s->map)
        map_show(s->map, &s->panes, &s->tone, p);
    else
        panes_tone(&s->panes, &s->tone, p);
    if (s->is_set) {
        walls_draw(s->walls, p);
        overlay_draw(s->overlay, &s->moment, p);
    }
}

void scene_destroy(struct scene *s)
{
    if (s->discs)
        picture_free(&s->few);
    discs_destroy(s->discs);
    map_destroy(s->map);
    exposure_close(&s->exposure);
    free(s->histogram);
    aim_destroy(s->aim);
    walls_destroy(s->walls);
    overlay_destroy(s->overlay);
    panes_close(&s->panes);
    nb_device_close(s->device);
    shade_destroy(s->shade);
    free(s);
}
