/* smooth.c - integrates a few bodies with Gauss's method. The bodies must not come close to each other. Declared in
 * smooth.h. */
#include "step/p3t/smooth.h"

#include <math.h>
#include <string.h>

#define NODES  NB_SMOOTH_NODES
#define WAY    1.0   /* maximum ratio (relative displacement of two bodies in a step) / (their minimum distance) */
#define TURN   0.02  /* maximum square of the angle by which two bodies turn about each other in a step */
#define BEYOND 1.02  /* near forces act if the minimum distance of two bodies is below BEYOND * (outer radius) */
#define TOUCH  1.2   /* bodies may touch if their distance is below TOUCH times the sum of their radii */
#define DEPTH  5     /* maximum number of successive halvings of a step */
#define SAME   1e-12 /* the iteration ends if positions change by less than SAME * (outer radius of the changeover) */
#define MOST   12    /* maximum number of iterations */

#define DECLARE(name) nb_smooth_##name
extern const struct nb_smooth_set NB_SIMD_EACH(DECLARE);
#define ADDRESS(name) &nb_smooth_##name
static const struct nb_smooth_set *const sets[] = {NB_SIMD_EACH(ADDRESS)};

/* ---- Gauss's method ---- */

/* Nodes in [0, 1] and weights of Gauss's quadrature (Abramowitz & Stegun 1964, 25.4.30). */
static const double node[NODES] = {0.019855071751231884, 0.10166676129318664, 0.23723379504183550, 0.40828267875217510,
                                   0.59171732124782490,  0.76276620495816450, 0.89833323870681336, 0.98014492824876812};
static const double weight[NODES] = {0.050614268145188130, 0.11119051722668724, 0.15685332293894364,
                                     0.18134189168918100,  0.18134189168918100, 0.15685332293894364,
                                     0.11119051722668724,  0.050614268145188130};

/* Returns the value at t of the polynomial that is 1 at node j and 0 at the other nodes. */
static double lagrange(int j, double t)
{
    double value = 1;
    for (int k = 0; k < NODES; k++)
        if (k != j)
            value *= (t - node[k]) / (node[j] - node[k]);
    return value;
}

/* Computes the table way[j][i] for a step of length 1. A body is at rest at t = 0 and has the acceleration
 * lagrange(j, t). way[j][i] is its displacement at the time c of node i: the integral of (c - t) lagrange(j, t) from
 * t = 0 to c. Gauss's quadrature with NODES nodes is exact for this polynomial. */
void nb_smooth_table_make(struct nb_smooth_table *o)
{
    memcpy(o->node, node, sizeof node);
    for (int j = 0; j < NODES; j++)
        for (int i = 0; i < NODES; i++) {
            o->way[j][i] = 0;
            for (int m = 0; m < NODES; m++)
                o->way[j][i] += node[i] * weight[m] * (node[i] - node[i] * node[m]) * lagrange(j, node[i] * node[m]);
        }
}

/* ---- steps ---- */

/* Returns whether a step of h is possible for bodies i and j. There are two conditions: the bodies do not come close
 * to touching; and if a near force acts between them, they do not move too far (WAY) or turn too far about each
 * other (TURN). Sets *acts to whether a near force acts: the distance falls below BEYOND * outer in the step, and
 * the total mass is not 0. outer: outer radius of the changeover. */
static bool passes(const struct nb_smooth *s, uint32_t i, uint32_t j, double h, double outer, bool *acts)
{
    double x[3], move[3];
    for (int d = 0; d < 3; d++) {
        x[d] = s->x[j][d] - s->x[i][d];
        move[d] = h * (s->v[j][d] - s->v[i][d]);
    }
    const double way2 = move[0] * move[0] + move[1] * move[1] + move[2] * move[2];
    const double near2 = nb_least_distance2(x, move), touch = TOUCH * (s->radius[i] + s->radius[j]);
    *acts = near2 < BEYOND * BEYOND * outer * outer && s->gm[i] + s->gm[j] > 0;
    return !(near2 < touch * touch) &&
           (!*acts || (way2 <= WAY * WAY * near2 && (s->gm[i] + s->gm[j]) * h * h <= TURN * near2 * sqrt(near2)));
}

/* Lists the pairs between which near forces act in a step of h. Returns false if the step is too long. */
static bool list_pairs(const struct nb_smooth *s, double h, double outer, struct nb_smooth_pairs *p)
{
    p->count = 0;
    for (uint32_t i = 0; i < s->n; i++)
        for (uint32_t j = i + 1; j < s->n; j++) {
            bool acts;
            if (!passes(s, i, j, h, outer, &acts))
                return false;
            if (acts) {
                p->pair[p->count][0] = (uint8_t)i;
                p->pair[p->count++][1] = (uint8_t)j;
            }
        }
    return true;
}

static double largest_change(uint32_t n, const nb_smooth_nodes *a, const nb_smooth_nodes *b)
{
    double most = 0;
    for (uint32_t i = 0; i < n; i++)
        for (int d = 0; d < 3; d++)
            for (int k = 0; k < NODES; k++)
                if (!(fabs(a[i][d][k] - b[i][d][k]) <= most)) /* true also for NaN */
                    most = fabs(a[i][d][k] - b[i][d][k]);
    return most;
}

/* Advances s by a step of h, with the forces of the pairs p. Returns false if the iteration does not converge. */
static bool step(struct nb_smooth *s, const struct nb_smooth_table *table, struct nb_changeover split,
                 const struct nb_smooth_pairs *p, double h)
{
    const struct nb_smooth_set *set = sets[nb_simd_in_use()];
    nb_smooth_nodes x[NB_SMOOTH_MOST], a[2][NB_SMOOTH_MOST];
    int k = 0;
    memset(a[0], 0, s->n * sizeof *a[0]);
    for (double change = INFINITY; !(change * h * h < SAME * split.outer); k++) {
        if (k == MOST)
            return false;
        set->place(s, table, h, (const nb_smooth_nodes *)a[k % 2], x);
        set->pull(s, p, split, (const nb_smooth_nodes *)x, a[(k + 1) % 2]);
        change = largest_change(s->n, (const nb_smooth_nodes *)a[0], (const nb_smooth_nodes *)a[1]);
    }
    for (uint32_t i = 0; i < s->n; i++)
        for (int d = 0; d < 3; d++) {
            double kick = 0, way = 0;
            for (int m = 0; m < NODES; m++) {
                kick += weight[m] * a[k % 2][i][d][m];
                way += weight[m] * (1 - node[m]) * a[k % 2][i][d][m];
            }
            s->x[i][d] += h * (s->v[i][d] + h * way);
            s->v[i][d] += h * kick;
        }
    return true;
}

bool nb_smooth_drift(struct nb_smooth *s, const struct nb_smooth_table *table, struct nb_changeover split, double h)
{
    /* h is divided into `whole` short intervals of equal length. The next step consists of `parts` such intervals;
     * `parts` is a power of 2 */
    const int whole = 1 << DEPTH;
    struct nb_smooth_pairs p;
    for (int done = 0, parts = whole; done < whole; done += parts) {
        parts = done > 0 ? 2 * parts : parts;
        while (done + parts > whole || !list_pairs(s, h * parts / whole, split.outer, &p)) {
            if (parts == 1)
                return false;
            parts /= 2;
        }
        if (!step(s, table, split, &p, h * parts / whole))
            return false;
    }
    return true;
}
