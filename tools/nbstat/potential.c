/* Where the potential of a frame comes from. */
#include "nbstat.h"

#include "error.h"
#include "memory.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define LONG_SUM 1000000 /* bodies from which on a direct sum takes minutes on a CPU: worth a word */

static int make_room(struct stat_phi *p, uint64_t n)
{
    if (n <= p->capacity)
        return 0;
    free(p->phi);
    p->phi = NULL;
    p->capacity = 0;
    if (nb_memory_check(n, (double)n * sizeof *p->phi))
        return -1;
    p->phi = n > SIZE_MAX / sizeof *p->phi ? NULL : malloc((size_t)n * sizeof *p->phi);
    p->capacity = p->phi ? n : 0;
    return p->phi ? 0 : nb_fail("no memory for the potentials of %" PRIu64 " bodies", n);
}

static int take_column(struct stat_phi *p, const struct nb_bodies *b)
{
    const struct nb_column *c = nb_bodies_find(b, "phi");
    if (!c)
        return nb_fail("no column phi (--potential auto computes it)");
    uint64_t bad = nb_column_first_bad(c, b->n);
    if (bad < b->n)
        return nb_fail("body %" PRIu64 ": phi is not a finite number", bad);
    nb_column_get_f64(c, 0, b->n, p->phi);
    return 0;
}

/* What is said once for each method: frames of a stream may differ in their number of bodies. */
static void announce(const struct stat_phi *p, uint64_t n)
{
    const bool direct = strcmp(p->force->method, "direct") == 0;
    if (direct)
        say_verbose("potential by the direct sum in double precision on %s", p->where);
    else
        say_verbose("potential by the %s (theta %g) in double precision on %s", p->force->method, NB_MEASURE_THETA,
                    p->where);
    if (direct && n >= LONG_SUM)
        say("the potential of %" PRIu64 " bodies is a sum over %.0e pairs (--potential tree is quicker)", n,
            (double)n * (double)n);
}

/* The device is looked for when the first frame needs it: a stream with phi leaves the GPU alone. */
static int compute(struct stat_phi *p, const struct stat_options *o, const struct nb_bodies *b)
{
    if (!p->device && !(p->device = nb_device_choose(o->device, p->where, sizeof p->where)))
        die("%s", nb_error());
    const struct nb_force *before = p->force;
    p->force = nb_force_choose(stat_potential_name(o->potential), p->device, NB_DOUBLE, NB_WANT_PHI, b->n);
    if (!p->force)
        die("%s", nb_error());
    if (p->force != before)
        announce(p, b->n);
    return nb_measure_potential(b, p->device, p->force, p->phi);
}

int stat_phi_find(struct stat_phi *p, const struct stat_options *o, const struct nb_bodies *b, const double **phi)
{
    *phi = NULL;
    if (o->potential == POTENTIAL_NONE)
        return 0;
    if (make_room(p, b->n))
        return -1;
    *phi = p->phi;
    if (o->potential == POTENTIAL_COLUMN || (o->potential == POTENTIAL_AUTO && nb_bodies_find(b, "phi")))
        return take_column(p, b);
    return compute(p, o, b);
}

void stat_phi_free(struct stat_phi *p)
{
    free(p->phi);
}
