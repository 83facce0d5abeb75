/* The range of a map's colours, found from the first frame. Declared in map_work.h. */
#include "error.h"
#include "nbrender/map/map_work.h"

#include <math.h>

#define CONTOURS_OF_FIELDS 12
#define LINE_HEIGHTS       900               /* picture heights over the width of a contour */
#define SAMPLE             ((size_t)1 << 18) /* pixels from which the range is found */
#define LEFT_OUT           0.001             /* of the pixels are beyond each end of the range, */
#define LEFT_OUT_MASS      0.002             /* or this share of the mass below its low end */

/* Some of the pixels of all panes, in order. */
static void take_sample(float *const *value, const struct panes *panes, struct sample *sample)
{
    size_t all = 0;
    for (int k = 0; k < panes->count; k++)
        all += map_pixels(&panes->pane[k]);
    for (int k = 0; k < panes->count; k++)
        for (size_t i = 0; i < map_pixels(&panes->pane[k]); i += 1 + (all - 1) / SAMPLE)
            sample_add(sample, (double)value[k][i]);
    sample_sort(sample);
}

/* The density (or the mass of a pixel) below which a share of the mass in the picture is. */
static double mass_quantile(const struct sample *densities, double share)
{
    double total = 0, below = 0;
    for (size_t k = 0; k < densities->count; k++)
        total += densities->value[k];
    for (size_t k = 0; k < densities->count; k++) {
        below += densities->value[k];
        if (below > share * total)
            return densities->value[k];
    }
    return 0;
}

static void find_range(const struct map *m, const struct sample *sample, double *low, double *high)
{
    if (m->options->kind == MAP_DENSITY)
        *low = mass_quantile(sample, LEFT_OUT_MASS);
    else
        *low = sample_quantile(sample, LEFT_OUT);
    *high = sample_quantile(sample, 1 - LEFT_OUT);
    if (*low < *high)
        return;
    const double around = *low != 0 ? 0.5 * fabs(*low) : 1; /* one value everywhere is the middle */
    *low -= around;
    *high += around;
}

/* Of densities and fields, which span decades, the logarithm where there is one. */
static enum scaling choose_scaling(const struct map *m, double low, double high)
{
    if (m->colour->scaling != SCALE_AUTO)
        return m->colour->scaling;
    return m->options->kind != MAP_MEAN && (low > 0 || high < 0) ? SCALE_LOG : SCALE_LINEAR;
}

static void set_scale(struct map *m, const struct panes *panes)
{
    struct sample sample = {0};
    double low = m->colour->low, high = m->colour->high;
    take_sample(m->value, panes, &sample);
    if (sample.count == 0)
        sample_add(&sample, 0);
    if (!(low < high))
        find_range(m, &sample, &low, &high);
    const enum scaling scaling = choose_scaling(m, low, high);
    m->scale = scaling == SCALE_RANK
                   ? scale_of_sample(scaling, &sample)
                   : scale_create(scaling, low, high, fmax(fabs(sample_quantile(&sample, 0.5)), 1e-3 * (high - low)));
    if (!m->scale)
        die("--map %s: %s", m->options->what, nb_error());
    sample_free(&sample);
}

static void set_contours(struct map *m, const struct panes *panes)
{
    const int given = m->options->contours;
    const int count = given >= 0 ? given : map_is_field(m->options) ? CONTOURS_OF_FIELDS : 0;
    for (int k = 0; k < count; k++)
        m->level[k] = scale_value(m->scale, (k + 1.0) / (count + 1));
    m->contours = (struct contours){.count = count,
                                    .level = m->level,
                                    .width = fmax((double)panes->main->place.height / LINE_HEIGHTS, 1),
                                    .opacity = 0.5,
                                    .colour = {PICTURE_FULL, PICTURE_FULL, PICTURE_FULL}};
}

void map_range_set_thin(struct map *m, const struct panes *panes)
{
    struct sample masses = {0};
    take_sample(m->mass, panes, &masses);
    m->thin = mass_quantile(&masses, LEFT_OUT_MASS);
    sample_free(&masses);
}

void map_range_set(struct map *m, const struct panes *panes)
{
    set_scale(m, panes);
    set_contours(m, panes);
}
