/* distance.c - --distance: computes distances and relative speeds of galaxies. The column `galaxy` has the number of
 * each body's galaxy. */
#include "nbstat.h"

#include "select/select.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

struct place {
    double x[3], v[3];
};

/* Finds the centre and velocity of a galaxy. If the centre is the density centre, the velocity is the mean velocity of
 * the bodies within the half-mass radius, so that tidal tails do not change it. */
static int find_place(const struct nb_bodies *galaxy, const struct stat_options *o, struct place *place)
{
    struct nb_measures m;
    if (nb_measure(galaxy, &(struct nb_fields){0}, o->about, &m))
        return -1;
    for (int k = 0; k < 3; k++) {
        place->x[k] = m.centre[k];
        place->v[k] = m.com_velocity[k];
    }
    return o->about == NB_ABOUT_DENSITY ? nb_measure_velocity(galaxy, m.centre, m.half_mass_radius, place->v) : 0;
}

static int find_galaxy(struct stat_sample *s, const struct nb_column *galaxy, unsigned number, unsigned char *mask,
                       const struct stat_options *o, struct place *place)
{
    const uint8_t *of = galaxy->data;
    uint64_t count = 0;
    for (uint64_t i = 0; i < s->b->n; i++) {
        mask[i] = of[i] == number;
        count += mask[i];
    }
    return nb_select_take(s->b, mask, count, &s->part) || find_place(&s->part, o, place) ? -1 : 0;
}

static double apart(const double *a, const double *b)
{
    return hypot(hypot(a[0] - b[0], a[1] - b[1]), a[2] - b[2]);
}

static int find_galaxies(struct stat_sample *s, const struct nb_column *galaxy, struct stat_row *row,
                         const struct stat_options *o)
{
    struct place place[STAT_GALAXIES_MOST];
    unsigned char *mask = malloc((size_t)s->b->n);
    int status = mask ? 0 : nb_fail("no memory to find the galaxies");
    for (unsigned k = 0; k < STAT_GALAXIES_MOST && status == 0; k++)
        if (row->galaxies[k])
            status = find_galaxy(s, galaxy, k, mask, o, &place[k]);
    for (int i = 0; i < STAT_GALAXIES_MOST && status == 0; i++)
        for (int j = i + 1; j < STAT_GALAXIES_MOST; j++)
            if (row->galaxies[i] && row->galaxies[j]) {
                row->distance[i][j] = apart(place[i].x, place[j].x);
                row->speed[i][j] = apart(place[i].v, place[j].v);
            }
    free(mask);
    return status;
}

int stat_distance_measure(struct stat_row *row, struct stat_sample *s, const struct stat_options *o)
{
    const struct nb_column *galaxy = nb_bodies_find(s->b, "galaxy");
    if (!galaxy || galaxy->type != NB_U8 || galaxy->width != 1)
        return nb_fail("--distance: the bodies have no column galaxy of type u8");
    for (uint64_t i = 0; i < s->b->n; i++) {
        const unsigned number = ((const uint8_t *)galaxy->data)[i];
        if (number >= STAT_GALAXIES_MOST)
            return nb_fail("--distance: body %" PRIu64 " belongs to galaxy %u, above the maximum of %d", i, number,
                           STAT_GALAXIES_MOST - 1);
        row->galaxies[number] = true;
    }
    return find_galaxies(s, galaxy, row, o);
}
