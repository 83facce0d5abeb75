/* The panes of a picture: opens their renderers, draws bodies into them, and combines them. */
#include "nbrender/nbrender.h"

#define GAP_LEVEL (PICTURE_FULL / 6) /* grey level of the gaps between panes */

void panes_open(struct panes *p, const struct render_options *o, struct nb_device *device)
{
    const struct light_options light = light_for(&o->light, NULL, map_is_of_bodies(&o->map));
    layout_fill(p, o->view.layout, o->width, o->height);
    p->slice = o->view.slice;
    if (layout_is_round(o->view.layout))
        p->sphere = sphere_create(p, o->width, o->height, o->output.linear);
    for (int k = 0; k < p->count; k++) {
        struct pane *pane = &p->pane[k];
        pane->brightness = 1;
        struct nb_light_style style = {.width = pane->place.width,
                                       .height = pane->place.height,
                                       .smooth = light.smooth,
                                       .stars = light.stars,
                                       .points = p->sphere ? sphere_points(pane) : 0,
                                       .bloom = light.bloom};
        pane->light = must_have(nb_light_open(device, &style));
    }
    if (p->count > 1 && !p->sphere)
        picture_init(&p->one, p->main->place.width, p->main->place.height, false);
    if (p->main->place.eye)
        picture_init(&p->two, p->main->place.width, p->main->place.height, false);
}

void panes_set_style(struct panes *p, double smooth, double stars)
{
    for (int k = 0; k < p->count; k++)
        nb_light_restyle(p->pane[k].light, smooth, stars);
}

void panes_restyle(struct panes *p, const struct render_options *o, const struct nb_bodies *first)
{
    p->style = light_for(&o->light, first, map_is_of_bodies(&o->map));
    p->is_smooth_usual = o->light.smooth == LIGHT_USUAL;
    panes_set_style(p, p->style.smooth, p->style.stars);
}

double panes_average(struct panes *p, int frames)
{
    const double smooth = p->is_smooth_usual ? light_averaged(p->style.smooth, frames) : p->style.smooth;
    if (frames > 1)
        panes_set_style(p, smooth, p->style.stars);
    return smooth;
}

void panes_close(struct panes *p)
{
    for (int k = 0; k < p->count; k++)
        nb_light_close(p->pane[k].light);
    free(p->sliced);
    sphere_free(p->sphere);
    if (p->one.width > 0)
        picture_free(&p->one);
    if (p->main->place.eye)
        picture_free(&p->two);
}

/* ---- drawing ---- */

void panes_clear(struct panes *p)
{
    for (int k = 0; k < p->count; k++)
        must(nb_light_clear(p->pane[k].light));
}

/* Sets the light of the bodies outside the slice to 0, so that they are not drawn. */
static void slice(struct panes *p, const struct nb_view *view, struct nb_light_bodies *b)
{
    const float *light = b->light;
    p->sliced = claimed(remade(p->sliced, &p->sliced_room, b->n, sizeof *p->sliced), "no memory for the slice");
#pragma omp parallel for schedule(static)
    for (uint64_t i = 0; i < b->n; i++)
        p->sliced[i] = !slice_holds(&p->slice, view_depth(view, b->pos, i)) ? 0 : light ? light[i] : 1;
    b->light = p->sliced;
}

bool panes_take_fill(const struct panes *p)
{
    return !p->sphere && !(p->slice.thick > 0);
}

void pane_put(struct panes *p, int k, const struct nb_light_bodies *b, bool shining)
{
    struct pane *pane = &p->pane[k];
    struct nb_light_bodies seen = *b;
    seen.share *= shining ? pane->brightness : 1;
    if (p->slice.thick > 0)
        slice(p, &pane->view, &seen);
    must(p->sphere ? sphere_put(p->sphere, pane, &seen) : nb_light_put(pane->light, &pane->view, &seen));
}

void panes_put(struct panes *p, const struct nb_light_bodies *b, bool shining)
{
    for (int k = 0; k < p->count; k++)
        pane_put(p, k, b, shining);
}

void panes_finish(struct panes *p)
{
    for (int k = 0; k < p->count; k++)
        must(nb_light_finish(p->pane[k].light));
}

void panes_measure(const struct panes *p, struct nb_light_histogram *h)
{
    for (int k = 0; k < p->count; k++)
        must(nb_light_measure(p->pane[k].light, h));
}

/* ---- combining panes ---- */

