/* state.h - the state of n bodies on a device: masses, positions, velocities and accelerations as vectors (device.h).
 */
#pragma once

#include "device/device.h"

#ifdef __cplusplus
extern "C" {
#endif

struct nb_state {
    struct nb_device *device; /* owned by the caller; must outlive the state */
    enum nb_precision precision;
    uint64_t n, stride; /* n: number of bodies; stride: number of elements per row */
    /* Device memory of the precision's type, owned by the state, in the frame's units: */
    void *m;         /* one row: n masses */
    void *x, *v, *a; /* vectors: position, velocity, acceleration */
    double time;     /* time at which the bodies are at x: initially the frame's time, then set by the integrator */
    double least;    /* minimum softening length that forces use: see nb_state_part_massless; 0: none */
    void *radius;    /* one row: n radii, after nb_state_set_radius; else NULL */
    void *hole;      /* one row: 1 for black holes, else 0, after nb_state_set_holes; else NULL */
};

/* Returns the bytes of device memory for a state of n bodies and `rows` further rows. */
double nb_state_bytes(enum nb_precision precision, int rows, uint64_t n);

/* Copies mass, pos and vel to the device. `b` must have passed nb_bodies_check. In quad, adds the columns pos_lo and
 * vel_lo (the rounding errors of pos and vel), if present. NULL after nb_fail: no memory, or a copy failed. */
struct nb_state *nb_state_create(struct nb_device *device, enum nb_precision precision, const struct nb_bodies *b);
/* Sets `least` if bodies of mass 0 coincide, because without softening their pairs would give 0/0. `least` is so small
 * that it changes no bit of the forces of other pairs. Call it before forces are evaluated. Does nothing if there is
 * softening. */
void nb_state_part_massless(struct nb_state *s, const struct nb_bodies *b, double softening);
/* Makes a state of n bodies with all values 0. */
struct nb_state *nb_state_create_zero(struct nb_device *device, enum nb_precision precision, uint64_t n);
/* Copies n values (f32 or f64, host memory) to the row of radii, which is allocated if missing. Checkpoints do not
 * contain the radii, because the frame's column `radius` contains them. */
int nb_state_set_radius(struct nb_state *s, enum nb_type type, const void *values);
/* Copies n values in double, 1 for black holes, else 0, to the row `hole`. */
int nb_state_set_holes(struct nb_state *s, const double *values);
void nb_state_destroy(struct nb_state *s); /* NULL is allowed */
/* Serialises masses, positions, velocities and accelerations exactly. Loading fails if the saved state has another
 * number of bodies or another precision. */
int nb_state_pack(struct nb_state *s, struct nb_pack *k);
/* Serialises one of the state's vectors, or a vector made by nb_state_vector. */
int nb_state_pack_vector(const struct nb_state *s, struct nb_pack *k, void *d_vector);
/* Serialises a row made by nb_state_row. */
int nb_state_pack_row(const struct nb_state *s, struct nb_pack *k, void *d_row);
/* Allocates another vector of the state's shape, zeroed. The caller frees it with nb_device_free. NULL after nb_fail.
 */
void *nb_state_vector(const struct nb_state *s);
/* Allocates one zeroed row. The caller frees it with nb_device_free. NULL after nb_fail. */
void *nb_state_row(const struct nb_state *s);
/* Copies the rows d_rows from the device into the data of column c, which must be allocated. The column has the width 1
 * or 3 and the type f32 or f64; d_rows has `width` rows of the state's stride. 0, or -1 after nb_fail. */
int nb_state_fetch(const struct nb_state *s, const void *d_rows, struct nb_column *c);
/* Writes the values in d_rows minus the values in `hi` (the column pos or vel) to column c (pos_lo or vel_lo). `hi`
 * must have been fetched from d_rows, so that the differences are the rounding errors of `hi`. */
int nb_state_fetch_low(const struct nb_state *s, const void *d_rows, const struct nb_column *hi, struct nb_column *c);

#ifdef __cplusplus
}
#endif
