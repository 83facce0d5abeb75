/* close_touch.c - finds contacts in a component. A component is a set of bodies connected by close pairs. Declared in
 * close_touch.h. */
#include "step/p3t/close_touch.h"

#include "base/error.h"
#include "step/kepler.h"

#include <math.h>
#include <stdlib.h>

static bool reserve(struct nb_p3t_watch *o, uint64_t bodies, int passed)
{
    if (bodies > o->room || passed > o->passed_room) {
        const uint64_t room = bodies > o->room ? 2 * bodies : o->room;
        const int passed_room = passed > o->passed_room ? 2 * passed : o->passed_room;
        nb_p3t_watch_free(o);
        o->rows = malloc(2 * room * sizeof *o->rows);
        o->passed = calloc((size_t)passed_room + 1, sizeof *o->passed);
        o->room = o->rows && o->passed ? room : 0;
        o->passed_room = o->room ? passed_room : 0;
    }
    return o->room >= bodies || nb_fail("no memory to search for contacts") == 0;
}

/* Finds `number` in the ascending list `body` and sets *place to its index. Returns false if it is not in the list. */
static bool find(uint64_t number, uint32_t count, const uint32_t *body, uint64_t *place)
{
    uint32_t low = 0;
    for (uint32_t high = count; low < high;) {
        const uint32_t middle = low + (high - low) / 2;
        if (body[middle] < number)
            low = middle + 1;
        else
            high = middle;
    }
    *place = low;
    return low < count && body[low] == number;
}

bool nb_p3t_watch_open(struct nb_p3t_watch *o, const struct nb_touch_watch *all, uint32_t count, const uint32_t *body)
{
    if (!reserve(o, count, all->passed_count))
        return false;
    o->here = (struct nb_touch_watch){.mass = o->rows, .radius = o->rows + count, .passed = o->passed};
    for (uint32_t q = 0; q < count; q++) {
        o->rows[q] = all->mass[body[q]];
        o->rows[count + q] = all->radius[body[q]];
    }
    for (int k = 0; k < all->passed_count; k++) {
        struct nb_touch pair;
        if (find(all->passed[k].i, count, body, &pair.i) && find(all->passed[k].j, count, body, &pair.j))
            o->passed[o->here.passed_count++] = pair;
    }
    return true;
}

static void note(struct nb_touch_watch *all, uint32_t i, uint32_t j, nb_quad after)
{
#pragma omp critical(nb_p3t_touch)
    nb_touch_note(all, i, j, after);
}

void nb_p3t_watch_tell(const struct nb_p3t_watch *o, struct nb_touch_watch *all, const uint32_t *body)
{
    const struct nb_touch *first = &o->here.first;
    if (o->here.found)
        note(all, body[first->i], body[first->j], first->after);
}

void nb_p3t_watch_free(struct nb_p3t_watch *o)
{
    free(o->rows);
    free(o->passed);
    *o = (struct nb_p3t_watch){0};
}

void nb_p3t_touch_on_orbit(struct nb_touch_watch *all, const uint32_t body[2], double mu, double h, const double x[3],
                           const double v[3])
{
    double t;
    if (nb_touch_may(all, body[0], body[1]) &&
        nb_kepler_comes_near(mu, h, x, v, all->radius[body[0]] + all->radius[body[1]], &t))
        note(all, body[0], body[1], (nb_quad)t);
}

double nb_p3t_largest_radii(const struct nb_touch_watch *w, uint64_t n)
{
    double first = 0, second = 0;
    for (uint64_t i = 0; i < n; i++) {
        second = fmax(second, fmin(first, w->radius[i]));
        first = fmax(first, w->radius[i]);
    }
    return first + second;
}
