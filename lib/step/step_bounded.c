/* step_bounded.c - steps whose size is bounded by the forces or by the scheme. The size is kept constant for as many
 * steps as possible, because a device's recording of steps (step_splitting.c) is valid for one size only. */
#include "step/step_family.h"

#include "base/error.h"

#include <errno.h>
#include <math.h>

#define KEPT      0.75 /* the previous step size is kept if it is larger than this fraction of the bound */
#define STEPS_MAX 1e15 /* maximum number of steps until the next output */

static int refuse_bound(double bound, nb_quad left)
{
    nb_fail("the forces allow steps of at most %.3g, too short for the time of %.3g to the next output", bound,
            (double)nb_quad_abs(left));
    errno = EDOM;
    return -1;
}

/* Returns the number of steps of size h that fill `distance`, or 0 if (double)(distance / number) is not exactly h.
 * The comparison is in double, because h may have been read from a frame's header, which contains doubles. */
static uint64_t steps_as_before(nb_quad distance, double h)
{
    const double count = round((double)distance / h);
    if (!(count >= 1 && count <= STEPS_MAX))
        return 0;
    return (double)(distance / (nb_quad)count) == h ? (uint64_t)count : 0;
}

/* Computes the bound of the step size. Chooses the size c->h and the number c->rest of the steps that fill the time
 * `left` until the next output. */
static int choose(struct nb_stepper *p, struct nb_bounded *c, nb_quad left)
{
    const double before = fabs((double)c->h);
    double bound, own = INFINITY;
    if (nb_force_set_longest_step(p->forces, p->state, &bound))
        return -1;
    if (p->scheme->family->bound && p->scheme->family->bound(p, before, &own))
        return -1;
    bound = fmin(fmin(bound, own), c->longest);
    const nb_quad distance = nb_quad_abs(left);
    if (!(bound > 0) || (double)distance / bound > STEPS_MAX)
        return refuse_bound(bound, left);
    /* the tolerance 1e-9 allows for rounding errors, as in nb_step_count */
    const bool kept = before <= bound * (1 + 1e-9) && before > KEPT * bound;
    uint64_t steps = kept && c->rest > 0 ? c->rest : 0;
    c->unchecked = p->scheme->family->bound ? 1 : NB_BOUNDED_CHECK;
    if (steps > 0)
        return 0;
    if (kept)
        steps = steps_as_before(distance, before);
    if (steps == 0)
        steps = isinf(bound) ? 1 : nb_step_count((double)distance, bound);
    c->rest = steps;
    c->h = left / (nb_quad)steps;
    return 0;
}

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

int nb_steps_bounded(struct nb_stepper *p, struct nb_bounded *c, nb_quad *left, uint64_t most)
{
    while (most > 0 && *left != 0) {
        if ((c->rest == 0 || c->unchecked == 0) && choose(p, c, *left))
            return -1;
        const uint64_t count = least(most, least(c->rest, c->unchecked));
        if (nb_steps(p, c->h, count))
            return -1;
        c->rest -= count;
        c->unchecked -= count;
        c->taken += count;
        most -= count;
        /* *left is not computed by a subtraction, which would add a rounding error in each call. *left would then
         * depend on the number of calls in which the caller takes the steps. */
        *left = c->h * (nb_quad)c->rest;
    }
    return 0;
}

int nb_bounded_pack(struct nb_bounded *c, struct nb_pack *k)
{
    if (nb_pack_bytes(k, &c->longest, sizeof c->longest) || nb_pack_bytes(k, &c->h, sizeof c->h) ||
        nb_pack_unsigned(k, &c->rest, UINT64_MAX) || nb_pack_unsigned(k, &c->unchecked, NB_BOUNDED_CHECK) ||
        nb_pack_unsigned(k, &c->taken, UINT64_MAX))
        return -1;
    const bool possible = isfinite((double)c->h) && c->longest >= 0 && (c->rest == 0 || c->h != 0);
    return k->way != NB_PACK_LOAD || possible ? 0 : nb_fail("contains invalid data of bounded steps");
}
