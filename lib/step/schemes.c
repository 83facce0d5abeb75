/* schemes.c - the list of all schemes, in the order of --list-integrators. */
#include "base/error.h"
#include "step/step.h"

#include <string.h>

extern const struct nb_scheme nb_scheme_euler, nb_scheme_symplectic_euler, nb_scheme_leapfrog, nb_scheme_leapfrog_dkd,
    nb_scheme_leapfrog_block, nb_scheme_yoshida4, nb_scheme_yoshida6, nb_scheme_yoshida8, nb_scheme_mclachlan4,
    nb_scheme_midpoint, nb_scheme_rk4, nb_scheme_rkck54, nb_scheme_rkdp54, nb_scheme_verner65, nb_scheme_rkf78,
    nb_scheme_feagin10, nb_scheme_feagin12, nb_scheme_feagin14, nb_scheme_gauss6, nb_scheme_lobatto4,
    nb_scheme_trapezoid, nb_scheme_ab1, nb_scheme_ab2, nb_scheme_ab3, nb_scheme_ab4, nb_scheme_ab5, nb_scheme_abm5,
    nb_scheme_bulirsch_stoer, nb_scheme_stormer, nb_scheme_hermite4, nb_scheme_hermite4_block,
    nb_scheme_hermite4_groups, nb_scheme_ahmad_cohen, nb_scheme_p3t, nb_scheme_hermite6, nb_scheme_ias15,
    nb_scheme_whfast, nb_scheme_whfast17, nb_scheme_whfast_jacobi, nb_scheme_whfast17_jacobi, nb_scheme_rosetta;

const struct nb_scheme *const nb_schemes[] = {
    &nb_scheme_euler,
    &nb_scheme_symplectic_euler,
    &nb_scheme_leapfrog,
    &nb_scheme_leapfrog_dkd,
    &nb_scheme_leapfrog_block,
    &nb_scheme_yoshida4,
    &nb_scheme_yoshida6,
    &nb_scheme_yoshida8,
    &nb_scheme_mclachlan4,
    &nb_scheme_midpoint,
    &nb_scheme_rk4,
    &nb_scheme_rkck54,
    &nb_scheme_rkdp54,
    &nb_scheme_verner65,
    &nb_scheme_rkf78,
    &nb_scheme_feagin10,
    &nb_scheme_feagin12,
    &nb_scheme_feagin14,
    &nb_scheme_gauss6,
    &nb_scheme_lobatto4,
    &nb_scheme_trapezoid,
    &nb_scheme_ab1,
    &nb_scheme_ab2,
    &nb_scheme_ab3,
    &nb_scheme_ab4,
    &nb_scheme_ab5,
    &nb_scheme_abm5,
    &nb_scheme_bulirsch_stoer,
    &nb_scheme_stormer,
    &nb_scheme_hermite4,
    &nb_scheme_hermite4_block,
    &nb_scheme_hermite4_groups,
    &nb_scheme_ahmad_cohen,
    &nb_scheme_p3t,
    &nb_scheme_hermite6,
    &nb_scheme_ias15,
    &nb_scheme_whfast,
    &nb_scheme_whfast17,
    &nb_scheme_whfast_jacobi,
    &nb_scheme_whfast17_jacobi,
    &nb_scheme_rosetta,
    NULL,
};

const struct nb_scheme *nb_scheme_find(const char *name)
{
    for (const struct nb_scheme *const *s = nb_schemes; *s; s++)
        if (strcmp(name, (*s)->name) == 0)
            return *s;
    nb_fail("unknown integrator '%s' (--list-integrators lists all)", name);
    return NULL;
}
