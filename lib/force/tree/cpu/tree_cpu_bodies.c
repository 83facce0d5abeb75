/* tree_cpu_bodies.c - the bodies of a tree: memory, extent, units, and the sorted copy. Declared in tree_cpu.h. */
#include "force/tree/cpu/tree_cpu.h"

#include "base/error.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SERIAL 10000

static void release(struct nb_tree *t)
{
    free(t->order);
    free(t->work);
    free(t->m);
    free(t->ms);
    for (int k = 0; k < 3; k++) {
        free(t->x[k]);
        free(t->xs[k]);
    }
}

void nb_tree_free(struct nb_tree *t)
{
    release(t);
    free(t->node);
    free(t->ball);
    free(t->level);
    free(t->multipole);
    free(t->criterion);
    *t = (struct nb_tree){0};
}

/* Returns the size in bytes of a row of n elements with padding, rounded up so that the next row is aligned. */
static size_t row_bytes(uint64_t n, size_t size)
{
    return ((n + NB_TREE_PAD) * size + NB_ALIGN - 1) / NB_ALIGN * NB_ALIGN;
}

/* Allocates a zeroed row, aligned for vectors. */
static void *row(uint64_t n, size_t size)
{
    const size_t bytes = row_bytes(n, size);
    void *p = aligned_alloc(NB_ALIGN, bytes);
    return p ? memset(p, 0, bytes) : NULL;
}

static bool allocate_double(struct nb_tree *t)
{
    bool all = t->m || (t->m = row(t->capacity, sizeof *t->m));
    for (int k = 0; k < 3; k++)
        all = all && (t->x[k] || (t->x[k] = row(t->capacity, sizeof *t->x[k])));
    return all;
}

static bool allocate_single(struct nb_tree *t)
{
    bool all = (t->ms = row(t->capacity, sizeof *t->ms));
    for (int k = 0; k < 3; k++)
        all = all && (t->xs[k] = row(t->capacity, sizeof *t->xs[k]));
    return all;
}

static int no_memory(uint64_t bodies)
{
    return nb_fail("no memory for a tree of %llu bodies", (unsigned long long)bodies);
}

int nb_tree_reserve_order(struct nb_tree *t, uint64_t bodies)
{
    if (bodies >= UINT32_MAX / 2)
        return nb_fail("the tree supports fewer than 2^31 bodies, not %llu", (unsigned long long)bodies);
    if (t->capacity != bodies) {
        nb_tree_free(t);
        t->capacity = bodies;
    }
    if (!t->order && !(t->order = row(bodies, sizeof *t->order)))
        return no_memory(bodies);
    return 0;
}

int nb_tree_reserve(struct nb_tree *t, const struct nb_tree_input *in)
{
    if (nb_tree_reserve_order(t, in->bodies))
        return -1;
    t->sources = in->sources;
    t->bodies = in->bodies;
    t->single = in->single;
    if (in->single ? t->ms || allocate_single(t) : allocate_double(t))
        return 0;
    nb_tree_free(t);
    return no_memory(in->bodies);
}

/* Makes t->work at least `bytes` bytes long; its contents are lost. */
static int reserve_work(struct nb_tree *t, size_t bytes)
{
    if (t->work_bytes < bytes) {
        free(t->work);
        t->work = aligned_alloc(NB_ALIGN, bytes);
        t->work_bytes = t->work ? bytes : 0;
    }
    return t->work ? 0 : no_memory(t->bodies);
}

int nb_tree_reserve_keys(struct nb_tree *t)
{
    const size_t keys = row_bytes(t->capacity, sizeof *t->keys), order = row_bytes(t->capacity, sizeof *t->order);
    const size_t sums = 4 * row_bytes(t->capacity, t->single ? sizeof(float) : sizeof(double));
    if (reserve_work(t, 2 * keys + order > sums ? 2 * keys + order : sums))
        return -1;
    t->keys = t->work;
    t->spare_keys = (void *)((char *)t->work + keys);
    t->spare_order = (void *)((char *)t->work + 2 * keys);
    return 0;
}

/* Allocates double rows for the sorted bodies, and copies the float rows to them. */
static int widen(struct nb_tree *t)
{
    if (!allocate_double(t))
        return no_memory(t->bodies);
#pragma omp parallel for schedule(static) if (t->bodies > SERIAL)
    for (uint64_t k = 0; k < t->bodies; k++) {
        for (int c = 0; c < 3; c++)
            t->x[c][k] = (double)t->xs[c][k];
        t->m[k] = (double)t->ms[k];
    }
    return 0;
}

int nb_tree_reserve_sums(struct nb_tree *t, bool in_double)
{
    t->sums_in_double = in_double || !t->single;
    const size_t sum = row_bytes(t->capacity, t->sums_in_double ? sizeof(double) : sizeof(float));
    if (reserve_work(t, 4 * sum))
        return -1;
    for (size_t c = 0; c < 3; c++)
        t->a[c] = (char *)t->work + c * sum;
    t->phi = (char *)t->work + 3 * sum;
    return t->single && in_double ? widen(t) : 0;
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

/* Returns the power of two p for which p * x is about 2^exponent, or 1 if x is 0. p is limited to 2^-500 to 2^500, so
 * that p^2 fits into a double. */
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
        for (int c = 0; c < 3; c++) {
            const double x = t->length * nb_tree_input_x(in, c, i);
            if (t->single)
                t->xs[c][k] = (float)x;
            else
                t->x[c][k] = x;
        }
        const double m = t->mass * nb_tree_input_m(in, i);
        if (t->single)
            t->ms[k] = (float)m;
        else
            t->m[k] = m;
    }
}
