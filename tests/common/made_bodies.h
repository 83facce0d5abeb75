/* made_bodies.h - bodies for tests of the measures, and random numbers for their positions. */
#pragma once

#include "base/bodies.h"
#include "uniform.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

/* Makes n bodies of that mass, at rest at 0: columns mass, pos and vel, of f64. */
static inline void make_bodies(struct nb_bodies *b, uint64_t n, double mass)
{
    static const char *const names[] = {"mass", "pos", "vel"};
    nb_bodies_init(b);
    b->n = n;
    for (int k = 0; k < 3; k++)
        assert_int_equal(nb_bodies_add_known(b, names[k], NB_F64), 0);
    assert_int_equal(nb_bodies_alloc(b), 0);
    for (int k = 0; k < 3; k++)
        memset(b->columns[k].data, 0, nb_column_bytes(&b->columns[k], n));
    for (uint64_t i = 0; i < n; i++)
        ((double *)b->columns[0].data)[i] = mass;
}
