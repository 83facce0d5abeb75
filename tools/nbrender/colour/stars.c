/* Assigns temperatures to the stars of galaxies. The temperature depends on the star's component. In disks it depends
 * on the star's distance from the centre in the first frame. */
#include "nbrender/colour/colour.h"

#include <inttypes.h>

/* maximum number of bodies whose distances from the centre are sorted; if there are more bodies, a sample of them is
 * used */
#define RANKED ((uint64_t)1 << 16)

struct star {
    uint64_t id;  /* id of the star, or its index in the first frame if there is no column id */
    float kelvin; /* temperature of the star if it belongs to a disk; not used for other components */
};

struct stars {
    struct star *at; /* stars in the order of the first frame */
    struct star *by_id;
    uint64_t n;
};

bool stars_are_there(const struct nb_bodies *b)
{
    const uint8_t *component = labels_of(b, "component");
    return has_label(component, b->n, NB_DISK) || has_label(component, b->n, NB_BULGE);
}

bool stars_are_single(const struct nb_bodies *b)
{
    const uint8_t *component = labels_of(b, "component");
    const struct nb_column *kelvin = nb_bodies_find(b, "temperature");
    return kelvin && kelvin->width == 1 && component && b->n > 0 && component[0] == NB_STAR;
}

/* ---- first frame ---- */

static int by_id(const void *a, const void *b)
{
    const struct star *x = a, *y = b;
    return (x->id > y->id) - (x->id < y->id);
}

static bool are_sorted(const struct stars *s)
{
    for (uint64_t i = 1; i < s->n; i++)
        if (s->at[i - 1].id > s->at[i].id)
            return false;
    return true;
}

/* Sets s->by_id to the stars sorted by id, to find stars in frames with another order of the bodies. */
static void sort(struct stars *s)
{
    s->by_id = s->at;
    if (are_sorted(s))
        return;
    s->by_id = claimed(malloc(s->n * sizeof *s->by_id), "no memory for the colours of %" PRIu64 " bodies", s->n);
    memcpy(s->by_id, s->at, s->n * sizeof *s->by_id);
    qsort(s->by_id, s->n, sizeof *s->by_id, by_id);
}

struct stars *stars_create(const struct nb_bodies *b)
{
    const uint8_t *number = labels_of(b, "galaxy");
    const struct nb_column *pos = nb_bodies_find(b, "pos"), *id = nb_bodies_find(b, "id");
    struct stars *s = claimed(calloc(1, sizeof *s), "no memory for the colours");
    struct galaxy *galaxies = galaxies_find(b, NB_DISK, RANKED);
    s->n = b->n;
    s->at = claimed(malloc(b->n * sizeof *s->at), "no memory for the colours of %" PRIu64 " bodies", b->n);
#pragma omp parallel for schedule(static)
    for (uint64_t i = 0; i < b->n; i++) {
        const struct galaxy *g = &galaxies[number ? number[i] : 0];
        const int count = (int)g->radius.count;
        const int below = count ? first_not_below(g->radius.value, 0, count, galaxy_radius(g, pos, i)) : 0;
        s->at[i] = (struct star){is_id(id) ? id_of(id, i) : i, (float)stars_disk(count ? (double)below / count : 0.5)};
    }
    sort(s);
    galaxies_free(galaxies);
    return s;
}

void stars_destroy(struct stars *s)
{
    if (!s)
        return;
    if (s->by_id != s->at)
        free(s->by_id);
    free(s->at);
    free(s);
}

/* ---- each frame ---- */

static double disk_star(const struct stars *s, uint64_t i, uint64_t id)
{
    const struct star key = {.id = id}, *found = i < s->n && s->at[i].id == id ? &s->at[i] : NULL;
    if (!found && s->n)
        found = bsearch(&key, s->by_id, s->n, sizeof *s->by_id, by_id);
    return found ? (double)found->kelvin : stars_disk(0.5);
}

void stars_fill(const struct stars *s, const struct nb_bodies *b, uint64_t i0, int count, double *kelvin)
{
    const uint8_t *component = labels_of(b, "component");
    const struct nb_column *id = nb_bodies_find(b, "id");
    for (int k = 0; k < count; k++) {
        const uint64_t i = i0 + (uint64_t)k;
        switch (component ? component[i] : NB_OTHER) {
        case NB_DISK: kelvin[k] = disk_star(s, i, is_id(id) ? id_of(id, i) : i); break;
        case NB_BULGE:
        case NB_HALO: kelvin[k] = STARS_OLD; break;
        case NB_GAS: kelvin[k] = STARS_GAS; break;
        default: kelvin[k] = STARS_SUN;
        }
    }
}
