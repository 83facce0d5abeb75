#include "nbrender/colour/colour.h"

#include <inttypes.h>

#define GALAXIES 256                 /* numbers of the column galaxy */
#define RANKED   ((uint64_t)1 << 16) /* bodies that radii are ranked among */

struct star {
    uint64_t id;  /* without the column, its place in the frame */
    float kelvin; /* as a star of a disk */
};

struct stars {
    struct star *at; /* as they are in the first frame */
    struct star *by_id;
    uint64_t n;
};

bool stars_are_there(const struct nb_bodies *b)
{
    const uint8_t *component = labels_of(b, "component");
    for (uint64_t i = 0; component && i < b->n; i++)
        if (component[i] == NB_DISK || component[i] == NB_BULGE)
            return true;
    return false;
}

bool stars_are_single(const struct nb_bodies *b)
{
    const uint8_t *component = labels_of(b, "component");
    const struct nb_column *kelvin = nb_bodies_find(b, "temperature");
    return kelvin && kelvin->width == 1 && component && b->n > 0 && component[0] == NB_STAR;
}

/* ---- the first frame ---- */

struct disk { /* of a galaxy */
    struct sample place[3], radius;
    double centre[3];
};

static struct disk *disk_of(struct disk *disks, const uint8_t *galaxy, uint64_t i)
{
    return &disks[galaxy ? galaxy[i] : 0];
}

static double radius_of(const struct disk *d, const struct nb_column *pos, uint64_t i)
{
    double x[3];
    vector_of(pos, i, x);
    for (int k = 0; k < 3; k++)
        x[k] -= d->centre[k];
    return vector_length(x);
}

/* A galaxy's centre is the median of its disk in each coordinate, which tidal arms hardly move. */
static void survey(struct disk *disks, const struct nb_bodies *b, const uint8_t *component, const uint8_t *galaxy)
{
    const struct nb_column *pos = nb_bodies_find(b, "pos");
    const uint64_t stride = 1 + (b->n - 1) / RANKED;
    for (uint64_t i = 0; i < b->n; i += stride)
        for (int k = 0; component[i] == NB_DISK && k < 3; k++)
            sample_add(&disk_of(disks, galaxy, i)->place[k], value_of(pos, i, k));
    for (int g = 0; g < GALAXIES; g++)
        for (int k = 0; k < 3; k++) {
            sample_sort(&disks[g].place[k]);
            if (disks[g].place[k].count)
                disks[g].centre[k] = sample_quantile(&disks[g].place[k], 0.5);
        }
    for (uint64_t i = 0; i < b->n; i += stride)
        if (component[i] == NB_DISK)
            sample_add(&disk_of(disks, galaxy, i)->radius, radius_of(disk_of(disks, galaxy, i), pos, i));
    for (int g = 0; g < GALAXIES; g++)
        sample_sort(&disks[g].radius);
}

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

/* Makes it possible to find bodies that are not where they were. */
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
    const uint8_t *component = labels_of(b, "component"), *galaxy = labels_of(b, "galaxy");
    const struct nb_column *pos = nb_bodies_find(b, "pos"), *id = nb_bodies_find(b, "id");
    struct stars *s = claimed(calloc(1, sizeof *s), "no memory for the colours");
    struct disk *disks = claimed(calloc(GALAXIES, sizeof *disks), "no memory for the colours");
    s->n = b->n;
    s->at = claimed(malloc(b->n * sizeof *s->at), "no memory for the colours of %" PRIu64 " bodies", b->n);
    survey(disks, b, component, galaxy);
#pragma omp parallel for schedule(static)
    for (uint64_t i = 0; i < b->n; i++) {
        const struct disk *d = disk_of(disks, galaxy, i);
        const int count = (int)d->radius.count;
        const int below = count ? first_not_below(d->radius.value, 0, count, radius_of(d, pos, i)) : 0;
        s->at[i] = (struct star){is_id(id) ? id_of(id, i) : i, (float)stars_disk(count ? (double)below / count : 0.5)};
    }
    sort(s);
    for (int g = 0; g < GALAXIES; g++) {
        for (int k = 0; k < 3; k++)
            sample_free(&disks[g].place[k]);
        sample_free(&disks[g].radius);
    }
    free(disks);
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

/* ---- every frame ---- */

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
