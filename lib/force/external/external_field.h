/* external_field.h - the formulas of external.h, for C and CUDA, in double precision. Before inclusion define
 * EXTERNAL_CALL, for example as `static inline`: it precedes each function. */
#pragma once

#include "force/external/external.h"

#include <math.h>

struct nb_external_sum {
    double a[3], phi;
};

/* Returns ln(1 + u) - u / (1 + u). For small u uses a series, because the two terms are then nearly equal. */
EXTERNAL_CALL double external_nfw_mass(double u)
{
    double sum = 0, power = -u;
    if (u > 0.05)
        return log1p(u) - u / (1 + u);
    for (int k = 2; k <= 14; k++) {
        power *= -u;
        sum += power * (k - 1) / k;
    }
    return sum;
}

/* Adds the acceleration -pull * d, where d is the offset from the centre. */
EXTERNAL_CALL void external_pull(struct nb_external_sum *sum, const double *d, double pull)
{
    for (int k = 0; k < 3; k++)
        sum->a[k] -= pull * d[k];
}

EXTERNAL_CALL void external_sphere(const struct nb_external_term *p, const double *d, struct nb_external_sum *sum)
{
    const double r2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2], r = sqrt(r2);
    if (p->shape == NB_EXTERNAL_PLUMMER) {
        const double s = sqrt(r2 + p->a * p->a);
        external_pull(sum, d, p->strength / (s * s * s));
        sum->phi -= p->strength / s;
    } else if (p->shape == NB_EXTERNAL_HERNQUIST) {
        const double s = r + p->a;
        external_pull(sum, d, r > 0 ? p->strength / (r * s * s) : 0);
        sum->phi -= p->strength / s;
    } else {
        /* If u <= 1e-9, uses the limit of the acceleration for r -> 0, which has the magnitude `inner`. */
        const double u = r / p->a, inner = p->strength / (2 * p->a * p->a);
        external_pull(sum, d, u > 1e-9 ? p->strength * external_nfw_mass(u) / (r2 * r) : r > 0 ? inner / r : 0);
        sum->phi -= p->strength * (r > 0 ? log1p(u) / r : 1 / p->a);
    }
}

EXTERNAL_CALL void external_logarithmic(const struct nb_external_term *p, const double *d, struct nb_external_sum *sum)
{
    const double p2 = p->p * p->p, q2 = p->q * p->q;
    const double s = p->a * p->a + d[0] * d[0] + d[1] * d[1] / p2 + d[2] * d[2] / q2;
    sum->a[0] -= p->strength * d[0] / s;
    sum->a[1] -= p->strength * d[1] / (p2 * s);
    sum->a[2] -= p->strength * d[2] / (q2 * s);
    sum->phi += p->strength / 2 * log(s);
}

EXTERNAL_CALL void external_disk(const struct nb_external_term *p, const double *d, struct nb_external_sum *sum)
{
    const double height = sqrt(d[2] * d[2] + p->b * p->b), reach = p->a + height;
    const double s = sqrt(d[0] * d[0] + d[1] * d[1] + reach * reach), pull = p->strength / (s * s * s);
    sum->a[0] -= pull * d[0];
    sum->a[1] -= pull * d[1];
    sum->a[2] -= height > 0 ? pull * d[2] * (reach / height) : 0;
    sum->phi -= p->strength / s;
}

/* Adds the field of a bar (Long & Murali). The form of the equations avoids cancellation far from the bar and near its
 * axis. */
EXTERNAL_CALL void external_bar(const struct nb_external_term *p, const double *d, struct nb_external_sum *sum)
{
    const double height = sqrt(d[2] * d[2] + p->c * p->c), reach = p->b + height, w2 = d[1] * d[1] + reach * reach;
    const double plus = sqrt((p->a + d[0]) * (p->a + d[0]) + w2), minus = sqrt((p->a - d[0]) * (p->a - d[0]) + w2);
    const double both = plus + minus, product = plus * minus, along = 2 * p->strength / (product * both);
    /* across = along (both^2 / 4 - d[0]^2) / w2, written without cancellation */
    const double beyond = d[0] * d[0] - p->a * p->a - w2;
    const double across = along * (beyond > 0 ? 2 * d[0] * d[0] / (product + beyond) : (product - beyond) / (2 * w2));
    sum->a[0] -= along * d[0];
    sum->a[1] -= across * d[1];
    sum->a[2] -= across * d[2] * (reach / height);
    sum->phi -= p->strength / p->a * atanh(2 * p->a / both);
}

/* Adds acceleration and potential of a term at offset d from its centre. The components of d and of the acceleration
 * are along the axes of the term. Must not be called for drag and uniform fields. */
EXTERNAL_CALL void external_shape(const struct nb_external_term *p, const double *d, struct nb_external_sum *sum)
{
    switch (p->shape) {
    case NB_EXTERNAL_LOGARITHMIC: external_logarithmic(p, d, sum); break;
    case NB_EXTERNAL_MIYAMOTO_NAGAI: external_disk(p, d, sum); break;
    case NB_EXTERNAL_BAR: external_bar(p, d, sum); break;
    default: external_sphere(p, d, sum); break;
    }
}

/* Adds the field of a term that is rotated about z, at offset d from its centre. */
EXTERNAL_CALL void external_turned(const struct nb_external_term *p, const double *d, struct nb_external_sum *sum)
{
    const double c = p->turn[0], s = p->turn[1], own[3] = {c * d[0] + s * d[1], c * d[1] - s * d[0], d[2]};
    struct nb_external_sum there = {{0, 0, 0}, 0};
    external_shape(p, own, &there);
    sum->a[0] += c * there.a[0] - s * there.a[1];
    sum->a[1] += c * there.a[1] + s * there.a[0];
    sum->a[2] += there.a[2];
    sum->phi += there.phi;
}

/* Adds the field at position x for a body with velocity v (NULL: at rest). */
EXTERNAL_CALL void external_add(const struct nb_external *field, const double *x, const double *v,
                                struct nb_external_sum *sum)
{
    for (int k = 0; k < field->terms; k++) {
        const struct nb_external_term *p = &field->term[k];
        const double d[3] = {x[0] - p->centre[0], x[1] - p->centre[1], x[2] - p->centre[2]};
        switch (p->shape) {
        case NB_EXTERNAL_UNIFORM:
            for (int c = 0; c < 3; c++) {
                sum->a[c] += p->centre[c];
                sum->phi -= p->centre[c] * x[c];
            }
            break;
        case NB_EXTERNAL_DRAG:
            for (int c = 0; c < 3; c++)
                sum->a[c] -= v ? p->strength * v[c] : 0;
            break;
        default:
            if (p->turn[1] == 0 && p->turn[0] > 0)
                external_shape(p, d, sum);
            else
                external_turned(p, d, sum);
            break;
        }
    }
}
