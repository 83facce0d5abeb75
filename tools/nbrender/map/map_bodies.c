/* Prepares bodies for a map that lib/light draws: converts the mass of each body to light, and the mapped quantity of
 * the body to a value from 0 to 1. */
#include "nbrender/map/map.h"

#include "base/sum.h"

#include <float.h>
#include <inttypes.h>

#define BLOCK     4096 /* number of bodies in a block of a parallel loop */
#define NO_MEMORY "no memory for the map of %" PRIu64 " bodies"

static double total_of(const struct nb_bodies *b)
{
    const struct nb_column *mass = nb_bodies_find(b, "mass");
    struct nb_sum sum = {0};
    for (uint64_t i = 0; i < b->n; i++)
        nb_sum_add(&sum, value_of(mass, i, 0));
    return nb_sum_value(&sum);
}

static void take_masses(struct map_bodies *m, const struct nb_bodies *b)
{
    const struct nb_column *mass = nb_bodies_find(b, "mass");
    const uint8_t *component = dark_components(b);
#pragma omp parallel for schedule(static)
    for (uint64_t i = 0; i < b->n; i++)
        m->light[i] = m->total > 0 && !(component && component[i] == NB_BLACK_HOLE)
                          ? (float)(value_of(mass, i, 0) / m->total)
                          : 0;
}

static int count_of(uint64_t n, uint64_t i)
{
    return n - i < BLOCK ? (int)(n - i) : BLOCK;
}

/* Returns whether the value is finite in single precision. */
static bool is_good(double value)
{
    return fabs(value) <= (double)FLT_MAX;
}

/* Extends the range from *lowest to *highest so that it contains the finite values of all bodies. Ignores bodies in the
 * inlet of a flow (the region where bodies get new velocities). Returns the number of values that are not finite. */
static uint64_t find_range(const struct nb_bodies *b, const char *name, double *lowest, double *highest)
{
    const struct nb_column *pos = nb_bodies_find(b, "pos");
    const double inlet = about_inlet(name, &b->meta);
    double least = INFINITY, most = -INFINITY;
    uint64_t bad = 0;
#pragma omp parallel for schedule(static) reduction(min : least) reduction(max : most) reduction(+ : bad)
    for (uint64_t i = 0; i < b->n; i += BLOCK) {
        double value[BLOCK];
        quantity_fill(name, b, i, count_of(b->n, i), value);
        for (int k = 0; k < count_of(b->n, i); k++) {
            const bool counts = is_good(value[k]) && !(value_of(pos, i + (uint64_t)k, 0) < inlet);
            bad += !is_good(value[k]);
            least = counts ? fmin(least, value[k]) : least;
            most = counts ? fmax(most, value[k]) : most;
        }
    }
    *lowest = fmin(*lowest, least);
    *highest = fmax(*highest, most);
    return bad;
}

static void take_values(struct map_bodies *m, const struct nb_bodies *b, const char *name)
{
    const struct nb_column *pos = nb_bodies_find(b, "pos");
    const double inlet = about_inlet(name, &b->meta);
#pragma omp parallel for schedule(static)
    for (uint64_t i = 0; i < b->n; i += BLOCK) {
        double value[BLOCK];
        quantity_fill(name, b, i, count_of(b->n, i), value);
        for (int k = 0; k < count_of(b->n, i); k++) {
            const bool good = is_good(value[k]) && !(value_of(pos, i + (uint64_t)k, 0) < inlet);
            m->value[i + (uint64_t)k] = good ? (float)(value[k] / m->span - m->least / m->span) : 0;
            if (!good)
                m->light[i + (uint64_t)k] = 0;
        }
    }
}

void map_bodies_survey(struct map_bodies *m, const struct nb_bodies *const *frames, int count, const char *name)
{
    double least = INFINITY, most = -INFINITY;
    m->total = 0;
    for (int k = 0; k < count; k++) {
        m->total = fmax(m->total, total_of(frames[k]));
        if (!name)
            continue;
        quantity_check(name, frames[k], "--map");
        const uint64_t bad = find_range(frames[k], name, &least, &most);
        if (bad > 0 && !m->warned)
            warn("--map %s: %" PRIu64 " of %" PRIu64
                 " bodies have values that are not finite or above 3e38; they are left out",
                 name, bad, frames[k]->n);
        m->warned |= bad > 0;
    }
    m->least = least < INFINITY ? least : 0;
    m->span = most > least ? most - least : 1;
}

void map_bodies_take(struct map_bodies *m, const struct nb_bodies *b, const char *name)
{
    m->light = claimed(remade(m->light, &m->lights, b->n, sizeof *m->light), NO_MEMORY, b->n);
    take_masses(m, b);
    if (!name)
        return;
    m->value = claimed(remade(m->value, &m->values, b->n, sizeof *m->value), NO_MEMORY, b->n);
    take_values(m, b, name);
}

void map_bodies_free(struct map_bodies *m)
{
    free(m->light);
    free(m->value);
    *m = (struct map_bodies){0};
}
