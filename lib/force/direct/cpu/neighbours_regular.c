/* neighbours_regular.c - the regular part of the neighbour scheme on the CPU: sums over the bodies that are not
 * neighbours, lists of neighbours, and the memory of a base step. Declared in neighbours_run.h. */
#define OWN_STEP_CALL static inline
#include "device/own_regular.h"

#include "base/error.h"
#include "force/direct/cpu/direct_simd.h"
#include "force/direct/cpu/neighbours_run.h"

#include <omp.h>
#include <stdlib.h>
#include <string.h>

#define SETS(name)   nb_neighbours_##name
#define SET_OF(name) &SETS(name)
extern const struct nb_neighbour_set NB_SIMD_EACH(SETS);
const struct nb_neighbour_set *const nb_neighbour_sets[NB_SIMD_SETS] = {NB_SIMD_EACH(SET_OF)};

/* The neighbours of a body are the bodies within its reach. The reach grows if the number of neighbours is below FEW
 * times the wanted number, and shrinks if it is above MANY times this number. */
#define FEW     0.75
#define MANY    1.33
#define CHANGE  1.2 /* the squared reach is multiplied or divided by this factor */
#define TRIES   40
#define FAR_OFF 1e100

/* ---- sums and lists ---- */

/* Sets the masses of target *t and of its neighbours in m to 0, so that the regular sum ignores these bodies. If `all`
 * is true, restores these masses. m: copy of all masses. */
static void mask(const struct near_run *r, struct nb_near_target *t, double *m, bool all)
{
    const struct nb_neighbours *w = r->w;
    const uint32_t *list = w->d_list + t->i * w->most, count = w->d_count[t->i];
    const double *from = r->s->m;
    m[t->i] = all ? from[t->i] : 0;
    for (uint32_t k = 0; k < count; k++)
        m[list[k]] = all ? from[list[k]] : 0;
}

/* For each of `count` bodies, computes the acceleration and jerk caused by all bodies outside its neighbour list, and
 * finds its new neighbours. There may be more new neighbours than a list can hold. */
static void sum_others(struct near_run *r, int count, const uint32_t *bodies, struct nb_near_target *target)
{
    const int first = NB_NEAR_TARGETS * omp_get_thread_num();
    for (int k = 0; k < count; k++) {
        target[k] = (struct nb_near_target){.i = bodies[k],
                                            .m = r->mass[first + k],
                                            .reach2 = ((const double *)r->w->d_reach2)[bodies[k]],
                                            .most = r->w->most,
                                            .list = r->found[first + k]};
        mask(r, &target[k], r->mass[first + k], false);
    }
    r->set->pull_rest(&r->rows, r->eps2, count, target);
    for (int k = 0; k < count; k++) {
        mask(r, &target[k], r->mass[first + k], true);
        for (int l = 0; l < 3; l++) {
            target[k].sum.a[l] *= r->s->G;
            target[k].sum.j[l] *= r->s->G;
        }
    }
}

/* Reduces the reach of body i until a list can hold all neighbours within this reach. count: number of neighbours
 * within the present reach. Returns the new number of neighbours, or 0 after TRIES reductions without success. */
static uint32_t shrink(const struct near_run *r, uint32_t i, uint32_t count, uint32_t *found)
{
    const struct nb_neighbours *w = r->w;
    double *reach2 = (double *)w->d_reach2 + i;
    for (int k = 0; k < TRIES && count > w->most; k++) {
        *reach2 *= pow((double)w->wanted / count, 2.0 / 3);
        count = r->set->find(&r->rows, i, *reach2, w->most, found);
    }
    return count <= w->most ? count : 0;
}

/* Returns the maximum number of neighbours of body i: the number of other bodies with mass, because bodies without mass
 * are not neighbours. */
static uint64_t possible(const struct near_run *r, uint32_t i)
{
    return r->massive - (((const double *)r->s->m)[i] > 0);
}

