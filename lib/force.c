#include "force.h"

#include "error.h"

#include <string.h>

/* What serves best when nobody asked for a method. One number of bodies for every device, so that where a run is
 * made never changes what it computes. There is only the direct sum yet. */
static const char *usual_method(uint64_t n)
{
    (void)n;
    return "direct";
}

static bool method_known(const char *method)
{
    for (const struct nb_force *const *f = nb_forces; *f; f++)
        if (strcmp(method, (*f)->method) == 0)
            return true;
    return false;
}

const struct nb_force *nb_force_choose(const char *method, const struct nb_device *device, enum nb_precision precision,
                                       unsigned want, uint64_t n)
{
    if (strcmp(method, "auto") == 0)
        method = usual_method(n);
    if (!method_known(method)) {
        nb_fail("force '%s' is not known (--list-forces shows what is)", method);
        return NULL;
    }
    nb_fail("force %s does not run on device %s", method, device->name);
    for (const struct nb_force *const *f = nb_forces; *f; f++) {
        if (strcmp(method, (*f)->method) != 0 || strcmp(device->name, (*f)->device) != 0)
            continue;
        const char *refusal = (*f)->refuse ? (*f)->refuse(precision, want) : NULL;
        if ((*f)->tolerance[precision] == 0)
            refusal = "it does not offer this precision";
        if (!refusal)
            return *f;
        nb_fail("force %s on device %s in %s precision: %s", method, device->name, nb_precision_name(precision),
                refusal);
    }
    return NULL;
}

const struct nb_force_options nb_force_usual = {.theta = NB_THETA_USUAL, .rebuild = 1};

int nb_force_open(const struct nb_force *force, const struct nb_force_options *options, void **work)
{
    *work = NULL;
    if (!force->open)
        return 0;
    *work = force->open(options);
    return *work ? 0 : -1;
}

void nb_force_close(const struct nb_force *force, void *work)
{
    if (force->close)
        force->close(work);
}

int nb_force_state(const struct nb_force *force, void *work, const struct nb_state *s, double G, double softening,
                   void *d_a, void *d_phi)
{
    struct nb_sources sources = {s->n, s->stride, s->m, s->x, G, softening, s->v};
    struct nb_targets targets = {s->n, s->stride, s->x, 0, s->v};
    struct nb_field out = {s->stride, d_a, d_phi, NULL};
    return force->field(work, s->precision, &sources, &targets, &out);
}
