/* render_bodies.h - bodies for tests of pictures. */
#pragma once

#include "base/bodies.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

/* n zeros in each column: mass, pos and vel, of the type asked for; coloured: and in heat and component. */
static inline void make_columns(struct nb_bodies *b, uint64_t n, enum nb_type type, bool coloured)
{
    nb_bodies_init(b);
    b->n = n;
    assert_int_equal(nb_bodies_add(b, "mass", type, 1, "M"), 0);
    assert_int_equal(nb_bodies_add(b, "pos", type, 3, "L"), 0);
    assert_int_equal(nb_bodies_add(b, "vel", type, 3, "L/T"), 0);
    if (coloured) {
        assert_int_equal(nb_bodies_add(b, "heat", type, 1, "-"), 0);
        assert_int_equal(nb_bodies_add(b, "component", NB_U8, 1, "-"), 0);
    }
    assert_int_equal(nb_bodies_alloc(b), 0);
    for (int k = 0; k < b->column_count; k++)
        memset(b->columns[k].data, 0, nb_column_bytes(&b->columns[k], n));
}

/* n bodies at rest in the origin, of mass 0. */
static inline void make_bodies(struct nb_bodies *b, uint64_t n, enum nb_type type)
{
    make_columns(b, n, type, false);
}

/* With columns `heat` and `component`, too. */
static inline void make_coloured(struct nb_bodies *b, uint64_t n, enum nb_type type)
{
    make_columns(b, n, type, true);
}

static inline void put(struct nb_bodies *b, int column, uint64_t i, int d, double value)
{
    struct nb_column *c = &b->columns[column];
    const size_t at = (size_t)i * (size_t)c->width + (size_t)d;
    if (c->type == NB_U8)
        ((uint8_t *)c->data)[at] = (uint8_t)value;
    else if (c->type == NB_F32)
        ((float *)c->data)[at] = (float)value;
    else
        ((double *)c->data)[at] = value;
}
