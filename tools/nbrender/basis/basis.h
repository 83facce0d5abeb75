/* basis.h - helpers that all parts of nbrender use: memory, vectors, columns of bodies, samples and histograms of
 * numbers, centres of galaxies, smoothing over the frames of a film, and quantities of bodies. */
#pragma once

#include "base/bodies.h"
#include "common/tool.h"
#include "light/view.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Returns an array with room for n elements of `size` bytes. Its contents are undefined. Returns `array` itself if it
 * is large enough, otherwise frees it and allocates a new array. Returns NULL if there is no memory. `room` is the
 * capacity in elements, 0 at first. */
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

/* Returns the Euclidean norm of a. The square of the norm must not overflow. */
static inline double vector_length(const double a[3])
{
    return sqrt(vector_dot(a, a));
}

/* Computes c = a x b. c must not be a or b. */
static inline void vector_cross(const double a[3], const double b[3], double c[3])
{
    for (int d = 0; d < 3; d++)
        c[d] = a[(d + 1) % 3] * b[(d + 2) % 3] - a[(d + 2) % 3] * b[(d + 1) % 3];
}

/* Compares two doubles, for qsort. */
static inline int compare_numbers(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Returns the first index k from low to high - 1 with number[k] >= x, or high if there is none. `number` is in
 * ascending order. */
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

/* Returns whether the column holds identifiers (u32 or u64, width 1). The column may be NULL. */
static inline bool is_id(const struct nb_column *c)
{
    return c && c->width == 1 && (c->type == NB_U32 || c->type == NB_U64);
}

/* Returns the identifier of body i. is_id must be true for the column. */
static inline uint64_t id_of(const struct nb_column *id, uint64_t i)
{
    return id->type == NB_U64 ? ((const uint64_t *)id->data)[i] : ((const uint32_t *)id->data)[i];
}

/* Returns a hash of an identifier: consecutive identifiers get values spread over all 64 bits. This is the finalizer of
 * splitmix64 (Steele et al. 2014, OOPSLA). */
static inline uint64_t id_spread(uint64_t z)
{
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* Returns the data of the column `name` (for example component) if it has type u8 and width 1, otherwise NULL. */
static inline const uint8_t *labels_of(const struct nb_bodies *b, const char *name)
{
    const struct nb_column *c = nb_bodies_find(b, name);
    return c && c->type == NB_U8 && c->width == 1 ? (const uint8_t *)c->data : NULL;
}

/* Returns whether one of n labels (NULL: there are none) is equal to `label`. */
static inline bool has_label(const uint8_t *labels, uint64_t n, uint8_t label)
{
    return labels && n > 0 && memchr(labels, label, n);
}

/* Returns component k of element i of a column of type f32 or f64. It is inline because nb_column_get costs a function
 * call for each value. */
static inline double value_of(const struct nb_column *c, uint64_t i, int k)
{
    size_t at = (size_t)i * (size_t)c->width + (size_t)k;
    return c->type == NB_F32 ? (double)((const float *)c->data)[at] : ((const double *)c->data)[at];
}

/* Copies element i of a column of width 3 and type f32 or f64 to x. */
static inline void vector_of(const struct nb_column *c, uint64_t i, double x[3])
{
    for (int d = 0; d < 3; d++)
        x[d] = value_of(c, i, d);
}

/* Callback of sum_bodies, which computes four sums over the bodies. For each body from `begin` to end - 1, adds the
 * body's terms to the four sums in sum[]. `what` is the pointer that the caller of sum_bodies passed. */
typedef void body_sums(const void *what, uint64_t begin, uint64_t end, double sum[4]);
/* Calls `add` for all n bodies in parallel, and writes the four sums over the bodies to sum[]. Each call of `add`
 * computes a partial sum over a fixed number of bodies. The partial sums are added in the order of the bodies, so that
 * rounding errors do not depend on the number of threads. */
void sum_bodies(uint64_t n, body_sums *add, const void *what, double sum[4]);

/* Returns the coordinate of body i along view->back, in length units. It is 0 at the view's centre, and larger for
 * bodies nearer to the camera. */
static inline double view_depth(const struct nb_view *view, const struct nb_column *pos, uint64_t i)
{
    double w = 0;
    for (int d = 0; d < 3; d++)
        w += view->back[d] * (value_of(pos, i, d) - view->centre[d]);
    return w;
}

/* Sets component k of element i of a column of type f32 or f64. */
static inline void value_set(struct nb_column *c, uint64_t i, int k, double x)
{
    const size_t at = (size_t)i * (size_t)c->width + (size_t)k;
    if (c->type == NB_F32)
        ((float *)c->data)[at] = (float)x;
    else
        ((double *)c->data)[at] = x;
}

/* Computes at[0] and at[1], the pixel coordinates of the point `place`, as nb_view_project does. Both are NAN if the
 * point is behind the camera. */
static inline void view_project(const struct nb_view *view, const double place[3], double at[2])
{
    double x[3] = {place[0], place[1], place[2]};
    const struct nb_column one = {.type = NB_F64, .width = 3, .data = x};
    nb_view_project(view, &one, 0, 1, &at[0], &at[1], NULL);
}

/* ---- numbers.c: a sample of numbers, with quantiles ---- */

struct sample {
    double *value;
    size_t count;
};

void sample_add(struct sample *s, double value); /* ignores a number that is not finite; dies if there is no memory */
void sample_sort(struct sample *s);
/* Returns the quantile q (0 to 1) of a sorted sample with at least one number, interpolated linearly. */
double sample_quantile(const struct sample *s, double q);
/* Returns whether the two quantiles `share` and 1 - `share` of a sorted sample have opposite signs. */
bool sample_has_both_signs(const struct sample *sorted, double share);
/* Adds -x to a sorted sample for each x in the sample, and sorts the sample again. The quantiles of the result are
 * symmetric about 0. */
void sample_mirror(struct sample *sorted);
void sample_free(struct sample *s); /* empties the sample */

/* ---- galaxies.c: centres and radii of the galaxies of a frame ---- */

#define GALAXIES 256 /* number of values of the column galaxy (u8); without this column all bodies are in galaxy 0 */

struct galaxy {
    double centre[3];     /* median of each coordinate over the galaxy's bodies that galaxies_find has read */
    struct sample radius; /* sorted distances of these bodies from `centre`; empty if there are none */
};

/* Returns an array of GALAXIES entries, one for each value of the column galaxy. Uses only bodies of component `kind`.
 * If the frame has more than `most` bodies, reads only every k-th body, with the smallest k for which at most `most`
 * bodies are read. Free the array with galaxies_free. Dies if there is no memory. */
struct galaxy *galaxies_find(const struct nb_bodies *b, enum nb_component kind, uint64_t most);
void galaxies_free(struct galaxy *galaxies); /* galaxies may be NULL */
/* Returns the distance of body i from the centre of g. */
double galaxy_radius(const struct galaxy *g, const struct nb_column *pos, uint64_t i);

/* ---- curve.c: makes a smooth curve over all frames of a film from positive values of some frames ---- */

/* Curves are smoothed with a Gaussian kernel in the frame number. Its standard deviation is the mean spacing of the
 * frames that have a value, but at least CURVE_WIDTH times the distance between the first and the last of these
 * frames. */
#define CURVE_WIDTH (1 / 16.0)

struct curve { /* initialise with zeros */
    double *frame, *log_value;
    size_t count;
};

/* Adds the value of a frame. Frames must be added in ascending order. Ignores a value that is not finite or not
 * positive. Dies if there is no memory. */
void curve_add(struct curve *c, double frame, double value);
/* Returns the smoothed value at a frame, a weighted geometric mean of the added values. `frame` may be fractional. If
 * the added values are a monotonic function of the frame, so is the smoothed value. Returns 0 for an empty curve. */
double curve_at(const struct curve *c, double frame);
double curve_median(const struct curve *c); /* median of the added values; 0 for an empty curve */
void curve_free(struct curve *c);

/* ---- numbers.c: a histogram of non-negative numbers over the full range of double, so no range has to be chosen.
 *
 * Every factor of 2 is divided into 32 buckets. The index of a number's bucket consists of the exponent and the first 5
 * bits of the mantissa: one shift computes it, and larger numbers have larger indices. Counts are integers, so they are
 * the same for any number of threads. */

#define HISTOGRAM_BUCKETS 65536

struct histogram {
    uint64_t total;
    uint64_t count[HISTOGRAM_BUCKETS];
};

/* Returns the bucket of x >= 0. x may be infinite. */
static inline unsigned histogram_bucket(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return (unsigned)(bits >> 47) & (HISTOGRAM_BUCKETS - 1);
}

/* Adds one number x >= 0. */
static inline void histogram_add(struct histogram *h, double x)
{
    h->total++;
    h->count[histogram_bucket(x)]++;
}

/* Returns the quantile q (0 to 1) of the added numbers, interpolated inside a bucket; 0 for an empty histogram. */
double histogram_quantile(const struct histogram *h, double q);

/* ---- quantity.c: one number for each body, for colours and maps: the speed or a value of a column ---- */

/* A quantity's name is the name of a column. If the column holds vectors, the quantity is the length of the vector, or
 * one component if .x, .y or .z is appended to the name. If there is no such column, the name may be an alias:
 * `potential` stands for phi, `acceleration` for acc, `vx` for vel.x (and others, see select/select.h). */

/* Returns whether the text has the form of a column's name, with or without .x, .y or .z. */
bool quantity_is_name(const char *name);
/* Returns whether the quantity `name` is read from the column `column`. For example, vel.x, vx and speed are read from
 * vel. */
bool quantity_is_of(const char *name, const char *column);
/* For callers that do not draw black holes. Returns the data of the column `component`, in which black holes have the
 * value NB_BLACK_HOLE. Returns NULL if the caller must draw all bodies, because the column is missing or not u8, or
 * because the user selected bodies with --select. */
const uint8_t *dark_components(const struct nb_bodies *b);

/* Returns whether the bodies have a column for the quantity. Returns true for the name "auto". */
bool quantity_is_there(const char *name, const struct nb_bodies *b);
/* If the bodies have no column for the quantity, dies with an error message that names the available columns. The
 * message begins with `option`, the command-line option that sets the quantity. */
void quantity_check(const char *name, const struct nb_bodies *b, const char *option);
/* Sets value[k] to the quantity of body i0 + k, for k from 0 to count - 1. Values may be NaN or infinite. The bodies
 * must have the quantity (quantity_check). */
void quantity_fill(const char *name, const struct nb_bodies *b, uint64_t i0, int count, double *value);
/* Returns the quantity's unit in the form of a column's unit ("L/T"). The bodies must have the quantity. */
const char *quantity_unit(const char *name, const struct nb_bodies *b);
