/* pn.c - formulas of the post-Newtonian terms of a pair (Blanchet 2014). Declared in pn.h. */
#include "force/pn/pn.h"

#include <math.h>

double nb_pn_light(const struct nb_meta *meta)
{
    const struct nb_units *u = &meta->units;
    return u->length_cgs > 0 && u->time_cgs > 0 ? NB_LIGHT_CGS * u->time_cgs / u->length_cgs : 0;
}

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* Quantities used in the formulas, for body 1 in the field of body 2. */
struct pair {
    double r, n[3], v[3]; /* n: unit vector from 2 to 1; v: v1 - v2 */
    double g1, g2;        /* g1: G m1 / r; g2: G m2 / r */
    double n1, n2;        /* n1: n . v1; n2: n . v2 */
    double s1, s2, s12;   /* s1: v1 . v1; s2: v2 . v2; s12: v1 . v2 */
};

static struct pair pair_of(double G, const struct nb_pn_body *b1, const struct nb_pn_body *b2, const double d[3])
{
    const double r = sqrt(dot(d, d));
    struct pair p = {.r = r, .g1 = G * b1->m / r, .g2 = G * b2->m / r};
    for (int k = 0; k < 3; k++) {
        p.n[k] = d[k] / r;
        p.v[k] = b1->v[k] - b2->v[k];
    }
    p.n1 = dot(p.n, b1->v), p.n2 = dot(p.n, b2->v);
    p.s1 = dot(b1->v, b1->v), p.s2 = dot(b2->v, b2->v), p.s12 = dot(b1->v, b2->v);
    return p;
}

/* A post-Newtonian term without its power of 1/c. Multiplied by this power, the term adds to body 1 the acceleration
 * G m2 / r^2 * (along * n + across * v). r, n, v: members of struct pair. */
struct terms {
    double along, across;
};

static struct terms first_order(const struct pair *p)
{
    return (struct terms){5 * p->g1 + 4 * p->g2 + 1.5 * p->n2 * p->n2 - p->s1 + 4 * p->s12 - 2 * p->s2,
                          4 * p->n1 - 3 * p->n2};
}

static struct terms second_order(const struct pair *p)
{
    const double g1 = p->g1, g2 = p->g2, n1 = p->n1, n2 = p->n2, s1 = p->s1, s2 = p->s2, s12 = p->s12, q2 = n2 * n2;
    const double masses = -57.0 / 4 * g1 * g1 - 69.0 / 2 * g1 * g2 - 9 * g2 * g2;
    const double speeds =
        -15.0 / 8 * q2 * q2 + q2 * (1.5 * s1 - 6 * s12 + 4.5 * s2) - 2 * s12 * s12 + 4 * s12 * s2 - 2 * s2 * s2;
    const double of_first = 39.0 / 2 * n1 * (n1 - 2 * n2) + 17.0 / 2 * q2 - 15.0 / 4 * s1 - 2.5 * s12 + 1.25 * s2;
    const double of_second = 2 * n1 * (n1 - 2 * n2) - 6 * q2 - 8 * s12 + 4 * s2;
    const double across = -2 * g2 * (n1 + n2) + g1 * (55.0 / 4 * n2 - 63.0 / 4 * n1) + q2 * (4.5 * n2 - 6 * n1) +
                          n2 * s1 + 4 * (n2 - n1) * s12 + (4 * n1 - 5 * n2) * s2;
    return (struct terms){masses + speeds + g1 * of_first + g2 * of_second, across};
}

static struct terms radiation(const struct pair *p)
{
    const double v2 = dot(p->v, p->v), rate = dot(p->n, p->v);
    return (struct terms){p->g1 * rate * (208.0 / 15 * p->g2 - 24.0 / 5 * p->g1 + 12.0 / 5 * v2),
                          p->g1 * (8.0 / 5 * p->g1 - 32.0 / 5 * p->g2 - 4.0 / 5 * v2)};
}

void nb_pn_add(const struct nb_pn *pn, const struct nb_pn_body *first, const struct nb_pn_body *second,
               const double d[3], double a_first[3])
{
    const struct pair p = pair_of(pn->G, first, second, d);
    const double c2 = pn->c * pn->c, pull = p.g2 / p.r;
    struct terms sum = {0, 0};
    /* Adds the smallest terms first, to reduce the rounding error. */
    if (pn->order >= 5) {
        const struct terms t = radiation(&p);
        sum = (struct terms){t.along / pn->c, t.across / pn->c};
    }
    if (pn->order >= 4) {
        const struct terms t = second_order(&p);
        sum = (struct terms){(sum.along + t.along) / c2, (sum.across + t.across) / c2};
    }
    const struct terms t = first_order(&p);
    sum = (struct terms){(sum.along + t.along) / c2, (sum.across + t.across) / c2};
    for (int k = 0; k < 3; k++)
        a_first[k] += pull * (sum.along * p.n[k] + sum.across * p.v[k]);
}

void nb_pn_pair(const struct nb_pn *pn, const struct nb_pn_body *first, const struct nb_pn_body *second,
                const double d[3], double a_first[3], double a_second[3])
{
    const double back[3] = {-d[0], -d[1], -d[2]};
    for (int k = 0; k < 3; k++)
        a_first[k] = a_second[k] = 0;
    nb_pn_add(pn, first, second, d, a_first);
    nb_pn_add(pn, second, first, back, a_second);
}

double nb_pn_kinetic(const struct nb_pn *pn, const double v[3])
{
    const double c2 = pn->c * pn->c, v2 = dot(v, v);
    return v2 * v2 / c2 * (3.0 / 8 + (pn->order >= 4 ? 5.0 / 16 * v2 / c2 : 0));
}

static double second_energy(const struct pair *p)
{
    const double g1 = p->g1, g2 = p->g2, n1 = p->n1, n2 = p->n2, s1 = p->s1, s2 = p->s2, s12 = p->s12;
    const double masses = -g1 * (g1 / 2 + 19.0 / 8 * g2);
    const double directions = n1 * n1 * n2 * (3.0 / 8 * n1 + 3.0 / 16 * n2) - 9.0 / 8 * n1 * n2 * s1 -
                              13.0 / 8 * n2 * n2 * s1 + (13.0 / 8 * n1 * n1 + 3.0 / 4 * n1 * n2) * s12;
    const double speeds = 21.0 / 8 * s1 * s1 - 55.0 / 8 * s1 * s12 + 17.0 / 8 * s12 * s12 + 31.0 / 16 * s1 * s2;
    const double mixed = 29.0 / 4 * n1 * n1 - 13.0 / 4 * n1 * n2 + n2 * n2 / 2 - 1.5 * s1 + 7.0 / 4 * s2;
    return g2 * (masses + directions + speeds + g1 * mixed);
}

double nb_pn_energy(const struct nb_pn *pn, const struct nb_pn_body *first, const struct nb_pn_body *second,
                    const double d[3])
{
    const struct pair p = pair_of(pn->G, first, second, d);
    const double c2 = pn->c * pn->c;
    const double one = p.g2 * (p.g1 / 2 - p.n1 * p.n2 / 4 + 1.5 * p.s1 - 7.0 / 4 * p.s12);
    return (one + (pn->order >= 4 ? second_energy(&p) / c2 : 0)) / c2;
}
