/* Where the potentials and accelerations of a frame come from. */
#include "nbstat.h"

#include "error.h"
#include "memory.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STAT_OWN_GRAVITY "auto"  /* in the header's list of forces */
#define LONG_SUM         1000000 /* bodies from which on a direct sum takes minutes on a CPU: worth a word */
#define CLOSER           0.7     /* thetas one after the other, until the potential energy is close enough */
#define LEAST_THETA      0.15

static double *reallocated(double *old, uint64_t n)
{
    free(old);
    return n == 0 || n > SIZE_MAX / sizeof *old ? NULL : malloc((size_t)n * sizeof *old);
}

static int grow(struct stat_fields *p, uint64_t n)
{
    if (n <= p->capacity)
        return 0;
    p->phi = reallocated(p->phi, 0);
    p->external = reallocated(p->external, 0);
    p->acc = reallocated(p->acc, 0);
    p->capacity = 0;
    if (nb_memory_check(n, 5 * (double)n * sizeof *p->phi))
        return -1;
    p->phi = reallocated(p->phi, n);
    p->external = reallocated(p->external, n);
    p->acc = reallocated(p->acc, 3 * n);
    p->capacity = p->phi && p->external && p->acc ? n : 0;
    return p->capacity ? 0 : nb_fail("no memory for the potentials of %" PRIu64 " bodies", n);
}

static int take_column(const struct nb_bodies *b, const char *name, double *values)
{
    const struct nb_column *c = nb_bodies_find(b, name);
    if (!c)
        return nb_fail("no column %s (--potential auto computes it)", name);
    uint64_t bad = nb_column_first_bad(c, b->n);
    if (bad < b->n)
        return nb_fail("body %" PRIu64 ": %s is not a finite number", bad, name);
    nb_column_get_f64(c, 0, b->n, values);
    return 0;
}

/* What is said once for each method: frames of a stream may differ in their number of bodies. */
static void announce(const struct stat_fields *p, uint64_t n)
{
    const unsigned flags = p->force->flags;
    if (flags & NB_EXACT)
        say_verbose("potential by the %s sum in double precision on %s", p->force->method, p->device->description);
    else
        say_verbose("potential by the %s (theta %.2g) in double precision on %s", p->force->method, p->theta,
                    p->device->description);
    if (flags & NB_ALL_PAIRS && n >= LONG_SUM)
        say("the potential of %" PRIu64 " bodies is a sum over %.0e pairs (--potential tree is quicker)", n,
            (double)n * (double)n);
}

static void add_force(struct nb_force_set *set, const char *method, double theta, const struct nb_bodies *b)
{
    char text[32];
    struct nb_force_spec spec;
    snprintf(text, sizeof text, "%.17g", theta);
    if (nb_force_parse(method, &spec) ||
        (!isnan(nb_force_value(&spec, "theta")) && nb_force_set(&spec, "theta", text)) ||
        nb_force_set_add(set, &spec, NB_DOUBLE, NB_WANT_PHI | NB_WANT_ACC, b->n, &b->meta))
        die("%s", nb_error());
}

/* The bodies' own gravity, by the method that was asked for. */
static void add_own(struct stat_fields *p, const struct stat_options *o, double theta, const struct nb_bodies *b,
                    struct nb_force_set *set)
{
    const struct nb_force *before = p->force;
    const double theta_before = p->theta;
    add_force(set, stat_potential_name(o->potential), theta, b);
    p->force = set->force[set->count - 1].entry;
    p->theta = theta;
    if (p->force != before || (!(p->force->flags & NB_EXACT) && theta != theta_before))
        announce(p, b->n);
}

static int add_external(const struct nb_bodies *b, struct nb_force_set *set)
{
    for (int k = 0; k < b->meta.force_count; k++) {
        struct nb_force_spec spec;
        if (strcmp(b->meta.forces[k], STAT_OWN_GRAVITY) == 0)
            continue;
        if (nb_force_parse(b->meta.forces[k], &spec) ||
            nb_force_set_add(set, &spec, NB_DOUBLE, NB_WANT_PHI | NB_WANT_ACC, b->n, &b->meta))
            return -1;
    }
    return 0;
}

