/* Draws a picture of a frame: first each painter draws its layer of the bodies; then the walls, the cells of a tree and
 * the overlays are drawn over them. */
#include "nbrender/nbrender.h"

#define LAYERS_MAX 4

struct layer {
    const struct painter *painter;
    void *state;
};

struct scene {
    struct stage stage;
    bool is_set;
    /* argument of aim_adapt: how fast the view's extent follows the bodies, from 0 (not at all) to 1 (at once) */
    double share;
    struct layer layers[LAYERS_MAX]; /* layers of the picture, from the bottom up */
    int count;
    /* The picture that was painted last. Used only if a painter must paint right after it draws the bodies
     * (painter->at_once). Otherwise drawn.width is 0. */
    struct picture drawn;
    struct walls *walls;
    struct tree *tree;
    struct overlay *overlay;
    struct render_options options; /* options of the film; width and height are those of the picture inside the axes */
    struct axes *axes;
    struct picture inner; /* the picture inside the axes; width 0 without axes */
};

struct scene *scene_create(const struct render_options *given)
{
    struct scene *s = claimed(calloc(1, sizeof *s), "no memory for the picture");
    struct stage *stage = &s->stage;
    const struct render_options *o = &s->options;
    s->options = *given;
    s->axes = axes_create(&s->options);
    if (s->axes)
        picture_init(&s->inner, o->width, o->height, false);
    *stage = (struct stage){.options = o, .device = render_device(o), .colours = o->colour};
    panes_open(&stage->panes, o, stage->device);
    stage->aim = aim_create(o, &stage->extents);
    for (int k = 0; painters[k]; k++)
        if (painters[k]->takes_part(o, NULL, 0))
            s->layers[s->count++] = (struct layer){painters[k], painters[k]->prepare(stage)};
    stage->shade = shade_create(&stage->colours);
    s->walls = walls_create(&o->walls);
    s->tree = tree_create(o);
    s->overlay = overlay_create(o);
    return s;
}

static void note_extent(void *context, struct stage *small, const struct moment *now)
{
    curve_add(context, now->frame, aim_extent(small->aim, &small->panes, now));
}

/* Finds the extent of the view from several frames of a file, so that a system that expands or collapses stays visible.
 */
static void survey_extent(struct scene *s)
{
    struct stage *stage = &s->stage;
    const struct view_options *o = &stage->options->view;
    /* The survey must not fill in stage->extents itself. While stage->extents is empty, the survey's camera computes
     * the extent of each frame from the frame's bodies. */
    struct curve extents = {0};
    if (o->extent > 0 || o->camera)
        return;
    survey_walk(stage, SURVEY_HEIGHT, o->extent_adapts ? SURVEY_MOVING : SURVEY_FRAMES, note_extent, &extents);
    stage->extents = extents;
}

void scene_survey(struct scene *s, bool is_single)
{
    s->share = is_single ? 1 : exposure_share(render_rate(s->stage.options));
    survey_extent(s);
    for (int k = 0; k < s->count; k++)
        if (s->layers[k].painter->survey)
            s->layers[k].painter->survey(s->layers[k].state, is_single);
}

const char *scene_device(const struct scene *s)
{
    return s->stage.device->description;
}

struct overlay *scene_overlay(const struct scene *s)
{
    return s->overlay;
}

/* ---- set-up at the first frame ---- */

/* Removes the layers whose painters draw nothing in this film. `first` is the film's first frame. */
static void choose_layers(struct scene *s, const struct nb_bodies *first)
{
    const int count = s->count;
    s->count = 0;
    for (int k = 0; k < count; k++) {
        const struct layer layer = s->layers[k];
        if (layer.painter->takes_part(s->stage.options, first, s->stage.panes.main->view.scale))
            s->layers[s->count++] = layer;
        else
            layer.painter->finish(layer.state);
    }
}

static void set_colours(struct stage *s, const struct painter *top, const struct nb_bodies *first)
{
    const double width_length = s->panes.main->place.width / s->panes.main->view.scale;
    shade_blend(s->shade, top->blend ? top->blend(s->options, first) : 0);
    if (!s->is_surveyed)
        shade_survey(s->shade, first);
    shade_settle(s->shade, shade_circular_speed(first, 0.25 * width_length));
}

