/* contact_cpu.c - parameters of the contact law in single and double precision. Declared in contact_cpu.h. */
#include "force/contact/cpu/contact_cpu.h"

struct nb_contact_law_double nb_contact_double_of(const struct nb_scene *s, double kick)
{
    struct nb_contact_law_double law = {s->stiffness, s->damping, 2 * s->radius, {0}, {0}, kick};
    for (int k = 0; k < 2; k++)
        if (s->periodic[k]) {
            law.length[k] = s->high[k] - s->low[k];
            law.inverse_length[k] = 1 / law.length[k];
        }
    return law;
}

struct nb_contact_law_single nb_contact_single_of(const struct nb_scene *s, double kick)
{
    const struct nb_contact_law_double d = nb_contact_double_of(s, kick);
    return (struct nb_contact_law_single){(float)d.stiffness,
                                          (float)d.damping,
                                          (float)d.reach,
                                          {(float)d.length[0], (float)d.length[1]},
                                          {(float)d.inverse_length[0], (float)d.inverse_length[1]},
                                          (float)kick};
}
