/* emden.h - spheres whose density depends on the potential alone, by Poisson's equation: King's (1966, AJ 71, 64) and
 * the isothermal one (Emden 1907). */
#ifndef SPHERE_EMDEN_H
#define SPHERE_EMDEN_H

struct emden;

/* Lives until the tool ends. w0 INFINITY: isothermal. */
const struct emden *emden_make(double w0);
/* Relative to the centre's, at r in core radii, 3 sigma / sqrt(4 pi rho(0)). */
double emden_density(const struct emden *e, double r);
/* King's tidal radius in core radii; INFINITY of the isothermal sphere. */
double emden_edge(const struct emden *e);

#endif
