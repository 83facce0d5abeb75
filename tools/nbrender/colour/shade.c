/* Chooses the quantity and the scale that set the colours. Computes the light and the colour of each body. */
#include "nbrender/colour/colour.h"

#include <inttypes.h>

#define SAMPLE    ((uint64_t)1 << 14) /* maximum number of bodies that are sampled in each frame */
#define NO_MEMORY "no memory for the colours of %" PRIu64 " bodies"

static bool shows(const struct shade *s, const char *name)
{
    return strcmp(s->color, name) == 0;
}

/* Fills in the colour ramp for the quantity. The black-body colours of temperatures are filled in later, when the scale
 * is known. */
static void set_ramp(struct shade *s)
{
    const char *map = s->options->colormap;
    s->is_planck = !map && shows(s, "temperature");
    if (shows(s, "component"))
        ramp_fill_palette(&s->ramp);
    else if (!map && shows(s, "age"))
        ramp_fill_age(&s->ramp);
    else
        ramp_fill(&s->ramp, map ? map : s->is_symmetric ? RAMP_SIGNED : RAMP_DEFAULT);
}

struct shade *shade_create(const struct colour_options *o)
{
    struct shade *s = claimed(calloc(1, sizeof *s), "no memory for the colours");
    s->options = o;
    s->color = o->color;
    set_ramp(s);
    return s;
}

void shade_destroy(struct shade *s)
{
    free(s->scale);
    stars_destroy(s->stars);
    sample_free(&s->sample);
    about_free(&s->about);
    free(s->light);
    free(s->step);
    free(s);
}

bool shade_is_density(const struct shade *s)
{
    return shows(s, "density");
}

static bool has_values(const struct shade *s)
{
    return !shade_is_density(s) && !shows(s, "component");
}

/* ---- --color auto ---- */

static bool has_number(const struct nb_bodies *b, const char *name)
{
    const struct nb_column *c = nb_bodies_find(b, name);
    return c && c->width == 1 && nb_type_is_real(c->type);
}

/* Returns whether the frame has both stars and planets. If so, stars are drawn grey, because the star at the centre
 * hardly moves and would get the colour of the lowest speed. */
static bool has_planets(const struct nb_bodies *b)
{
    const uint8_t *component = labels_of(b, "component");
    return has_label(component, b->n, NB_STAR) && has_label(component, b->n, NB_PLANET);
}

static void choose_color(struct shade *s, const struct nb_bodies *b)
{
    const struct colour_options *o = s->options;
    const bool numbers = o->colormap || o->scaling != SCALE_AUTO || o->low < o->high;
    if (!numbers && has_number(b, "temperature"))
        s->color = "temperature";
    else if (!numbers && has_number(b, "age"))
        s->color = "age";
    else if (!numbers && stars_are_there(b) && !about_has("speed", &b->meta)) {
        s->color = "temperature";
        s->stars = stars_create(b);
    } else {
        s->color = "speed";
        s->is_sun_white = has_planets(b);
    }
    set_ramp(s);
}

/* ---- sample of values ---- */

/* Adds the values of at most SAMPLE bodies to `sample`. The value of body i is mean[i] or, if `mean` is NULL, the
 * body's quantity `name`. Ignores bodies with x < inlet. If `component` is not NULL, also ignores stars. */
static void sample_values(struct sample *sample, const char *name, const struct nb_bodies *b, double inlet,
                          const double *mean, const uint8_t *component)
{
    const struct nb_column *pos = nb_bodies_find(b, "pos");
    for (uint64_t i = 0, stride = 1 + (b->n - 1) / SAMPLE; i < b->n; i += stride) {
        double value;
        if (value_of(pos, i, 0) < inlet || (component && component[i] == NB_STAR))
            continue;
        quantity_fill(name, b, i, 1, &value);
        sample_add(sample, mean ? mean[i] : value);
    }
}

void shade_blend(struct shade *s, double bodies)
{
    s->blend = bodies;
}

static bool blends(const struct shade *s, const struct nb_bodies *b)
{
    return s->blend > 0 && !s->stars && about_has(s->color, &b->meta);
}

static void sample_colours(struct shade *s, struct sample *sample, const struct nb_bodies *b)
{
    const char *name = s->color;
    const bool means = blends(s, b);
    if (means)
        about_fill(&s->about, b, name, s->blend);
    sample_values(sample, name, b, about_inlet(name, &b->meta), means ? s->about.mean : NULL,
                  s->is_sun_white ? labels_of(b, "component") : NULL);
}

/* Returns whether --color is auto. If so, it is no error if a later frame lacks the column that was found in the first
 * frame. */
