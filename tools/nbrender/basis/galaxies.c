/* Finds the centre of each galaxy of a frame, and the distances of the galaxy's bodies from the centre. */
#include "nbrender/basis/basis.h"

double galaxy_radius(const struct galaxy *g, const struct nb_column *pos, uint64_t i)
{
    double x[3];
    vector_of(pos, i, x);
    for (int k = 0; k < 3; k++)
        x[k] -= g->centre[k];
    return vector_length(x);
}

static void find_centre(struct galaxy *g, struct sample place[3])
{
    for (int k = 0; k < 3; k++) {
        sample_sort(&place[k]);
        if (place[k].count)
            g->centre[k] = sample_quantile(&place[k], 0.5);
        sample_free(&place[k]);
    }
}

/* In each coordinate, a galaxy's centre is the median of its bodies, because tidal arms hardly change a median. */
struct galaxy *galaxies_find(const struct nb_bodies *b, enum nb_component kind, uint64_t most)
{
    const uint8_t *component = labels_of(b, "component"), *number = labels_of(b, "galaxy");
    const struct nb_column *pos = nb_bodies_find(b, "pos");
    const uint64_t stride = b->n > 0 ? 1 + (b->n - 1) / most : 1;
    struct galaxy *galaxies = claimed(calloc(GALAXIES, sizeof *galaxies), "no memory for the places of galaxies");
    struct sample(*places)[3] = claimed(calloc(GALAXIES, sizeof *places), "no memory for the places of galaxies");
    for (uint64_t i = 0; component && i < b->n; i += stride)
        for (int k = 0; component[i] == kind && k < 3; k++)
            sample_add(&places[number ? number[i] : 0][k], value_of(pos, i, k));
    for (int g = 0; g < GALAXIES; g++)
        find_centre(&galaxies[g], places[g]);
    free(places);
    for (uint64_t i = 0; component && i < b->n; i += stride)
        if (component[i] == kind) {
            struct galaxy *g = &galaxies[number ? number[i] : 0];
            sample_add(&g->radius, galaxy_radius(g, pos, i));
        }
    for (int g = 0; g < GALAXIES; g++)
        sample_sort(&galaxies[g].radius);
    return galaxies;
}

void galaxies_free(struct galaxy *galaxies)
{
    for (int g = 0; galaxies && g < GALAXIES; g++)
        sample_free(&galaxies[g].radius);
    free(galaxies);
}