/* Adapts the reach of body i to the wanted number of neighbours. count: number of neighbours in its list. */
static void follow_number(const struct near_run *r, uint32_t i, uint32_t count)
{
    double *reach2 = (double *)r->w->d_reach2 + i;
    if (count < FEW * r->w->wanted && count < possible(r, i))
        *reach2 *= CHANGE;
    else if (count > MANY * r->w->wanted)
        *reach2 /= CHANGE;
}

/* Computes the acceleration, jerk and snap of body i that body j causes. Adds them, times `sign`, to change_a, change_j
 * and change_s of *out. */
static void add_change(const struct near_run *r, uint32_t i, uint32_t j, double sign, struct near_regular *out)
{
    const struct nb_near_body *of = &r->body[i], *by = &r->body[j];
    const double h_of = r->w->own.base * (r->now - of->v[3]), h_by = r->w->own.base * (r->now - by->v[3]);
    double d[3], w[3], b[3], r2 = r->eps2, dw = 0, ww = 0, db = 0;
    for (int k = 0; k < 3; k++) {
        d[k] = r->place[j].x[k] - r->place[i].x[k];
        w[k] = r->place[j].v[k] - r->place[i].v[k];
        b[k] = by->a[k] + h_by * by->j[k] - of->a[k] - h_of * of->j[k];
        r2 += d[k] * d[k];
        dw += d[k] * w[k];
        ww += w[k] * w[k];
        db += d[k] * b[k];
    }
    const double weight = sign * r->s->G * by->x[3] / (r2 * sqrt(r2)), alpha = dw / r2,
                 beta = (ww + db) / r2 + alpha * alpha;
    for (int k = 0; k < 3; k++) {
        const double jerk = w[k] - 3 * alpha * d[k];
        out->change_a[k] += weight * d[k];
        out->change_j[k] += weight * jerk;
        out->change_s[k] += weight * (b[k] - 6 * alpha * jerk - 3 * beta * d[k]);
    }
}

/* Replaces body i's list by the `count` bodies found. A body that leaves the list belongs to the regular acceleration
 * from now on, so its contribution is added to the changes in *out. The contribution of a body that joins the list is
 * subtracted. */
static void renew(struct near_run *r, uint32_t i, uint32_t count, const uint32_t *found, struct near_regular *out)
{
    struct nb_neighbours *w = r->w;
    uint32_t *list = w->d_list + (uint64_t)i * w->most;
    const uint32_t before = w->d_count[i];
    for (uint32_t old = 0, new = 0; old < before || new < count;) {
        if (new == count || (old < before && list[old] < found[new]))
            add_change(r, i, list[old++], 1, out);
        else if (old == before || found[new] < list[old])
            add_change(r, i, found[new ++], -1, out);
        else
            old++, new ++;
    }
    memcpy(list, found, count * sizeof *list);
    w->d_count[i] = count;
    follow_number(r, i, count);
}

void nb_near_regular(struct near_run *r, uint32_t k0, uint32_t k1)
{
    struct nb_near_target target[NB_NEAR_TARGETS];
    sum_others(r, (int)(k1 - k0), r->regular_due + k0, target);
    for (uint32_t k = k0; k < k1; k++) {
        const struct nb_near_target *t = &target[k - k0];
        const uint32_t i = r->regular_due[k];
        r->regular[k] = (struct near_regular){.sum = t->sum};
        renew(r, i, shrink(r, i, t->count, t->list), t->list, &r->regular[k]);
    }
}

/* ---- start ---- */

/* Finds a reach for body i, within which it has about the wanted number of neighbours, and makes the body's first list.
 * The search begins with the squared reach reach2. If the number of other bodies with mass is at most the wanted
 * number, the reach is infinite. */
