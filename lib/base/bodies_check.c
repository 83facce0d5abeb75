/* bodies_check.c - checks whether a frame can be used for physics. Declared in bodies.h. */
#include "base/bodies.h"
#include "base/error.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- search for the first bad value: a fast test of whole blocks, then a test of each value in a bad block ---- */

#define BLOCK 4096 /* number of bodies that are tested together */

/* Returns whether values [begin, end) contain an infinity or a NaN. The exponent bits of an infinity or NaN are all
 * ones, so that adding one to the exponent carries into the sign bit. Uses integers only, so that the compiler
 * vectorises the loops. */
static int block_has_bad(const struct nb_column *c, size_t begin, size_t end)
{
    const char *data = c->data;
    uint64_t carry64 = 0, bits64;
    uint32_t carry32 = 0, bits32;
    if (c->type == NB_F64)
        for (size_t k = begin; k < end; k++) {
            memcpy(&bits64, data + k * sizeof bits64, sizeof bits64);
            carry64 |= (bits64 & INT64_MAX) + ((uint64_t)1 << 52);
        }
    else if (c->type == NB_F32)
        for (size_t k = begin; k < end; k++) {
            memcpy(&bits32, data + k * sizeof bits32, sizeof bits32);
            carry32 |= (bits32 & INT32_MAX) + ((uint32_t)1 << 23);
        }
    return carry64 >> 63 || carry32 >> 31;
}

static int is_bad(double value)
{
    return !isfinite(value);
}

static int block_has_negative(const struct nb_column *c, size_t begin, size_t end)
{
    int found = 0;
    if (c->type == NB_F64)
        for (size_t k = begin; k < end; k++)
            found |= ((const double *)c->data)[k] < 0;
    else if (c->type == NB_F32)
        for (size_t k = begin; k < end; k++)
            found |= ((const float *)c->data)[k] < 0;
    return found;
}

static int is_negative(double value)
{
    return value < 0;
}

/* Returns the index of the first body that has a value for which `is` returns true; n if there is none. `block_has` is
 * a fast test of the values [begin, end). It must return true if `is` returns true for any of these values. */
static uint64_t find_first(const struct nb_column *c, uint64_t n,
                           int (*block_has)(const struct nb_column *c, size_t begin, size_t end), int (*is)(double))
{
    uint64_t first = n, blocks = n / BLOCK + (n % BLOCK > 0);
#pragma omp parallel for reduction(min : first) schedule(static) if (blocks > 4)
    for (uint64_t block = 0; block < blocks; block++) {
        uint64_t i0 = block * BLOCK, i1 = n - i0 < BLOCK ? n : i0 + BLOCK;
        if (i0 > first || !block_has(c, (size_t)i0 * (size_t)c->width, (size_t)i1 * (size_t)c->width))
            continue;
        for (uint64_t i = i0; i < i1; i++)
            for (int k = 0; k < c->width; k++)
                if (is(nb_column_get(c, i, k)) && i < first)
                    first = i;
    }
    return first;
}

uint64_t nb_column_first_bad(const struct nb_column *c, uint64_t n)
{
    return find_first(c, n, block_has_bad, is_bad);
}

/* ---- layout ---- */

/* Writes the allowed types and the width of a known column to `text`, for example "f32 or f64 of width 3". */
static void describe(const struct nb_known *known, char *text, size_t size)
{
    int used = 0;
    for (int t = 0; t < NB_TYPES; t++)
        if (known->types >> t & 1)
            used +=
                snprintf(text + used, size - (size_t)used, "%s%s", used ? " or " : "", nb_type_name((enum nb_type)t));
    snprintf(text + used, size - (size_t)used, " of width %d", known->width);
}

int nb_bodies_check_columns(const struct nb_bodies *b)
{
    for (const struct nb_known *k = nb_known_columns; k->name; k++) {
        const struct nb_column *c = nb_bodies_find(b, k->name);
        char wanted[64];
        describe(k, wanted, sizeof wanted);
        if (!c && k->required)
            return nb_fail("column '%s' is missing (%s)", k->name, wanted);
        if (c && (c->width != k->width || !(k->types >> c->type & 1)))
            return nb_fail("column '%s' cannot be %s of width %d, only %s", k->name, nb_type_name(c->type), c->width,
                           wanted);
    }
    return 0;
}

