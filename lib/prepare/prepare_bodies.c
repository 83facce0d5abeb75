/* prepare_bodies.c - recognises galaxies and heavy bodies, and computes the relative motion of two bodies. Declared in
 * prepare.h. */
#include "prepare/prepare.h"

#include <string.h>

bool nb_is_galaxy(const struct nb_bodies *b)
{
    const struct nb_column *component = nb_bodies_find(b, "component");
    bool any = false;
#pragma omp parallel for schedule(static) reduction(|| : any) if (b->n > NB_LOOK_PARALLEL)
    for (uint64_t i = 0; i < (component ? b->n : 0); i++) {
        const double c = any ? 0 : nb_column_get(component, i, 0);
        any = any || c == NB_HALO || c == NB_DISK || c == NB_BULGE || c == NB_GAS;
    }
    return any;
}

struct heaviest {
    double m[NB_HEAVY], all; /* m: masses of the heaviest bodies, in descending order; all: mass of all bodies */
    uint64_t body[NB_HEAVY]; /* indices of the heaviest bodies; of equal masses the lowest index comes first */
};

static void put_heavy(struct heaviest *h, double m, uint64_t body)
{
    int k = NB_HEAVY;
    for (; k > 0 && m > h->m[k - 1]; k--)
        if (k < NB_HEAVY)
            h->m[k] = h->m[k - 1], h->body[k] = h->body[k - 1];
    if (k < NB_HEAVY)
        h->m[k] = m, h->body[k] = body;
}

int nb_find_heavy(const struct nb_bodies *b, uint64_t heavy[NB_HEAVY], double *share)
{
    const struct nb_column *mass = nb_bodies_find(b, "mass");
    struct heaviest part[NB_LOOK_PARTS] = {0}, all = {0};
    double sum = 0;
    int count = 0;
#pragma omp parallel for schedule(static) if (b->n > NB_LOOK_PARALLEL)
    for (int p = 0; p < NB_LOOK_PARTS; p++)
        for (uint64_t i = nb_look_part(b->n, p); i < nb_look_part(b->n, p + 1); i++) {
            const double m = nb_column_get(mass, i, 0);
            part[p].all += m;
            put_heavy(&part[p], m, i);
        }
    for (int p = 0; p < NB_LOOK_PARTS; p++) {
        all.all += part[p].all;
        for (int k = 0; k < NB_HEAVY; k++)
            put_heavy(&all, part[p].m[k], part[p].body[k]);
    }
    memcpy(heavy, all.body, sizeof all.body);
    for (; count < NB_HEAVY && all.m[count] > 0; count++)
        sum += all.m[count];
    *share = sum / all.all;
    return count;
}

bool nb_has_heavy(const struct nb_bodies *b)
{
    uint64_t heavy[NB_HEAVY] = {0};
    double share;
    nb_find_heavy(b, heavy, &share);
    return share > 0.5;
}

struct nb_relative nb_relative_motion(const struct nb_bodies *b, double G, uint64_t i, uint64_t j)
{
    const struct nb_column *mass = nb_bodies_find(b, "mass"), *pos = nb_bodies_find(b, "pos"),
                           *vel = nb_bodies_find(b, "vel");
    struct nb_relative o = {.mu = G * (nb_column_get(mass, i, 0) + nb_column_get(mass, j, 0))};
    double x[2][3], v[2][3];
    nb_column_get_f64(pos, i, i + 1, x[0]);
    nb_column_get_f64(pos, j, j + 1, x[1]);
    nb_column_get_f64(vel, i, i + 1, v[0]);
    nb_column_get_f64(vel, j, j + 1, v[1]);
    for (int k = 0; k < 3; k++) {
        o.r2 += (x[0][k] - x[1][k]) * (x[0][k] - x[1][k]);
        o.v2 += (v[0][k] - v[1][k]) * (v[0][k] - v[1][k]);
        o.rv += (x[0][k] - x[1][k]) * (v[0][k] - v[1][k]);
    }
    return o;
}
