/* row.c - measures a frame. */
#include "nbstat.h"

#include <math.h>

void stat_row_derive(struct stat_row *row, const struct stat_row *first)
{
    const struct nb_measures *m = &row->m, *m0 = &first->m;
    row->energy = nb_measure_energy(&m->energies);
    double *const errors[STAT_ERRORS] = {&row->energy_error, &row->momentum_error, &row->angular_momentum_error};
    row->energy_error = nb_measure_energy_error(&m->energies, &m0->energies);
    row->energy_divisor = nb_measure_energy_divisor(&m0->energies);
    row->momentum_error = nb_measure_momentum_error(m, &m0->momenta);
    row->angular_momentum_error = nb_measure_angular_momentum_error(m, &m0->momenta);
    for (int k = 0; k < STAT_ERRORS; k++)
        if (row->changed_by[k])
            *errors[k] = NAN;
}

static void clear(double *values, int count)
{
    for (int k = 0; k < count; k++)
        values[k] = NAN;
}

static void clear_structure(struct stat_row *row)
{
    row->virial = NAN;
    clear(row->radii, STAT_RADII_MOST);
    clear(row->modes.amplitude, NB_MODES);
    clear(row->modes.phase, NB_MODES);
    clear(row->distance[0], STAT_GALAXIES_MOST * STAT_GALAXIES_MOST);
    clear(row->speed[0], STAT_GALAXIES_MOST * STAT_GALAXIES_MOST);
    row->escaped = (struct nb_escaped){NAN, NAN};
    row->cluster = (struct stat_cluster){.core_radius = NAN,
                                         .segregation = NAN,
                                         .relaxation_time = NAN,
                                         .binary_share = NAN,
                                         .binary_axis = NAN,
                                         .binary_energy = NAN};
}

static void measure_none(struct nb_measures *m, bool with_potential)
{
    *m = (struct nb_measures){.half_mass_radius = NAN, .potential = with_potential ? 0 : (double)NAN};
    m->energies.potential = m->potential;
    clear(m->com, 3);
    clear(m->com_velocity, 3);
    clear(m->centre, 3);
}

static int measure_radii(struct stat_row *row, const struct stat_sample *s, const struct stat_options *o)
{
    double shares[STAT_RADII_MOST];
    const double *c = row->m.centre;
    const struct nb_pose pose = {.centre = {c[0], c[1], c[2]}};
    for (int k = 0; k < o->percent_count; k++)
        shares[k] = o->percents[k] / 100;
    return nb_measure_radii(s->b, &pose, NB_SPHERICAL, NB_BY_MASS, shares, o->percent_count, row->radii);
}

static int measure_modes(struct stat_row *row, const struct stat_sample *s, const struct stat_options *o)
{
    struct nb_pose pose;
    return stat_sample_pose(s, o, &row->m, &pose) || nb_measure_modes(s->b, &pose, o->within, &row->modes) ? -1 : 0;
}

int stat_row_measure(struct stat_row *row, struct stat_sample *s, const struct nb_fields *fields,
                     const struct stat_options *o, unsigned needs)
{
    clear_structure(row);
    if (!s->b) {
        measure_none(&row->m, o->potential != POTENTIAL_NONE);
        return 0;
    }
    if (nb_measure(s->b, fields, needs & NEEDS_CENTRE ? o->about : NB_ABOUT_NOTHING, &row->m) ||
        (fields->acc && nb_measure_virial(s->b, fields->acc, &row->m, &row->virial)) ||
        (o->percent_count > 0 && measure_radii(row, s, o)) || (o->modes && measure_modes(row, s, o)) ||
        stat_cluster_measure(row, s->b, needs))
        return -1;
    if (nb_measure_book(&s->b->meta, &row->m))
        return -1;
    /* The other bodies act on the selected bodies like an external field, which accelerates their centre of mass. So
     * the kinetic energy of the centre of mass (drift) is not subtracted from the kinetic energy. */
    if (s->b->n < s->all.n)
        row->m.energies.drift = 0;
    if (o->escaped && nb_measure_escaped(s->b, fields, s->velocity, &row->escaped))
        return -1;
    return o->distance ? stat_distance_measure(row, s, o) : 0;
}