/* ---- values ---- */

static int check_finite(const struct nb_bodies *b, const char *name)
{
    uint64_t i = nb_column_first_bad(nb_bodies_find(b, name), b->n);
    return i < b->n ? nb_fail("body %" PRIu64 ": %s is not a finite number", i, name) : 0;
}

static int check_not_negative(const struct nb_bodies *b, const char *name)
{
    const struct nb_column *c = nb_bodies_find(b, name);
    uint64_t i = find_first(c, b->n, block_has_negative, is_negative);
    return i < b->n ? nb_fail("body %" PRIu64 ": %s %g is negative", i, name, nb_column_get(c, i, 0)) : 0;
}

int nb_bodies_check(const struct nb_bodies *b)
{
    if (b->n == 0)
        return nb_fail("no bodies (n = 0)");
    if (nb_bodies_check_columns(b))
        return -1;
    for (const struct nb_known *k = nb_known_columns; k->name; k++)
        if (k->required && check_finite(b, k->name))
            return -1;
    return check_not_negative(b, "mass");
}

int nb_bodies_softening(const struct nb_bodies *b, double *softening)
{
    const struct nb_column *c = nb_bodies_find(b, "softening");
    *softening = c && b->n > 0 ? nb_column_get(c, 0, 0) : b->meta.softening;
    if (!(isfinite(*softening) && *softening >= 0))
        return nb_fail("body 0: softening %g is negative or not finite", *softening);
    for (uint64_t i = 1; c && i < b->n; i++)
        if (nb_column_get(c, i, 0) != *softening)
            return nb_fail("column 'softening': bodies 0 and %" PRIu64
                           " have %g and %g, but gravity here has one softening length for all",
                           i, *softening, nb_column_get(c, i, 0));
    return 0;
}

/* ---- bodies at the same position ---- */

struct place {
    double x[3];
    bool mass;
};

static int by_place(const void *a, const void *b)
{
    const double *x = ((const struct place *)a)->x, *y = ((const struct place *)b)->x;
    for (int k = 0; k < 3; k++)
        if (x[k] != y[k])
            return x[k] < y[k] ? -1 : 1;
    return 0;
}

/* Writes the positions of the bodies of mass 0, or of all bodies if `all`, to `places` and sorts them. `single`: rounds
 * the positions to single precision. Returns the number of positions. */
static uint64_t sort_places(const struct nb_bodies *b, bool single, bool all, struct place *places)
{
    const struct nb_column *mass = nb_bodies_find(b, "mass"), *pos = nb_bodies_find(b, "pos");
    uint64_t count = 0;
    for (uint64_t i = 0; i < b->n; i++) {
        struct place *p = &places[count];
        p->mass = nb_column_get(mass, i, 0) != 0;
        if (p->mass && !all)
            continue;
        nb_column_get_f64(pos, i, i + 1, p->x);
        for (int k = 0; k < 3 && single; k++)
            p->x[k] = (float)p->x[k];
        count++;
    }
    qsort(places, count, sizeof *places, by_place);
    return count;
}

/* Returns whether two bodies have the same position. places: sorted. If `with_mass`, at least one of the two must have
 * mass. */
static bool share(const struct place *places, uint64_t count, bool with_mass)
{
    for (uint64_t i = 1; i < count; i++)
        if (by_place(&places[i - 1], &places[i]) == 0 && (!with_mass || places[i - 1].mass || places[i].mass))
            return true;
    return false;
}

bool nb_bodies_share_places(const struct nb_bodies *b, bool single)
{
    const struct nb_column *mass = nb_bodies_find(b, "mass");
    uint64_t massless = 0;
    for (uint64_t i = 0; i < b->n; i++)
        massless += nb_column_get(mass, i, 0) == 0;
    struct place *places = massless > 1 ? malloc(b->n * sizeof *places) : NULL;
    const bool shared = places && share(places, sort_places(b, single, false, places), false) &&
                        !share(places, sort_places(b, single, true, places), true);
    free(places);
    return shared;
}