static void begin(struct scene *s, const struct nb_bodies *first)
{
    aim_first(s->stage.aim, &s->stage.panes, first);
    panes_restyle(&s->stage.panes, s->stage.options, first);
    choose_layers(s, first);
    if (stage_has_bodies(s->stage.options))
        set_colours(&s->stage, s->layers[s->count - 1].painter, first);
    for (int k = 0; k < s->count; k++) {
        if (s->layers[k].painter->begin)
            s->layers[k].painter->begin(s->layers[k].state, first);
        if (s->layers[k].painter->at_once && s->drawn.width == 0)
            picture_init(&s->drawn, s->stage.options->width, s->stage.options->height, false);
    }
}

/* ---- drawing ---- */

/* Returns whether pictures depend on earlier frames, including frames for which no picture is drawn. */
static bool adapts(const struct scene *s)
{
    return (s->stage.share > 0 && s->stage.share < 1) || s->layers[0].painter->draws_all;
}

/* From a frame that is not drawn, stores the data that later pictures need. Not called for the first frame. */
static void pass(struct scene *s, const struct moment *now)
{
    aim_at(s->stage.aim, &s->stage.panes, now);
    for (int k = 0; k < s->count; k++)
        if (s->layers[k].painter->pass)
            s->layers[k].painter->pass(s->layers[k].state, now);
}

static void paint(const struct pane *pane, struct picture *picture, void *context)
{
    const struct scene *s = context;
    for (int k = 0; k < s->count; k++)
        s->layers[k].painter->paint(s->layers[k].state, pane, picture, k > 0);
}

void scene_draw(struct scene *s, struct motion *m)
{
    struct stage *stage = &s->stage;
    const struct moment now = motion_at(m, 0);
    if (!s->is_set && now.bodies->n == 0)
        return;
    if (s->is_set)
        aim_adapt(stage->aim, &stage->panes, &now, s->share);
    if (s->is_set && motion_passes(m) && !adapts(s)) {
        pass(s, &now);
        return;
    }
    if (!s->is_set)
        begin(s, now.bodies);
    else if (stage->share > 0)
        shade_adapt(stage->shade, now.bodies, stage->share);
    s->is_set = true;
    for (int k = 0; k < s->count; k++)
        s->layers[k].painter->draw(s->layers[k].state, &now, m);
    if (s->drawn.width > 0)
        panes_paint(&stage->panes, &s->drawn, paint, s);
    walls_catch(s->walls, motion_meta(m));
    overlay_catch(s->overlay, motion_meta(m), &stage->panes, now.bodies);
    axes_catch(s->axes, &motion_meta(m)->units, &stage->panes);
    tree_catch(s->tree, now.bodies);
}

static struct legend legend_of(const struct scene *s)
{
    const struct layer *ground = &s->layers[0];
    return ground->painter->legend ? ground->painter->legend(ground->state) : shade_legend(s->stage.shade);
}

static void develop(struct scene *s, struct picture *p)
{
    if (!s->is_set)
        picture_blacken(p);
    else if (p->linear)
        s->layers[0].painter->fetch(s->layers[0].state, p);
    else if (s->drawn.width > 0)
        picture_copy(p, &s->drawn);
    else
        panes_paint(&s->stage.panes, p, paint, s);
    if (!s->is_set || p->linear)
        return;
    const struct legend legend = legend_of(s);
    walls_draw(s->walls, &s->stage.panes, p);
    tree_draw(s->tree, &s->stage.panes, p);
    overlay_draw(s->overlay, &s->stage.panes, &legend, p);
}

void scene_develop(struct scene *s, struct picture *p)
{
    develop(s, s->axes && s->is_set ? &s->inner : p);
    if (s->axes && s->is_set)
        axes_draw(s->axes, &s->inner, p);
}

void scene_destroy(struct scene *s)
{
    for (int k = 0; k < s->count; k++)
        s->layers[k].painter->finish(s->layers[k].state);
    if (s->drawn.width > 0)
        picture_free(&s->drawn);
    aim_destroy(s->stage.aim);
    curve_free(&s->stage.extents);
    walls_destroy(s->walls);
    axes_destroy(s->axes);
    if (s->inner.width > 0)
        picture_free(&s->inner);
    tree_destroy(s->tree);
    overlay_destroy(s->overlay);
    panes_close(&s->stage.panes);
    nb_device_close(s->stage.device);
    shade_destroy(s->stage.shade);
    free(s);
}
