/* Positions of the dust: the positions of the gas, or positions in a thin layer in the disk of each galaxy. */
#include "nbrender/light/dust.h"

#include <inttypes.h>

#define SAMPLE ((uint64_t)1 << 13) /* maximum number of sampled bodies from which the planes of disks are found */
#define THIN   0.25                /* thickness of the dust layer, as a fraction of the thickness of the disk */
#define NEAR   4.0                 /* heights below NEAR disk thicknesses are multiplied by THIN */
#define OUT    12.0                /* heights above OUT disk thicknesses are not changed (tidal arms) */

bool dust_has(const struct nb_bodies *b, enum nb_component kind)
{
    const uint8_t *component = labels_of(b, "component");
    for (uint64_t i = 0; component && i < b->n; i++)
        if (component[i] == kind)
            return true;
    return false;
}

void dust_places_free(struct dust_places *p)
{
    free(p->x);
    free(p->mass);
}

/* ---- planes of disks ---- */

struct plane {
    double normal[3];
    struct sample height; /* distances from the plane, for bodies inside the half-mass radius */
    double thickness;     /* median of `height` */
};

/* Finds the plane of each disk from the angular momentum of the bodies inside the half-mass radius. Three passes over
 * the bodies find the mean velocity, then the angular momentum, then the heights above the plane. */
static void find_planes(struct plane *plane, const struct galaxy *galaxies, const struct nb_bodies *b)
{
    const uint8_t *component = labels_of(b, "component"), *number = labels_of(b, "galaxy");
    const struct nb_column *pos = nb_bodies_find(b, "pos"), *vel = nb_bodies_find(b, "vel");
    const uint64_t stride = 1 + (b->n - 1) / SAMPLE;
    double(*drift)[4] = claimed(calloc(GALAXIES, sizeof *drift), "no memory for the dust");
    for (int pass = 0; pass < 3; pass++)
        for (uint64_t i = 0; i < b->n; i += stride) {
            const int g = number ? number[i] : 0;
            double x[3], v[3], spin[3];
            if (component[i] != NB_DISK || galaxies[g].radius.count == 0 ||
                galaxy_radius(&galaxies[g], pos, i) > sample_quantile(&galaxies[g].radius, 0.5))
                continue;
            vector_of(pos, i, x);
            vector_of(vel, i, v);
            for (int d = 0; d < 3; d++) {
                x[d] -= galaxies[g].centre[d];
                v[d] -= pass > 0 ? drift[g][d] / drift[g][3] : 0;
            }
            vector_cross(x, v, spin);
            for (int d = 0; d < 3 && pass < 2; d++)
                *(pass == 0 ? &drift[g][d] : &plane[g].normal[d]) += pass == 0 ? v[d] : spin[d];
            drift[g][3] += pass == 0;
            if (pass == 2)
                sample_add(&plane[g].height, fabs(vector_dot(plane[g].normal, x)) / vector_length(plane[g].normal));
        }
    free(drift);
}

static void settle(struct plane *p)
{
    const double length = vector_length(p->normal);
    for (int d = 0; d < 3; d++)
        p->normal[d] /= length;
    sample_sort(&p->height);
    if (p->height.count)
        p->thickness = sample_quantile(&p->height, 0.5);
    sample_free(&p->height);
}

/* Returns the new height of a body with the height z above the plane: THIN * z if |z| is below NEAR * thickness, z if
 * |z| is above OUT * thickness, and a smooth transition between. */
static double flatten(double z, double thickness)
{
    const double out = fmin(fmax((fabs(z) / thickness - NEAR) / (OUT - NEAR), 0), 1);
    return z * (THIN + (1 - THIN) * out * out * (3 - 2 * out));
}

static void move_into_layer(const struct plane *p, const struct galaxy *g, double x[3])
{
    double from[3];
    if (!(p->thickness > 0))
        return;
    for (int d = 0; d < 3; d++)
        from[d] = x[d] - g->centre[d];
    const double z = vector_dot(p->normal, from), less = flatten(z, p->thickness) - z;
    for (int d = 0; d < 3; d++)
        x[d] += less * p->normal[d];
}

static void make_layers(struct dust_places *p, const struct nb_bodies *b, const uint64_t *of)
{
    const uint8_t *number = labels_of(b, "galaxy");
    struct galaxy *galaxies = galaxies_find(b, NB_DISK, SAMPLE);
    struct plane *plane = claimed(calloc(GALAXIES, sizeof *plane), "no memory for the dust");
    find_planes(plane, galaxies, b);
    for (int g = 0; g < GALAXIES; g++)
        settle(&plane[g]);
#pragma omp parallel for schedule(static)
    for (uint64_t k = 0; k < p->n; k++) {
        const int g = number ? number[of[k]] : 0;
        move_into_layer(&plane[g], &galaxies[g], p->x[k]);
    }
    free(plane);
    galaxies_free(galaxies);
}

/* ---- positions ---- */

void dust_places_fill(struct dust_places *p, const struct nb_bodies *b, enum nb_component kind)
{
    const uint8_t *component = labels_of(b, "component");
    const struct nb_column *pos = nb_bodies_find(b, "pos"), *mass = nb_bodies_find(b, "mass");
    uint64_t *of = claimed(malloc((b->n + 1) * sizeof *of), "no memory for the dust of %" PRIu64 " bodies", b->n);
    p->n = 0;
    for (uint64_t i = 0; component && i < b->n; i++)
        if (component[i] == kind)
            of[p->n++] = i;
    uint64_t room = p->room;
    p->x = claimed(remade(p->x, &room, p->n, sizeof *p->x), "no memory for the dust of %" PRIu64 " bodies", b->n);
    p->mass =
        claimed(remade(p->mass, &p->room, p->n, sizeof *p->mass), "no memory for the dust of %" PRIu64 " bodies", b->n);
    for (uint64_t k = 0; k < p->n; k++) {
        vector_of(pos, of[k], p->x[k]);
        p->mass[k] = value_of(mass, of[k], 0);
    }
    if (kind == NB_DISK && p->n > 0)
        make_layers(p, b, of);
    free(of);
}

double dust_column(const struct nb_bodies *b, enum nb_component kind)
{
    const uint8_t *component = labels_of(b, "component"), *number = labels_of(b, "galaxy");
    const struct nb_column *mass = nb_bodies_find(b, "mass");
    struct galaxy *galaxies = galaxies_find(b, kind, (uint64_t)1 << 16);
    double of[GALAXIES] = {0}, sum = 0, total = 0;
    for (uint64_t i = 0; i < b->n; i++)
        if (component[i] == kind)
            of[number ? number[i] : 0] += value_of(mass, i, 0);
    for (int g = 0; g < GALAXIES; g++) {
        const double radius = galaxies[g].radius.count ? sample_quantile(&galaxies[g].radius, 0.5) : 0;
        if (!(radius > 0 && of[g] > 0))
            continue;
        sum += of[g] * 0.5 * of[g] / (M_PI * radius * radius);
        total += of[g];
    }
    galaxies_free(galaxies);
    return total > 0 ? sum / total : 0;
}