static bool shows_auto(const struct shade *s)
{
    return strcmp(s->options->color, "auto") == 0;
}

static void check_columns(const struct shade *s, const struct nb_bodies *b)
{
    weight_check(&s->weight, b);
    if (!shade_is_density(s) && !shows_auto(s))
        quantity_check(s->color, b, "--color");
}

void shade_survey(struct shade *s, const struct nb_bodies *b)
{
    if (b->n == 0)
        return;
    if (shows(s, "auto"))
        choose_color(s, b);
    weight_choose(&s->weight, s->options->weight, b);
    check_columns(s, b);
    weight_settle(&s->weight, b);
    if (s->stars) {
        strcpy(s->unit_name, "K");
    } else if (has_values(s) && quantity_is_there(s->color, b)) {
        sample_colours(s, &s->sample, b);
        s->is_touching = about_has(s->color, &b->meta);
        strcpy(s->unit_name, quantity_unit(s->color, b));
    }
}

/* ---- the scale ---- */

/* Returns whether the scale has a fixed range, PLANCK_LEAST to PLANCK_MOST, which does not depend on the bodies. This
 * is the default for black-body colours. */
static bool has_own_range(const struct shade *s)
{
    return s->is_planck && s->options->scaling == SCALE_AUTO && s->options->low == s->options->high;
}

/* Returns whether the ramp has the fixed colours of temperatures or ages, not a colour map. */
static bool has_own_colours(const struct shade *s)
{
    return s->is_planck || (shows(s, "age") && !s->options->colormap);
}

/* Returns the user's scaling, or a default. The default for colliding disks is linear, because ranks of their values
 * say little: most values are 0 (no contact at this time), and means over neighbours are nearly equal for all disks. */
static enum scaling scaling_of(const struct shade *s)
{
    const struct colour_options *o = s->options;
    if (o->scaling != SCALE_AUTO)
        return o->scaling;
    if (has_own_range(s))
        return SCALE_LOG;
    return o->low < o->high || s->is_touching || has_own_colours(s) ? SCALE_LINEAR : SCALE_RANK;
}

static struct colour_scale *choose(const struct shade *s, struct sample *sample)
{
    const struct colour_options *o = s->options;
    if (has_own_range(s))
        return scale_create(SCALE_LOG, PLANCK_LEAST, PLANCK_MOST, 1);
    sample_sort(sample);
    if (s->is_symmetric)
        sample_mirror(sample);
    struct colour_scale *scale =
        o->low < o->high ? scale_create(scaling_of(s), o->low, o->high, fmax(fabs(o->low), fabs(o->high)) / 50)
                         : scale_of_sample(scaling_of(s), sample);
    if (!scale)
        die("--color-scale %s: %s: %s", scaling_name(scaling_of(s)), s->color, nb_error());
    return scale;
}

static void add_masses(const void *mass, uint64_t begin, uint64_t end, double sum[4])
{
    for (uint64_t i = begin; i < end; i++)
        sum[0] += value_of(mass, i, 0);
}

double shade_circular_speed(const struct nb_bodies *b, double radius)
{
    double sum[4];
    sum_bodies(b->n, add_masses, nb_bodies_find(b, "mass"), sum);
    return 2 * sqrt(fmax(b->meta.G, 0) * sum[0] / radius);
}

void shade_settle(struct shade *s, double speed)
{
    const struct colour_options *o = s->options;
    s->is_settled = true;
    if (shows(s, "auto")) /* no surveyed frame had bodies */
        s->color = "speed";
    if (!has_values(s))
        return;
    sample_sort(&s->sample);
    s->is_symmetric =
        !has_own_colours(s) && ramp_wants_symmetry(o) && sample_has_both_signs(&s->sample, SCALE_LEFT_OUT);
    if (s->is_symmetric)
        set_ramp(s);
    bool at_rest = shows(s, "speed") && s->sample.count && sample_quantile(&s->sample, 0.5) == 0;
    if (at_rest && speed > 0 && isfinite(speed) && o->scaling == SCALE_AUTO && o->low == o->high)
        s->scale = scale_create(SCALE_LINEAR, 0, speed, 1);
    else
        s->scale = choose(s, &s->sample);
    if (s->is_planck)
        ramp_fill_planck(&s->ramp, s->scale);
    sample_free(&s->sample);
}

