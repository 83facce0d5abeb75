/* chain.c - order, positions and energies of the bodies of a chain. Declared in chain.h and chain_parts.h. */
#include "step/groups/chain_parts.h"

#include <math.h>
#include <string.h>

/* ---- the bodies of a chain ---- */

void nb_chain_sum(const struct nb_chain *c, const double link[][3], double at[][3])
{
    double total = 0, middle[3] = {0};
    memset(at[0], 0, sizeof at[0]);
    for (int k = 0; k < c->n; k++) {
        const double gm = c->gm[c->order[k]];
        total += gm;
        for (int d = 0; d < 3; d++) {
            if (k > 0)
                at[k][d] = at[k - 1][d] + link[k - 1][d];
            middle[d] += gm * at[k][d];
        }
    }
    for (int k = 0; k < c->n; k++)
        for (int d = 0; d < 3; d++)
            at[k][d] -= middle[d] / total;
}

void nb_chain_by_caller(const struct nb_chain *c, const double at[][3], double out[][3])
{
    for (int k = 0; k < c->n; k++)
        memcpy(out[c->order[k]], at[k], sizeof at[k]);
}

static void move(const struct nb_chain *c, const double by[3], double at[][3])
{
    for (int k = 0; k < c->n; k++)
        for (int d = 0; d < 3; d++)
            at[k][d] += by[d];
}

void nb_chain_places(const struct nb_chain *c, double x[][3], double v[][3])
{
    double at[NB_CHAIN_MAX][3];
    nb_chain_sum(c, c->x, at);
    nb_chain_by_caller(c, (vectors)at, x);
    nb_chain_sum(c, c->v, at);
    nb_chain_by_caller(c, (vectors)at, v);
    if (c->pn.order > 0) {
        move(c, c->x[c->n - 1], x);
        move(c, c->v[c->n - 1], v);
    }
}

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* Computes the vector from body k of the chain to body l > k. A link is the vector from a body of the chain to the
 * next body; links are exact for close bodies. If l is at most k + 2, sums the links between the two bodies.
 * Otherwise subtracts positions, which loses digits. */
static void between(const double link[][3], const double at[][3], int k, int l, double d[3])
{
    for (int i = 0; i < 3; i++)
        d[i] = l == k + 1 ? link[k][i] : l == k + 2 ? link[k][i] + link[k + 1][i] : at[l][i] - at[k][i];
}

/* Writes the indices of the n bodies to order[], in the order of the chain. The chain begins as the closest pair. Then
 * the body that is closest to one of the chain's ends is appended at this end, until no body is left. */
static void choose_order(int n, const double x[][3], int order[])
{
    bool taken[NB_CHAIN_MAX] = {false};
    int first = 0, last = 1;
    double least = INFINITY;
    for (int i = 0; i < n; i++)
        for (int j = i + 1; j < n; j++) {
            const double d[3] = {x[i][0] - x[j][0], x[i][1] - x[j][1], x[i][2] - x[j][2]};
            if (dot(d, d) < least)
                least = dot(d, d), first = i, last = j;
        }
    order[0] = first, order[1] = last;
    taken[first] = taken[last] = true;
    for (int count = 2; count < n; count++) {
        int next = -1;
        bool front = false;
        least = INFINITY;
        for (int i = 0; i < n; i++)
            for (int end = 0; end < 2 && !taken[i]; end++) {
                const double *e = x[order[end ? 0 : count - 1]];
                const double d[3] = {x[i][0] - e[0], x[i][1] - e[1], x[i][2] - e[2]};
                if (next < 0 || dot(d, d) < least)
                    least = dot(d, d), next = i, front = end;
            }
        if (front)
            memmove(order + 1, order, (size_t)count * sizeof *order);
        order[front ? 0 : count] = next;
        taken[next] = true;
    }
}

void nb_chain_make(struct nb_chain *c, int n, const double *gm, const double x[][3], const double v[][3])
{
    memset(c, 0, sizeof *c);
    c->n = n;
    memcpy(c->gm, gm, (size_t)n * sizeof *gm);
    choose_order(n, x, c->order);
    for (int k = 0; k + 1 < n; k++)
        for (int d = 0; d < 3; d++) {
            c->x[k][d] = x[c->order[k + 1]][d] - x[c->order[k]][d];
            c->v[k][d] = v[c->order[k + 1]][d] - v[c->order[k]][d];
        }
}

