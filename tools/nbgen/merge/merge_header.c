#include "nbgen/merge/merge.h"

#include "base/error.h"
#include "base/units.h"

#include <math.h>

/* ---- what must agree ---- */

/* Numbers the galaxies of an input, from `count` on, in the order that they have. The count with them. */
static int number_galaxies(struct merge_input *in, int count)
{
    const struct nb_column *c = nb_bodies_find(&in->bodies, "galaxy");
    bool there[256] = {!c};
    for (uint64_t i = 0; c && i < in->bodies.n; i++)
        there[((const uint8_t *)c->data)[i]] = true;
    for (int g = 0; g < 256; g++)
        if (there[g])
            in->galaxy[g] = (uint8_t)count++;
    return count;
}

void merge_match(struct merge *m)
{
    struct merge_input *a = &m->inputs[0], *b = &m->inputs[1];
    const struct nb_meta *ma = &a->bodies.meta, *mb = &b->bodies.meta;
    for (int k = 0; k < 2; k++)
        if (nb_scene_is_touching(&m->inputs[k].bodies.meta))
            die("%s: its bodies are disks that touch (nbs(5), contact), which no pull holds on an orbit",
                m->inputs[k].name);
    if (!nb_units_same(&ma->units, &mb->units))
        die("%s has units '%s' and %s '%s': only streams of the same units can be merged", a->name, ma->units.name,
            b->name, mb->units.name);
    if (ma->G != mb->G)
        die("%s has G = %.17g and %s %.17g: only streams of the same G can be merged", a->name, ma->G, b->name, mb->G);
    if (!(ma->G > 0))
        die("%s: G = %g, and an orbit needs a pull", a->name, ma->G);
    for (int k = 0; k < 2; k++)
        if (m->inputs[k].bodies.meta.force_count > 0)
            die("%s: its bodies are in an external field (nbstat --info), which has no place on an orbit",
                m->inputs[k].name);
    const int count = number_galaxies(b, number_galaxies(a, 0));
    if (count > 256)
        die("%s and %s have %d galaxies, more than 256", a->name, b->name, count);
}

/* ---- the header of both ---- */

void merge_softening(struct merge *m)
{
    const double a = m->inputs[0].bodies.meta.softening, b = m->inputs[1].bodies.meta.softening;
    if (isnan(m->softening) && a != b)
        say("softening %g of %s and %g of %s: the smaller is taken", a, m->inputs[0].name, b, m->inputs[1].name);
    m->out.meta.softening = isnan(m->softening) ? fmin(a, b) : m->softening;
}

/* As of kepler: 0.02 of distance over speed at the pericentre. Galaxies that pass through each other are as far apart
 * as they are large. */
static double passage_step(const struct merge *m)
{
    const double q = m->orbit.pericenter, a = m->inputs[0].radius, b = m->inputs[1].radius;
    const double distance = sqrt(q * q + a * a + b * b);
    const double gm = m->inputs[0].bodies.meta.G * (m->inputs[0].mass + m->inputs[1].mass);
    return 0.02 * distance / sqrt(gm * (1 + m->orbit.eccentricity) / distance);
}

/* The step of an input where the softening is this: passages of its bodies take less time in proportion. 0: none. */
static double own_step(const struct nb_meta *own, double softening)
{
    return softening < own->softening ? own->dt * softening / own->softening : own->dt;
}

/* 0 where an input of several bodies has none. */
static double find_step(const struct merge *m, double softening)
{
    double steps[2] = {INFINITY, INFINITY};
    for (int k = 0; k < 2; k++) {
        const struct nb_bodies *b = &m->inputs[k].bodies;
        const double own = own_step(&b->meta, softening);
        if (own > 0)
            steps[k] = own;
        else if (b->n > 1)
            return 0;
    }
    return fmin(encounter_step(steps[0], steps[1]), passage_step(m));
}

void merge_header(struct merge *m)
{
    const struct nb_meta *first = &m->inputs[0].bodies.meta;
    struct nb_meta *meta = &m->out.meta;
    int parents[2];
    meta->units = first->units;
    meta->G = first->G;
    meta->dt = find_step(m, meta->softening);
    for (int k = 0; k < 2; k++) {
        parents[k] = nb_history_join(meta, &m->inputs[k].bodies.meta);
        if (parents[k] < 0 || nb_meta_join_extra(meta, &m->inputs[k].bodies.meta))
            die("%s", nb_error());
    }
    tool_record_joined(meta, parents, 2, NULL);
}
