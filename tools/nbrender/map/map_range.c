/* Finds the range of a map's scale from sampled pixels of frames. */
#include "nbrender/nbrender.h"

#define SAMPLE ((size_t)1 << 18) /* maximum number of pixels per frame in the sample */
/* fraction of the sampled pixels above the scale's range; in maps other than density, also the fraction below it */
#define LEFT_OUT 0.001
/* A fraction of the total mass, for two purposes:
 * - In maps of density, the pixels below the scale's range contain this fraction of the mass.
 * - In maps of a mean, the pixels with the least mass per area are black, because their means are not reliable. The
 *   black pixels contain this fraction of the mass. */
#define LEFT_OUT_MASS 0.002

void map_range_note(struct map_range *r, const struct map *m)
{
    const struct panes *panes = &m->stage->panes;
    size_t all = 0;
    for (int p = 0; p < panes->count; p++)
        all += map_pixels(&panes->pane[p]);
    for (int p = 0; p < panes->count; p++)
        for (size_t k = 0; k < map_pixels(&panes->pane[p]); k += 1 + (all - 1) / SAMPLE)
            if (isfinite(m->value[p][k])) {
                sample_add(&r->value, (double)m->value[p][k]);
                sample_add(&r->mass, m->mass[p] ? (double)m->mass[p][k] : 0);
            }
}

/* Returns the density below which pixels contain about the fraction `share` of the total mass, or 0 for an empty
 * sample. The sample contains the densities of pixels of equal area. */
static double mass_quantile(const struct sample *sorted, double share)
{
    double total = 0, below = 0;
    for (size_t k = 0; k < sorted->count; k++)
        total += sorted->value[k];
    for (size_t k = 0; k < sorted->count; k++) {
        below += sorted->value[k];
        if (below > share * total)
            return sorted->value[k];
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
    if (m->is_symmetric)
        *low = -*high;
    scale_widen(low, high);
}

/* Returns the user's scaling or the default. The default is linear for means and for fields with both signs. It is
 * logarithmic for densities and for fields of one sign, because their values span decades. */
static enum scaling choose_scaling(const struct map *m, double low, double high)
{
    if (m->colour->scaling != SCALE_AUTO)
        return m->colour->scaling;
    return m->options->kind != MAP_MEAN && (low > 0 || high < 0) ? SCALE_LOG : SCALE_LINEAR;
}

static void set_scale(struct map *m, struct sample *sample)
{
    double low = m->colour->low, high = m->colour->high;
    if (sample->count == 0)
        sample_add(sample, 0);
    sample_sort(sample);
    m->is_symmetric = ramp_wants_symmetry(m->colour) && sample_has_both_signs(sample, LEFT_OUT);
    if (m->is_symmetric)
        sample_mirror(sample);
    if (!(low < high))
        find_range(m, sample, &low, &high);
    const enum scaling scaling = choose_scaling(m, low, high);
    /* The scale needs a typical size of the values, the median. The median of a symmetric sample, which contains -x for
     * each x, is 0. Its quantile 0.75, the median of |x|, is used instead. */
    const double middle = sample_quantile(sample, m->is_symmetric ? 0.75 : 0.5);
    m->scale = scaling == SCALE_RANK ? scale_of_sample(scaling, sample)
                                     : scale_create(scaling, low, high, fmax(fabs(middle), 1e-3 * (high - low)));
    if (!m->scale)
        die("--map %s: %s", m->options->what, nb_error());
}

/* Chooses m->thin, the mass below which a pixel is drawn black, and removes such pixels from the sample. */
static void set_thin(struct map *m, struct map_range *r)
{
    struct sample masses = {0};
    size_t kept = 0;
    for (size_t k = 0; k < r->mass.count; k++)
        sample_add(&masses, r->mass.value[k]);
    sample_sort(&masses);
    m->thin = mass_quantile(&masses, LEFT_OUT_MASS);
    for (size_t k = 0; k < r->value.count; k++)
        if (r->mass.value[k] >= m->thin)
            r->value.value[kept++] = r->value.value[k];
    r->value.count = kept;
    sample_free(&masses);
}

void map_range_set(struct map *m, struct map_range *r)
{
    if (m->options->kind == MAP_MEAN && !m->linear)
        set_thin(m, r);
    set_scale(m, &r->value);
    if (m->is_symmetric)
        map_paint_open(m);
    map_range_free(r);
}

void map_range_free(struct map_range *r)
{
    sample_free(&r->value);
    sample_free(&r->mass);
}
