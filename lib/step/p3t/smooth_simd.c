/* smooth_simd.c - the kernels of smooth.h for one instruction set, selected by the compiler's flags. Each lane of a
 * vector processes one node (a time within the step). */
#include "step/p3t/smooth.h"

#include "simd/vectors.h"

#include <string.h>

#define SET       PASTE(nb_smooth_, SET_WORD)
#define PRECISION double
#define PAIR      double
#define pair_vec  vec
#define LANES     LANES_double
#define TERMS     TERMS_double
#define ESTIMATE  estimate_double

typedef VECTOR(double, LANES) vec __attribute__((may_alias));
typedef VECTOR(int64_t, LANES) mask_vec;
typedef double loose_vec
    /* a SIMD vector at any address that is a multiple of 8 bytes */
    __attribute__((vector_size(LANES * sizeof(double)), aligned(8), may_alias));

#include "simd/weight.h"

INLINE vec load(const double *from)
{
    return *(const loose_vec *)from;
}

INLINE void add(double *to, vec x)
{
    *(loose_vec *)to = load(to) + x;
}

INLINE vec limit(vec x) /* clips to [0, 1] */
{
    const vec none = {0}, one = none + 1;
    const mask_vec above = x > one, some = x > none;
    return (vec)(((mask_vec)one & above) | ((mask_vec)x & some & ~above));
}

static void place(const struct nb_smooth *s, const struct nb_smooth_table *table, double h, const nb_smooth_nodes *a,
                  nb_smooth_nodes *x)
{
    for (uint32_t i = 0; i < s->n; i++)
        for (int d = 0; d < 3; d++)
            for (int l = 0; l < NB_SMOOTH_NODES; l += LANES) {
                vec sum = {0};
                for (int j = 0; j < NB_SMOOTH_NODES; j++)
                    sum += a[i][d][j] * load(&table->way[j][l]);
                *(loose_vec *)&x[i][d][l] = s->x[i][d] + h * (s->v[i][d] * load(&table->node[l]) + h * sum);
            }
}

static void pull(const struct nb_smooth *s, const struct nb_smooth_pairs *p, struct nb_changeover split,
                 const nb_smooth_nodes *x, nb_smooth_nodes *a)
{
    const double inner2 = split.inner * split.inner;
    const vec none = {0}, one = none + 1, per = none + 1 / (split.outer * split.outer - inner2);
    memset(a, 0, s->n * sizeof *a);
    for (uint32_t k = 0; k < p->count; k++) {
        const uint32_t i = p->pair[k][0], j = p->pair[k][1];
        for (int l = 0; l < NB_SMOOTH_NODES; l += LANES) {
            const vec dx = load(&x[j][0][l]) - load(&x[i][0][l]), dy = load(&x[j][1][l]) - load(&x[i][1][l]),
                      dz = load(&x[j][2][l]) - load(&x[i][2][l]), r2 = dx * dx + dy * dy + dz * dz;
            const vec y = limit((r2 - inner2) * per);
            vec cube, unused;
            pair_weight_double(r2, one, &cube, &unused, false);
            const vec share = cube * (one - NB_CHANGEOVER(y)), to_i = s->gm[j] * share, to_j = -s->gm[i] * share;
            add(&a[i][0][l], to_i * dx);
            add(&a[i][1][l], to_i * dy);
            add(&a[i][2][l], to_i * dz);
            add(&a[j][0][l], to_j * dx);
            add(&a[j][1][l], to_j * dy);
            add(&a[j][2][l], to_j * dz);
        }
    }
}

extern const struct nb_smooth_set SET;
const struct nb_smooth_set SET = {.place = place, .pull = pull};
