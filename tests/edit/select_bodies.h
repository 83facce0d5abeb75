/* select_bodies.h - for tests of conditions: frames of bodies, and the same bodies as an array. */
#pragma once

#include "base/error.h"
#include "select/select.h"

#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define BIG ((uint64_t)1 << 53)

static uint64_t next_random(uint64_t *seed) /* splitmix64 */
{
    uint64_t z = *seed += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

struct body { /* what a frame has, as C sees it */
    double mass, x, y, z, vx, vy, vz, temperature;
    float fx, fy, fz;
    uint64_t id, galaxy;
    unsigned component;
    uint32_t age;
};

static inline void put(struct nb_bodies *b, const char *name, uint64_t i, int k, double value)
{
    const struct nb_column *c = nb_bodies_find(b, name);
    const size_t at = (size_t)i * (size_t)c->width + (size_t)k;
    switch (c->type) {
    case NB_F32: ((float *)c->data)[at] = (float)value; break;
    case NB_F64: ((double *)c->data)[at] = value; break;
    case NB_U8: ((uint8_t *)c->data)[at] = (uint8_t)value; break;
    case NB_U32: ((uint32_t *)c->data)[at] = (uint32_t)value; break;
    default: fail();
    }
}

static inline double some_number(uint64_t *seed)
{
    static const double special[] = {0, 1, -1, 2, 0.5, 1e200, -1e-200, 3};
    const uint64_t z = next_random(seed);
    return z % 4 == 0 ? special[z / 4 % 8] : (double)(z >> 11) * 0x1p-51 - 2;
}

static inline struct body some_body(uint64_t *seed, uint64_t i)
{
    struct body b = {some_number(seed),
                     some_number(seed),
                     some_number(seed),
                     some_number(seed),
                     some_number(seed),
                     some_number(seed),
                     some_number(seed),
                     some_number(seed),
                     0,
                     0,
                     0,
                     0,
                     0,
                     0,
                     0};
    if (i % 7 == 3)
        b.temperature = i % 2 ? NAN : INFINITY;
    b.fx = (float)i, b.fy = (float)some_number(seed), b.fz = 1;
    b.id = i % 3 == 0 ? BIG + i : i;
    b.galaxy = i % 5 == 0 ? b.id + 1 : i % 5 == 1 ? UINT64_MAX - i : b.id;
    b.component = (unsigned)(next_random(seed) % 8);
    b.age = (uint32_t)next_random(seed);
    return b;
}

/* A frame of n such bodies, and the same as an array. */
static inline struct body *make(struct nb_bodies *b, uint64_t n)
{
    struct body *bodies = malloc((n + 1) * sizeof *bodies);
    uint64_t seed = n;
    nb_bodies_init(b);
    b->n = n;
    assert_int_equal(nb_bodies_add_known(b, "mass", NB_F64), 0);
    assert_int_equal(nb_bodies_add_known(b, "pos", NB_F64), 0);
    assert_int_equal(nb_bodies_add_known(b, "vel", NB_F64), 0);
    assert_int_equal(nb_bodies_add_known(b, "id", NB_F64), 0);
    assert_int_equal(nb_bodies_add_known(b, "component", NB_F64), 0);
    assert_int_equal(nb_bodies_add(b, "galaxy", NB_U64, 1, "-"), 0);
    assert_int_equal(nb_bodies_add(b, "age", NB_U32, 1, "T"), 0);
    assert_int_equal(nb_bodies_add(b, "temperature", NB_F64, 1, "-"), 0);
    assert_int_equal(nb_bodies_add(b, "field", NB_F32, 3, "-"), 0);
    assert_int_equal(nb_bodies_alloc(b), 0);
    for (uint64_t i = 0; i < n; i++) {
        const struct body o = bodies[i] = some_body(&seed, i);
        const double pos[3] = {o.x, o.y, o.z}, vel[3] = {o.vx, o.vy, o.vz}, field[3] = {o.fx, o.fy, o.fz};
        for (int k = 0; k < 3; k++) {
            put(b, "pos", i, k, pos[k]);
            put(b, "vel", i, k, vel[k]);
            put(b, "field", i, k, field[k]);
        }
        put(b, "mass", i, 0, o.mass);
        put(b, "component", i, 0, o.component);
        put(b, "age", i, 0, o.age);
        put(b, "temperature", i, 0, o.temperature);
        ((uint64_t *)nb_bodies_find(b, "id")->data)[i] = o.id;
        ((uint64_t *)nb_bodies_find(b, "galaxy")->data)[i] = o.galaxy;
    }
    return bodies;
}

static inline uint64_t apply(const char *text, const struct nb_bodies *b, unsigned char *mask)
{
    uint64_t count = 0;
    struct nb_select *s = nb_select_parse(text);
    if (!s)
        fail_msg("%s: %s", text, nb_error());
    if (nb_select_apply(s, b, mask, &count))
        fail_msg("%s: %s", text, nb_error());
    nb_select_free(s);
    return count;
}
