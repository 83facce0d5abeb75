#include "force/contact/contact.h"

#include "error.h"

#include <math.h>

#define STEPS_A_CONTACT 25
#define RADIUS_SHARE    0.1 /* of the radius, that the fastest moves in a step */

int nb_contact_make(const struct nb_force_spec *spec, const struct nb_meta *meta, struct nb_contact *contact)
{
    *contact = (struct nb_contact){.seed = (uint64_t)nb_force_value(spec, "seed"), .first_step = meta->step};
    return nb_scene_read(meta, &contact->scene);
}

void nb_contact_free(struct nb_contact *contact)
{
    nb_scene_free(&contact->scene);
}

unsigned nb_contact_flags(const struct nb_contact *contact)
{
    const struct nb_scene *s = &contact->scene;
    return (s->damping > 0 ? NB_NEEDS_VELOCITY | NB_OPEN : 0) | (s->flowing ? NB_OPEN | NB_MOVES : 0) |
           (s->periodic[0] || s->periodic[1] ? NB_MOVES : 0);
}

double nb_contact_longest_step(const struct nb_contact *contact, double least_mass, double fastest)
{
    const struct nb_scene *s = &contact->scene;
    const double contact_time = M_PI * sqrt(least_mass / (2 * s->stiffness));
    return fmin(contact_time / STEPS_A_CONTACT, fastest > 0 ? RADIUS_SHARE * s->radius / fastest : INFINITY);
}

double nb_contact_sigma(const struct nb_scene *scene, double mass)
{
    const double f = scene->density / mass * M_PI * scene->radius * scene->radius, g = 1 - f;
    const double z = (1 + f * f / 8) / (g * g), slope = f / (4 * g * g) + 2 * z / g;
    return scene->speed / scene->mach / sqrt(z + f * slope + z * z);
}

const char *nb_contact_refuse(enum nb_precision precision, unsigned want)
{
    (void)precision;
    return want & (NB_WANT_JERK | NB_WANT_SNAP) ? "contact forces jump, and have neither jerk nor snap" : NULL;
}
