/* merge_header.c - checks that two frames can be merged, and makes the header and columns of the result. */

#include "nbgen/merge/merge.h"

#include "base/units.h"
#include "scene/events.h"

#include <math.h>
#include <string.h>

/* ---- checks ---- */

/* Gives new numbers to the galaxies of an input, from `count` on, in the order of their old numbers. Writes the new
 * number of galaxy g to in->galaxy[g]. Returns the next free number. */
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
            die("%s: its bodies are colliding disks (nbs(5), contact), which have no gravity to orbit by",
                m->inputs[k].name);
    if (!nb_units_same(&ma->units, &mb->units))
        die("%s has units '%s' and %s '%s': only streams of the same units can be merged", a->name, ma->units.name,
            b->name, mb->units.name);
    if (ma->G != mb->G)
        die("%s has G = %.17g and %s %.17g: only streams of the same G can be merged", a->name, ma->G, b->name, mb->G);
    if (!(ma->G > 0))
        die("%s: G = %g, and an orbit needs gravity", a->name, ma->G);
    for (int k = 0; k < 2; k++)
        if (m->inputs[k].bodies.meta.force_count > 0)
            die("%s: its bodies are in an external field (nbstat --info), which cannot move on an orbit",
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
        say("softening %g of %s and %g of %s: the smaller one is used", a, m->inputs[0].name, b, m->inputs[1].name);
    m->out.meta.softening = isnan(m->softening) ? fmin(a, b) : m->softening;
}

/* Returns a time step for the passage of the galaxies: 0.02 * distance / speed, as in the model kepler. `distance`
 * combines the pericentre distance and the radii of the galaxies, because galaxies may pass through each other. */
static double passage_step(const struct merge *m)
{
    const double q = m->orbit.pericenter, a = m->inputs[0].radius, b = m->inputs[1].radius;
    const double distance = sqrt(q * q + a * a + b * b);
    const double gm = m->inputs[0].bodies.meta.G * (m->inputs[0].mass + m->inputs[1].mass);
    return 0.02 * distance / sqrt(gm * (1 + m->orbit.eccentricity) / distance);
}

/* Returns the time step of an input, or 0 if the input has none. `softening` is the softening length of the output. If
 * it is smaller than the softening length of the input, reduces the step in proportion, because encounters are then
 * shorter. */
static double own_step(const struct nb_meta *own, double softening)
{
    return softening < own->softening ? own->dt * softening / own->softening : own->dt;
}

/* Returns the output's time step, or 0 if an input of several bodies has no time step. */
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

/* ---- the columns ---- */

/* Returns the type of a column of the output: the type given by --store, or the wider type of the input columns a and
 * b. */
static enum nb_type real_type(const struct merge *m, const struct nb_column *a, const struct nb_column *b)
{
    if (m->store >= 0)
        return (enum nb_type)m->store;
    return (a && a->type == NB_F64) || (b && b->type == NB_F64) ? NB_F64 : NB_F32;
}

static void add(struct merge *m, const char *name, enum nb_type type, int width, const char *unit)
{
    const int at = m->out.column_count;
    must(nb_bodies_add(&m->out, name, type, width, unit));
    for (int k = 0; k < 2; k++)
        m->from[k][at] = nb_bodies_find(&m->inputs[k].bodies, name);
}

static void add_known(struct merge *m, const char *name)
{
    const struct nb_known *known = nb_column_known(name);
    const struct nb_column *a = nb_bodies_find(&m->inputs[0].bodies, name),
                           *b = nb_bodies_find(&m->inputs[1].bodies, name);
    add(m, name, nb_known_type(known, real_type(m, a, b)), known->width, known->unit);
}

static bool is_there(const struct merge *m, const char *name)
{
    return nb_bodies_find(&m->inputs[0].bodies, name) || nb_bodies_find(&m->inputs[1].bodies, name);
}

static bool is_alike(const struct nb_column *a, const struct nb_column *b)
{
    const bool types = a->type == b->type || (nb_type_is_real(a->type) && nb_type_is_real(b->type));
    return types && a->width == b->width && strcmp(a->unit, b->unit) == 0;
}