void shade_adapt(struct shade *s, const struct nb_bodies *b, double share)
{
    struct sample now = {0};
    if (!has_values(s) || s->options->low < s->options->high || has_own_range(s) ||
        scaling_of(s) != scale_scaling(s->scale) || !quantity_is_there(s->color, b))
        return;
    sample_colours(s, &now, b);
    struct colour_scale *to = choose(s, &now);
    /* A disk without contacts has the value 0. If no disk had a contact in the surveyed frames, the scale is an
     * arbitrary range around 0. In this case the scale of this frame replaces it completely. */
    const bool blank = s->is_touching && scale_value(s->scale, 0) < 0;
    scale_move(s->scale, to, blank ? 1 : share);
    if (s->is_planck)
        ramp_fill_planck(&s->ramp, s->scale);
    free(to);
    sample_free(&now);
}

/* ---- light and colour of each body ---- */

/* Fills in value[0..count) with the quantity of bodies [i0, i0 + count), or NaN if its column is missing. Bodies in the
 * inlet (x < inlet) get 0, unless the quantity is a velocity. All other quantities of disks come from contacts, and
 * contacts in the inlet have no meaning, because bodies get random places there. */
static void fill_own(const char *name, const struct nb_bodies *b, double inlet, uint64_t i0, int count, double *value)
{
    const struct nb_column *pos = nb_bodies_find(b, "pos");
    const bool is_speed = quantity_is_of(name, "vel");
    for (int k = 0; k < count; k++)
        value[k] = NAN;
    if (quantity_is_there(name, b))
        quantity_fill(name, b, i0, count, value);
    for (int k = 0; inlet > -INFINITY && !is_speed && k < count; k++)
        if (value_of(pos, i0 + (uint64_t)k, 0) < inlet)
            value[k] = 0;
}

/* Sets step[k] to the index in the colour ramp for body i0 + k, for k from 0 to count - 1. Returns the number of bodies
 * whose value is not finite. Adds SCALE_BELOW or SCALE_ABOVE to *found if values are below or above the scale. */
static size_t fill_steps(const struct shade *s, uint64_t i0, int count, uint16_t *step, unsigned *found)
{
    const struct nb_bodies *b = s->bodies;
    double value[SHADE_BLOCK];
    if (shade_is_density(s) || !s->is_settled) {
        memset(step, 0, (size_t)count * sizeof *step);
        return 0;
    }
    if (s->stars)
        stars_fill(s->stars, b, i0, count, value);
    else if (blends(s, b))
        memcpy(value, s->about.mean + i0, (size_t)count * sizeof *value);
    else
        fill_own(s->color, b, s->inlet, i0, count, value);
    if (s->scale) {
        const size_t bad = scale_steps(s->scale, value, count, step);
        *found |= scale_beyond(s->scale, value, count);
        const uint8_t *component = s->is_sun_white ? labels_of(b, "component") : NULL;
        for (int k = 0; component && k < count; k++)
            if (component[i0 + (uint64_t)k] == NB_STAR)
                step[k] = RAMP_NEUTRAL;
        return bad;
    }
    for (int k = 0; k < count; k++)
        step[k] = value[k] >= 0 && value[k] < RAMP_PALETTE ? (uint16_t)value[k] : RAMP_NEUTRAL;
    return 0;
}

/* Sets light[k] to the light of body i0 + k of s->bodies, and step[k] to the index of its colour in the ramp, for k
 * from 0 to count - 1. The drawing functions call this function: it has the type nb_light_fill (light/light.h). */
static void fill_piece(void *context, uint64_t i0, int count, float *light, uint16_t *step)
{
    struct shade *s = context;
    unsigned found = 0;
    if (step && fill_steps(s, i0, count, step, &found))
        found |= SHADE_BAD_VALUE;
    if (light && weight_fill(&s->weight, s->bodies, i0, count, light))
        found |= SHADE_BAD_WEIGHT;
    if (found & ~s->found)
        s->found |= found;
}

static int piece_at(const struct nb_bodies *b, uint64_t i0)
{
    return b->n - i0 < SHADE_BLOCK ? (int)(b->n - i0) : SHADE_BLOCK;
}

/* Returns whether every body gives the amount of light 1. Skips the remaining bodies after a body with another amount
 * was found. */
static bool all_alike(const struct shade *s, const struct nb_bodies *b)
{
    atomic_bool differ = false;
#pragma omp parallel for schedule(static)
    for (uint64_t i0 = 0; i0 < b->n; i0 += SHADE_BLOCK) {
        float light[SHADE_BLOCK];
        const int count = differ ? 0 : piece_at(b, i0);
        bool alike = true;
        weight_fill(&s->weight, b, i0, count, light);
        for (int k = 0; k < count; k++)
            alike = alike && light[k] == 1;
        if (!alike)
            differ = true;
    }
    return !differ;
}

