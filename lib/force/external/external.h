/* external.h - analytic external fields, which act on each target independently: `--force
 * external:KIND[,key=value...]`.
 *
 * (x, y, z) is the position relative to the centre. For `bar` and `logarithmic`, it is also rotated by -(angle + omega
 * t) about z. r^2 = x^2 + y^2 + z^2, R^2 = x^2 + y^2. G and all parameters are in the frame's units:
 *
 *   point            phi = -G mass / sqrt(r^2 + eps^2)
 *   plummer          phi = -G mass / sqrt(r^2 + scale^2)            Plummer 1911, MNRAS 71, 460
 *   hernquist        phi = -G mass / (r + scale)                    Hernquist 1990, ApJ 356, 359
 *   nfw              phi = -G mass ln(1 + r/scale) / r              Navarro, Frenk & White 1997, ApJ 490, 493
 *                    with mass = 4 pi rho_s scale^3
 *   logarithmic      phi = speed^2/2 ln(core^2 + x^2 + y^2/p^2 + z^2/q^2)   Binney & Tremaine 2008, 2.71, 3.103
 *   miyamoto-nagai   phi = -G mass / sqrt(R^2 + (a + sqrt(z^2 + b^2))^2)    Miyamoto & Nagai 1975, PASJ 27, 533
 *   bar              phi = -G mass/a artanh(2a / (T+ + T-)),        a needle of length 2a along x, softened:
 *                    T+-^2 = (a +- x)^2 + y^2 + (b + sqrt(z^2 + c^2))^2     Long & Murali 1992, ApJ 397, 44
 *   uniform          acceleration g = (gx, gy, gz), rotated by angle + omega t about z; phi = -(g . position)
 *   drag             acceleration -rate v, no potential
 *   milky-way        disk (miyamoto-nagai 1e11 Msun, 6.5, 0.26 kpc) + bulge (hernquist 3.4e10 Msun, 0.7 kpc) + halo
 *                    (logarithmic, phi = (128 km/s)^2 ln(r^2 + (12 kpc)^2)): Johnston, Spergel & Hernquist 1995, ApJ
 *                    451, 598. Needs a frame with physical units.
 *
 * Ranges: mass, eps, speed, rate >= 0; scale, core, p, q > 0; disk: a >= 0, b > 0; bar: a, c > 0, b >= 0.
 *
 * A field is a sum of terms, which are always evaluated in double. Three quantities can depend on time: the angle, the
 * centre (the parameters plus the values of the file `center`) and the values of the file `table` (external_table.h).
 * Coordinates are inertial. */
#pragma once

#include "force/force.h"

#ifdef __cplusplus
extern "C" {
#endif

extern const struct nb_force_kind nb_external_kinds[];

enum nb_external_shape {
    NB_EXTERNAL_PLUMMER,
    NB_EXTERNAL_HERNQUIST,
    NB_EXTERNAL_NFW,
    NB_EXTERNAL_LOGARITHMIC,
    NB_EXTERNAL_MIYAMOTO_NAGAI,
    NB_EXTERNAL_BAR,
    NB_EXTERNAL_UNIFORM,
    NB_EXTERNAL_DRAG
};

struct nb_external_term {
    enum nb_external_shape shape;
    double strength;  /* G * mass; logarithmic: speed^2; drag: rate */
    double a, b, c;   /* lengths; a is the parameter `scale`, `eps`, `core` or `a` */
    double p, q;      /* axis ratios of the logarithmic potential, dimensionless */
    double centre[3]; /* position of the centre; in a uniform field: the acceleration */
    double turn[2];   /* cosine and sine of the angle of a bar or a logarithmic potential */
};

#define NB_EXTERNAL_TERMS 3

struct nb_external { /* a field: the sum of its terms */
    int terms;
    struct nb_external_term term[NB_EXTERNAL_TERMS];
};

/* Implement nb_force.open and nb_force.close. The field uses G and the units of `meta`, the header of a frame. */
void *nb_external_open(struct nb_device *device, const struct nb_force_spec *spec, const struct nb_meta *meta);
void nb_external_close(struct nb_device *device, void *work);

/* Returns the field at the time `time`. */
struct nb_external nb_external_at(const void *work, double time);
/* Returns whether the field changes in time. */
bool nb_external_moves(const void *work);

/* Implements nb_force.frequency. Returns the largest angular frequency of orbits at the n points x[]. If the field
 * rotates at a larger angular speed, returns this speed. If the field has a table, the maximum includes times between
 * the first and the last row of the table.
 * - The frequency at a point is the square root of the sum of the squared frequencies of the terms.
 * - The frequency of a term is the angular frequency of a circular orbit about its centre; in a flat field, the higher
 *   frequency of motion along the short axis. For drag it is the rate, for a uniform field 0.
 * - The frequency grows without limit towards a density cusp. It is therefore computed at no radius below a hundredth
 *   of the scale length. */
double nb_external_frequency(const void *work, uint64_t n, const double *x, double time);
/* Implement nb_force.covers, nb_force.grain and nb_force.note_files. */
int nb_external_covers(const void *work, double begin, double end);
double nb_external_grain(const void *work, double begin, double end);
int nb_external_note_files(struct nb_force_spec *spec, const struct nb_meta *meta);

/* Implements nb_force.refuse. Refuses jerk and snap, because external fields do not compute them. */
const char *nb_external_refuse(enum nb_precision precision, unsigned want);

#ifdef __cplusplus
}
#endif
