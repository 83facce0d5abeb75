/* kepler.h - for tests of integrators: two bodies of mass 1/2, a = 1, G = 1, at pericentre; the period is 2 pi. */
#pragma once

#include "common/devices.h"
#include "step/step.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define PI_Q NB_Q(3.1415926535897932384626433832795028842)

static inline void make_kepler(struct nb_bodies *b, double e)
{
    nb_bodies_init(b);
    b->n = 2;
    assert_int_equal(nb_bodies_add(b, "mass", NB_F64, 1, "M"), 0);
    assert_int_equal(nb_bodies_add(b, "pos", NB_F64, 3, "L"), 0);
    assert_int_equal(nb_bodies_add(b, "vel", NB_F64, 3, "L/T"), 0);
    assert_int_equal(nb_bodies_alloc(b), 0);
    double *m = b->columns[0].data, *x = b->columns[1].data, *v = b->columns[2].data, speed = sqrt((1 + e) / (1 - e));
    m[0] = m[1] = 0.5;
    memset(x, 0, 48);
    memset(v, 0, 48);
    x[0] = (1 - e) / 2, x[3] = -x[0];
    v[1] = speed / 2, v[4] = -v[1];
}

/* The gravity that the scheme takes. */
static inline const char *force_for(const struct nb_scheme *scheme)
{
    return scheme->traits & NB_SPLIT ? "tree" : "direct";
}

/* Does it advance the orbit there? */
static inline bool scheme_serves(const struct nb_scheme *scheme, const struct nb_device *device, int precision)
{
    const struct nb_force *force =
        nb_force_choose(force_for(scheme), device, (enum nb_precision)precision, NB_WANT_ACC | scheme->want, 2);
    return force && nb_scheme_refuse(scheme, force->flags) == NULL &&
           nb_scheme_refuse_state(scheme, device, (enum nb_precision)precision, 0) == NULL;
}

/* Does it serve for long orbits there? Where kernels start slowly, a scheme of a family does. */
static inline bool scheme_serves_long(const struct nb_scheme *scheme, const struct nb_device *device)
{
    static const char *const sample[] = {"leapfrog", "rkdp54", "bulirsch-stoer"};
    bool is_of_sample = !starts_slowly(device);
    for (size_t k = 0; k < sizeof sample / sizeof *sample; k++)
        is_of_sample = is_of_sample || strcmp(scheme->name, sample[k]) == 0;
    return is_of_sample && scheme_serves(scheme, device, NB_DOUBLE);
}

/* A stepper for bodies on a device, begun. */
static inline struct nb_stepper start_stepper(struct nb_device *device, enum nb_precision precision,
                                              const struct nb_scheme *scheme, const struct nb_bodies *b)
{
    struct nb_stepper p = {.scheme = scheme, .G = 1};
    assert_non_null(scheme);
    p.forces = malloc(sizeof *p.forces);
    p.state = nb_state_create(device, precision, b);
    assert_true(p.forces && p.state);
    *p.forces = open_force(device, precision, NB_WANT_ACC | scheme->want, force_for(scheme), NAN);
    assert_int_equal(nb_step_begin(&p), 0);
    return p;
}

static inline void end_stepper(struct nb_stepper *p)
{
    nb_step_end(p);
    nb_force_set_close(p->forces);
    free(p->forces);
    nb_state_destroy(p->state);
}
