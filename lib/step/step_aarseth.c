/* step_aarseth.c - step size from Aarseth's criterion, for schemes with one step for all bodies and for schemes with
 * individual steps. Declared in step_aarseth.h. */
#include "step/step_aarseth.h"

#include <math.h>

#define LONGEST 2    /* a step is rejected if it is longer than LONGEST * (size that the criterion gives at its end) */
#define MOST    2    /* maximum of (size of the next step) / (size of this step) */
#define LEAST   0.05 /* minimum of (size of the next step) / (size of this step) */
#define GROWTH  16   /* maximum of (size of the next base step) / (size of this base step) */

double nb_aarseth_eta(const struct nb_stepper *p, double tolerance)
{
    return pow(fmax(tolerance, nb_step_force_epsilon(p->state->precision)), 1.0 / p->scheme->order);
}

/* Sets *size to the step size by Aarseth's criterion: eta times the shortest time scale tau of a body
 * (step_aarseth.h). */
static int wanted(struct nb_stepper *p, const void *const d_derivative[4], const void *d_a, double tolerance,
                  double *size)
{
    double largest, time;
    if (nb_step_combine(p, 0, NULL, 1, &(struct nb_combination){.base = d_a}, &largest) ||
        nb_step_shortest(p, d_derivative, largest, &time))
        return -1;
    *size = nb_aarseth_eta(p, tolerance) * time;
    return 0;
}

int nb_aarseth_first(struct nb_stepper *p, const void *d_a, const void *d_jerk, const void *d_snap, double tolerance,
                     double *most)
{
    double size = INFINITY;
    void *d_none = nb_state_vector(p->state);
    /* tau (step_aarseth.h) is computed from four vectors: acceleration, jerk, snap and crackle. If the crackle is
     * unknown, it is replaced by 0. If snap and crackle are unknown, the four vectors are 0, acceleration, jerk and
     * 0. tau is then |acceleration| / |jerk| approximately, because nb_device_step_scale replaces the magnitude 0 of
     * the first vector by a small number. */
    const void *const two[] = {d_none, d_a, d_jerk, d_none}, *const three[] = {d_a, d_jerk, d_snap, d_none};
    const int status = d_none ? wanted(p, d_snap ? three : two, d_a, tolerance, &size) : -1;
    nb_device_free(p->state->device, d_none);
    *most = fmin(*most, size);
    return status;
}

int nb_aarseth_judge(struct nb_stepper *p, nb_quad h, const void *const d_derivative[4], double tolerance,
                     struct nb_trial *trial)
{
    double size;
    if (wanted(p, d_derivative, d_derivative[0], tolerance, &size))
        return -1;
    const double factor = size / (double)nb_quad_abs(h);
    trial->accepted = factor * LONGEST >= 1; /* false for NaN */
    trial->factor = factor >= LEAST ? fmin(MOST, factor) : LEAST;
    return 0;
}

int nb_aarseth_own_steps(struct nb_stepper *p, nb_quad h, uint64_t count)
{
    uint64_t done;
    double least;
    for (; count > 0; count--)
        if (p->scheme->family->base(p, h, p->scheme->usual_tolerance, false, &done, &least))
            return -1;
    return 0;
}

int nb_aarseth_own_first(struct nb_stepper *p, double tolerance, double *most)
{
    const double *longest = p->memory;
    *most = fmin(*most, nb_aarseth_eta(p, tolerance) * *longest);
    return 0;
}

int nb_aarseth_own_attempt(struct nb_stepper *p, nb_quad h, double tolerance, struct nb_trial *trial)
{
    const double *longest = p->memory;
    const uint64_t whole = (uint64_t)1 << NB_OWN_PARTS;
    uint64_t done;
    if (p->scheme->family->base(p, h, tolerance, true, &done, &trial->least))
        return -1;
    trial->accepted = true;
    trial->factor = fmin(GROWTH, nb_aarseth_eta(p, tolerance) * *longest / (double)nb_quad_abs(h));
    trial->taken = done == whole ? h : h * done / whole;
    return 0;
}
