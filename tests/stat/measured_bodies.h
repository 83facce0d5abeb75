/* measured_bodies.h - for tests of the measures: systems of bodies with given numbers, and their potential by direct
 * summation. */
#pragma once

#include "common/devices.h"
#include "common/uniform.h"
#include "measure/measure.h"

static inline void make_typed(struct nb_bodies *b, uint64_t n, enum nb_type type)
{
    nb_bodies_init(b);
    b->n = n;
    assert_int_equal(nb_bodies_add(b, "mass", type, 1, "M"), 0);
    assert_int_equal(nb_bodies_add(b, "pos", type, 3, "L"), 0);
    assert_int_equal(nb_bodies_add(b, "vel", type, 3, "L/T"), 0);
    assert_int_equal(nb_bodies_alloc(b), 0);
}

static inline void make(struct nb_bodies *b, uint64_t n)
{
    make_typed(b, n, NB_F64);
    for (int k = 0; k < 3; k++)
        memset(b->columns[k].data, 0, nb_column_bytes(&b->columns[k], n));
}

static inline double *mass(const struct nb_bodies *b)
{
    return b->columns[0].data;
}

static inline double *pos(const struct nb_bodies *b)
{
    return b->columns[1].data;
}

static inline double *vel(const struct nb_bodies *b)
{
    return b->columns[2].data;
}

/* rows: m x y z vx vy vz a body */
static inline void make_rows(struct nb_bodies *b, uint64_t n, const double (*rows)[7])
{
    make(b, n);
    for (uint64_t i = 0; i < n; i++) {
        mass(b)[i] = rows[i][0];
        memcpy(pos(b) + 3 * i, rows[i] + 1, 24);
        memcpy(vel(b) + 3 * i, rows[i] + 4, 24);
    }
    assert_int_equal(nb_bodies_check(b), 0);
}

static inline int find_potential(const struct nb_bodies *b, const char *method, double *phi)
{
    struct nb_force_set set = open_force(device_of("cpu"), NB_DOUBLE, NB_WANT_PHI, method,
                                         strcmp(method, "tree") == 0 ? NB_MEASURE_THETA : (double)NAN);
    const int status = nb_measure_fields(b, &set, NB_DOUBLE, &(struct nb_fields){.phi = phi});
    nb_force_set_close(&set);
    return status;
}

/* Measures with the direct sum, frees the bodies, and returns the energy. */
static inline double measure_directly(struct nb_bodies *b, struct nb_measures *m)
{
    double *phi = malloc(b->n * sizeof *phi);
    assert_int_equal(find_potential(b, "direct", phi), 0);
    assert_int_equal(nb_measure(b, &(struct nb_fields){.phi = phi}, NB_ABOUT_DENSITY, m), 0);
    free(phi);
    nb_bodies_free(b);
    return m->kinetic + m->potential;
}

static inline void assert_close(double a, double b, double tolerance)
{
    if (!(fabs(a - b) <= tolerance))
        fail_msg("%.17g is not within %g of %.17g", a, tolerance, b);
}