static void first_list(struct near_run *r, uint32_t i, double reach2)
{
    struct nb_neighbours *w = r->w;
    uint32_t *found = r->found[NB_NEAR_TARGETS * omp_get_thread_num()], count = 0;
    double *to = (double *)w->d_reach2 + i;
    *to = possible(r, i) > w->wanted ? reach2 : INFINITY;
    for (int k = 0; k < TRIES && isfinite(*to); k++) {
        count = r->set->find(&r->rows, i, *to, w->most, found);
        if (count >= FEW * w->wanted && count <= MANY * w->wanted)
            break;
        *to *= fmin(fmax(count > 0 ? pow((double)w->wanted / count, 2.0 / 3) : 4, 1.0 / 16), 4);
    }
    w->d_count[i] = shrink(r, i, r->set->find(&r->rows, i, *to, w->most, found), found);
    memcpy(w->d_list + (uint64_t)i * w->most, found, w->d_count[i] * sizeof *found);
}

/* Returns an estimate of the squared reach with the wanted number of neighbours. It assumes that the n bodies fill a
 * sphere uniformly. The radius of the sphere is the rms distance of the bodies from the first body. */
static double first_reach2(const struct near_run *r)
{
    const double *x = r->s->x;
    double sum = 0;
    for (uint64_t k = 0; k < 3; k++)
        for (uint64_t i = 0; i < r->s->n; i++)
            sum += pow(x[i + k * r->s->stride] - x[k * r->s->stride], 2);
    sum /= (double)r->s->n;
    return sum > 0 ? sum * pow((double)r->w->wanted / (double)r->s->n, 2.0 / 3) : 1;
}

int nb_near_start(struct nb_device *device, void *work, const struct nb_sources *s, struct nb_neighbours *w)
{
    struct near_run r;
    (void)device, (void)work;
    const int status = nb_near_begin(&r, s, w);
    const double reach2 = status ? 0 : first_reach2(&r);
    const uint64_t n = status ? 0 : s->n;
#pragma omp parallel for schedule(dynamic) if (n > 256)
    for (uint32_t i = 0; i < n; i++) {
        first_list(&r, i, reach2);
        struct nb_near_target target;
        sum_others(&r, 1, &i, &target);
        r.far[i] = (struct nb_own_regular){0};
        memcpy(r.far[i].a, target.sum.a, sizeof r.far[i].a);
        memcpy(r.far[i].j, target.sum.j, sizeof r.far[i].j);
    }
    if (status == 0)
        nb_near_store(&r);
    nb_near_end(&r);
    return status;
}

/* from_rows copies element i of a vector from rows to an array of three numbers. to_rows copies it back to rows. */
static void from_rows(const void *rows, uint64_t stride, uint64_t i, double to[3])
{
    for (uint64_t k = 0; k < 3; k++)
        to[k] = ((const double *)rows)[i + k * stride];
}

static void to_rows(void *rows, uint64_t stride, uint64_t i, const double from[3])
{
    for (uint64_t k = 0; k < 3; k++)
        ((double *)rows)[i + k * stride] = from[k];
}

static void load(struct near_run *r)
{
    const struct nb_own_hermite *own = &r->w->own;
    const double *m = r->s->m, *step = own->d_step, *regular = r->w->d_regular_step;
    for (uint64_t i = 0; i < own->n; i++) {
        struct nb_near_body *b = &r->body[i];
        struct nb_own_regular *far = &r->far[i];
        double *const derivative[] = {far->a, far->j, far->s, far->c};
        from_rows(own->d_x, own->stride, i, b->x);
        from_rows(own->d_v, own->stride, i, b->v);
        from_rows(own->d_a, own->stride, i, b->a);
        from_rows(own->d_j, own->stride, i, b->j);
        for (int k = 0; k < 4; k++)
            from_rows(r->w->d_regular[k], own->stride, i, derivative[k]);
        b->x[3] = m[i];
        b->a[3] = step[i];
        r->regular_step[i] = regular[i];
        r->place[i].v[3] = -1; /* the time of the prediction; -1: not predicted yet */
    }
    r->place[own->n] = (struct nb_near_place){.x = {FAR_OFF, FAR_OFF, FAR_OFF}};
}

