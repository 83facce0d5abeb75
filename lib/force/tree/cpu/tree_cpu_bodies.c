/* The bodies of a tree: their memory, extent and units, and their sorted copy. */
#include "force/tree/cpu/tree_cpu.h"

#include "base/error.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SERIAL 10000

static void release(struct nb_tree *t)
{
    free(t->order);
    free(t->keys);
    free(t->spare_order);
    free(t->spare_keys);
    free(t->m);
    free(t->ms);
    free(t->phi);
    for (int k = 0; k < 3; k++) {
        free(t->x[k]);
        free(t->xs[k]);
        free(t->a[k]);
    }
}

void nb_tree_free(struct nb_tree *t)
{
    release(t);
    free(t->node);
    free(t->box);
    free(t->ball);
    free(t->level);
    free(t->multipole);
    free(t->criterion);
    *t = (struct nb_tree){0};
}

/* Zeroed, aligned for vectors. */
static void *row(uint64_t n, size_t size)
{
    const size_t bytes = ((n + NB_TREE_PAD) * size + NB_ALIGN - 1) / NB_ALIGN * NB_ALIGN;
    void *p = aligned_alloc(NB_ALIGN, bytes);
    return p ? memset(p, 0, bytes) : NULL;
}

static bool allocate(struct nb_tree *t, uint64_t n)
{
    bool all = (t->order = row(n, sizeof *t->order)) && (t->keys = row(n, sizeof *t->keys)) &&
               (t->spare_order = row(n, sizeof *t->spare_order)) && (t->spare_keys = row(n, sizeof *t->spare_keys)) &&
               (t->m = row(n, sizeof *t->m)) && (t->ms = row(n, sizeof *t->ms)) && (t->phi = row(n, sizeof *t->phi));
    for (int k = 0; k < 3; k++)
        all = all && (t->x[k] = row(n, sizeof *t->x[k])) && (t->xs[k] = row(n, sizeof *t->xs[k])) &&
              (t->a[k] = row(n, sizeof *t->a[k]));
    return all;
}

int nb_tree_reserve(struct nb_tree *t, const struct nb_tree_input *in)
{
    if (in->bodies >= UINT32_MAX / 2)
        return nb_fail("the tree holds fewer than 2^31 bodies, not %llu", (unsigned long long)in->bodies);
    t->sources = in->sources;
    t->bodies = in->bodies;
    if (t->capacity == in->bodies)
        return 0;
    nb_tree_free(t);
    t->sources = in->sources;
    t->bodies = t->capacity = in->bodies;
    if (allocate(t, in->bodies))
        return 0;
    nb_tree_free(t);
    return nb_fail("no memory for a tree of %llu bodies", (unsigned long long)in->bodies);
}

bool nb_tree_extent(const struct nb_tree_input *in, struct nb_tree_box *box, double *largest_mass)
{
    double x0 = INFINITY, y0 = INFINITY, z0 = INFINITY, x1 = -INFINITY, y1 = -INFINITY, z1 = -INFINITY, m1 = 0;
    bool finite = true;
#pragma omp parallel for schedule(static) if (in->bodies > SERIAL) reduction(min : x0, y0, z0) \
    reduction(max : x1, y1, z1, m1) reduction(&& : finite)
    for (uint64_t i = 0; i < in->bodies; i++) {
        const double x = nb_tree_input_x(in, 0, i), y = nb_tree_input_x(in, 1, i), z = nb_tree_input_x(in, 2, i),
                     m = nb_tree_input_m(in, i);
        x0 = x < x0 ? x : x0, x1 = x > x1 ? x : x1;
        y0 = y < y0 ? y : y0, y1 = y > y1 ? y : y1;
        z0 = z < z0 ? z : z0, z1 = z > z1 ? z : z1;
        m1 = m > m1 ? m : m1;
        finite = finite && (x - x) + (y - y) + (z - z) + (m - m) == 0;
    }
    *box = (struct nb_tree_box){{x0, y0, z0}, {x1, y1, z1}};
    *largest_mass = m1;
    return finite && isfinite(nb_tree_size(box));
}

/* 2^(exponent - exponent of x), as far as its square fits a double; 1 for 0. */
static double power_to(double exponent, double x)
{
    const double power = x > 0 ? exponent - ilogb(x) : 0;
    return ldexp(1, (int)(power < -500 ? -500 : power > 500 ? 500 : power));
}

void nb_tree_units(struct nb_tree *t, const struct nb_tree_box *box, double largest_mass, double softening)
{
    const double size = nb_tree_size(box);
    t->length = power_to(log2(NB_TREE_BOX) - 1, size > softening ? size : softening);
    t->mass = power_to(0, largest_mass);
    t->small = size < softening / 1024;
    for (int k = 0; k < 3; k++)
        t->origin[k] = t->length * (box->lo[k] + (box->hi[k] - box->lo[k]) / 2);
}

void nb_tree_gather(struct nb_tree *t, const struct nb_tree_input *in, uint64_t begin, uint64_t end)
{
#pragma omp parallel for schedule(static) if (end - begin > SERIAL)
    for (uint64_t k = begin; k < end; k++) {
        const uint64_t i = t->order[k];
        for (int c = 0; c < 3; c++)
            t->x[c][k] = t->length * nb_tree_input_x(in, c, i);
        t->m[k] = t->mass * nb_tree_input_m(in, i);
        if (in->single) {
            for (int c = 0; c < 3; c++)
                t->xs[c][k] = (float)t->x[c][k];
            t->ms[k] = (float)t->m[k];
        }
    }
}
