/* light_open.c - opens a renderer on a device, and calls the functions of its backend's table. Declared in light.h. */
#include "light/light.h"

#include "base/error.h"
#include "light/footprint.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct nb_light {
    const struct nb_light_backend *backend;
    void *work;
};

double nb_light_radius(int height, uint64_t n)
{
    double shrinking = height / (38 * sqrt(sqrt((double)n)));
    return fmax(1.5, fmin(shrinking, height / 70.0));
}

double nb_light_largest(const struct nb_light_style *s, uint64_t n)
{
    const double radius = s->radius > 0 ? s->radius : nb_light_radius(s->height, n);
    if (s->smooth > 0)
        return nb_level_most(s->height);
    return fmin(fmax(log2(radius / 1.5), 0), nb_level_count(s->height) - 1);
}

struct nb_light *nb_light_open(struct nb_device *device, const struct nb_light_style *style)
{
    const struct nb_light_backend *const *backend = nb_light_backends;
    while (*backend && strcmp((*backend)->device, device->name) != 0)
        backend++;
    struct nb_light *l = calloc(1, sizeof *l);
    if (!*backend || !l) {
        nb_fail(l ? "%s: no pictures are drawn on this device" : "no memory to draw on %s", device->name);
        free(l);
        return NULL;
    }
    l->backend = *backend;
    l->work = l->backend->open(device, style);
    if (l->work)
        return l;
    free(l);
    return NULL;
}

void nb_light_close(struct nb_light *l)
{
    if (l)
        l->backend->close(l->work);
    free(l);
}

void nb_light_restyle(struct nb_light *l, double smooth, double stars)
{
    struct nb_light_style *style = l->backend->style(l->work);
    style->smooth = smooth;
    style->stars = stars;
}

int nb_light_clear(struct nb_light *l)
{
    return l->backend->clear(l->work);
}

int nb_light_put(struct nb_light *l, const struct nb_view *view, const struct nb_light_bodies *b)
{
    return l->backend->put(l->work, view, b);
}

int nb_light_finish(struct nb_light *l)
{
    return l->backend->finish(l->work);
}

int nb_light_measure(struct nb_light *l, struct nb_light_histogram *h)
{
    return l->backend->measure(l->work, h);
}

int nb_light_tone(struct nb_light *l, const struct nb_tone *tone, uint16_t *const plane[3])
{
    return l->backend->tone(l->work, tone, plane);
}

int nb_light_fetch(struct nb_light *l, float *pixels)
{
    return l->backend->fetch(l->work, pixels);
}

int nb_light_sums(struct nb_light *l, struct nb_light_sums *sums)
{
    return l->backend->sums(l->work, sums);
}
