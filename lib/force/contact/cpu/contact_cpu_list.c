/* contact_cpu_list.c - keeps lists of partners until disks have moved too far (Verlet lists). Declared in
 * contact_cpu.h. A list contains the disks closer than contact distance + skin. The lists are rebuilt when two disks
 * could have approached each other by more than the skin.
 *
 * The displacement of a disk is the vector from its position when the lists were built to its present position. Two
 * disks can have approached each other by at most the diagonal of the smallest box (with sides along x and y) that
 * contains the displacement vectors of all disks. If all disks move together, these vectors are nearly equal, the
 * diagonal is small, and the lists stay valid. */
#include "force/contact/cpu/contact_simd.h"

#include "base/error.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

#define TASK 8192

double nb_contact_slack(const struct nb_scene *s, bool single)
{
    const double epsilon = single ? FLT_EPSILON : DBL_EPSILON;
    double size = s->radius;
    for (int k = 0; k < 2; k++)
        if (s->periodic[k])
            size = fmax(size, fmax(fabs(s->low[k]), fabs(s->high[k])) + s->high[k] - s->low[k]);
    return 8 * epsilon * size;
}

/* Returns an upper limit of the distance by which two disks can have approached each other since the lists were built.
 * Returns NAN if a displacement is not finite. */
static double moved(const struct nb_contact_list *list, const struct nb_contact_task *task,
                    const struct nb_contact_input *in)
{
    nb_contact_spread *spread = nb_contact_sets[nb_simd_in_use()]->spread[!in->single];
    double x0 = INFINITY, x1 = -INFINITY, y0 = INFINITY, y1 = -INFINITY, bad = 0;
#pragma omp parallel for schedule(static) reduction(min : x0, y0) reduction(max : x1, y1) \
    reduction(+ : bad) if (in->n > NB_CONTACT_SERIAL)
    for (uint64_t i = 0; i < in->n; i += TASK) {
        double box[2][2];
        bad += spread(task, list->x, list->n, i, in->n - i < TASK ? in->n : i + TASK, box);
        x0 = fmin(x0, box[0][0]), x1 = fmax(x1, box[0][1]);
        y0 = fmin(y0, box[1][0]), y1 = fmax(y1, box[1][1]);
    }
    return in->n > 0 ? hypot(x1 - x0, y1 - y0) + bad : 0;
}

static int reserve(struct nb_contact_list *list, uint64_t n)
{
    if (list->capacity < n) {
        free(list->x);
        list->capacity = (list->x = malloc(2 * n * sizeof(double))) ? n : 0;
    }
    return list->capacity >= n ? 0 : nb_fail("no memory for places of disks");
}

static void keep_places(struct nb_contact_list *list, const struct nb_contact_input *in)
{
    const size_t size = in->single ? sizeof(float) : sizeof(double);
    for (size_t k = 0; k < 2; k++)
        memcpy((char *)list->x + k * in->n * size, (const char *)in->x + k * in->stride * size, in->n * size);
    list->n = in->n;
    list->single = in->single;
}

int nb_contact_list_update(struct nb_contact_list *list, const struct nb_contact *contact,
                           const struct nb_contact_task *task, const struct nb_contact_input *in)
{
    const struct nb_scene *s = &contact->scene;
    if (list->valid && list->n == in->n && list->single == in->single && moved(list, task, in) <= list->skin)
        return 0;
    list->valid = false;
    if (reserve(list, in->n) ||
        nb_contact_grid_search(&list->grid, contact, in, 2 * s->radius + list->skin + nb_contact_slack(s, in->single),
                               &list->rows))
        return -1;
    keep_places(list, in);
    list->valid = true;
    return 0;
}

double nb_contact_list_skin(const struct nb_scene *s, double skin)
{
    for (int k = 0; k < 2; k++)
        if (s->periodic[k])
            skin = fmin(skin, (s->high[k] - s->low[k]) / 3.01 - 2 * s->radius);
    return skin;
}

void nb_contact_list_free(struct nb_contact_list *list)
{
    nb_contact_grid_free(&list->grid);
    nb_contact_rows_free(&list->rows);
    free(list->x);
    *list = (struct nb_contact_list){0};
}