/* Computes the vector from body k to body l of the chain as a sum of links. from[i]: link (vector) from body i to
 * body i + 1 of the chain. */
static void along(const double from[][3], int k, int l, double sum[3])
{
    const double sign = l < k ? -1 : 1;
    const int begin = l < k ? l : k, end = l < k ? k : l;
    memset(sum, 0, 3 * sizeof *sum);
    for (int i = begin; i < end; i++)
        for (int d = 0; d < 3; d++)
            sum[d] += sign * from[i][d];
}

void nb_chain_between(const struct nb_chain *c, int i, int j, double x[3], double v[3])
{
    int k = 0, l = 0;
    while (c->order[k] != i)
        k++;
    while (c->order[l] != j)
        l++;
    along(c->x, k, l, x);
    along(c->v, k, l, v);
}

void nb_chain_choose_again(struct nb_chain *c)
{
    const struct nb_chain old = *c;
    double x[NB_CHAIN_MAX][3], v[NB_CHAIN_MAX][3];
    int place[NB_CHAIN_MAX];
    if (c->n == 2)
        return;
    nb_chain_places(c, x, v);
    choose_order(c->n, (vectors)x, c->order);
    for (int k = 0; k < c->n; k++)
        place[old.order[k]] = k;
    for (int k = 0; k + 1 < c->n; k++) {
        along(old.x, place[c->order[k]], place[c->order[k + 1]], c->x[k]);
        along(old.v, place[c->order[k]], place[c->order[k + 1]], c->v[k]);
    }
}

/* ---- energies ---- */

double nb_chain_potential(const struct nb_chain *c, const double link[][3], const double at[][3], double a[][3],
                          double *shortest)
{
    double sum = 0;
    if (a)
        memset(a, 0, (size_t)c->n * sizeof *a);
    for (int k = 0; k < c->n; k++)
        for (int l = k + 1; l < c->n; l++) {
            const double gk = c->gm[c->order[k]], gl = c->gm[c->order[l]];
            double d[3];
            between(link, at, k, l, d);
            const double r2 = dot(d, d), r = sqrt(r2), cube = 1 / (r2 * r);
            sum += gk * gl / r;
            for (int i = 0; a && i < 3; i++) {
                a[k][i] += gl * cube * d[i];
                a[l][i] -= gk * cube * d[i];
            }
            if (shortest)
                *shortest = fmin(*shortest, r2 * r / (gk + gl));
        }
    return sum;
}

void nb_chain_pn(const struct nb_chain *c, const double link[][3], const double at[][3], const double v[][3],
                 double f[][3])
{
    double speed[NB_CHAIN_MAX][3];
    nb_chain_sum(c, v, speed);
    move(c, c->frame, speed);
    move(c, v[c->n - 1], speed);
    memset(f, 0, (size_t)c->n * sizeof *f);
    for (int k = 0; k < c->n; k++)
        for (int l = k + 1; l < c->n; l++) {
            const int i = c->order[k], j = c->order[l];
            if (!(c->hole[i] || c->hole[j]))
                continue;
            const struct nb_pn_body one = {c->gm[i], {speed[k][0], speed[k][1], speed[k][2]}},
                                    other = {c->gm[j], {speed[l][0], speed[l][1], speed[l][2]}};
            double d[3], back[3];
            between(link, at, k, l, d);
            for (int q = 0; q < 3; q++)
                back[q] = -d[q];
            nb_pn_add(&c->pn, &other, &one, d, f[l]);
            nb_pn_add(&c->pn, &one, &other, back, f[k]);
        }
}

double nb_chain_kinetic(const struct nb_chain *c, const double link[][3])
{
    double at[NB_CHAIN_MAX][3], sum = 0;
    if (c->n == 2) {
        const double g0 = c->gm[c->order[0]], g1 = c->gm[c->order[1]];
        return g0 * g1 / (2 * (g0 + g1)) * dot(link[0], link[0]);
    }
    nb_chain_sum(c, link, at);
    for (int k = 0; k < c->n; k++)
        sum += c->gm[c->order[k]] * dot(at[k], at[k]) / 2;
    return sum;
}
