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
    double least;    /* minimum softening length for forces (nb_state_part_massless); 0: no minimum */
    void *radius;    /* one row: n radii; NULL before nb_state_set_radius */
    void *hole;      /* one row: 1 for black holes, 0 for others; NULL before nb_state_set_holes */
};

/* Returns the device memory in bytes for a state of n bodies and `rows` additional rows of n numbers. */
double nb_state_bytes(enum nb_precision precision, int rows, uint64_t n);

/* Makes a state from the columns mass, pos and vel of b, which must have passed nb_bodies_check. In quad precision,
 * adds the columns pos_lo and vel_lo (the digits of pos and vel that a double cannot hold) if the frame has them.
 * Returns NULL after nb_fail: no memory, or a copy failed. */
struct nb_state *nb_state_create(struct nb_device *device, enum nb_precision precision, const struct nb_bodies *b);
/* If bodies of mass 0 coincide and there is no softening, sets s->least, a very small softening length. Without it, the
 * forces between these bodies would be 0/0. It does not change a bit of the forces of other pairs. Call this before
 * forces are evaluated. */
void nb_state_part_massless(struct nb_state *s, const struct nb_bodies *b, double softening);
/* Makes a state of n bodies with all values 0. */
struct nb_state *nb_state_create_zero(struct nb_device *device, enum nb_precision precision, uint64_t n);
/* Copies n values (f32 or f64, host memory) to the row of radii. Allocates this row if it does not exist. Checkpoints
 * do not contain the radii, because the frame's column `radius` contains them. */
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
/* Allocates a vector of zeros in the state's shape. Free it with nb_device_free. Returns NULL after nb_fail. */
void *nb_state_vector(const struct nb_state *s);
/* Allocates a row of zeros. Free it with nb_device_free. Returns NULL after nb_fail. */
void *nb_state_row(const struct nb_state *s);
/* Copies a row (for a column of width 1) or a vector (width 3) from d_rows on the device into the data of column c,
 * which must be allocated and have the type f32 or f64. Returns 0, or -1 after nb_fail. */
int nb_state_fetch(const struct nb_state *s, const void *d_rows, struct nb_column *c);
/* Sets column c (pos_lo or vel_lo) to the vector d_rows minus column `hi` (pos or vel). Before this call,
 * nb_state_fetch must have copied d_rows to `hi`, rounded to double. */
int nb_state_fetch_low(const struct nb_state *s, const void *d_rows, const struct nb_column *hi, struct nb_column *c);

#ifdef __cplusplus
}
#endif
