/* touching_run.h - for tests of contact forces: steps with the library's leapfrog, by a method on a device; and a
 * flow whose results must be bitwise identical for all ways of computation. */
#pragma once

#include "base/pack.h"
#include "step/step.h"
#include "touching.h"

#include <omp.h>

#define LINES(...) ((const char *const[]){__VA_ARGS__, NULL})

struct row {
    const char *device, *method;
};

struct run { /* steps of disks by a row */
    struct touching_run force;
    struct nb_stepper p;
};

static inline struct run *open_run_on(struct nb_device *d, enum nb_precision precision, const char *spec,
                                      struct touching *t)
{
    struct run *r = calloc(1, sizeof *r);
    r->force = open_touching(d, precision, spec, t);
    r->p =
        (struct nb_stepper){.scheme = nb_scheme_find("leapfrog"), .forces = &r->force.set, .state = r->force.s, .G = 1};
    return r;
}

static inline struct run *open_run(const struct row *row, enum nb_precision precision, const char *parameters,
                                   struct touching *t)
{
    char spec[200];
    snprintf(spec, sizeof spec, "%s%s%s", row->method, *parameters ? ":" : "", parameters);
    return open_run_on(device_of(row->device), precision, spec, t);
}

static inline struct run *begin_run(const struct row *row, enum nb_precision precision, const char *parameters,
                                    struct touching *t)
{
    struct run *r = open_run(row, precision, parameters, t);
    if (nb_step_begin(&r->p))
        fail_msg("%s", nb_error());
    return r;
}

static inline void end_run(struct run *r)
{
    nb_step_end(&r->p);
    close_touching(&r->force);
    free(r);
}

/* `count` steps, with the boundary after each: it changes no force. */
static inline void advance(struct run *r, double h, int count)
{
    for (int k = 0; k < count; k++) {
        if (nb_steps(&r->p, h, 1))
            fail_msg("%s", nb_error());
        assert_int_equal(nb_force_set_boundary(&r->force.set, r->p.state, false), 0);
    }
}

static inline void fetch(const struct run *r, double *x, double *v)
{
    struct nb_column px = {.type = NB_F64, .width = 3, .data = x}, pv = {.type = NB_F64, .width = 3, .data = v};
    assert_int_equal(nb_state_fetch(r->p.state, r->p.state->x, &px), 0);
    assert_int_equal(nb_state_fetch(r->p.state, r->p.state->v, &pv), 0);
}

static inline double energy_of(struct run *r, struct touching *t, double *v, double *x)
{
    double energy = 0;
    assert_int_equal(touching_field(&r->force), 0);
    fetch_touching(&r->force, t);
    fetch(r, x, v);
    for (uint64_t i = 0; i < t->b.n; i++) {
        const double *w = v + 3 * i;
        energy += t->m[i] * (w[0] * w[0] + w[1] * w[1] + w[2] * w[2] + t->phi[i]) / 2;
    }
    return energy;
}

/* ---- equal bytes ---- */

#define N     6000 /* so many that the threads divide them */
#define STEPS 10

/* A flow, of disks with radii of their own where a row's parameters say so. */
static inline struct touching *stream_with(const char *law, const char *parameters)
{
    struct touching *t = make_touching(N, LINES(law, "box -2 6 -2.5 2.5", "periodic xy", "flow 1 1 2 1",
                                                "wall body 0 0 1 0.2 0.1 0.4 0 0", "wall a 3 0 4 1"));
    scatter(t, 31, -2, 6, -2.5, 2.5);
    for (uint64_t i = 0; i < N; i++) {
        double n[2];
        t->m[i] = (double)(float)(40.0 / N);
        if (true_distance(&t->scene.walls[0], t->x[3 * i], t->x[3 * i + 1], n) < 0)
            t->x[3 * i] += 2;
    }
    if (strstr(parameters, "radius=column"))
        give_radii(t, 32, 0.2);
    return t;
}

static inline struct touching *stream(const char *parameters)
{
    return stream_with("contact 200 0.01 0.015", parameters);
}

struct outcome {
    double x[3 * N], v[3 * N], felt[4];
};

/* Fetches what the run of the disks t has come to, and ends both. */
static inline struct outcome *end_outcome(struct run *r, struct touching *t)
{
    struct outcome *o = calloc(1, sizeof *o);
    fetch(r, o->x, o->v);
    assert_int_equal(nb_force_set_report(&r->force.set, &t->meta), 0);
    assert_true(nb_scene_wall_force(&t->meta, "body", o->felt) && nb_scene_wall_force(&t->meta, "a", o->felt + 2));
    end_run(r);
    free_touching(t);
    return o;
}

/* Steps of the stream; `cut`: after so many, the forces go on from what they carry, in those of row `then`, whose
 * type of device is called `name`. */
static inline struct outcome *stream_resumed(const struct row *row, enum nb_precision precision, const char *parameters,
                                             int threads, int cut, const struct row *then, const char *name)
{
    struct touching *t = stream(parameters);
    struct nb_force elsewhere;
    const int usual = omp_get_max_threads();
    static unsigned char saved[1 << 20];
    omp_set_num_threads(threads);
    struct run *r = begin_run(row, precision, parameters, t);
    advance(r, 2e-3, cut);
    struct nb_pack k = nb_pack_make(NB_PACK_SAVE, saved, sizeof saved);
    assert_int_equal(nb_step_pack(&r->p, &k), 0);
    if (cut > 0) {
        end_run(r);
        r = open_run(then, precision, parameters, t);
        elsewhere = *r->force.set.force[0].entry;
        elsewhere.device = name;
        r->force.set.force[0].entry = &elsewhere;
        k = nb_pack_make(NB_PACK_LOAD, saved, k.at);
        assert_int_equal(nb_step_pack(&r->p, &k), 0);
    }
    advance(r, 2e-3, STEPS - cut);
    struct outcome *o = end_outcome(r, t);
    omp_set_num_threads(usual);
    return o;
}

static inline struct outcome *stream_outcome(const struct row *row, enum nb_precision precision, const char *parameters,
                                             int threads, int cut)
{
    return stream_resumed(row, precision, parameters, threads, cut, row, row->device);
}

static inline void assert_same(const char *what, const struct outcome *a, struct outcome *b)
{
    if (memcmp(a->x, b->x, sizeof a->x) || memcmp(a->v, b->v, sizeof a->v) || memcmp(a->felt, b->felt, sizeof a->felt))
        fail_msg("%s: other bytes", what);
    free(b);
}