void nb_near_store(const struct near_run *r)
{
    const struct nb_own_hermite *own = &r->w->own;
    for (uint64_t i = 0; i < own->n; i++) {
        const struct nb_near_body *b = &r->body[i];
        const struct nb_own_regular *far = &r->far[i];
        const double *const derivative[] = {far->a, far->j, far->s, far->c};
        to_rows(own->d_x, own->stride, i, b->x);
        to_rows(own->d_v, own->stride, i, b->v);
        to_rows(own->d_a, own->stride, i, b->a);
        to_rows(own->d_j, own->stride, i, b->j);
        for (int k = 0; k < 4; k++)
            to_rows(r->w->d_regular[k], own->stride, i, derivative[k]);
        ((double *)own->d_step)[i] = b->a[3];
        ((double *)r->w->d_regular_step)[i] = r->regular_step[i];
    }
}

/* Computes the number and the mean of the nonzero masses. Sets the weight of each body j to (m_j / mean)^(2/3), or to 0
 * if m_j is 0. Body j is a neighbour of body i up to the squared distance (squared reach of i) * (weight of j). */
static void weigh(struct near_run *r)
{
    const double *m = r->s->m;
    double sum = 0;
    for (uint64_t i = 0; i < r->s->n; i++) {
        sum += m[i];
        r->massive += m[i] > 0;
    }
    r->mean = r->massive ? sum / (double)r->massive : 1;
    for (uint64_t i = 0; i < r->s->n; i++)
        r->weight[i] = m[i] > 0 ? pow(m[i] / r->mean, 2.0 / 3) : 0;
}

/* Allocates `count` zeroed elements; sets *failed if there is no memory. */
static void *get(uint64_t count, size_t size, bool *failed)
{
    void *p = aligned_alloc(64, (count * size / 64 + 2) * 64);
    if (p)
        memset(p, 0, count * size + 64);
    *failed = *failed || !p;
    return p;
}

int nb_near_begin(struct near_run *r, const struct nb_sources *s, struct nb_neighbours *w)
{
    const uint64_t n = s->n;
    bool failed = false;
    *r = (struct near_run){
        .set = nb_neighbour_sets[nb_simd_in_use()], .s = s, .w = w, .eps2 = s->softening * s->softening};
    r->scratch = NB_NEAR_TARGETS * omp_get_max_threads();
    r->body = get(n, sizeof *r->body, &failed);
    r->place = get(n + 1, sizeof *r->place, &failed);
    r->far = get(n, sizeof *r->far, &failed);
    r->regular_step = get(n, sizeof(double), &failed);
    r->regular_begun = get(n, sizeof(double), &failed);
    r->weight = get(s->stride, sizeof(double), &failed);
    r->next = get(n, sizeof *r->next, &failed);
    r->due = get(n, sizeof *r->due, &failed);
    r->regular_due = get(n, sizeof *r->regular_due, &failed);
    r->regular_at = get(n, sizeof *r->regular_at, &failed);
    r->irregular = get(n, sizeof *r->irregular, &failed);
    r->regular = get(n, sizeof *r->regular, &failed);
    r->mass = get((uint64_t)r->scratch, sizeof *r->mass, &failed);
    r->found = get((uint64_t)r->scratch, sizeof *r->found, &failed);
    for (int k = 0; k < r->scratch && !failed; k++) {
        r->mass[k] = get(s->stride, sizeof(double), &failed);
        r->found[k] = get(w->most + 2 * NB_NEAR_LANES, sizeof **r->found, &failed);
        if (!failed)
            memcpy(r->mass[k], s->m, n * sizeof(double));
    }
    if (failed)
        return nb_fail("no memory for the steps of %g bodies", (double)n);
    r->rows = (struct nb_near_rows){.n = n, .stride = s->stride, .x = s->x, .v = s->v, .weight = r->weight};
    weigh(r);
    load(r);
    return 0;
}

void nb_near_end(struct near_run *r)
{
    for (int k = 0; k < r->scratch; k++) {
        free(r->mass ? r->mass[k] : NULL);
        free(r->found ? r->found[k] : NULL);
    }
    void *const all[] = {r->body,      r->place,   r->far,  r->regular_step, r->regular_begun,
                         r->weight,    r->next,    r->due,  r->regular_due,  r->regular_at,
                         r->irregular, r->regular, r->mass, r->found};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        free(all[k]);
}