/* Returns true if a column of an input is not copied. Reasons: the merge gives it new values, a simulation computes it
 * (role NB_DERIVED), or the output already has it. */
static bool is_settled(const struct merge *m, const struct nb_column *c)
{
    const struct nb_known *known = nb_column_known(c->name);
    const bool replaced = strcmp(c->name, "parent_id") == 0 || strcmp(c->name, "softening") == 0;
    return replaced || (known && known->role == NB_DERIVED) || nb_bodies_find(&m->out, c->name);
}

/* Adds columns of an input to the output, if the other input also has them and is_settled is false. */
static void add_others(struct merge *m, int which)
{
    const struct merge_input *in = &m->inputs[which], *other = &m->inputs[!which];
    for (int k = 0; k < in->bodies.column_count; k++) {
        const struct nb_column *c = &in->bodies.columns[k], *same = nb_bodies_find(&other->bodies, c->name);
        if (is_settled(m, c))
            continue;
        if (!same)
            warn("column '%s' is in %s but not in %s: it is left out of the output", c->name, in->name, other->name);
        else if (is_alike(c, same))
            add(m, c->name, nb_type_is_real(c->type) ? real_type(m, c, same) : c->type, c->width, c->unit);
        else if (which == 0)
            warn("column '%s' differs in type, width or unit in %s and %s: it is removed", c->name, in->name,
                 other->name);
    }
}

static bool is_tilted(const struct encounter *e)
{
    for (int k = 0; k < 2; k++)
        if (e->tilts[k].inclination != 0 || e->tilts[k].node != 0)
            return true;
    return false;
}

/* Warns of each column of vectors that has no known name. Such columns are not rotated, because their meaning is
 * unknown. */
static void warn_of_vectors(const struct merge *m)
{
    for (int k = 0; k < m->out.column_count && is_tilted(&m->orbit); k++)
        if (m->out.columns[k].width == 3 && !nb_column_known(m->out.columns[k].name))
            warn("column '%s' is not rotated with the galaxies", m->out.columns[k].name);
}

static void warn_of_softening(const struct merge *m)
{
    double softening[2];
    for (int k = 0; k < 2; k++)
        if (nb_bodies_softening(&m->inputs[k].bodies, &softening[k]))
            return; /* invalid, or different for the bodies: needs no warning, because nbsim refuses such input */
    if (softening[0] != softening[1])
        warn("column 'softening': %g in %s and %g in %s, but gravity has one softening length for all (--softening)",
             softening[0], m->inputs[0].name, softening[1], m->inputs[1].name);
}

static void lay_out(struct merge *m)
{
    const char *const always[] = {"id", "component", "galaxy", "mass", "pos", "vel", "parent_id"};
    m->out.n = m->inputs[0].bodies.n + m->inputs[1].bodies.n;
    for (size_t k = 0; k < sizeof always / sizeof *always; k++)
        if (strcmp(always[k], "component") != 0 || is_there(m, "component"))
            add_known(m, always[k]);
    if (is_there(m, "softening") && isnan(m->softening)) {
        add_known(m, "softening");
        warn_of_softening(m);
    }
    for (int k = 0; k < 2; k++)
        add_others(m, k);
    warn_of_vectors(m);
}

/* ---- the header ---- */

void merge_header(struct merge *m)
{
    const struct nb_meta *first = &m->inputs[0].bodies.meta;
    struct nb_meta *meta = &m->out.meta;
    int parents[2];
    lay_out(m);
    meta->units = first->units;
    meta->G = first->G;
    meta->dt = find_step(m, meta->softening);
    meta->dynamical_time = m->inputs[m->inputs[1].mass > m->inputs[0].mass].bodies.meta.dynamical_time;
    for (int k = 0; k < 2; k++) {
        parents[k] = nb_history_join(meta, &m->inputs[k].bodies.meta);
        must(parents[k] < 0 || nb_meta_join_extra(meta, &m->inputs[k].bodies.meta));
    }
    nb_events_drop(meta, true); /* the times and ids in the events of the inputs are not valid in the output */
    tool_record_joined(meta, parents, 2, NULL);
}
