/* measure_check.c - estimates the relative error of computed potentials: compares them with the exact potentials of a
 * sample of bodies. Declared in measure.h. */
#include "base/error.h"
#include "measure/measure.h"

#include <math.h>
#include <stdlib.h>

#define SAMPLE 1024 /* number of draws; a body can be drawn more than once */

struct sample {
    uint64_t count;
    uint32_t index[SAMPLE]; /* bodies, ascending */
    int times[SAMPLE];      /* how many times each body was drawn */
    double exact[SAMPLE];   /* exact potential of body index[k] */
};

/* Draws SAMPLE bodies. The probability of a body is proportional to m |phi|, its contribution to the energy. Sums m
 * |phi| over the bodies in their order. Each time the sum passes one of SAMPLE equally spaced values, draws the body
 * that was just added. A body can be drawn several times. Returns false if the total sum is 0 or not finite. */
static bool draw(struct sample *s, const struct nb_bodies *b, const double *phi)
{
    const struct nb_column *mass = nb_bodies_find(b, "mass");
    double total = 0, below = 0;
    int drawn = 0;
    for (uint64_t i = 0; i < b->n; i++)
        total += nb_column_get(mass, i, 0) * fabs(phi[i]);
    if (!(total > 0) || !isfinite(total))
        return false;
    for (uint64_t i = 0; i < b->n && drawn < SAMPLE; i++) {
        const int before = drawn;
        below += nb_column_get(mass, i, 0) * fabs(phi[i]);
        while (drawn < SAMPLE && (drawn + 0.5) / SAMPLE * total < below)
            drawn++;
        if (drawn == before)
            continue;
        s->index[s->count] = (uint32_t)i;
        s->times[s->count++] = drawn - before;
    }
    return true;
}

/* Returns the magnitude of the mean relative error of phi[] for the drawn bodies, plus twice the standard error of this
 * mean. */
static double judge(const struct sample *s, const double *phi)
{
    double sum = 0, squares = 0, drawn = 0;
    for (uint64_t k = 0; k < s->count; k++) {
        const double error = (phi[s->index[k]] - s->exact[k]) / phi[s->index[k]];
        drawn += s->times[k];
        sum += s->times[k] * error;
        squares += s->times[k] * error * error;
    }
    const double mean = sum / drawn;
    return fabs(mean) + 2 * sqrt(fmax(squares / drawn - mean * mean, 0) / drawn);
}

static int find_exact(struct sample *sample, const struct nb_bodies *b, const struct nb_force_set *exact,
                      struct nb_state *s)
{
    const size_t list_bytes = sample->count * sizeof *sample->index;
    double softening;
    if (nb_bodies_softening(b, &softening))
        return -1;
    nb_state_part_massless(s, b, softening);
    void *d_index = nb_device_alloc(s->device, list_bytes);
    const struct nb_sources sources = nb_sources_of(s, b->meta.G, softening);
    const struct nb_targets targets = {.n = sample->count, .stride = s->stride, .x = s->x, .v = s->v, .index = d_index};
    const struct nb_field out = {.stride = s->stride, .phi = s->a};
    int status = d_index ? nb_device_to(s->device, d_index, sample->index, list_bytes) : -1;
    if (status == 0)
        status = nb_force_set_evaluate(exact, nb_forces_own, s->precision, &sources, &targets, &out);
    if (status == 0)
        status = nb_device_fetch(s->device, s->precision, sample->count, s->stride, 1, s->a, NB_F64, sample->exact);
    nb_device_free(s->device, d_index);
    return status;
}

int nb_measure_check(const struct nb_bodies *b, const struct nb_force_set *exact, const double *phi, double *error)
{
    struct sample sample = {0};
    *error = 0;
    if (b->n > UINT32_MAX || !draw(&sample, b, phi))
        return 0;
    struct nb_state *s = nb_state_create(exact->device, NB_DOUBLE, b);
    const int status = s ? find_exact(&sample, b, exact, s) : -1;
    nb_state_destroy(s);
    if (status == 0)
        *error = judge(&sample, phi);
    return status;
}