/* Do the bodies act on each other? The header says so where it names forces; without one they do. */
static bool has_own(const struct nb_bodies *b)
{
    bool own = b->meta.force_count == 0;
    for (int k = 0; k < b->meta.force_count; k++)
        own = own || strcmp(b->meta.forces[k], STAT_OWN_GRAVITY) == 0;
    return own;
}

static int compute_with(struct stat_fields *p, const struct stat_options *o, double theta, const struct nb_bodies *b,
                        const struct nb_fields *wanted)
{
    struct nb_force_set set;
    int status = 0;
    nb_force_set_init(&set, p->device);
    if ((wanted->phi || wanted->acc) && has_own(b))
        add_own(p, o, theta, b, &set);
    if (wanted->external || wanted->acc)
        status = add_external(b, &set);
    if (status == 0)
        status = nb_measure_fields(b, &set, wanted);
    nb_force_set_close(&set);
    return status;
}

static int check(const struct stat_fields *p, const struct nb_bodies *b, double *error)
{
    struct nb_force_set direct;
    nb_force_set_init(&direct, p->device);
    add_force(&direct, "direct", NAN, b);
    int status = nb_measure_check(b, &direct, p->phi, error);
    nb_force_set_close(&direct);
    return status;
}

/* The device is looked for when the first frame needs it: a stream with phi and acc leaves the GPU alone. A tree's
 * potential is checked, and computed again with a smaller theta where it is not close enough. */
static int compute(struct stat_fields *p, const struct stat_options *o, const struct nb_bodies *b,
                   const struct nb_fields *wanted)
{
    double theta = NB_MEASURE_THETA, error;
    if (!p->device && !(p->device = nb_device_choose(o->device)))
        die("%s", nb_error());
    for (;; theta *= CLOSER) {
        if (compute_with(p, o, theta, b, wanted))
            return -1;
        if (!wanted->phi || !has_own(b) || p->force->flags & NB_EXACT)
            return 0;
        if (check(p, b, &error))
            return -1;
        if (error <= NB_MEASURE_TOLERANCE)
            return 0;
        if (theta * CLOSER < LEAST_THETA)
            break;
    }
    warn("t = %g: the potential energy by the tree may be off by %.1e of it (--potential direct is exact)",
         b->meta.time, error);
    return 0;
}

/* Takes the values from their column; or notes in *wanted that they are to be computed. */
static int take(const struct stat_options *o, const struct nb_bodies *b, const char *name, double *values,
                double **wanted)
{
    const bool must = o->potential == POTENTIAL_COLUMN;
    if (must || (o->potential == POTENTIAL_AUTO && nb_bodies_find(b, name)))
        return take_column(b, name, values);
    *wanted = values;
    return 0;
}

int stat_fields_find(struct stat_fields *p, const struct stat_options *o, const struct nb_bodies *b)
{
    struct nb_fields wanted = {0};
    if (grow(p, b->n))
        return -1;
    memset(p->external, 0, b->n * sizeof *p->external);
    p->acc_known = o->potential != POTENTIAL_COLUMN || nb_bodies_find(b, "acc");
    if (take(o, b, "phi", p->phi, &wanted.phi) || (p->acc_known && take(o, b, "acc", p->acc, &wanted.acc)) ||
        (nb_force_has_external(&b->meta) && take(o, b, "phi_external", p->external, &wanted.external)))
        return -1;
    return wanted.phi || wanted.external || wanted.acc ? compute(p, o, b, &wanted) : 0;
}

void stat_fields_free(struct stat_fields *p)
{
    free(p->phi);
    free(p->external);
    free(p->acc);
    nb_device_close(p->device);
}
