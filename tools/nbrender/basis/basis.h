/* basis.h - what all parts of nbrender use: memory, and numbers of bodies. */
#pragma once

#include "base/bodies.h"
#include "common/tool.h"
#include "light/view.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Returns an array with room for n elements, whose contents are not kept: `array` itself if it has that many, otherwise
 * a new one, or NULL. `room` is what there is room for, 0 at first. */
static inline void *remade(void *array, uint64_t *room, uint64_t n, size_t size)
{
    if (array && *room >= n)
        return array;
    free(array);
    *room = n;
    return n < SIZE_MAX / size ? malloc(n > 0 ? (size_t)n * size : 1) : NULL;
}

static inline double vector_dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static inline double vector_length(const double a[3])
{
    return sqrt(vector_dot(a, a));
}

static inline void vector_cross(const double a[3], const double b[3], double c[3])
{
    for (int d = 0; d < 3; d++)
        c[d] = a[(d + 1) % 3] * b[(d + 2) % 3] - a[(d + 2) % 3] * b[(d + 1) % 3];
}

/* Orders doubles, for qsort. */
static inline int compare_numbers(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Returns the first index from low to high - 1 whose number is not below x, or high. The numbers rise. */
static inline int first_not_below(const double *number, int low, int high, double x)
{
    while (low < high) {
        const int middle = (low + high) / 2;
        if (number[middle] < x)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Whether a column, or NULL, holds identifiers. */
static inline bool is_id(const struct nb_column *c)
{
    return c && c->width == 1 && (c->type == NB_U32 || c->type == NB_U64);
}

static inline uint64_t id_of(const struct nb_column *id, uint64_t i)
{
    return id->type == NB_U64 ? ((const uint64_t *)id->data)[i] : ((const uint32_t *)id->data)[i];
}

/* Spreads identifiers that follow one another over all numbers: the finalizer of splitmix64 (Steele et al. 2014,
 * OOPSLA). */
static inline uint64_t id_spread(uint64_t z)
{
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* Returns the values of a column of type u8, such as component; NULL if there is none. */
static inline const uint8_t *labels_of(const struct nb_bodies *b, const char *name)
{
    const struct nb_column *c = nb_bodies_find(b, name);
    return c && c->type == NB_U8 && c->width == 1 ? (const uint8_t *)c->data : NULL;
}

/* Returns a value of a column of type f32 or f64. Inlined, because nb_column_get costs a call for each value. */
static inline double value_of(const struct nb_column *c, uint64_t i, int k)
{
    size_t at = (size_t)i * (size_t)c->width + (size_t)k;
    return c->type == NB_F32 ? (double)((const float *)c->data)[at] : ((const double *)c->data)[at];
}

static inline void vector_of(const struct nb_column *c, uint64_t i, double x[3])
{
    for (int d = 0; d < 3; d++)
        x[d] = value_of(c, i, d);
}

/* Returns how far body i is in front of the plane through the centre, towards the camera. */
static inline double view_depth(const struct nb_view *view, const struct nb_column *pos, uint64_t i)
{
    double w = 0;
    for (int d = 0; d < 3; d++)
        w += view->back[d] * (value_of(pos, i, d) - view->centre[d]);
    return w;
}

/* Sets a value of such a column. */
static inline void value_set(struct nb_column *c, uint64_t i, int k, double x)
{
    const size_t at = (size_t)i * (size_t)c->width + (size_t)k;
    if (c->type == NB_F32)
        ((float *)c->data)[at] = (float)x;
    else
        ((double *)c->data)[at] = x;
}

/* Projects one place as nb_view_project does; NAN: behind the camera. */
static inline void view_project(const struct nb_view *view, const double place[3], double at[2])
{
    double x[3] = {place[0], place[1], place[2]};
    const struct nb_column one = {.type = NB_F64, .width = 3, .data = x};
    nb_view_project(view, &one, 0, 1, &at[0], &at[1], NULL);
}

/* ---- numbers.c: some of the numbers that there are, to be sorted ---- */

struct sample {
    double *value;
    size_t count;
};

void sample_add(struct sample *s, double value); /* one that is not finite is left out; dies without memory */
void sample_sort(struct sample *s);
/* Of a sorted sample that is not empty: the number below which a share q of it is. */
double sample_quantile(const struct sample *s, double q);
/* Whether numbers of both signs are in a sorted sample, without that share of it at each end. */
bool sample_has_both_signs(const struct sample *sorted, double share);
/* Adds -x for each x of a sorted sample, and sorts it: what is found from it is symmetric about 0. */
void sample_mirror(struct sample *sorted);
void sample_free(struct sample *s);

/* ---- galaxies.c: where the galaxies of a frame are ---- */

#define GALAXIES 256 /* numbers of the column galaxy; without it all bodies are of galaxy 0 */

struct galaxy {
    double centre[3];     /* of its bodies of one component */
    struct sample radius; /* their distances from it, sorted; none: it has no such body */
};

/* Returns GALAXIES of them, for galaxies_free, from a sample of `most` bodies. Dies without memory. */
struct galaxy *galaxies_find(const struct nb_bodies *b, enum nb_component kind, uint64_t most);
void galaxies_free(struct galaxy *galaxies); /* NULL is allowed */
double galaxy_radius(const struct galaxy *g, const struct nb_column *pos, uint64_t i);

/* ---- curve.c: a positive number that changes smoothly over a film, from what it is in some of its frames ---- */

#define CURVE_WIDTH                                                                                    \
    (1 / 16.0) /* of the film: a standard deviation of the weights that smooth the numbers; or what is \
                  between two numbers that were added, if that is more */

struct curve { /* begins as zeros */
    double *frame, *log_value;
    size_t count;
};

/* Adds the number of a frame behind those before; one that is not finite or not above 0 is left out. Dies without
 * memory. */
void curve_add(struct curve *c, double frame, double value);
/* The number at a frame, which may be between two; a mean over logarithms. Rises, or falls, all the way if what was
 * added does. 0 of an empty curve. */
double curve_at(const struct curve *c, double frame);
double curve_median(const struct curve *c); /* of what was added; 0 of an empty curve */
void curve_free(struct curve *c);

/* ---- numbers.c: counts of positive numbers in buckets of 1/32 octave over the whole range of double.
 *
 * The bucket of a number is its exponent and the first 5 bits of its mantissa, so it costs a shift, needs no range to
 * be known before, and orders as the numbers do. Counts are whole: the same for any number of threads. */

#define HISTOGRAM_BUCKETS 65536

struct histogram {
    uint64_t total;
    uint64_t count[HISTOGRAM_BUCKETS];
};

/* x >= 0, infinity included. */
static inline unsigned histogram_bucket(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return (unsigned)(bits >> 47) & (HISTOGRAM_BUCKETS - 1);
}

static inline void histogram_add(struct histogram *h, double x)
{
    h->total++;
    h->count[histogram_bucket(x)]++;
}

/* The number below which a share q (0 to 1) of what was added lies; 0 of an empty histogram. */
double histogram_quantile(const struct histogram *h, double q);

/* ---- quantity.c: a number of each body, for colours and maps: its speed, or what a column holds ---- */

/* By the name of a column, for a vector column its length, with .x .y .z behind it a part; where there is no such
 * column, potential and acceleration are those of phi and acc, and short names are as in select/select.h: vx. */

/* Can the name be one of a column at all? */
bool quantity_is_name(const char *name);
/* Whether a name is that of a column, of a part of it, or another name for it. */
bool quantity_is_of(const char *name, const char *column);
/* Components of the bodies, of which NB_BLACK_HOLE is dark; NULL: none is, since --select asks for bodies, or there is
 * no such column. */
const uint8_t *dark_components(const struct nb_bodies *b);

/* Whether bodies have it; auto, which is to choose one, they always have. */
bool quantity_is_there(const char *name, const struct nb_bodies *b);
/* Dies with one line, which names the columns that there are, where these bodies have none of that name. `option` is
 * the one that asks for it. */
void quantity_check(const char *name, const struct nb_bodies *b, const char *option);
/* Of bodies [i0, i0 + count), as they are: a value may be NaN or infinite. quantity_check has found no fault. */
void quantity_fill(const char *name, const struct nb_bodies *b, uint64_t i0, int count, double *value);
/* Its unit, as columns have it ("L/T"). */
const char *quantity_unit(const char *name, const struct nb_bodies *b);
