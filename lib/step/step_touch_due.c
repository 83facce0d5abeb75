/* step_touch_due.c - finds pairs of bodies that touch, if bodies have own steps. Declared in step_touch.h. */
#include "step/step_touch.h"

#include "base/error.h"
#include "simd/columns.h"

#include <math.h>
#include <stdlib.h>

/* Indices of place.row: positions (X to X + 2), velocities (V to V + 2) and step lengths (LENGTH). In the arrays of
 * is_near, radii (RADIUS) replace the step lengths. */
enum { X, V = 3, LENGTH = 6, RADIUS = 6, ROWS };

/* index[]: bodies whose steps have just ended. row[k][i]: a value of body i, for all n bodies: position (k from X to
 * X + 2), velocity (k from V to V + 2) or step length (k = LENGTH) */
struct place {
    double *row[ROWS];
    uint32_t *index;
};

static void look_back(struct nb_stepper *p, const struct nb_touch_due *due, const struct place *at, uint64_t i,
                      uint64_t j, double h)
{
    struct nb_touch_watch *w = p->watch;
    struct nb_touch_motion m = {.x = {0}};
    if (i == j || !nb_touch_may(w, i, j))
        return;
    for (int k = 0; k < 3; k++) {
        m.x[k] = at->row[X + k][j] - at->row[X + k][i];
        m.v[k] = at->row[V + k][j] - at->row[V + k][i];
    }
    if (!due->straight)
        nb_touch_attract(p->G * (w->mass[i] + w->mass[j]), p->softening, m.x, m.v, m.a, m.jerk);
    nb_touch_look_back(w, i, j, &m, h, due->now);
}

#define BATCH 64 /* number of bodies that are tested together */

/* Returns whether body i may have touched one of the bodies j0 to j1 - 1 in the last step, which has size h. Assumes
 * that the relative speed of two bodies in this step was at most twice their relative speed at the end. */
static bool is_near(const struct nb_touch_watch *w, const struct place *at, uint64_t i, uint64_t j0, uint64_t j1,
                    double h)
{
    const double *row[ROWS];
    double own[ROWS];
    for (int k = 0; k < ROWS; k++) {
        const double *of = k == RADIUS ? w->radius : at->row[k];
        own[k] = of[i];
        row[k] = of + j0;
    }
    /* near() returns a number of bodies. This number includes body i itself if i is from j0 to j1 - 1 */
    return nb_columns()->near(j1 - j0, row, own, 8 * h * h) > (j0 <= i && i < j1);
}

static int fetch(const struct nb_stepper *p, const struct nb_touch_due *due, struct place *at)
{
    const struct nb_state *s = p->state;
    const size_t row_bytes = s->stride * nb_precision_size(s->precision);
    const void *d_row[ROWS];
    for (size_t k = 0; k < 3; k++) {
        d_row[X + k] = (const char *)due->d_x + k * row_bytes;
        d_row[V + k] = (const char *)due->d_v + k * row_bytes;
    }
    d_row[LENGTH] = due->d_length;
    for (int k = 0; k < ROWS; k++)
        if (nb_device_fetch(s->device, s->precision, s->n, s->stride, 1, d_row[k], NB_F64, at->row[k]))
            return -1;
    return due->d_index ? nb_device_from(s->device, at->index, due->d_index, due->count * sizeof *at->index) : 0;
}

static void look_at_all(struct nb_stepper *p, const struct nb_touch_due *due, const struct place *at)
{
    const uint64_t n = p->state->n;
    for (uint64_t k = 0; k < due->count; k++) {
        const uint64_t i = due->d_index ? at->index[k] : k;
        const double length = at->row[LENGTH][i] * due->unit, h = due->begun ? (double)due->now - length : length;
        for (uint64_t j0 = 0; j0 < n; j0 += BATCH) {
            const uint64_t j1 = j0 + BATCH < n ? j0 + BATCH : n;
            if (!is_near(p->watch, at, i, j0, j1, h))
                continue;
            for (uint64_t j = j0; j < j1; j++)
                if (j != i && is_near(p->watch, at, i, j, j + 1, h))
                    look_back(p, due, at, i, j, h);
        }
    }
}

int nb_touch_look(struct nb_stepper *p, const struct nb_touch_due *due)
{
    const uint64_t n = p->state->n;
    double *rows = malloc(ROWS * n * sizeof *rows);
    struct place at = {.index = malloc(n * sizeof *at.index)};
    int status = rows && at.index ? 0 : nb_fail("no memory to search for contacts");
    for (int k = 0; k < ROWS; k++)
        at.row[k] = rows + (uint64_t)k * n;
    if (status == 0)
        status = fetch(p, due, &at);
    if (status == 0)
        look_at_all(p, due, &at);
    free(rows);
    free(at.index);
    return status;
}