void shade_lend(struct shade *s, const struct nb_bodies *b, struct nb_light_bodies *to)
{
    check_columns(s, b);
    s->bodies = b;
    s->inlet = about_inlet(s->color, &b->meta);
    s->found = 0;
    if (blends(s, b) && s->is_settled)
        about_fill(&s->about, b, s->color, s->blend);
    to->n = b->n;
    to->pos = nb_bodies_find(b, "pos");
    to->light = NULL;
    to->step = NULL;
    to->fill = fill_piece;
    to->context = s;
    to->fills_light = !all_alike(s, b);
    to->fills_step = !shade_is_density(s);
    to->ramp = s->ramp.step;
    to->level_step = s->level_step;
}

/* If `weights` is true, returns the number of bodies whose weight is negative or not finite. If it is false, returns
 * the number of bodies that have no colour, because their value of the quantity is not finite. */
static size_t count_bad(const struct shade *s, bool weights)
{
    const struct nb_bodies *b = s->bodies;
    size_t bad = 0;
#pragma omp parallel for schedule(static) reduction(+ : bad)
    for (uint64_t i0 = 0; i0 < b->n; i0 += SHADE_BLOCK) {
        float light[SHADE_BLOCK];
        uint16_t step[SHADE_BLOCK];
        unsigned found = 0;
        bad += weights ? weight_fill(&s->weight, b, i0, piece_at(b, i0), light)
                       : fill_steps(s, i0, piece_at(b, i0), step, &found);
    }
    return bad;
}

void shade_warn(struct shade *s)
{
    if (s->found & SHADE_BAD_VALUE && !s->warned_value)
        warn("--color %s: %zu bodies have values that are not numbers; they are grey", s->color, count_bad(s, false));
    if (s->found & SHADE_BAD_WEIGHT && !s->warned_weight)
        warn("--weight %s: %zu bodies have values that are not numbers from 0 on; they are not drawn", s->weight.column,
             count_bad(s, true));
    s->warned_value |= s->found & SHADE_BAD_VALUE;
    s->warned_weight |= s->found & SHADE_BAD_WEIGHT;
}

void shade_fill(struct shade *s, const struct nb_bodies *b, struct nb_light_bodies *to)
{
    shade_lend(s, b, to);
    s->step = claimed(remade(s->step, &s->steps, b->n, sizeof *s->step), NO_MEMORY, b->n);
    if (to->fills_light)
        s->light = claimed(remade(s->light, &s->lights, b->n, sizeof *s->light), NO_MEMORY, b->n);
#pragma omp parallel for schedule(static)
    for (uint64_t i0 = 0; i0 < b->n; i0 += SHADE_BLOCK)
        fill_piece(s, i0, piece_at(b, i0), to->fills_light ? s->light + i0 : NULL, s->step + i0);
    shade_warn(s);
    to->light = to->fills_light ? s->light : NULL;
    to->step = to->fills_step ? s->step : NULL;
    to->fill = NULL;
}

/* ---- --color density ---- */

/* Returns the density (bodies per square length unit) that belongs to element `level_step` of shade.level_step. This
 * element is for the value m = level_step / 16 - NB_LIGHT_LEVEL_LEAST of the level map (light/light.h). In the level
 * map, m means that a square with a side of 2^m pixels contains p->smooth bodies. */
static double density_at(const struct shade_picture *p, int level_step)
{
    double pixel = p->height_length / p->height;
    return p->smooth / exp2(2 * (level_step / 16.0 - NB_LIGHT_LEVEL_LEAST)) / (pixel * pixel);
}

void shade_set_density(struct shade *s, const struct nb_light_histogram *h, const struct shade_picture *p)
{
    struct sample densities = {0};
    double dense = density_at(p, 0);
    if (!shade_is_density(s))
        return;
    for (int k = 1; k < 1000 && h->total > 0; k++)
        sample_add(&densities, fmin(nb_light_quantile(h, k / 1000.0) / (p->height_length * p->height_length), dense));
    free(s->scale);
    s->scale = choose(s, &densities);
    sample_free(&densities);
    for (int k = 0; k < NB_LIGHT_LEVEL_STEPS; k++) {
        double density = density_at(p, k);
        scale_steps(s->scale, &density, 1, &s->level_step[k]);
    }
    strcpy(s->unit_name, "L-2");
}

struct legend shade_legend(const struct shade *s)
{
    return (struct legend){s->color, s->unit_name[0] ? s->unit_name : "-", s->ramp.shown, s->scale,
                           s->found & (SCALE_BELOW | SCALE_ABOVE)};
}