static void copy_rows(const uint16_t *from, uint16_t *to, const struct layout_pane *place, int stride)
{
    for (int y = 0; y < place->height; y++)
        memcpy(to + (size_t)(place->y + y) * (size_t)stride + (size_t)place->x, from + (size_t)y * (size_t)place->width,
               (size_t)place->width * sizeof *from);
}

static void fill_gaps(struct picture *picture)
{
    size_t pixels = (size_t)picture->width * (size_t)picture->height;
    for (int d = 0; d < 3; d++)
        for (size_t k = 0; k < pixels; k++)
            picture->plane[d][k] = GAP_LEVEL;
}

/* Combines the pictures of both eyes into `right`, for glasses with a red and a cyan filter: the left eye sees the red
 * channel, the right eye sees green and blue. Both pictures become grey first, because a colour that only one eye sees
 * flickers. The grey level is the level of the brightest channel, so blue and red bodies are equally bright. */
static void join_eyes(const struct picture *left, struct picture *right)
{
    size_t pixels = (size_t)right->width * (size_t)right->height;
    for (size_t k = 0; k < pixels; k++) {
        uint16_t seen[2] = {0};
        for (int d = 0; d < 3; d++) {
            seen[0] = left->plane[d][k] > seen[0] ? left->plane[d][k] : seen[0];
            seen[1] = right->plane[d][k] > seen[1] ? right->plane[d][k] : seen[1];
        }
        for (int d = 0; d < 3; d++)
            right->plane[d][k] = seen[d > 0];
    }
}

void panes_paint(const struct panes *p, struct picture *picture,
                 void (*paint)(const struct pane *pane, struct picture *picture, void *context), void *context)
{
    struct picture one = p->one, two = p->two;
    if (p->sphere) {
        for (int k = 0; k < p->count; k++)
            paint(&p->pane[k], sphere_sheet(p->sphere, k), context);
        sphere_join(p->sphere, p, picture);
        return;
    }
    if (p->count == 1) {
        paint(p->main, picture, context);
        return;
    }
    fill_gaps(picture);
    for (int k = 0; k < p->count; k++) {
        const struct layout_pane *place = &p->pane[k].place;
        struct picture *shown = &one;
        paint(&p->pane[k], &one, context);
        if (place->eye)
            paint(&p->pane[++k], shown = &two, context);
        if (p->main->place.eye)
            /* In a pane without a stereo pair, `shown` is &one: both eyes see the same picture. */
            join_eyes(&one, shown);
        for (int d = 0; d < 3; d++)
            copy_rows(shown->plane[d], picture->plane[d], place, picture->width);
    }
}

void panes_fetch(const struct panes *p, struct picture *picture)
{
    for (int k = 0; k < p->count; k++)
        must(nb_light_fetch(p->pane[k].light, (p->sphere ? sphere_sheet(p->sphere, k) : picture)->linear));
    if (p->sphere)
        sphere_join(p->sphere, p, picture);
}

/* ---- axes ---- */

/* Fills in name and centre of a picture axis that has the direction `unit`. The name is x, y or z if `unit` is parallel
 * to the x, y or z axis, otherwise `other`. axis->centre is set to the coordinate of the point `centre` along the axis.
 * Returns -1 if `unit` points in the negative direction of x, y or z, otherwise 1. */
static double fill_axis(struct picture_axis *axis, const double unit[3], const double centre[3], const char *other)
{
    double along = 0, sign = 1;
    snprintf(axis->name, sizeof axis->name, "%s", other);
    for (int d = 0; d < 3; d++) {
        along += unit[d] * centre[d];
        if (fabs(unit[d]) < 1 - 1e-12)
            continue;
        sign = unit[d] < 0 ? -1 : 1;
        snprintf(axis->name, sizeof axis->name, "%c", 'x' + d);
    }
    axis->centre = sign * along;
    return sign;
}

void panes_note_axes(const struct panes *p, struct picture_info *info)
{
    const struct nb_view *view = &p->main->view;
    if (p->sphere) {
        for (int k = 0; k < 2; k++)
            info->axis[k] = (struct picture_axis){.step = 180 / M_PI / p->main->place.radian, .is_angle = true};
        snprintf(info->axis[0].name, sizeof info->axis[0].name, "right");
        snprintf(info->axis[1].name, sizeof info->axis[1].name, "up");
        return;
    }
    info->axis[0].step = fill_axis(&info->axis[0], view->right, view->centre, "right") / view->scale;
    info->axis[1].step = fill_axis(&info->axis[1], view->up, view->centre, "up") / view->scale;
}
