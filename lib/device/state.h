/* state.h - the state of n bodies on a device: masses, positions, velocities, accelerations as vectors (device.h). */
#pragma once

#include "device/device.h"

#ifdef __cplusplus
extern "C" {
#endif

struct nb_state {
    struct nb_device *device; /* the caller's; outlives the state */
    enum nb_precision precision;
    uint64_t n, stride; /* bodies; elements of a row */
    /* Device memory of the precision's type, owned here, in the units of the frame: */
    void *m;         /* one row: n masses */
    void *x, *v, *a; /* vectors: position, velocity, acceleration */
    double time;     /* of x, T: that of the bodies it was made of, then kept by who moves them */
    double least;    /* softening that forces take where it is 0: next to nothing, or 0 */
    void *radius;    /* one row: n radii, where nb_state_set_radius has put some; else NULL */
    void *hole;      /* one row: 1 of black holes, else 0, where nb_state_set_holes has put them; else NULL */
};

/* Device memory of a state of n bodies and `rows` further rows of its length, bytes. */
double nb_state_bytes(enum nb_precision precision, int rows, uint64_t n);

/* Copies mass, pos and vel of checked bodies to the device; in quad also pos_lo and vel_lo, added to pos and vel, where
 * there are such. NULL after nb_fail: no memory, or a copy failed. */
struct nb_state *nb_state_create(struct nb_device *device, enum nb_precision precision, const struct nb_bodies *b);
/* Where bodies of mass 0 are at one place, without softening a pair of them would be 0/0: sets `least`, so small that
 * no other pair has another bit. Call it before forces are asked for; with softening it does nothing. */
void nb_state_part_massless(struct nb_state *s, const struct nb_bodies *b, double softening);
/* A state without bodies: n of them, all zeros. */
struct nb_state *nb_state_create_zero(struct nb_device *device, enum nb_precision precision, uint64_t n);
/* Copies n values (f32 or f64, host memory) into a row of radii, which is made where there is none. What a checkpoint
 * holds of a state has no radii: they are a column's. */
int nb_state_set_radius(struct nb_state *s, enum nb_type type, const void *values);
/* The same of black holes: 1 of each, else 0, double. */
int nb_state_set_holes(struct nb_state *s, const double *values);
void nb_state_destroy(struct nb_state *s); /* NULL is allowed */
/* Masses, positions, velocities and accelerations, bit for bit, and that they are as many and as precise. */
int nb_state_pack(struct nb_state *s, struct nb_pack *k);
/* One of its vectors, or of those that nb_state_vector has made. */
int nb_state_pack_vector(const struct nb_state *s, struct nb_pack *k, void *d_vector);
int nb_state_pack_row(const struct nb_state *s, struct nb_pack *k, void *d_row); /* of nb_state_row */
/* Allocates a further vector of the state's shape, zeroed; the caller's, to be freed with nb_device_free. NULL after
 * nb_fail. */
void *nb_state_vector(const struct nb_state *s);
/* The same with one row. */
void *nb_state_row(const struct nb_state *s);
/* Copies rows from the device into a column of width 1 or 3, type f32 or f64, that has data. `d_rows` has
 * `width` rows of the state's stride. 0, or -1 after nb_fail. */
int nb_state_fetch(const struct nb_state *s, const void *d_rows, struct nb_column *c);
/* The low parts of the values: the values less those in the column `hi`, fetched before; for pos_lo and vel_lo. */
int nb_state_fetch_low(const struct nb_state *s, const void *d_rows, const struct nb_column *hi, struct nb_column *c);

#ifdef __cplusplus
}
#endif
